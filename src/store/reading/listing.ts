import type { Knex } from 'knex';
import {
  type ChangeKind,
  type Link,
  patchRelation,
  type Representation,
  type ResourceKind,
} from '../../core/resource.ts';
import { collectionMarks, covers, type ResourceSet } from '../../core/resource-set.ts';
import { isPostgres } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { factOfChange, factsOfChange, versionOfChange } from '../rows/change-facts.ts';
import { sharedLinks, withLinks } from '../rows/link-forms.ts';
import { sameSource } from '../rows/one-source.ts';
import { parseLinks, type RepresentationRow, toRepresentation } from '../rows/representation-columns.ts';
import { sourceIdOf } from '../sources/sources.ts';

/** One entry of a Resource List. */
export interface ResourceEntry extends Representation {
  /** Of the row, where it was asked for. */
  readonly id?: number;
  readonly kind: ResourceKind;
  /** Below `baseUrl`; of a file that is only linked to, its own URL. */
  readonly path: string;
  readonly lastmod: string;
  readonly links: readonly Link[];
}

/** One entry of a Change List: the facts of the representation at that time. */
export interface ChangeEntry extends ResourceEntry {
  readonly seq: number;
  readonly change: ChangeKind;
  /** When the change happened to what we serve, by the journal's clock. */
  readonly datetime: string;
  /** What has become of the resource since, where that was asked for: when it was deleted, and when the operator withdrew it. */
  readonly deletedAt?: string | undefined;
  readonly withdrawnAt?: string | undefined;
}

const rowsAtATime = 2000;

/** One entry of a Resource List, with the JSON of its links: whoever only writes them down needs no more. */
export type ListedResource = Omit<ResourceEntry, 'links'> & { readonly id: number; readonly links: string };

/**
 * The living resources of a set in a stable order, page by page (keyset: every page costs the same). Run it
 * in a snapshot to get one consistent state.
 */
export async function* listResources(
  db: Queryable,
  set: ResourceSet,
  rows = rowsAtATime,
  withIds = false,
): AsyncGenerator<readonly ResourceEntry[]> {
  for await (const page of listStored(db, set, rows))
    yield page.map(({ id, ...entry }) => ({
      ...(withIds ? { id } : {}),
      ...entry,
      links: parseLinks(entry.links),
    }));
}

/** The same, with their links as they are stored. */
export async function* listStored(
  db: Queryable,
  set: ResourceSet,
  rows = rowsAtATime,
): AsyncGenerator<readonly ListedResource[]> {
  const sourceId = await sourceIdOf(db, set.source);
  if (sourceId === undefined) return;
  for (let after = 0; ; ) {
    const page: (RepresentationRow & {
      id: number;
      path: string;
      kind: ResourceKind;
      lastmod: string;
      links: string;
    })[] = await db('resource')
      .select('id', 'path', 'kind', 'lastmod', 'media_type', 'length', 'hash', 'links')
      .where('source_id', sourceId)
      .where('id', '>', after)
      .whereNull('deleted_at')
      .whereNull('withdrawn_at')
      .modify(whereOfSet, set)
      .modify(whereMarked, set, ['resource.links'])
      .orderBy('id')
      .limit(rows);
    if (page.length > 0) {
      await withLinks(db, page, ['links']);
      yield page.map(({ id, path, kind, lastmod, media_type, length, hash, links }) => ({
        id,
        path,
        kind,
        lastmod,
        mediaType: media_type ?? undefined,
        length: length ?? undefined,
        hash: hash ?? undefined,
        links,
      }));
    }
    const last = page.at(-1);
    if (!last || page.length < rows) return;
    after = last.id;
  }
}

/** How many `listResources` would list, links aside. */
export async function countResources(db: Queryable, set: ResourceSet): Promise<number> {
  const sourceId = await sourceIdOf(db, set.source);
  if (sourceId === undefined) return 0;
  const [row] = await db('resource')
    .where('source_id', sourceId)
    .whereNull('deleted_at')
    .whereNull('withdrawn_at')
    .modify(whereOfSet, set)
    .count({ count: '*' });
  return Number(row?.count ?? 0);
}

