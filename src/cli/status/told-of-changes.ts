import type { StoredBridge } from '../../bridge/stored-bridge.ts';
import { countOf } from '../../core/count-of.ts';
import { type PushState, readPushState } from '../../store/push/state.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';

/** Who is told of changes, and how that goes; nothing where nobody is. */
export async function printToldOfChanges(
  { database }: Pick<StoredBridge, 'database'>,
  json: boolean,
  io: CommandIo,
): Promise<void> {
  const now = await lookAtClock(database);
  const state = await readPushState(database.reader, now);
  if (state.subscriptions.length === 0 && state.pending === 0) return;
  const since = (at: number | undefined) =>
    at === undefined ? 0 : Math.max(0, Math.round((now - at) / 1000));
  const { subscriptions, pending, counted } = state;
  const [queueSeconds, undeliveredSeconds] = [since(state.waitingSince), since(state.undeliveredSince)];
  const told = { subscriptions, pending, queueSeconds, undeliveredSeconds, counted };
  printResult(io, json, { push: told, healthy: true }, sentence(state, queueSeconds));
}

function sentence({ subscriptions, pending }: PushState, queueSeconds: number): string {
  const sum = (state: string) =>
    subscriptions.reduce((all, one) => all + (one.state === state ? one.count : 0), 0);
  const parts = [
    countOf(sum('active') + sum('failing'), 'subscription'),
    ...(sum('failing') > 0 ? [`${sum('failing')} failing`] : []),
    ...(pending > 0 ? [`${pending} to be confirmed`] : []),
    ...(queueSeconds > 5 ? [`the queue is ${countOf(queueSeconds, 'second')} behind`] : []),
  ];
  return `told of changes: ${parts.join(', ')} (rsbridge subscriptions list)`;
}
