import type { Queryable } from './database.ts';

export interface StoredCollection {
  readonly source: string;
  readonly spec: string;
  readonly name: string;
  readonly description: string | undefined;
  /** Living resources of the items in it. */
  readonly resourceCount: number;
}

interface CollectionRow {
  readonly id: number;
  readonly spec: string;
  readonly name: string;
  readonly description: string | null;
}

/** `source` and `spec` as the upstream has them. */
export async function findCollection(
  db: Queryable,
  source: string,
  spec: string,
): Promise<StoredCollection | undefined> {
  const row = await findRow(db, source, spec);
  if (!row) return undefined;
  const count: { count?: number | string } | undefined = await membersOf(db, row.id)
    .count({ count: 'resource.id' })
    .first();
  return {
    source,
    spec,
    name: row.name,
    description: row.description ?? undefined,
    resourceCount: Number(count?.count ?? 0),
  };
}

/** The paths of the living resources in a collection, in order, after `after` (a path), at most `limit`. */
export async function listCollectionResources(
  db: Queryable,
  source: string,
  spec: string,
  after: string,
  limit: number,
): Promise<readonly string[]> {
  const row = await findRow(db, source, spec);
  if (!row) return [];
  return membersOf(db, row.id)
    .where('resource.path', '>', after)
    .orderBy('resource.path')
    .limit(limit)
    .pluck('resource.path');
}

export async function listCollections(
  db: Queryable,
  source: string,
  limit = 10_000,
): Promise<readonly { spec: string; name: string }[]> {
  return db('collection')
    .join('source', 'source.id', 'collection.source_id')
    .where('source.name', source)
    .orderBy('collection.spec')
    .limit(limit)
    .select('collection.spec', 'collection.name');
}

function findRow(db: Queryable, source: string, spec: string): Promise<CollectionRow | undefined> {
  return db('collection')
    .join('source', 'source.id', 'collection.source_id')
    .where({ 'source.name': source, 'collection.spec': spec })
    .select('collection.id', 'collection.spec', 'collection.name', 'collection.description')
    .first();
}

function membersOf(db: Queryable, collectionId: number) {
  return db('item_collection')
    .join('resource', 'resource.item_id', 'item_collection.item_id')
    .where('item_collection.collection_id', collectionId)
    .whereNull('resource.deleted_at');
}
