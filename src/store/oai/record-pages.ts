import { mapPrefix } from '../../oai/formats.ts';
import { isInOwnSet, type OwnSet } from '../../oai/sets/own-sets.ts';
import { setsOf } from '../../oai/sets/set-spec.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { ofSource } from '../rows/one-source.ts';
import { ownSetsUpTo } from './own-set-order.ts';
import { lastInOrder, nextInOrder, type OrderedRow } from './places-in-order.ts';
import { isXml, orderedUpTo } from './record-order.ts';
import { itemsInJournal, placedAs, toItemRecords, wholeItems } from './stored-item.ts';
import { type RecordRow, type StoredRecord, selectRecords, toRecords } from './stored-record.ts';

/** Records of one format in the order of their last changes, which is the order of their datestamps, too. */
export interface RecordList {
  readonly sourceId: number;
  /** `wholeItems`: of items instead. */
  readonly format: string;
  /** A setSpec as we publish it; undefined: all records. */
  readonly spec: string | undefined;
  /** Where it is of a set that is configured here. */
  readonly own?: { readonly set: OwnSet; readonly all: readonly OwnSet[] } | undefined;
  /** Inclusive, ISO UTC seconds; of `from` the list knows only where it begins. */
  readonly until: string | undefined;
}

export interface RecordPage {
  readonly records: readonly StoredRecord[];
  /** Whether there is a record behind the last one. */
  readonly more: boolean;
}

/** Changes that are read one by one where records are not yet in order. */
const changesAtATime = 2000;
const mostChanges = 20_000;

/** So much has changed that was not put in order yet that a page would cost too much. */
export class RecordsNotInOrder extends Error {}

/**
 * The next records behind a sequence. What the journal has gained since the records were put in order is read from the
 * journal itself: nothing is missing in between, however late the order follows.
 * @throws RecordsNotInOrder
 */
export async function readRecords(
  db: Queryable,
  list: RecordList,
  after: number,
  limit: number,
): Promise<RecordPage> {
  // Read first: whatever is taken up after that moves behind this place, and is met there.
  const ordered = await inOrderUpTo(db, list);
  const rows =
    after < ordered ? await nextInOrder(db, { ...inList(list), after, upTo: ordered }, limit + 1) : [];
  let isOver = rows.some(({ at }) => isBehind(list, at));
  let last = Math.max(after, ordered);
  for (let read = 0; !isOver && rows.length <= limit; read += changesAtATime) {
    if (read >= mostChanges) throw new RecordsNotInOrder('the records are not in order yet');
    const end: { seq?: number | string | null } | undefined = await db('change')
      .where({ source_id: list.sourceId })
      .where('seq', '>', last)
      .where('seq', '<=', last + changesAtATime)
      .max({ seq: 'seq' })
      .first();
    if (end?.seq === null || end?.seq === undefined) break;
    const found = await inJournal(db, list, last, last + changesAtATime);
    rows.push(...found);
    isOver = found.some(({ at }) => isBehind(list, at));
    last += changesAtATime;
  }
  const within = rows.filter(({ at }) => !isBehind(list, at));
  return {
    records: await tellOf(db, list, within.slice(0, limit)),
    more: within.length > limit,
  };
}

/** The last record of a list up to a sequence: what is sent again where a list has nothing left. */
export async function readLastRecord(
  db: Queryable,
  list: RecordList,
  upTo: number,
): Promise<StoredRecord | undefined> {
  const row = await lastInOrder(db, { ...inList(list), after: 0, upTo });
  const [record] = await tellOf(db, list, row ? [row] : []);
  return record && !isBehind(list, record.at) ? record : undefined;
}

function inList({ sourceId, format, spec = '' }: RecordList) {
  return { sourceId, format, spec };
}

function tellOf(
  db: Queryable,
  { sourceId, format }: RecordList,
  rows: readonly OrderedRow[],
): Promise<readonly StoredRecord[]> {
  if (format === wholeItems) return toItemRecords(db, sourceId, rows);
  return toRecords(db, sourceId, rows as readonly RecordRow[]);
}

/** Of more, nobody is told how many there are. */
const mostCounted = 1_000_000;

