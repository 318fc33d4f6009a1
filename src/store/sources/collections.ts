import type { Queryable } from '../engine/database.ts';
import { ofSource, sourceIdOf } from '../rows/one-source.ts';
import {
  type CollectionPlace,
  countMembers,
  listMembers,
  type MemberCounts,
  type MemberPage,
} from './collection-members.ts';

/** Counts are of living resources of the items in it. */
export interface StoredCollection extends MemberCounts {
  readonly source: string;
  readonly spec: string;
  readonly name: string;
  readonly description: string | undefined;
}

interface CollectionRow extends CollectionPlace {
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
  return {
    source,
    spec,
    name: row.name,
    description: row.description ?? undefined,
    ...(await countMembers(db, row)),
  };
}

/** Nothing is counted. */
export async function collectionIdOf(
  db: Queryable,
  source: string,
  spec: string,
): Promise<number | undefined> {
  return (await findRow(db, source, spec))?.id;
}

/** The living resources in a collection; see `listMembers`. */
export async function listCollectionResources(
  db: Queryable,
  source: string,
  spec: string,
  after: string,
  limit: number,
): Promise<MemberPage> {
  const row = await findRow(db, source, spec);
  return row ? listMembers(db, row, after, limit) : { members: [], next: undefined };
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

/** Those of `specs` that the source has no collection of, nor any below them. */
export async function findUnknownCollections(
  db: Queryable,
  source: string,
  specs: readonly string[],
): Promise<readonly string[]> {
  const unknown: string[] = [];
  for (const spec of specs) if (!(await collectionsAt(db, source, spec).first())) unknown.push(spec);
  return unknown;
}

/** Whether any item is in one of these collections or below them. */
export async function hasMembers(db: Queryable, source: string, specs: readonly string[]): Promise<boolean> {
  const sourceId = await sourceIdOf(db, source);
  if (sourceId === undefined) return false;
  for (const spec of specs) {
    const members = collectionsAt(db, source, spec)
      .join('item_collection', 'item_collection.collection_id', 'collection.id')
      .modify(ofSource, 'item_collection', sourceId);
    if (await members.first()) return true;
  }
  return false;
}

/** OAI sets are hierarchical: `a` has what is in `a:b`. */
function collectionsAt(db: Queryable, source: string, spec: string) {
  return db('collection')
    .join('source', 'source.id', 'collection.source_id')
    .where('source.name', source)
    .whereRaw('(collection.spec = ? or substr(collection.spec, 1, ?) = ?)', [
      spec,
      spec.length + 1,
      `${spec}:`,
    ])
    .select('collection.id');
}

function findRow(db: Queryable, source: string, spec: string): Promise<CollectionRow | undefined> {
  return db('collection')
    .join('source', 'source.id', 'collection.source_id')
    .where({ 'source.name': source, 'collection.spec': spec })
    .first(
      'collection.id',
      'collection.source_id',
      'collection.spec',
      'collection.name',
      'collection.description',
    );
}
