import { mapPrefix } from '../../oai/formats.ts';
import { isInOwnSet, type OwnSet } from '../../oai/sets/own-sets.ts';
import { setsOf } from '../../oai/sets/set-spec.ts';
import type { Queryable } from '../engine/database.ts';
import { question } from '../engine/question.ts';
import { ownSetsUpTo } from './own-set-order.ts';
import { isXml, orderedUpTo } from './record-order.ts';
import {
  type ItemRow,
  itemsInJournal,
  itemsInOrder,
  pageOfItems,
  toItemRecords,
  wholeItems,
} from './stored-item.ts';
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
  const rows: Row[] = after < ordered ? await inOrder(db, list, after, ordered, limit + 1) : [];
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
  const { sourceId, format, spec = '' } = list;
  const order = format === wholeItems ? itemsInOrder(db, sourceId, spec) : ordering(db, list);
  const rows: Row[] = await order
    .where('oai_record.seq', '<=', upTo)
    .orderBy('oai_record.seq', 'desc')
    .limit(1);
  const [record] = await tellOf(db, list, rows);
  return record && !isBehind(list, record.at) ? record : undefined;
}

type Row = RecordRow | ItemRow;

function tellOf(
  db: Queryable,
  { sourceId, format }: RecordList,
  rows: readonly Row[],
): Promise<readonly StoredRecord[]> {
  if (format === wholeItems) return toItemRecords(db, sourceId, rows);
  return toRecords(db, sourceId, rows as readonly RecordRow[]);
}

/** Of more, nobody is told how many there are. */
const mostCounted = 1_000_000;

/**
 * How many records of a list there are behind a sequence.
 * @param upTo inclusive
 * @returns undefined where that would cost too much, or is not known yet
 */
export async function countRecords(
  db: Queryable,
  list: RecordList,
  after: number,
  upTo: number,
): Promise<number | undefined> {
  const { sourceId, format, spec } = list;
  if ((await inOrderUpTo(db, list)) < upTo) return undefined;
  const some = db('oai_record')
    .select(db.raw('1 as one'))
    .where({ source_id: sourceId, format, spec: spec ?? '' })
    .where('seq', '>', after)
    .where('seq', '<=', upTo)
    .limit(mostCounted + 1)
    .as('some');
  const row: { count: number | string } | undefined = await db.from(some).count({ count: '*' }).first();
  const count = Number(row?.count ?? 0);
  return count > mostCounted ? undefined : count;
}

function inOrderUpTo(db: Queryable, { sourceId, own }: RecordList): Promise<number> {
  return own ? ownSetsUpTo(db, sourceId, own.all) : orderedUpTo(db, sourceId);
}

function isBehind({ until }: RecordList, at: string): boolean {
  return until !== undefined && at > until;
}

async function inOrder(
  db: Queryable,
  { sourceId, format, spec = '' }: RecordList,
  after: number,
  upTo: number,
  limit: number,
): Promise<Row[]> {
  if (format === wholeItems) return [...(await pageOfItems(db, sourceId, spec, after, upTo, limit))];
  const some = pagesOf.get(limit) ?? pageOf(limit);
  pagesOf.set(limit, some);
  return [...(await some(db, sourceId, format, spec, after, upTo))];
}

type PageQuestion = ReturnType<typeof pageOf>;

/** By the number of their records: there are but a few. */
const pagesOf = new Map<number, PageQuestion>();

function pageOf(limit: number) {
  type Values = [sourceId: number, format: string, spec: string, after: number, upTo: number];
  return question<RecordRow, Values>(5, (db, sourceId, format, spec, after, upTo) =>
    ordering(db, { sourceId, format, spec })
      .where('oai_record.seq', '>', after)
      .where('oai_record.seq', '<=', upTo)
      .orderBy('oai_record.seq')
      .limit(limit),
  );
}

/** A record that has changed since it was put in order is met again behind it. */
function ordering(db: Queryable, { sourceId, format, spec }: Omit<RecordList, 'until'>) {
  return db('oai_record')
    .join('resource', (on) => {
      on.on('resource.id', 'oai_record.resource_id').andOn('resource.last_seq', 'oai_record.seq');
    })
    .join('change', (on) => {
      on.on('change.source_id', 'oai_record.source_id').andOn('change.seq', 'oai_record.seq');
    })
    .where({ 'oai_record.source_id': sourceId, 'oai_record.format': format, 'oai_record.spec': spec ?? '' })
    .modify(selectRecords, sourceId);
}

async function inJournal(
  db: Queryable,
  list: RecordList,
  after: number,
  upTo: number,
): Promise<readonly Row[]> {
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
