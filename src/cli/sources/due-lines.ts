import type { StoredBridge } from '../../bridge/stored-bridge.ts';
import { countOf } from '../../core/count-of.ts';
import { toIso } from '../../core/datetime.ts';
import { redact } from '../../core/secrets.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import { type DueState, listDueOf } from '../../store/runs/due.ts';
import { printable } from '../terminal/terminal-text.ts';

/** What is to be done with a source, and what came of it the last times. */
export interface DueView {
  readonly kind: string;
  readonly dueAt: string | undefined;
  readonly attempts: number;
  readonly reason: string | undefined;
  readonly underWay: boolean;
}

const words: Partial<Record<DueState['kind'], string>> = {
  harvest: 'harvest',
  full: 'full pass',
  identifiers: 'look at identifiers',
};

export async function readDue(
  { database }: Pick<StoredBridge, 'database'>,
  source: string,
): Promise<readonly DueView[]> {
  const due = await listDueOf(database.reader, source, await lookAtClock(database));
  return due.map(({ kind, dueAt, attempts, reason, isHeld }) => ({
    kind,
    dueAt: dueAt === undefined ? undefined : toIso(new Date(dueAt)),
    attempts,
    reason: reason === undefined ? undefined : redact(reason),
    underWay: isHeld,
  }));
}

/** A line for each that is planned, has failed, or is under way. */
export function dueLines(source: string, due: readonly DueView[]): readonly string[] {
  return due.flatMap(({ kind, dueAt, attempts, reason, underWay }) => {
    const what = words[kind as DueState['kind']] ?? kind;
    const when = underWay ? 'under way' : dueAt === undefined ? 'not planned' : `next at ${dueAt}`;
    if (attempts === 0) return underWay || dueAt !== undefined ? `  # ${what}: ${when}` : [];
    const failed = `failed ${attempts === 1 ? 'once' : `${countOf(attempts, 'time')} in a row`}`;
    const why = reason === undefined ? '' : ` (${printable(reason)})`;
    const now = underWay ? '' : `; rsbridge sources resume ${source} has it done now`;
    return `  # ${what}: ${failed}${why}; ${when}${now}`;
  });
}