export interface ChangeRange {
  /** Exclusive. */
  readonly afterSeq: number;
  /** Inclusive; default: the end of the journal as it is when each page is read. */
  readonly upToSeq?: number;
  /** Only changes after which nothing has happened to the resource. */
  readonly latestOnly?: boolean;
  /** Say what has become of the resources since. */
  readonly withFate?: boolean;
}

/**
 * The changes of a set, oldest first, page by page. A resource that comes into the set is created there, one
 * that leaves it is deleted there, whatever the change was to the resource itself.
 */
export async function* listChanges(
  db: Queryable,
  set: ResourceSet,
  range: ChangeRange,
  rows = rowsAtATime,
): AsyncGenerator<readonly ChangeEntry[]> {
  const sourceId = await sourceIdOf(db, set.source);
  if (sourceId === undefined) return;
  for (let after = range.afterSeq; ; ) {
    const query = db('change')
      .join('resource', 'resource.id', 'change.resource_id')
      .modify(sameSource, 'resource', 'change')
      .leftJoin('version', versionOfChange)
      .select(
        'change.seq',
        'change.at',
        'change.kind',
        ...factsOfChange(db),
        'change.links',
        'change.links_before',
        'resource.path',
        'resource.kind as resource_kind',
        'resource.format',
        'resource.deleted_at',
        'resource.withdrawn_at',
      )
      .where('change.source_id', sourceId)
      .where('change.seq', '>', after)
      .modify(whereOfSet, set)
      .modify(whereMarked, set, ['change.links', 'change.links_before'])
      .orderBy('change.seq')
      .limit(rows);
    if (range.upToSeq !== undefined) query.where('change.seq', '<=', range.upToSeq);
    if (range.latestOnly) query.whereRaw('resource.last_seq = change.seq');
    const page: ChangeRow[] = await query;
    await withLinks(db, page, ['links', 'links_before']);
    const entries = page.flatMap((row) => toChangeEntry(row, set, range.withFate));
    if (entries.length > 0) yield entries;
    const last = page.at(-1);
    if (!last || page.length < rows) return;
    after = last.seq;
  }
}

/**
 * As `listChanges`, but only each resource's latest change in the set; of a set by collections the paths in
 * the range have to fit in memory, because a resource lives on when it has left the set.
 */
export async function* listLatestChanges(
  db: Queryable,
  set: ResourceSet,
  range: ChangeRange,
): AsyncGenerator<readonly ChangeEntry[]> {
  if (!set.filter.collections) {
    yield* listChanges(db, set, { ...range, latestOnly: true });
    return;
  }
  const latest = new Map<string, number>();
  for await (const page of listChanges(db, set, range)) {
    for (const { path, seq } of page) latest.set(path, seq);
  }
  for await (const page of listChanges(db, set, range)) {
    yield page.filter(({ path, seq }) => latest.get(path) === seq);
  }
}

interface ChangeRow extends RepresentationRow {
  readonly seq: number;
  readonly at: string;
  readonly kind: ChangeKind;
  readonly lastmod: string;
  readonly links: string;
  readonly links_before: string | null;
  readonly path: string;
  readonly resource_kind: ResourceKind;
  readonly format: string;
  readonly deleted_at: string | null;
  readonly withdrawn_at: string | null;
}

const nothing: RepresentationRow = { media_type: null, length: null, hash: null };

function toChangeEntry(row: ChangeRow, set: ResourceSet, withFate = false): readonly ChangeEntry[] {
  const links = parseLinks(row.links);
  const change = changeWithin(set, row, links);
  if (change === undefined) return [];
  const gone = change === 'deleted';
  return [
    {
      seq: row.seq,
      change,
      datetime: row.at,
      path: row.path,
      kind: row.resource_kind,
      lastmod: row.lastmod,
      ...toRepresentation(gone ? nothing : row),
      // What was not in the set before has no version there that a patch could be applied to (RS-LN-11).
      links: gone ? [] : change === 'updated' ? links : links.filter(({ rel }) => rel !== patchRelation),
      ...(withFate && {
        deletedAt: row.deleted_at ?? undefined,
        withdrawnAt: row.withdrawn_at ?? undefined,
      }),
    },
  ];
}

