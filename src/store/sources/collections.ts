import type { ResourceKind } from '../../core/resource.ts';
import type { Queryable } from '../engine/database.ts';
import { type RepresentationRow, toRepresentation } from '../rows/representation-columns.ts';

export interface StoredCollection {
  readonly source: string;
  readonly spec: string;
  readonly name: string;
  readonly description: string | undefined;
  /** Living resources of the items in it. */
  readonly resourceCount: number;
  /** Of these, files. */
  readonly fileCount: number;
}

export interface CollectionMember {
  readonly path: string;
  readonly kind: ResourceKind;
  readonly mediaType: string | undefined;
  readonly length: number | undefined;
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
  const counts: { kind: ResourceKind; count: number | string }[] = await membersOf(db, row.id)
    .groupBy('resource.kind')
    .select('resource.kind')
    .count({ count: 'resource.id' });
  const countOf = (kind: ResourceKind) => Number(counts.find((count) => count.kind === kind)?.count ?? 0);
  return {
    source,
    spec,
    name: row.name,
    description: row.description ?? undefined,
    resourceCount: countOf('metadata') + countOf('file'),
    fileCount: countOf('file'),
  };
}

/** The living resources in a collection, in the order of their paths, after `after` (a path), at most `limit`. */
export async function listCollectionResources(
  db: Queryable,
  source: string,
  spec: string,
  after: string,
  limit: number,
): Promise<readonly CollectionMember[]> {
  const row = await findRow(db, source, spec);
  if (!row) return [];
  const rows: (RepresentationRow & Pick<CollectionMember, 'path' | 'kind'>)[] = await membersOf(db, row.id)
    .where('resource.path', '>', after)
    .orderBy('resource.path')
    .limit(limit)
    .select('resource.path', 'resource.kind', 'resource.media_type', 'resource.length', 'resource.hash');
  return rows.map(({ path, kind, ...row }) => {
    const { mediaType, length } = toRepresentation(row);
    return { path, kind, mediaType, length };
  });
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
  for (const spec of specs) {
    const members = collectionsAt(db, source, spec).join(
      'item_collection',
      'item_collection.collection_id',
      'collection.id',
    );
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
    .select('collection.id', 'collection.spec', 'collection.name', 'collection.description')
    .first();
}

function membersOf(db: Queryable, collectionId: number) {
  return db('item_collection')
    .join('resource', 'resource.item_id', 'item_collection.item_id')
    .where('item_collection.collection_id', collectionId)
    .whereNull('resource.deleted_at')
    .whereNull('resource.withdrawn_at');
}
