import type { Knex } from 'knex';
import { anyInList, asList, isPostgres, whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { question, questionByKey } from '../engine/question.ts';
import { ofSource, ofSources } from '../rows/one-source.ts';
import { RecordsNotInOrder } from './record-pages.ts';
import { type RecordRow, recordColumns, type StoredRecord, toRecords } from './stored-record.ts';

/** A record, and the number of its source. */
export interface JointRecord extends StoredRecord {
  readonly sourceId: number;
}

export interface JointList {
  readonly format: string;
  /** Undefined: of all sources. */
  readonly spec: string | undefined;
  /** Inclusive, ISO UTC seconds. */
  readonly until: string | undefined;
}

export interface JointPage {
  readonly records: readonly JointRecord[];
  readonly more: boolean;
}

interface Place {
  readonly seq: number | string;
  readonly at: string;
  readonly source_id: number;
  readonly resource_id: number | string;
}

const placeColumns = ['seq', 'at', 'source_id', 'resource_id'] as const;

/** So many records of sources that have just left are passed over for a page. */
const mostPassedOver = 20_000;

/** Of sources: those whose records may be shown. `removed`: as the tombstones that they are. */
export type Standing = ReadonlyMap<number, 'member' | 'removed'>;

export type StandingOf = (sourceIds: readonly number[]) => Promise<Standing>;

/**
 * The next records behind a sequence, of whatever sources: what a page costs does not grow with their number.
 * @throws RecordsNotInOrder too many are of sources that have just left
 */
export async function readJointRecords(
  db: Queryable,
  list: JointList,
  after: number,
  limit: number,
  standingOf: StandingOf,
): Promise<JointPage> {
  const found: JointRecord[] = [];
  for (let [last, passed] = [after, 0]; ; ) {
    // Where much is passed over, more is read at a time.
    const size = limit + 1 - found.length + passed;
    const places = await nextPlaces(db, list.format, list.spec ?? '', last, size);
    const within = places.filter(({ at }) => list.until === undefined || at <= list.until);
    const shown = await toShown(db, within, standingOf);
    for (const record of shown) found.push(record);
    if (found.length > limit || within.length < size) break;
    passed += within.length - shown.length;
    if (passed > mostPassedOver) throw new RecordsNotInOrder('records of sources that have left are going');
    last = Number(places.at(-1)?.seq ?? last);
  }
  return { records: found.slice(0, limit), more: found.length > limit };
}

/** The last record of a list up to a sequence, if it may be shown. */
export async function readLastJointRecord(
  db: Queryable,
  list: JointList,
  upTo: number,
  standingOf: StandingOf,
): Promise<JointRecord | undefined> {
  const places: Place[] = await placesOf(db, list).where('seq', '<=', upTo).orderBy('seq', 'desc').limit(1);
  const [record] = await toShown(db, places, standingOf);
  return record && (list.until === undefined || record.at <= list.until) ? record : undefined;
}

/** Of more, nobody is told how many there are. */
const mostCounted = 1_000_000;

/** @param upTo inclusive. @returns undefined where that would cost too much */
export async function countJointRecords(
  db: Queryable,
  list: JointList,
  after: number,
  upTo: number,
): Promise<number | undefined> {
  const some = db('oai_joint_record')
    .select(db.raw('1 as one'))
    .where({ format: list.format, spec: list.spec ?? '' })
    .where('seq', '>', after)
    .where('seq', '<=', upTo)
    .limit(mostCounted + 1)
    .as('some');
  const row: { count: number | string } | undefined = await db.from(some).count({ count: '*' }).first();
  const count = Number(row?.count ?? 0);
  return count > mostCounted ? undefined : count;
}

/** The last sequence that is dated before a moment. */
export async function jointSeqBefore(db: Queryable, moment: string): Promise<number> {
  const row: { seq: number | string } | undefined = await db('oai_joint_moment')
    .where('at', '<', moment)
    .orderBy('at', 'desc')
    .first('seq');
  return Number(row?.seq ?? 0);
}

/** When the first change was taken up; undefined: none was. */
export async function readEarliestOfJoint(db: Queryable): Promise<string | undefined> {
  const row: { at: string } | undefined = await db('oai_joint_moment').orderBy('at').first('at');
  return row?.at;
}

/** Whether anything is there in a format. */
export async function jointHasFormat(db: Queryable, format: string): Promise<boolean> {
  return (await db('oai_joint_record').where({ format, spec: '' }).first('seq')) !== undefined;
}

/** An item of these sources in each of its formats, of the first source that has it; undefined: there is no such item. */
export async function findJointItem(
  db: Queryable,
  sourceIds: readonly number[],
  identifier: string,
  standingOf: StandingOf,
): Promise<readonly JointRecord[] | undefined> {
  const items: { id: number | string; source_id: number }[] = await db('item')
    .modify((query) => whereAnyOf(query, 'source_id', sourceIds))
    .where({ identifier })
    .orderBy('source_id')
    .select('id', 'source_id');
  for (const { id, source_id } of items) {
    const places: Place[] = await db('oai_joint_record')
      .join('resource', 'resource.id', 'oai_joint_record.resource_id')
      .modify(ofSources, 'resource', [source_id])
      .where('resource.item_id', id)
      .where({ 'oai_joint_record.source_id': source_id, 'oai_joint_record.spec': '' })
      .orderBy('oai_joint_record.format')
      .select(placeColumns.map((column) => `oai_joint_record.${column}`));
    const shown = await toShown(db, places, standingOf);
    if (shown.length > 0) return shown;
  }
  return undefined;
}

const nextPlaces = question<Place, [format: string, spec: string, after: number, limit: number]>(
  4,
  (db, format, spec, after, limit) =>
    // The query builder takes a number for a limit, and no place holder.
    db.raw(
      `select ${placeColumns.join(', ')} from oai_joint_record
        where format = ? and spec = ? and seq > ? order by seq limit ?`,
      [format, spec, after, limit],
    ),
);

function placesOf(db: Queryable, { format, spec }: JointList) {
  return db('oai_joint_record')
    .where({ format, spec: spec ?? '' })
    .select(...placeColumns);
}

/** In the order of their places, without those that nobody may be shown any more. */
async function toShown(
  db: Queryable,
  places: readonly Place[],
  standingOf: StandingOf,
): Promise<readonly JointRecord[]> {
  const standing = await standingOf([...new Set(places.map(({ source_id }) => source_id))]);
  const some = places.filter(({ source_id }) => standing.has(source_id));
  const records = new Map<string, JointRecord>();
  for (const sourceId of new Set(some.map(({ source_id }) => source_id))) {
    const own = some.filter(({ source_id }) => source_id === sourceId);
    for (const record of await recordsOf(db, sourceId, own)) records.set(String(record.seq), record);
  }
  return some.flatMap(({ seq, source_id }) => {
    const record = records.get(String(seq));
    return record && (record.deleted || standing.get(source_id) === 'member') ? [record] : [];
  });
}

type ResourceRow = Omit<RecordRow, 'seq' | 'at'> & { readonly id: number | string };

/** As they are now; their places say when they changed. */
async function recordsOf(
  db: Queryable,
  sourceId: number,
  places: readonly Place[],
): Promise<readonly JointRecord[]> {
  const ids = places.map(({ resource_id }) => Number(resource_id));
  const rows = await resourcesAmong(db, sourceId, asList(db, ids));
  const byId = new Map(rows.map((row) => [String(row.id), row]));
  const placed = places.flatMap(({ seq, at, resource_id }) => {
    const row = byId.get(String(resource_id));
    return row ? [{ ...row, seq, at }] : [];
  });
  return (await toRecords(db, sourceId, placed)).map((record) => ({ ...record, sourceId }));
}

const resourcesAmong = questionByKey<ResourceRow, [sourceId: number, ids: string | readonly number[]]>(
  2,
  (db, sourceId, ids) =>
    db('resource')
      .join('item', 'item.id', 'resource.item_id')
      // With a sign before it, SQLite does not take the source for the better clue.
      .whereRaw(isPostgres(db) ? 'resource.source_id = ?' : '+resource.source_id = ?', [sourceId])
      .modify(ofSource, 'item', sourceId)
      .whereRaw(anyInList(db, 'resource.id'), [ids as Knex.Value])
      .select('resource.id', ...recordColumns),
);
