import { fromSegment, toSegment } from '../../core/segment.ts';
import { metadataEndings } from '../../core/uris.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { findSource } from '../sources/sources.ts';
import { listItemResources, type StoredResource } from './resources.ts';

/** An item with everything that is, or was, published of it. */
export interface StoredItem {
  readonly source: string;
  readonly identifier: string;
  readonly datestamp: string | undefined;
  readonly collections: readonly { readonly spec: string; readonly name: string }[];
  readonly resources: readonly StoredResource[];
}

/** `source` and `identifier` as the upstream has them. */
export async function findItem(
  db: Queryable,
  source: string,
  identifier: string,
): Promise<StoredItem | undefined> {
  const row: { id: number; datestamp: string | null } | undefined = await db('item')
    .join('source', 'source.id', 'item.source_id')
    .where({ 'source.name': source, 'item.identifier': identifier })
    .first('item.id', 'item.datestamp');
  if (!row) return undefined;
  const collections: { spec: string; name: string }[] = await db('item_collection')
    .join('collection', 'collection.id', 'item_collection.collection_id')
    .where('item_collection.item_id', row.id)
    .orderBy('collection.spec')
    .select('collection.spec', 'collection.name');
  return {
    source,
    identifier,
    datestamp: row.datestamp ?? undefined,
    collections,
    resources: await listItemResources(db, row.id),
  };
}

/**
 * The item whose page has this address.
 * @param segment of it, in whatever form `toSegment` may have given it
 */
export async function findItemAt(
  db: Queryable,
  source: string,
  segment: string,
): Promise<StoredItem | undefined> {
  let identifier = fromSegment(segment);
  if (identifier === undefined && /~\.[0-9a-f]{64}$/.test(segment)) {
    const formats = (await findSource(db, source))?.info?.formats ?? [];
    const names = formats.map(({ name }) => name);
    identifier = await findShortenedIdentifier(db, source, segment, names);
  }
  // PostgreSQL refuses NUL even in a question.
  return identifier === undefined || identifier.includes('\0') ? undefined : findItem(db, source, identifier);
}

/**
 * The identifier behind a shortened segment, which does not tell it: of the item that has metadata there.
 * @param formats that the source may have
 */
async function findShortenedIdentifier(
  db: Queryable,
  source: string,
  segment: string,
  formats: readonly string[],
): Promise<string | undefined> {
  const paths = formats.flatMap((format) =>
    metadataEndings.map((ending) => `${source}/items/${segment}/${toSegment(format)}${ending}`),
  );
  const row: { identifier: string } | undefined = await db('resource')
    .join('item', 'item.id', 'resource.item_id')
    .modify((query) => whereAnyOf(query, 'resource.path', paths))
    .first('item.identifier');
  return row?.identifier;
}

/** Any identifier of a source, as the upstream calls its items; undefined while there is none. */
export async function anyIdentifier(db: Queryable, source: string): Promise<string | undefined> {
  const row: { identifier: string } | undefined = await db('item')
    .join('source', 'source.id', 'item.source_id')
    .where({ 'source.name': source })
    .orderBy('item.id')
    .first('item.identifier');
  return row?.identifier;
}
