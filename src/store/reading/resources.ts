import type { Link, Representation, ResourceKind } from '../../core/resource.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { question } from '../engine/question.ts';
import { withLinks } from '../rows/link-forms.ts';
import { parseLinks, type RepresentationRow, toRepresentation } from '../rows/representation-columns.ts';

/** A resource as it is now, deleted or not. */
export interface StoredResource extends Representation {
  readonly source: string;
  readonly path: string;
  readonly kind: ResourceKind;
  readonly format: string;
  readonly identifier: string;
  readonly lastmod: string;
  readonly upstreamUrl: string | undefined;
  /** Metadata: the item's landing page that it names. */
  readonly landingPage: string | undefined;
  readonly links: readonly Link[];
  /** When it was deleted, by the journal's clock, or withdrawn, which the journal may be about to say. */
  readonly deletedAt: string | undefined;
  /** When the operator withdrew it. */
  readonly withdrawnAt: string | undefined;
}

interface ResourceRow extends RepresentationRow {
  readonly source: string;
  readonly path: string;
  readonly kind: ResourceKind;
  readonly format: string;
  readonly identifier: string;
  readonly lastmod: string;
  readonly upstream_url: string | null;
  readonly landing_page: string | null;
  readonly links: string;
  readonly deleted_at: string | null;
  readonly withdrawn_at: string | null;
}

/**
 * A resource with the living metadata of its item: of a file the formats that describe it, without a look at the
 * item's other files, of which there may be thousands.
 */
export async function findWithMetadata(
  db: Queryable,
  path: string,
): Promise<{ readonly resource: StoredResource; readonly metadata: readonly StoredResource[] } | undefined> {
  // The URL of a file that is linked to may be in several sources.
  const found = await resourcesAt(db, path);
  const row = found.find(({ deleted_at }) => deleted_at === null) ?? found[0];
  if (!row) return undefined;
  await withLinks(db, [row], ['links']);
  const resource = toResource(row);
  if (resource.kind !== 'file') {
    const rows = await metadataOfItemOf(db, path);
    await withLinks(db, rows, ['links']);
    return { resource, metadata: rows.map(toResource) };
  }
  const describedBy = resource.links.filter(({ rel }) => rel === 'describedby').map(({ href }) => href);
  const rows: ResourceRow[] = await livingMetadata(db).modify((query) =>
    whereAnyOf(query, 'resource.path', describedBy),
  );
  await withLinks(db, rows, ['links']);
  return { resource, metadata: rows.map(toResource) };
}

const resourcesAt = question<ResourceRow, [path: string]>(1, (db, path) =>
  selectResources(db).where('resource.path', path).orderBy('resource.source_id'),
);

const metadataOfItemOf = question<ResourceRow, [path: string]>(1, (db, path) =>
  livingMetadata(db).where('resource.item_id', db('resource').select('item_id').where({ path })),
);

function livingMetadata(db: Queryable) {
  return selectResources(db)
    .where('resource.kind', 'metadata')
    .whereNull('resource.deleted_at')
    .whereNull('resource.withdrawn_at')
    .orderBy('resource.path');
}

/** Everything an item is, and was, published as, in the order of their paths. */
export async function listItemResources(db: Queryable, itemId: number): Promise<readonly StoredResource[]> {
  const rows: ResourceRow[] = await selectResources(db)
    .where('resource.item_id', itemId)
    .orderBy('resource.path');
  await withLinks(db, rows, ['links']);
  return rows.map(toResource);
}

function selectResources(db: Queryable) {
  return db('resource')
    .join('source', 'source.id', 'resource.source_id')
    .join('item', 'item.id', 'resource.item_id')
    .select(
      'source.name as source',
      'item.identifier',
      'resource.path',
      'resource.kind',
      'resource.format',
      'resource.media_type',
      'resource.length',
      'resource.hash',
      'resource.lastmod',
      'resource.upstream_url',
      'resource.landing_page',
      'resource.links',
      'resource.deleted_at',
      'resource.withdrawn_at',
    );
}

function toResource(row: ResourceRow): StoredResource {
  const { source, path, kind, format, identifier, lastmod } = row;
  return {
    source,
    path,
    kind,
    format,
    identifier,
    lastmod,
    ...toRepresentation(row),
    upstreamUrl: row.upstream_url ?? undefined,
    landingPage: row.landing_page ?? undefined,
    links: parseLinks(row.links),
    deletedAt: row.deleted_at ?? row.withdrawn_at ?? undefined,
    withdrawnAt: row.withdrawn_at ?? undefined,
  };
}
