import type { Knex } from 'knex';
import { anyInList, asList, isPostgres } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { questionByKey } from '../engine/question.ts';
import { ofSource } from '../rows/one-source.ts';

/** An item in one format, or as a whole, as OAI-PMH tells of it. */
export interface StoredRecord {
  /** Of its latest change. */
  readonly seq: number;
  /** When that was, ISO UTC seconds. */
  readonly at: string;
  readonly identifier: string;
  /** As the repository stated it. */
  readonly upstreamDatestamp: string | undefined;
  readonly format: string;
  readonly deleted: boolean;
  readonly collections: readonly string[];
  /** Whose content it is (`readContents`). */
  readonly path: string;
  readonly hash: string | undefined;
  readonly length: number | undefined;
  /** It is the item as a whole: what is said of it is made when somebody asks. */
  readonly whole?: boolean;
}

export interface RecordRow {
  readonly seq: number | string;
  readonly at: string;
  readonly item_id: number | string;
  readonly identifier: string;
  readonly datestamp: string | null;
  readonly format: string;
  readonly media_type: string | null;
  readonly path: string;
  readonly hash: string | null;
  readonly length: number | string | null;
  readonly deleted_at: string | null;
  readonly withdrawn_at: string | null;
}

/** Joins a record's item, and selects what a `RecordRow` has. The query has `resource` and `change` already. */
export function selectRecords(query: Knex.QueryBuilder, sourceId: number): void {
  query
    .join('item', 'item.id', 'resource.item_id')
    .modify(ofSource, 'item', sourceId)
    .modify(ofSource, 'resource', sourceId)
    .select('change.seq', 'change.at', ...recordColumns);
}

/** Of a resource and its item. */
export const recordColumns = [
  'resource.item_id',
  'item.identifier',
  'item.datestamp',
  'resource.format',
  'resource.media_type',
  'resource.path',
  'resource.hash',
  'resource.length',
  'resource.deleted_at',
  'resource.withdrawn_at',
] as const;

/** With the collections of their items, in one query more. */
export async function toRecords(
  db: Queryable,
  sourceId: number,
  rows: readonly RecordRow[],
): Promise<readonly StoredRecord[]> {
  const collections = await collectionsOfItems(
    db,
    sourceId,
    rows.map(({ item_id }) => Number(item_id)),
  );
  return rows.map((row) => ({
    seq: Number(row.seq),
    at: row.at,
    identifier: row.identifier,
    upstreamDatestamp: row.datestamp ?? undefined,
    format: row.format,
    // What the operator has withdrawn is gone at once; the journal may be about to say so.
    deleted: row.deleted_at !== null || row.withdrawn_at !== null,
    collections: collections.get(Number(row.item_id)) ?? [],
    path: row.path,
    hash: row.hash ?? undefined,
    length: row.length === null ? undefined : Number(row.length),
  }));
}

/** The specs of the collections that items are in, or were in when they were deleted, by the item's id. */
export async function collectionsOfItems(
  db: Queryable,
  sourceId: number,
  itemIds: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const found = new Map<number, string[]>();
  const ids = [...new Set(itemIds)];
  if (ids.length === 0) return found;
  for (const { item_id, spec } of await collectionsAmong(db, sourceId, asList(db, ids))) {
    const some = found.get(Number(item_id));
    if (some) some.push(spec);
    else found.set(Number(item_id), [spec]);
  }
  return found;
}

const collectionsAmong = questionByKey<
  { readonly item_id: number | string; readonly spec: string },
  [sourceId: number, items: string | readonly number[]]
>(2, (db, sourceId, items) =>
  db('item_collection')
    .join('collection', 'collection.id', 'item_collection.collection_id')
    .where('item_collection.source_id', sourceId)
    .whereRaw(anyInList(db, 'item_collection.item_id'), [items as Knex.Value])
    .select('item_collection.item_id', 'collection.spec'),
);

/** An item in each of its formats; undefined: there is no such item. */
export async function findItemRecords(
  db: Queryable,
  sourceId: number,
  identifier: string,
): Promise<readonly StoredRecord[] | undefined> {
  const item: { id: number } | undefined = await db('item')
    .where({ source_id: sourceId, identifier })
    .first('id');
  if (!item) return undefined;
  const rows: RecordRow[] = await db('resource')
    .join('change', (on) => {
      on.on('change.source_id', 'resource.source_id').andOn('change.seq', 'resource.last_seq');
    })
    .where('resource.item_id', item.id)
    .where('resource.kind', 'metadata')
    .modify((query) => {
      if (isPostgres(query)) query.where('change.source_id', sourceId);
    })
    .modify(selectRecords, sourceId)
    .orderBy('resource.format');
  return toRecords(db, sourceId, rows);
}

/** When the first change of a source happened; undefined: there is none. */
export async function readEarliest(db: Queryable, sourceId: number): Promise<string | undefined> {
  const row: { at: string } | undefined = await db('change')
    .where({ source_id: sourceId })
    .orderBy('seq')
    .first('at');
  return row?.at;
}

/** An identifier of a source that begins so, if any does. */
export async function readSomeIdentifier(
  db: Queryable,
  sourceId: number,
  beginning: string,
): Promise<string | undefined> {
  const row: { identifier: string } | undefined = await db('item')
    .where({ source_id: sourceId })
    .where('identifier', '>=', beginning)
    .orderBy('identifier')
    .first('identifier');
  return row?.identifier.startsWith(beginning) ? row.identifier : undefined;
}