/** What a change is to a set; undefined where it happened outside of it. */
function changeWithin(set: ResourceSet, row: ChangeRow, links: readonly Link[]): ChangeKind | undefined {
  if (!set.filter.collections) return row.kind;
  const has = (candidates: readonly Link[]) =>
    covers(set.filter, { kind: row.resource_kind, format: row.format, links: candidates }, set.source);
  const before = row.kind !== 'created' && has(parseLinks(row.links_before ?? row.links));
  const after = row.kind !== 'deleted' && has(links);
  if (before) return after ? 'updated' : 'deleted';
  return after ? 'created' : undefined;
}

export function whereOfSet(query: Knex.QueryBuilder, { filter }: Pick<ResourceSet, 'filter'>): void {
  if (filter.kind !== undefined) query.where('resource.kind', filter.kind);
  if (filter.formats) query.whereIn('resource.format', [...filter.formats]);
}

/** Only rows that have a collection of the set in one of these columns. */
export function whereMarked(
  query: Knex.QueryBuilder,
  { source, filter }: Pick<ResourceSet, 'source' | 'filter'>,
  columns: readonly string[],
): void {
  const marks = collectionMarks(source, filter.collections ?? []);
  if (marks.length === 0) return;
  const find = isPostgres(query) ? 'strpos' : 'instr';
  query.where((any) => {
    for (const column of columns)
      for (const mark of marks) any.orWhereRaw(`${find}(${sharedLinks(column)}, ?) > 0`, [mark]);
  });
}

/** The first resource of a set whose bytes we do not keep; undefined when all of it can be in a dump (RS-CAP-11). */
export async function findUnkept(db: Queryable, set: ResourceSet): Promise<string | undefined> {
  // The content of metadata is always kept.
  if (set.filter.kind === 'metadata') return undefined;
  const row: { path: string } | undefined = await db('resource')
    .join('source', 'source.id', 'resource.source_id')
    .leftJoin('blob', 'blob.hash', 'resource.hash')
    .where('source.name', set.source)
    .where('resource.kind', 'file')
    .whereNull('resource.deleted_at')
    .where(whereUnkept)
    .modify(whereOfSet, set)
    .modify(whereMarked, set, ['resource.links'])
    .first('resource.path');
  return row?.path;
}

/** The last change of a set that made something whose bytes we do not keep (any more); 0 where there is none. */
export async function lastUnkeptChange(db: Queryable, set: ResourceSet): Promise<number> {
  // The bytes of metadata are always there, unless some of them were given up.
  const whole = await db('source').where({ name: set.source }).whereNull('retention').first('id');
  if (set.filter.kind === 'metadata' && whole) return 0;
  const row: { seq: number } | undefined = await db('change')
    .join('source', 'source.id', 'change.source_id')
    .join('resource', 'resource.id', 'change.resource_id')
    .modify(sameSource, 'resource', 'change')
    .leftJoin('version', versionOfChange)
    .leftJoin('blob', 'blob.hash', db.raw(factOfChange('hash')))
    .where('source.name', set.source)
    .modify((query) => {
      if (whole) query.where('resource.kind', 'file');
    })
    .whereNot('change.kind', 'deleted')
    // Of what may not be handed out no bytes are packed.
    .whereNull('resource.withdrawn_at')
    .where((any) => any.where('resource.kind', 'metadata').orWhereNull('resource.deleted_at'))
    .where(whereUnkept)
    .modify(whereOfSet, set)
    .modify(whereMarked, set, ['change.links', 'change.links_before'])
    .orderBy('change.seq', 'desc')
    .first('change.seq');
  return row?.seq ?? 0;
}

/** What is elsewhere is not ours to pack, even where the same bytes are kept for something else. */
function whereUnkept(query: Knex.QueryBuilder): void {
  query.whereNull('blob.hash');
  for (const scheme of ['http:', 'https:']) query.orWhere('resource.path', 'like', `${scheme}%`);
}
