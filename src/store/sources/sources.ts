import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { RepositoryInfo } from '../../core/adapter.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { lastSeqBefore } from './journal.ts';

/** What the bridge knows about a source beside its configuration. */
export interface StoredSource {
  readonly id: number;
  readonly name: string;
  /** The upstream's clock at the start of the last good run: where the next incremental one begins. */
  readonly asOf: string | undefined;
  readonly lastFullAt: string | undefined;
  /** When the last run ended well, of whatever kind. */
  readonly lastSuccessAt: string | undefined;
  readonly firstPassSeq: number | undefined;
  /** What the last good run covered (URL, formats, collections); another selection needs a full pass. */
  readonly selection: string | undefined;
  readonly info: RepositoryInfo | undefined;
  /** What kept the last harvest from even beginning. */
  readonly trouble: Trouble | undefined;
}

export interface Trouble {
  readonly code: string;
  readonly message: string;
  readonly at: string;
}

export interface SourceRow {
  readonly id: number;
  readonly name: string;
  readonly as_of: string | null;
  readonly last_full_at: string | null;
  readonly last_success_at: string | null;
  readonly first_pass_seq: number | null;
  readonly selection: string | null;
  readonly info: string | null;
  readonly trouble: string | null;
}

/** Makes sure the source has its row; `now` is where its journal begins. */
export async function ensureSource(database: Database, name: string, now: string): Promise<void> {
  await database
    .writer('source')
    .insert({ name, journal_id: randomUUID(), journal_at: now })
    .onConflict('name')
    .ignore();
  // It is there again.
  await database.writer('source').where({ name }).whereNotNull('removed_at').update({ removed_at: null });
}

export async function findSource(db: Queryable, name: string): Promise<StoredSource | undefined> {
  const row: SourceRow | undefined = await db('source')
    .select(...sourceColumns)
    .where({ name })
    .first();
  return row && toStoredSource(row);
}

/** The names of those that were read to their end at least once. */
export async function listHarvestedSources(db: Queryable): Promise<ReadonlySet<string>> {
  const rows: { name: string }[] = await db('source').select('name').whereNotNull('as_of');
  return new Set(rows.map(({ name }) => name));
}

export const sourceColumns: readonly (keyof SourceRow)[] = [
  'id',
  'name',
  'as_of',
  'last_full_at',
  'last_success_at',
  'first_pass_seq',
  'selection',
  'info',
  'trouble',
];

export function toStoredSource(row: SourceRow): StoredSource {
  return {
    id: row.id,
    name: row.name,
    asOf: row.as_of ?? undefined,
    lastFullAt: row.last_full_at ?? undefined,
    lastSuccessAt: row.last_success_at ?? undefined,
    firstPassSeq: row.first_pass_seq ?? undefined,
    selection: row.selection ?? undefined,
    info: row.info === null ? undefined : (JSON.parse(row.info) as RepositoryInfo),
    trouble: row.trouble === null ? undefined : (JSON.parse(row.trouble) as Trouble),
  };
}

/** The upstream answered. */
export async function saveInfo(db: Queryable, sourceId: number, info: RepositoryInfo): Promise<void> {
  await db('source')
    .where({ id: sourceId })
    .update({ info: JSON.stringify(info), trouble: null });
}

export async function saveTrouble(db: Queryable, sourceId: number, trouble: Trouble): Promise<void> {
  await db('source')
    .where({ id: sourceId })
    .update({ trouble: JSON.stringify(trouble) });
}

/** The next harvest reads everything, as after a change of what is selected. */
export async function forgetSelection(database: Database, source: string): Promise<void> {
  await database.writer('source').where({ name: source }).update({ selection: null });
}

/** One thing that an endpoint taught us. */
export interface Lesson {
  readonly key: string;
  readonly value: string;
  /** For the operator. */
  readonly sentence: string;
  readonly learnedAt: string;
}

export async function loadLessons(db: Queryable, source: string): Promise<readonly Lesson[]> {
  const row: { lessons: string | null } | undefined = await db('source')
    .select('lessons')
    .where({ name: source })
    .first();
  return row?.lessons ? (JSON.parse(row.lessons) as Lesson[]) : [];
}

export async function saveLessons(
  db: Queryable,
  sourceId: number,
  lessons: readonly Lesson[],
): Promise<void> {
  await db('source')
    .where({ id: sourceId })
    .update({ lessons: JSON.stringify(lessons) });
}

export interface SourceCounts {
  /** Of which metadata is published. */
  readonly items: number;
  /** Living ones. */
  readonly resources: number;
  /** Changes since `since`. */
  readonly changes: number;
}

export async function countSource(db: Queryable, sourceId: number, since: string): Promise<SourceCounts> {
  const row: CountsRow | undefined = await db('source')
    .select(...countColumns)
    .where({ id: sourceId })
    .first();
  if (!row) return { items: 0, resources: 0, changes: 0 };
  const before = await lastSeqBefore(db, sourceId, row.journal_seq, since);
  return { items: publishedItems(row), resources: row.resource_count, changes: row.journal_seq - before };
}

export const countColumns = [
  'item_count',
  'published_items',
  'published_seq',
  'published_to',
  'resource_count',
  'journal_seq',
] as const;

export interface CountsRow {
  /** All that are known, whatever became of them. */
  readonly item_count: number;
  readonly published_items: number;
  readonly published_seq: number;
  readonly published_to: number | null;
  readonly resource_count: number;
  readonly journal_seq: number;
}

/** Whether its items are to be counted, from the beginning or from where that has come to. */
export async function hasUncounted(db: Queryable, sourceId: number): Promise<boolean> {
  const row = await db('source')
    .where({ id: sourceId })
    .whereRaw('(published_seq <> journal_seq or published_to is not null)')
    .first('id');
  return row !== undefined;
}

/** Until those of before are counted it is as it was told before: all that are known. */
export function publishedItems(row: CountsRow): number {
  return areItemsCounted(row) ? row.published_items : row.item_count;
}

/** The opposite of {@link hasUncounted}. */
export function areItemsCounted({ published_to, published_seq, journal_seq }: CountsRow): boolean {
  return published_to === null && published_seq === journal_seq;
}

/** That everything is to be read is not forgotten with a pass that had begun before (`compareEverything`). */
function stillDue(db: Queryable, selection: string): Knex.Raw {
  return db.raw("case when selection = '' then selection else ? end", [selection]);
}

/** What was read before this success was not read after it, whatever the clock said then. */
function fullBefore(db: Queryable, successAt: string | undefined): { last_full_at?: Knex.Raw } {
  if (successAt === undefined) return {};
  const earlier = 'case when last_full_at > ? then ? else last_full_at end';
  return { last_full_at: db.raw(earlier, [successAt, successAt]) };
}

/** A pass came to its end: the next incremental one begins at `asOf`; undefined: where it would have anyway. */
export async function completePass(
  db: Queryable,
  sourceId: number,
  pass: {
    asOf: string | undefined;
    fullAt: string | undefined;
    selection: string;
    /** Undefined: it was no success. */
    successAt?: string | undefined;
  },
): Promise<void> {
  await db('source')
    .where({ id: sourceId })
    .update({
      ...(pass.asOf === undefined ? {} : { as_of: pass.asOf }),
      selection: pass.fullAt === undefined ? stillDue(db, pass.selection) : pass.selection,
      first_pass_seq: db.raw('coalesce(first_pass_seq, journal_seq)'),
      ...(pass.fullAt === undefined ? fullBefore(db, pass.successAt) : { last_full_at: pass.fullAt }),
      ...(pass.successAt === undefined ? {} : { last_success_at: pass.successAt }),
    });
}