/**
 * How many records of a list there are behind a sequence. What has changed since they were put in order is looked at one by
 * one, so that a list is as long as it is also while the order follows.
 * @param upTo inclusive
 * @returns undefined where that would cost too much, or is not known yet
 */
export async function countRecords(
  db: Queryable,
  list: RecordList,
  after: number,
  upTo: number,
): Promise<number | undefined> {
  const ordered = await inOrderUpTo(db, list);
  const changed = await changedSince(db, list, ordered);
  if (changed === undefined) return undefined;
  const inOrder = await countPlaces(db, list, after, upTo);
  if (inOrder === undefined) return undefined;
  const moved = changed.length === 0 ? 0 : await countPlaces(db, list, after, upTo, changed);
  const further = ordered < upTo ? await inJournal(db, list, Math.max(after, ordered), upTo) : [];
  const within = further.filter(({ at }) => !isBehind(list, at));
  return inOrder - (moved ?? 0) + within.length;
}

/** @param of what stands there; default: anything */
async function countPlaces(
  db: Queryable,
  { sourceId, format, spec }: RecordList,
  after: number,
  upTo: number,
  of?: readonly number[],
): Promise<number | undefined> {
  const some = db('oai_record')
    .select(db.raw('1 as one'))
    .where({ source_id: sourceId, format, spec: spec ?? '' })
    .where('seq', '>', after)
    .where('seq', '<=', upTo)
    .modify((query) => of && whereAnyOf(query, 'resource_id', of))
    .limit(mostCounted + 1)
    .as('some');
  const row: { count: number | string } | undefined = await db.from(some).count({ count: '*' }).first();
  const count = Number(row?.count ?? 0);
  return count > mostCounted ? undefined : count;
}

/** What stands in the order by its old place, as it is placed there; undefined: too much. */
async function changedSince(
  db: Queryable,
  { sourceId, format }: RecordList,
  ordered: number,
): Promise<readonly number[] | undefined> {
  const rows: { resource_id: number | string; item_id: number | string }[] = await db('change')
    .join('resource', 'resource.id', 'change.resource_id')
    .where('change.source_id', sourceId)
    .modify(ofSource, 'resource', sourceId)
    .where('change.seq', '>', ordered)
    .orderBy('change.seq')
    .limit(changesAtATime + 1)
    .select('change.resource_id', 'resource.item_id');
  if (rows.length > changesAtATime) return undefined;
  const places = rows.map(({ resource_id, item_id }) =>
    format === wholeItems ? placedAs(Number(item_id)) : Number(resource_id),
  );
  return [...new Set(places)];
}

function inOrderUpTo(db: Queryable, { sourceId, own }: RecordList): Promise<number> {
  return own ? ownSetsUpTo(db, sourceId, own.all) : orderedUpTo(db, sourceId);
}

function isBehind({ until }: RecordList, at: string): boolean {
  return until !== undefined && at > until;
}

async function inJournal(
  db: Queryable,
  list: RecordList,
  after: number,
  upTo: number,
): Promise<readonly OrderedRow[]> {
  const { sourceId, format, spec, own } = list;
  const records =
    format === wholeItems
      ? await itemsInJournal(db, sourceId, after, upTo)
      : await recordsInJournal(db, list, after, upTo);
  if (spec === undefined) return records;
  const told = await tellOf(db, list, records);
  return records.filter((_, index) => {
    const collections = told[index]?.collections ?? [];
    if (!own) return setsOf(collections).includes(spec);
    return isInOwnSet(own.set, { format: format === wholeItems ? mapPrefix : format, collections });
  });
}

async function recordsInJournal(
  db: Queryable,
  { sourceId, format }: RecordList,
  after: number,
  upTo: number,
): Promise<readonly RecordRow[]> {
  const rows: RecordRow[] = await db('change')
    .join('resource', (on) => {
      on.on('resource.id', 'change.resource_id').andOn('resource.last_seq', 'change.seq');
    })
    .where('change.source_id', sourceId)
    .where('change.seq', '>', after)
    .where('change.seq', '<=', upTo)
    .where('resource.kind', 'metadata')
    .where('resource.format', format)
    .modify(selectRecords, sourceId)
    .orderBy('change.seq');
  return rows.filter(({ media_type }) => isXml(media_type));
}
