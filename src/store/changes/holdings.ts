import type { HeldItem, HeldMetadata, Holdings } from '../../core/adapter.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { readItemFiles } from '../files/item-files.ts';
import { readUnsound } from '../payloads/content-objects.ts';
import { ofSource } from '../rows/one-source.ts';

/** What a source has in store, as its adapter asks for it between two pages. */
export function holdingsOf(database: Pick<Database, 'writer'>, source: string): Holdings {
  // What was written a moment ago has to be seen: no replica is asked.
  const db = database.writer;
  const idOf = async (): Promise<number | undefined> =>
    (await db('source').where({ name: source }).first('id'))?.id;
  return {
    items: async (identifiers) => {
      const sourceId = identifiers.length === 0 ? undefined : await idOf();
      return sourceId === undefined ? new Map() : readItems(db, sourceId, identifiers);
    },
    stating: async (urls) => {
      const sourceId = urls.length === 0 ? undefined : await idOf();
      return sourceId === undefined ? new Map() : readStating(db, sourceId, urls);
    },
    damaged: (hashes) => readUnsound(database, hashes),
  };
}

interface ItemRow {
  readonly id: number;
  readonly identifier: string;
  readonly datestamp: string | null;
}

interface MetadataRow {
  readonly item_id: number;
  readonly format: string;
  readonly media_type: string | null;
  readonly upstream_url: string | null;
  readonly hash: string | null;
  readonly length: number | string | null;
  readonly lastmod: string;
}

async function readItems(
  db: Queryable,
  sourceId: number,
  identifiers: readonly string[],
): Promise<ReadonlyMap<string, HeldItem>> {
  const items: ItemRow[] = await db('item')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'identifier', identifiers))
    .select('id', 'identifier', 'datestamp');
  if (items.length === 0) return new Map();
  const ids = items.map(({ id }) => id);
  const metadata: MetadataRow[] = await db('resource')
    .where({ kind: 'metadata' })
    .whereNull('deleted_at')
    .modify((query) => whereAnyOf(query, 'item_id', ids))
    .modify(ofSource, 'resource', sourceId)
    .orderBy('id')
    .select('item_id', 'format', 'media_type', 'upstream_url', 'hash', 'length', 'lastmod');
  const memberships: { item_id: number; spec: string }[] = await db('item_collection')
    .join('collection', 'collection.id', 'item_collection.collection_id')
    .where({ 'item_collection.source_id': sourceId })
    .modify((query) => whereAnyOf(query, 'item_collection.item_id', ids))
    .select('item_collection.item_id', 'collection.spec');
  const statements = await readItemFiles(db, sourceId, ids);
  const ownMetadata = grouped(metadata, toMetadata);
  const ownCollections = grouped(memberships, ({ spec }) => spec);
  return new Map(
    items.map(({ id, identifier, datestamp }) => {
      const { files = [], ownList } = statements.get(id) ?? {};
      const held: HeldItem = {
        identifier,
        datestamp: datestamp ?? undefined,
        collections: ownCollections.get(id) ?? [],
        metadata: ownMetadata.get(id) ?? [],
        files: files.filter(({ origin }) => origin.name === ownList?.name).map(({ origin, ...file }) => file),
      };
      return [identifier, held];
    }),
  );
}

function toMetadata(row: MetadataRow): HeldMetadata {
  return {
    format: row.format,
    mediaType: row.media_type ?? undefined,
    upstreamUrl: row.upstream_url ?? undefined,
    hash: row.hash ?? undefined,
    length: row.length === null ? undefined : Number(row.length),
    lastmod: row.lastmod,
  };
}

function grouped<Row extends { readonly item_id: number }, Value>(
  rows: readonly Row[],
  toValue: (row: Row) => Value,
): ReadonlyMap<number, readonly Value[]> {
  const groups = new Map<number, Value[]>();
  for (const row of rows) {
    const group = groups.get(row.item_id);
    if (group) group.push(toValue(row));
    else groups.set(row.item_id, [toValue(row)]);
  }
  return groups;
}

async function readStating(
  db: Queryable,
  sourceId: number,
  urls: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows: { url: string; identifier: string }[] = await db('item_file')
    .join('item', 'item.id', 'item_file.item_id')
    .where({ 'item_file.source_id': sourceId, 'item.source_id': sourceId })
    .modify((query) => whereAnyOf(query, 'item_file.url', urls))
    .distinct('item_file.url', 'item.identifier');
  const found = new Map<string, string[]>();
  for (const { url, identifier } of rows) found.set(url, [...(found.get(url) ?? []), identifier]);
  return found;
}
