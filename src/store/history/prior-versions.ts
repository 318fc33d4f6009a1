import type { Knex } from 'knex';
import type { MappedItem } from '../../core/mapping/mapping.ts';
import type { MappedVersion, PriorFile, PriorMetadata } from '../../core/mapping/prior-versions.ts';
import { xmlType } from '../../core/uris.ts';
import { insertRows, whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';

/** What an item was before, as far as its upstream remembers it. */
export interface PriorVersion
  extends Pick<MappedVersion, 'identifier' | 'number' | 'createdAt' | 'upstreamUrl'> {
  /** The bytes are in `blob`, by `hash`. */
  readonly metadata: readonly Omit<PriorMetadata, 'content'>[];
  /** Where the upstream keeps them, in the order of their numbers. */
  readonly files: readonly PriorFile[];
}

/** All that is known of the past of one item. */
export interface ItemVersions {
  readonly identifier: string;
  readonly versions: readonly MappedVersion[];
}

/** The tables `prior_version` and `prior_representation`; no change tells of them. */
type VersionRow = {
  readonly source_id: number;
  readonly item_id: number;
  readonly number: number;
  readonly at: string;
  readonly upstream_url: string | null;
  /** Of the item that it was. */
  readonly identifier: string | null;
};

type RepresentationRow = {
  readonly source_id: number;
  readonly item_id: number;
  readonly number: number;
  readonly kind: 'metadata' | 'file';
  readonly format: string;
  readonly sequence: number;
  readonly name: string | null;
  readonly media_type: string | null;
  readonly length: number | null;
  readonly hash: string | null;
  readonly profile: string | null;
  readonly upstream_url: string | null;
};

interface VersionRows {
  readonly versions: readonly VersionRow[];
  readonly representations: readonly RepresentationRow[];
}

/** Those items of a page that were something else before than is known; without a query where none says. */
export async function changedVersions(
  db: Queryable,
  sourceId: number,
  items: readonly MappedItem[],
  known: ReadonlyMap<string, { readonly id: number }>,
): Promise<readonly ItemVersions[]> {
  const delivered = new Map<string, ItemVersions>();
  for (const { identifier, versions } of items) {
    if (versions) delivered.set(identifier, { identifier, versions });
  }
  if (delivered.size === 0) return [];
  const ids = [...delivered.keys()].flatMap((identifier) => known.get(identifier)?.id ?? []);
  const before = await readRows(db, sourceId, ids);
  return [...delivered.values()].filter(({ identifier, versions }) => {
    const id = known.get(identifier)?.id ?? 0;
    return JSON.stringify(toRows(sourceId, id, versions)) !== JSON.stringify(rowsOf(before, id));
  });
}

/**
 * Replaces what is known of the past of each of these items.
 * @param itemIds of those that are stored; the past of others is none
 */
export async function storeVersions(
  trx: Knex.Transaction,
  sourceId: number,
  changed: readonly ItemVersions[],
  itemIds: ReadonlyMap<string, number>,
  known: { has(identifier: string): boolean },
): Promise<void> {
  if (changed.length === 0) return;
  const rows = changed.flatMap(({ identifier, versions }) => {
    const id = itemIds.get(identifier);
    return id === undefined
      ? []
      : [{ id, isKnown: known.has(identifier), ...toRows(sourceId, id, versions) }];
  });
  const replaced = rows.filter(({ isKnown }) => isKnown).map(({ id }) => id);
  for (const table of replaced.length > 0 ? tables : []) {
    await trx(table)
      .where({ source_id: sourceId })
      .modify((query) => whereAnyOf(query, 'item_id', replaced))
      .delete();
  }
  const [versions, representations] = tables;
  await insertRows(
    trx,
    versions,
    rows.flatMap((item) => item.versions),
  );
  await insertRows(
    trx,
    representations,
    rows.flatMap((item) => item.representations),
  );
}

/** What items were before, oldest first, by their ids; those of which nothing is known are left out. */
export async function listPriorVersionsOf(
  db: Queryable,
  sourceId: number,
  itemIds: readonly number[],
): Promise<ReadonlyMap<number, readonly PriorVersion[]>> {
  const { versions, representations } = await readRows(db, sourceId, itemIds);
  const key = (row: { item_id: number; number: number }) => `${row.item_id} ${row.number}`;
  const parts = new Map<string, RepresentationRow[]>();
  for (const row of representations) append(parts, key(row), row);
  const byItem = new Map<number, PriorVersion[]>();
  for (const row of versions) {
    const own = parts.get(key(row)) ?? [];
    const version: PriorVersion = {
      number: row.number,
      createdAt: row.at,
      upstreamUrl: row.upstream_url ?? undefined,
      identifier: row.identifier ?? undefined,
      metadata: own.filter(({ kind }) => kind === 'metadata').map(toMetadata),
      files: own.filter(({ kind }) => kind === 'file').map(toFile),
    };
    append(byItem, row.item_id, version);
  }
  return byItem;
}

function append<Key, Value>(groups: Map<Key, Value[]>, key: Key, value: Value): void {
  const group = groups.get(key);
  if (group) group.push(value);
  else groups.set(key, [value]);
}

const tables = ['prior_version', 'prior_representation'] as const;

async function readRows(db: Queryable, sourceId: number, itemIds: readonly number[]): Promise<VersionRows> {
  if (itemIds.length === 0) return { versions: [], representations: [] };
  const versions: VersionRow[] = await db('prior_version')
    .select('source_id', 'item_id', 'number', 'at', 'upstream_url', 'identifier')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'item_id', itemIds));
  const representations: RepresentationRow[] = await db('prior_representation')
    .select('source_id', 'item_id', 'number', 'kind', 'format', 'sequence', 'name')
    .select('media_type', 'length', 'hash', 'profile', 'upstream_url')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'item_id', itemIds));
  return { versions: versions.sort(byNumber), representations: representations.sort(byKey) };
}

