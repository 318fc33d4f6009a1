import { fromSegment, toSegment } from '../../core/segment.ts';
import { metadataEndings } from '../../core/uris.ts';
import { batches } from '../engine/batches.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { questionByKey } from '../engine/question.ts';
import { ofSource, sourceIdOf } from '../rows/one-source.ts';
import { findSource } from '../sources/sources.ts';
import { listItemResources, listResourcesOfItems, type StoredResource } from './resources.ts';

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
  const sourceId = await sourceIdOf(db, source);
  const [row] = sourceId === undefined ? [] : await itemsNamed(db, sourceId, identifier);
  if (!row) return undefined;
  const collections = await collectionsOfOne(db, row.source_id, row.id);
  return {
    source,
    identifier,
    datestamp: row.datestamp ?? undefined,
    collections,
    resources: await listItemResources(db, row.source_id, row.id),
  };
}

/** Whether there is, or was, an item of this name. */
export async function hasItem(db: Queryable, source: string, identifier: string): Promise<boolean> {
  const sourceId = await sourceIdOf(db, source);
  return sourceId !== undefined && (await itemsNamed(db, sourceId, identifier)).length > 0;
}

const collectionsOfOne = questionByKey<{ spec: string; name: string }, [sourceId: number, itemId: number]>(
  2,
  (db, sourceId, itemId) =>
    db('item_collection')
      .join('collection', 'collection.id', 'item_collection.collection_id')
      .where({ 'item_collection.source_id': sourceId, 'item_collection.item_id': itemId })
      .orderBy('collection.spec')
      .select('collection.spec', 'collection.name'),
);

const itemsNamed = questionByKey<
  { id: number; source_id: number; datestamp: string | null },
  [sourceId: number, identifier: string]
>(2, (db, sourceId, identifier) =>
  db('item').where({ source_id: sourceId, identifier }).select('id', 'source_id', 'datestamp'),
);

const itemsAtATime = 200;

/** Those of the items that there are, some at a time: however many files each has, few are in memory at once. */
export async function* findItems(
  db: Queryable,
  source: string,
  identifiers: Iterable<string>,
): AsyncGenerator<readonly StoredItem[]> {
  const sourceId = await sourceIdOf(db, source);
  if (sourceId === undefined) return;
  for (const some of batches([...identifiers], itemsAtATime)) {
    const rows: ItemRow[] = await db('item')
      .where('item.source_id', sourceId)
      .modify((query) => whereAnyOf(query, 'item.identifier', some))
      .orderBy('item.id')
      .select('item.id', 'item.source_id', 'item.identifier', 'item.datestamp');
    const collections = await collectionsOf(db, rows);
    const toItem = (row: ItemRow, resources: readonly StoredResource[]): StoredItem => ({
      source,
      identifier: row.identifier,
      datestamp: row.datestamp ?? undefined,
      collections: collections.get(Number(row.id)) ?? [],
      resources,
    });
    const byId = new Map(rows.map((row) => [Number(row.id), row]));
    for await (const found of listResourcesOfItems(db, sourceId, [...byId.keys()])) {
      yield found.flatMap(([id, resources]) => {
        const row = byId.get(id);
        return row ? [toItem(row, resources)] : [];
      });
    }
  }
}

interface ItemRow {
  readonly id: number;
  readonly source_id: number;
  readonly identifier: string;
  readonly datestamp: string | null;
}

async function collectionsOf(
  db: Queryable,
  items: readonly ItemRow[],
): Promise<ReadonlyMap<number, { spec: string; name: string }[]>> {
  const ids = items.map(({ id }) => Number(id));
  const rows: { item_id: number; spec: string; name: string }[] = await db('item_collection')
    .join('collection', 'collection.id', 'item_collection.collection_id')
    .where('item_collection.source_id', items[0]?.source_id ?? 0)
    .modify((query) => whereAnyOf(query, 'item_collection.item_id', ids))
    .orderBy('collection.spec')
    .select('item_collection.item_id', 'collection.spec', 'collection.name');
  const found = new Map<number, { spec: string; name: string }[]>();
  for (const { item_id, spec, name } of rows) {
    const some = found.get(Number(item_id));
    if (some) some.push({ spec, name });
    else found.set(Number(item_id), [{ spec, name }]);
  }
  return found;
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
  const sourceId = await sourceIdOf(db, source);
  if (sourceId === undefined) return undefined;
  const row: { identifier: string } | undefined = await db('resource')
    .join('item', 'item.id', 'resource.item_id')
    .modify(ofSource, 'item', sourceId)
    .modify(ofSource, 'resource', sourceId)
    .modify((query) => whereAnyOf(query, 'resource.path', paths))
    .first('item.identifier');
  return row?.identifier;
}

/** Of the item of a source that was met last for the first time. */
export async function newestIdentifier(db: Queryable, sourceId: number): Promise<string | undefined> {
  const row: { identifier: string } | undefined = await db('item')
    .where({ source_id: sourceId })
    .orderBy('id', 'desc')
    .first('identifier');
  return row?.identifier;
}

/** Those of these names that items of a source have. */
export async function knownIdentifiers(
  db: Queryable,
  sourceId: number,
  identifiers: readonly string[],
): Promise<ReadonlySet<string>> {
  if (identifiers.length === 0) return new Set();
  const known: string[] = await db('item')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'identifier', identifiers))
    .pluck('identifier');
  return new Set(known);
}

/** Any identifier of a source, as the upstream calls its items; undefined while there is none. */
export async function anyIdentifier(db: Queryable, source: string): Promise<string | undefined> {
  const sourceId = await sourceIdOf(db, source);
  if (sourceId === undefined) return undefined;
  const row: { identifier: string } | undefined = await db('item')
    .where({ source_id: sourceId })
    .orderBy('id')
    .first('identifier');
  return row?.identifier;
}
