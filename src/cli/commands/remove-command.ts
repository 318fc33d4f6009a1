import type { Bridge } from '../../bridge/bridge.ts';
import { removeSource, subscriptionsOf } from '../../bridge/removal.ts';
import { unconfiguredSources } from '../../bridge/state/stored-sources.ts';
import { countOf } from '../../core/count-of.ts';
import { toIso } from '../../core/datetime.ts';
import { eitherOf } from '../../core/either-signal.ts';
import { BridgeError } from '../../core/errors.ts';
import type { ListedSubscription } from '../../store/push/subscriptions.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import { askFor } from '../../store/runs/due.ts';
import { countSource, findSource } from '../../store/sources/sources.ts';
import { noteCommand } from '../terminal/actor.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import { sayWhereNobodyServes } from '../terminal/nobody-serves.ts';
import { printable } from '../terminal/terminal-text.ts';
import { withBridge } from '../terminal/with-bridge.ts';

export interface RemoveFlags {
  readonly config?: string;
  readonly json: boolean;
  readonly atOnce: boolean;
  readonly byServe: boolean;
  readonly dryRun: boolean;
}

/** Removes a source that is not configured any more: first for those who follow it, then for good. */
export async function removeCommand(name: string, flags: RemoveFlags, io: CommandIo): Promise<number> {
  return withBridge(flags, io, 'warnings', async (bridge) => {
    await refuseOthers(bridge, name);
    const { database, clock } = bridge;
    const stored = await findSource(database.writer, name);
    const counts = stored && (await countSource(database.writer, stored.id, toIso(clock.now())));
    const resources = counts?.resources ?? 0;
    const subscriptions = await subscriptionsOf(bridge, name);
    const said = { source: name, atOnce: flags.atOnce, resources, subscriptions: subscriptions.map(viewOf) };
    const ended = describeSubscriptions(subscriptions);
    if (flags.dryRun) {
      const what = flags.atOnce ? 'remove everything of it' : 'announce the deletion of all of it';
      const message = `${name}: ${countOf(resources, 'resource')}; would ${what} (dry run, nothing changed)${ended}`;
      printResult(io, flags.json, { dryRun: true, ...said }, message);
      return exitCodes.ok;
    }
    await noteCommand(bridge, 'removed what is published', flags.atOnce ? `${name}, at once` : name);
    if (flags.byServe) {
      await askServe(bridge, name, flags, io, subscriptions);
      return exitCodes.ok;
    }
    const ending = eitherOf(io.stop, io.abort);
    try {
      await removeSource(bridge, name, { atOnce: flags.atOnce, signal: ending });
    } catch (error) {
      if (!ending.aborted) throw error;
      throw new BridgeError('interrupted', `stopped as asked; what is left of ${name} goes the next time`, {
        cause: error,
      });
    }
    printResult(io, flags.json, said, `${describe(name, resources, flags.atOnce)}${ended}`);
    return exitCodes.ok;
  });
}

/** Leaves it to the processes that work at this database: of millions of resources it takes hours. */
async function askServe(
  { database }: Bridge,
  name: string,
  { atOnce, json }: RemoveFlags,
  io: CommandIo,
  subscriptions: readonly ListedSubscription[],
): Promise<void> {
  const now = await lookAtClock(database);
  const kind = atOnce ? 'removal-at-once' : 'removal';
  await askFor(database, { sources: [name], kind }, now);
  const message = `${name} is removed by rsbridge serve from now on; nothing of it is served as a living resource any more, and rsbridge status shows it until it is gone${describeSubscriptions(subscriptions)}`;
  printResult(io, json, { source: name, asked: kind, subscriptions: subscriptions.map(viewOf) }, message);
  await sayWhereNobodyServes(io, database.reader, now);
}

function describe(name: string, resources: number, atOnce: boolean): string {
  return atOnce
    ? `${name} is removed: its rows, contents and documents are gone, and its addresses answer 404`
    : `${name}: ${countOf(resources, 'resource')} deleted; their addresses answer 410, and the Change Lists say so to those who follow them. Later, rsbridge remove ${name} --at-once removes the rest`;
}

function viewOf({ id, kind, topic, callback, label }: ListedSubscription) {
  return { id, kind, topic, callback, label };
}

/** Those that end with it. */
function describeSubscriptions(subscriptions: readonly ListedSubscription[]): string {
  const told = subscriptions.filter(({ kind }) => kind === 'websub').length;
  const others = subscriptions.filter(({ kind }) => kind !== 'websub');
  return [
    ...(told === 0
      ? []
      : [`${countOf(told, 'subscription')} by WebSub: rsbridge serve tells the callbacks that it is over`]),
    ...others.map(({ id, kind, topic, callback, label }) => {
      const address = printable(label === undefined ? callback : `${callback} (${label})`);
      return `${kind} ${id}: ${address} is not told of ${topic} any more`;
    }),
  ]
    .map((line) => `\n  ${line}`)
    .join('');
}

/** @throws BridgeError `source-configured`, `unknown-source` */
async function refuseOthers(bridge: Bridge, name: string): Promise<void> {
  if (Object.hasOwn(bridge.config.sources, name)) {
    throw new BridgeError(
      'source-configured',
      `${name} is in the configuration, and would be harvested again`,
    );
  }
  const known = await unconfiguredSources(bridge);
  if (known.some((source) => source.name === name)) return;
  const names = known.map((source) => source.name).join(', ') || 'none';
  throw new BridgeError(
    'unknown-source',
    `there is no source called ${name} in the store; in the store and not in the configuration: ${names}`,
  );
}