function rowsOf({ versions, representations }: VersionRows, itemId: number): VersionRows {
  return {
    versions: versions.filter(({ item_id }) => item_id === itemId),
    representations: representations.filter(({ item_id }) => item_id === itemId),
  };
}

/** Each number, format and sequence once, whatever was delivered: they are keys. */
function toRows(source_id: number, item_id: number, versions: readonly MappedVersion[]): VersionRows {
  const byKeys = new Map<string, RepresentationRow>();
  const byNumbers = new Map(versions.map((version) => [version.number, version]));
  for (const { number, metadata, files } of byNumbers.values()) {
    const owner = { source_id, item_id, number };
    for (const { format, mediaType, length, hash, profile, upstreamUrl } of metadata) {
      byKeys.set(`${number} ${format}`, {
        ...owner,
        kind: 'metadata',
        format,
        sequence: 0,
        name: null,
        media_type: mediaType,
        length,
        hash,
        profile: profile ?? null,
        upstream_url: upstreamUrl ?? null,
      });
    }
    const inOrder = [...files].sort((a, b) => a.sequence - b.sequence);
    for (const [index, { url, name, mediaType, length, hash }] of inOrder.entries()) {
      byKeys.set(`${number}/${index}`, {
        ...owner,
        kind: 'file',
        format: 'file',
        sequence: index + 1,
        name,
        media_type: mediaType ?? null,
        length: length ?? null,
        hash: hash ?? null,
        profile: null,
        upstream_url: url,
      });
    }
  }
  return {
    versions: [...byNumbers.values()]
      .map(({ number, createdAt, upstreamUrl, identifier = null }) => {
        const row = { source_id, item_id, number, at: createdAt, upstream_url: upstreamUrl ?? null };
        return { ...row, identifier };
      })
      .sort(byNumber),
    representations: [...byKeys.values()].sort(byKey),
  };
}

function byNumber(a: VersionRow, b: VersionRow): number {
  return a.item_id - b.item_id || a.number - b.number;
}

function byKey(a: RepresentationRow, b: RepresentationRow): number {
  const order = a.item_id - b.item_id || a.number - b.number || a.sequence - b.sequence;
  return order || Number(a.format > b.format) - Number(a.format < b.format);
}

function toMetadata(row: RepresentationRow): PriorVersion['metadata'][number] {
  return {
    format: row.format,
    mediaType: row.media_type ?? xmlType,
    length: row.length ?? 0,
    hash: row.hash ?? '',
    profile: row.profile ?? undefined,
    upstreamUrl: row.upstream_url ?? undefined,
  };
}

function toFile(row: RepresentationRow): PriorFile {
  return {
    url: row.upstream_url ?? '',
    name: row.name ?? '',
    sequence: row.sequence,
    mediaType: row.media_type ?? undefined,
    length: row.length ?? undefined,
    hash: row.hash ?? undefined,
  };
}
