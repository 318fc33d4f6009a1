import { addSeconds, endOfUtcDay } from '../../../../src/core/datetime.ts';
import type { HostileRecord, Repository } from '../repository.ts';
import type { Misbehaviour } from './misbehaviour.ts';

/** What a list is about. */
export interface Selection {
  readonly set: string | undefined;
  readonly from: string | undefined;
  readonly until: string | undefined;
}

/** The date that the header tells. */
export function headerDate(record: HostileRecord, now: string, wrong: Misbehaviour): string {
  if (wrong.datestampsAreNow === true) return now;
  return wrong.headersTellCreation === true ? record.createdAt : record.datestamp;
}

/** The records of a list in its order, hidden ones included. */
export function select(
  repository: Repository,
  selection: Selection,
  now: string,
  wrong: Misbehaviour,
): readonly HostileRecord[] {
  const visibleUntil = addSeconds(now, -(wrong.indexLagSeconds ?? 0));
  const notListed = new Set(wrong.notListed);
  const from = lowerBound(selection.from, wrong);
  const until = upperBound(selection.until, wrong);
  const records = repository.records.filter((record) => {
    if (record.withdrawn || notListed.has(record.identifier)) return false;
    if (wrong.indexLagSeconds !== undefined && record.datestamp > visibleUntil) return false;
    // Whatever the header tells (quirk 48).
    const date = record.datestamp;
    if (from !== undefined && date < from) return false;
    if (until !== undefined && date >= until) return false;
    return selection.set === undefined || isMember(record, selection.set);
  });
  return wrong.anyOrder === true ? shuffle(records, 7) : records;
}

function isMember({ sets }: HostileRecord, set: string): boolean {
  return sets.some((spec) => spec === set || spec.startsWith(`${set}:`));
}

function lowerBound(from: string | undefined, { localTimeHours = 0 }: Misbehaviour): string | undefined {
  if (from === undefined) return undefined;
  const start = from.length === 10 ? `${from}T00:00:00Z` : from;
  return addSeconds(start, -localTimeHours * 3600);
}

/** The first moment that is not selected any more. */
function upperBound(until: string | undefined, wrong: Misbehaviour): string | undefined {
  if (until === undefined) return undefined;
  const exclusive = wrong.untilIsExclusive === true;
  const offset = -(wrong.localTimeHours ?? 0) * 3600;
  if (until.length > 10) return addSeconds(until, offset + (exclusive ? 0 : 1));
  const midnight = `${until}T00:00:00Z`;
  const end = exclusive ? midnight : endOfUtcDay(midnight);
  return addSeconds(wrong.untilDayEndsAtMidnight === true ? addSeconds(midnight, 1) : end, offset);
}

/** The same seed, the same order. */
export function shuffle<T>(values: readonly T[], seed: number): T[] {
  const shuffled = [...values];
  let state = seed * 2_654_435_761;
  for (let index = shuffled.length - 1; index > 0; index -= 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = state % (index + 1);
    const [a, b] = [shuffled[index], shuffled[other]];
    if (a !== undefined && b !== undefined) [shuffled[index], shuffled[other]] = [b, a];
  }
  return shuffled;
}
