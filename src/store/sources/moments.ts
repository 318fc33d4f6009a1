import type { Database, Queryable } from '../engine/database.ts';
import { advanceJournal, firstPassAt, type JournalState, readJournal } from './journal.ts';

/** Where a source's journal stood at the end of a second in which something happened. */
export interface Moment {
  readonly at: string;
  readonly seq: number;
}

/** The moments of a source whose state can be told for good. */
export interface MomentRange {
  readonly sourceId: number;
  /** `JournalState.id` */
  readonly journal: string;
  /** The first of them. */
  readonly from: string;
  /** Exclusive: of this second, and of later ones, more may still come. */
  readonly before: string;
}

/**
 * The moments since the first complete pass over a source: before its end there was no list of it. The latest one
 * counts as soon as its second is over; a line is drawn in the journal then, behind which nothing can be dated into
 * it any more.
 * @param now ISO
 * @returns undefined while there is none
 */
export async function settledMoments(
  database: Database,
  source: string,
  now: string,
): Promise<MomentRange | undefined> {
  const { reader } = database;
  const journal = await readJournal(reader, source);
  if (journal?.firstPassSeq === undefined) return undefined;
  const { sourceId } = journal;
  const from = await firstPassAt(reader, journal);
  const last = await lastMoment(reader, sourceId);
  if (from === undefined || last === undefined) return undefined;
  const isOpen = last >= journal.at && now > journal.at;
  const { at: before } = isOpen ? await drawLine(database, source, journal, now) : journal;
  return from < before ? { sourceId, journal: journal.id, from, before } : undefined;
}

/** While somebody writes for long, the latest moment is left out: no reader waits for it. */
async function drawLine(
  database: Database,
  source: string,
  journal: JournalState,
  now: string,
): Promise<JournalState> {
  return advanceJournal(database, source, now).catch(() => journal);
}

async function lastMoment(db: Queryable, sourceId: number): Promise<string | undefined> {
  const row: { at: string } | undefined = await db(tableOf(sourceId))
    .where({ source_id: sourceId })
    .orderBy('at', 'desc')
    .first('at');
  return row?.at;
}

/** The state that was valid at `t`: the latest moment that is not later. */
export function momentAt(db: Queryable, range: MomentRange, t: string): Promise<Moment | undefined> {
  return within(db, range).where('at', '<=', t).orderBy('at', 'desc').first();
}

export function momentBefore(db: Queryable, range: MomentRange, t: string): Promise<Moment | undefined> {
  return within(db, range).where('at', '<', t).orderBy('at', 'desc').first();
}

export function momentAfter(db: Queryable, range: MomentRange, t: string): Promise<Moment | undefined> {
  return within(db, range).where('at', '>', t).orderBy('at').first();
}

/** Oldest first. */
export function listMoments(
  db: Queryable,
  range: MomentRange,
  offset: number,
  limit: number,
): Promise<readonly Moment[]> {
  return within(db, range).orderBy('at').offset(offset).limit(limit);
}

export async function countMoments(db: Queryable, range: MomentRange): Promise<number> {
  const row: { count?: number | string } | undefined = await db(tableOf(range.sourceId))
    .where({ source_id: range.sourceId })
    .where('at', '>=', range.from)
    .where('at', '<', range.before)
    .count({ count: '*' })
    .first();
  return Number(row?.count ?? 0);
}

/** Moments only come at the end: those that were counted once are not counted again. */
export class MomentCounter {
  readonly #counted = new Map<string, { readonly before: string; readonly count: number }>();

  async count(db: Queryable, range: MomentRange): Promise<number> {
    const key = `${range.journal} ${range.sourceId} ${range.from}`;
    const known = this.#counted.get(key);
    if (known && known.before > range.before) return countMoments(db, range);
    const fresh = await countMoments(db, known ? { ...range, from: known.before } : range);
    const count = (known?.count ?? 0) + fresh;
    this.#counted.set(key, { before: range.before, count });
    return count;
  }
}

function within(db: Queryable, { sourceId, from, before }: MomentRange) {
  return db(tableOf(sourceId))
    .select('at', 'seq')
    .where({ source_id: sourceId })
    .where('at', '>=', from)
    .where('at', '<', before);
}

/** The number of a set across sources is negative (`JournalState.sourceId`). */
function tableOf(sourceId: number): 'moment' | 'joint_moment' {
  return sourceId < 0 ? 'joint_moment' : 'moment';
}
