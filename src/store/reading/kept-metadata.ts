import type { Queryable } from '../engine/database.ts';
import { question, questionByKey } from '../engine/question.ts';
import type { BlobRow } from '../payloads/blobs.ts';
import { identifierOf } from '../rows/link-form.ts';
import { withLinks, withLinksAtOnce } from '../rows/link-forms.ts';
import { parseLinks } from '../rows/representation-columns.ts';
import { askInSources } from '../sources/sources-at.ts';
import type { ServedResource } from './resources.ts';

/** Metadata with its bytes, and the living metadata of its item, itself among it. */
export interface KeptMetadata {
  readonly resource: ServedResource;
  readonly metadata: readonly ServedResource[];
  /** Undefined: there is none in the database. */
  readonly blob: BlobRow | undefined;
}

interface Row {
  readonly source: string;
  readonly item_id: number;
  readonly path: string;
  readonly format: string;
  readonly media_type: string | null;
  readonly length: number | null;
  readonly hash: string | null;
  readonly lastmod: string;
  readonly links: string;
  readonly deleted_at: string | null;
  readonly withdrawn_at: string | null;
  readonly coding: BlobRow['coding'] | null;
  readonly data: Uint8Array | null;
  readonly base: string | null;
}

const told = `select source.name as source, resource.item_id, resource.path, resource.format, resource.media_type, resource.length,
    resource.hash, resource.lastmod, resource.links, resource.deleted_at, resource.withdrawn_at,
    blob.coding, blob.data, blob.base
  from resource
  join source on source.id = resource.source_id
  left join blob on blob.hash = resource.hash and resource.path = ?
  where resource.kind = 'metadata'
    and (resource.path = ? or (resource.deleted_at is null and resource.withdrawn_at is null))`;

/** What is sorted here need not be sorted there. A metadata path is that of one resource: it begins with its source. */
const keptAtPath = question<Row, [path: string]>(1, (db, path) =>
  db.raw(
    `${told} and resource.item_id = (select item_id from resource where path = ? and kind = 'metadata')`,
    [...[path, path, path]],
  ),
);

const keptInSource = questionByKey<Row, [sourceId: number, path: string]>(2, (db, sourceId, path) =>
  db.raw(
    `${told} and resource.source_id = ?
      and resource.item_id = (select item_id from resource where path = ? and kind = 'metadata' and source_id = ?)`,
    [path, path, sourceId, path, sourceId],
  ),
);

/** Nearly always its path says so. */
const identifierOfItem = question<{ identifier: string }, [id: number]>(1, (db, id) =>
  db('item').select('identifier').where({ id }),
);

/**
 * Where the database answers at once, what `findWithMetadata` says of metadata, with one statement that has its bytes, too.
 * @returns undefined where it does not, or there is no metadata at this path
 */
export function findMetadataAtOnce(db: Queryable, path: string): KeptMetadata | undefined {
  const rows = keptAtPath.atOnce(db, path);
  if (!rows || !withLinksAtOnce(db, rows, ['links'])) return undefined;
  const row = rows.find((one) => one.path === path);
  if (!row) return undefined;
  const identifier = identifierOf(path) ?? identifierOfItem.atOnce(db, row.item_id)?.[0]?.identifier;
  return identifier === undefined ? undefined : toKept(row, rows, identifier);
}

/**
 * The same of PostgreSQL.
 * @returns undefined where there is no metadata at this path, or it does not say which item it is of
 */
export async function findKeptMetadata(db: Queryable, path: string): Promise<KeptMetadata | undefined> {
  const identifier = identifierOf(path);
  if (identifier === undefined) return undefined;
  const rows = await askInSources(db, path, (id) => keptInSource(db, id, path));
  const row = rows.find((one) => one.path === path);
  if (!row) return undefined;
  await withLinks(db, rows, ['links']);
  return toKept(row, rows, identifier);
}

function toKept(row: Row, rows: readonly Row[], identifier: string): KeptMetadata {
  const resource = servedOf(row, identifier);
  const toServed = (one: Row) => (one === row ? resource : servedOf(one, identifier));
  const { hash, length, coding, data, base } = row;
  const isKept = hash !== null && length !== null && coding !== null && data !== null;
  return {
    resource,
    metadata: (rows.length === 1 ? rows : rows.toSorted(byPath)).filter(isLiving).map(toServed),
    blob: isKept ? { hash, length, coding, data, base } : undefined,
  };
}

function byPath(a: Row, b: Row): number {
  return a.path < b.path ? -1 : 1;
}

function isLiving({ deleted_at, withdrawn_at }: Row): boolean {
  return deleted_at === null && withdrawn_at === null;
}

function servedOf(row: Row, identifier: string): ServedResource {
  return {
    source: row.source,
    path: row.path,
    kind: 'metadata',
    format: row.format,
    identifier,
    lastmod: row.lastmod,
    mediaType: row.media_type ?? undefined,
    length: row.length ?? undefined,
    hash: row.hash ?? undefined,
    links: parseLinks(row.links),
    deletedAt: row.deleted_at ?? row.withdrawn_at ?? undefined,
    withdrawnAt: row.withdrawn_at ?? undefined,
  };
}
