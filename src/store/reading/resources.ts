import type { Knex } from 'knex';
import type { Link, Representation, ResourceKind } from '../../core/resource.ts';
import { mayBeMetadata } from '../../core/uris.ts';
import { isPostgres, whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { question, questionByKey } from '../engine/question.ts';
import { withLinks } from '../rows/link-forms.ts';
import { ofSource, sameSource } from '../rows/one-source.ts';
import { parseLinks, type RepresentationRow, toRepresentation } from '../rows/representation-columns.ts';
import { askAt } from '../sources/sources-at.ts';

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

/** What its answers are made of. */
export type ServedResource = Omit<StoredResource, 'upstreamUrl' | 'landingPage'>;

interface ResourceRow extends RepresentationRow {
  readonly source: string;
  readonly source_id: number;
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

export interface WithMetadata {
  readonly resource: StoredResource;
  readonly metadata: readonly StoredResource[];
}

/**
 * A resource with the living metadata of its item: of a file the formats that describe it, without a look at the
 * item's other files, of which there may be thousands.
 */
export async function findWithMetadata(db: Queryable, path: string): Promise<WithMetadata | undefined> {
  // What is asked for most comes with one statement.
  const together = mayBeMetadata(path) ? await findTogether(db, path) : undefined;
  if (together) return together;
  // The URL of a file that is linked to may be in several sources.
  const found = await askAt(db, path, (id) => resourcesAt(db, id, path));
  const row = found.find(({ deleted_at }) => deleted_at === null) ?? found[0];
  if (!row) return undefined;
  await withLinks(db, [row], ['links']);
  const resource = toResource(row);
  if (resource.kind !== 'file') {
    const rows = await metadataOfItemOf(db, row.source_id, path);
    await withLinks(db, rows, ['links']);
    return { resource, metadata: rows.map(toResource) };
  }
  const describedBy = resource.links.filter(({ rel }) => rel === 'describedby').map(({ href }) => href);
  const rows: readonly ResourceRow[] = isPostgres(db)
    ? await metadataAmong(db, row.source_id, describedBy)
    : await livingMetadata(db).modify((query) => whereAnyOf(query, 'resource.path', describedBy));
  await withLinks(db, rows, ['links']);
  return { resource, metadata: rows.map(toResource) };
}

const metadataAmong = questionByKey<ResourceRow, [sourceId: number, paths: readonly string[]]>(
  2,
  (db, id, paths) =>
    livingMetadata(db)
      .where({ 'resource.source_id': id, 'item.source_id': id })
      .whereRaw('resource.path = any(?)', [paths as unknown as Knex.Value]),
);

/** @returns undefined where there is no metadata at this path */
async function findTogether(db: Queryable, path: string): Promise<WithMetadata | undefined> {
  const rows = await askAt(db, path, (id) =>
    id === undefined ? itemAtPath(db, path, path) : itemInSource(db, id, path, path),
  );
  await withLinks(db, rows, ['links']);
  return togetherIn(rows, path);
}

function togetherIn(rows: readonly ResourceRow[], path: string): WithMetadata | undefined {
  const found = rows.map(toResource);
  const resource = found.find((one) => one.path === path);
  return resource && { resource, metadata: found.filter(({ deletedAt }) => deletedAt === undefined) };
}

const resourcesAtPath = question<ResourceRow, [path: string]>(1, (db, path) =>
  selectResources(db).where('resource.path', path).orderBy('resource.source_id'),
);

const resourcesInSource = questionByKey<ResourceRow, [sourceId: number, path: string]>(2, (db, id, path) =>
  selectResources(db).where({ 'resource.path': path, 'resource.source_id': id, 'item.source_id': id }),
);

function resourcesAt(db: Queryable, sourceId: number | undefined, path: string) {
  return sourceId === undefined ? resourcesAtPath(db, path) : resourcesInSource(db, sourceId, path);
}

const metadataOfItemAtPath = question<ResourceRow, [path: string]>(1, (db, path) =>
  livingMetadata(db).where('resource.item_id', db('resource').select('item_id').where({ path })),
);

const metadataOfItemInSource = questionByKey<ResourceRow, [sourceId: number, path: string]>(
  2,
  (db, id, path) =>
    livingMetadata(db)
      .where('resource.item_id', db('resource').select('item_id').where({ path, source_id: id }))
      .where({ 'resource.source_id': id, 'item.source_id': id }),
);

/** The metadata at a path, deleted or not, and what else there is of its item. A file has no such item. */
const itemAtPath = question<ResourceRow, [path: string, path: string]>(2, (db, path, same) =>
  selectResources(db)
    .whereIn('resource.item_id', db('resource').select('item_id').where({ path, kind: 'metadata' }))
    .where('resource.kind', 'metadata')
    .where((any) => any.where('resource.path', same).orWhere(whereLiving))
    .orderBy('resource.path'),
);

const itemInSource = questionByKey<ResourceRow, [sourceId: number, path: string, path: string]>(
  3,
  (db, id, path, same) =>
    selectResources(db)
      .whereIn(
        'resource.item_id',
        db('resource').select('item_id').where({ path, kind: 'metadata', source_id: id }),
      )
      .where({ 'resource.source_id': id, 'item.source_id': id, 'resource.kind': 'metadata' })
      .where((any) => any.where('resource.path', same).orWhere(whereLiving))
      .orderBy('resource.path'),
);

function whereLiving(query: Knex.QueryBuilder): void {
  query.whereNull('resource.deleted_at').whereNull('resource.withdrawn_at');
}

function metadataOfItemOf(db: Queryable, sourceId: number, path: string) {
  return isPostgres(db) ? metadataOfItemInSource(db, sourceId, path) : metadataOfItemAtPath(db, path);
}

function livingMetadata(db: Queryable) {
  return selectResources(db).where('resource.kind', 'metadata').modify(whereLiving).orderBy('resource.path');
}

/** Everything an item is, and was, published as, in the order of their paths. */
export async function listItemResources(
  db: Queryable,
  sourceId: number,
  itemId: number,
): Promise<readonly StoredResource[]> {
  const rows: readonly ResourceRow[] = isPostgres(db)
    ? await resourcesOfItemInSource(db, sourceId, itemId)
    : await selectResources(db).where('resource.item_id', itemId).orderBy('resource.path');
  await withLinks(db, rows, ['links']);
  return rows.map(toResource);
}

const resourcesOfItemInSource = questionByKey<ResourceRow, [sourceId: number, itemId: number]>(
  2,
  (db, id, itemId) =>
    selectResources(db)
      .where({ 'resource.source_id': id, 'item.source_id': id, 'resource.item_id': itemId })
      .orderBy('resource.path'),
);

/** Rows that are read at once for several items. An item that has more of them is read as a whole. */
const rowsAtATime = 2000;

/** The same of many items, some of them at a time, each with its id; every item comes, also one without resources. */
export async function* listResourcesOfItems(
  db: Queryable,
  sourceId: number,
  itemIds: readonly number[],
  atATime = rowsAtATime,
): AsyncGenerator<readonly (readonly [id: number, resources: readonly StoredResource[]])[]> {
  let due = itemIds.toSorted((a, b) => a - b);
  while (due.length > 0) {
    const rows: (ResourceRow & { item_id: number })[] = await selectResources(db)
      .modify((query) => whereAnyOf(query, 'resource.item_id', due))
      .modify(ofSource, 'resource', sourceId)
      .orderBy(['resource.item_id', 'resource.path'])
      .limit(atATime)
      .select('resource.item_id');
    // The last item may have more.
    const cut = rows.length < atATime ? undefined : Number(rows.at(-1)?.item_id);
    const whole = cut === undefined ? rows : rows.filter(({ item_id }) => Number(item_id) !== cut);
    await withLinks(db, whole, ['links']);
    const found = new Map<number, StoredResource[]>();
    for (const row of whole) {
      const some = found.get(Number(row.item_id));
      if (some) some.push(toResource(row));
      else found.set(Number(row.item_id), [toResource(row)]);
    }
    yield due.filter((id) => cut === undefined || id < cut).map((id) => [id, found.get(id) ?? []]);
    due = cut === undefined ? [] : due.filter((id) => id >= cut);
    if (cut !== undefined && whole.length === 0) {
      yield [[cut, await listItemResources(db, sourceId, cut)]];
      due = due.slice(1);
    }
  }
}

function selectResources(db: Queryable) {
  return db('resource')
    .join('source', 'source.id', 'resource.source_id')
    .join('item', 'item.id', 'resource.item_id')
    .modify(sameSource, 'item', 'resource')
    .select(
      'source.name as source',
      'resource.source_id',
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
