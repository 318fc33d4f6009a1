import type { Knex } from 'knex';
import type { ChangeKind, Representation, ResourceKind } from '../../core/resource.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { versionsOfResource } from '../rows/change-facts.ts';
import { listGonePatches } from '../rows/gone-patches.ts';
import { withLinks } from '../rows/link-forms.ts';
import { sameSource, sourceIdOf } from '../rows/one-source.ts';
import {
  parseLinks,
  patchesIn,
  type RepresentationRow,
  toRepresentation,
} from '../rows/representation-columns.ts';
import { countChangesAfter } from '../sources/journal.ts';

/**
 * A resource as it was when the journal had come to a sequence. Journal and versions are never rewritten, so
 * this can be read while more is being stored, page by page and without one long view of the database.
 */
export interface ResourceState extends ContentState {
  readonly kind: ResourceKind;
  /** Of its item. */
  readonly identifier: string;
  readonly alive: boolean;
  /** When it was deleted since, or before; undefined: it lives now. */
  readonly deletedAt: string | undefined;
  /** Since when it is withheld, with its past; undefined: it is not. */
  readonly withdrawnAt: string | undefined;
}

/** Bytes at a path, and their time. */
export interface ContentState extends Representation {
  readonly path: string;
  readonly lastmod: string;
}

export interface ChangedStates {
  /** How many changes these are. */
  readonly changes: number;
  /** Each as it was at the end of the range, whatever happened to it within. */
  readonly states: readonly ResourceState[];
  /** Paths of the collections that these changes put something into, or took it out of. */
  readonly collections: readonly string[];
  /** The patches that these changes link to, of resources that live on, and were not withdrawn since. */
  readonly patches: readonly ContentState[];
}

const rowsAtATime = 1000;

/** The resources of a source that lived at `seq`, in a stable order. */
export async function* listLivingStates(
  db: Queryable,
  source: string,
  seq: number,
  rows = rowsAtATime,
): AsyncGenerator<readonly ResourceState[]> {
  const sourceId = await sourceIdOf(db, source);
  for (let after = 0; sourceId !== undefined; ) {
    const page: StateRow[] = await selectStates(db, sourceId)
      .where('resource.id', '>', after)
      .orderBy('resource.id')
      .limit(rows);
    const states = await statesAt(db, sourceId, seq, page);
    yield states.filter(({ alive }) => alive);
    const last = page.at(-1);
    if (!last || page.length < rows) return;
    after = last.id;
  }
}

/** The resources of a source that changed after `afterSeq` and up to `seq`; some may come more than once. */
export async function* listChangedStates(
  db: Queryable,
  source: string,
  { afterSeq, seq }: { readonly afterSeq: number; readonly seq: number },
  rows = rowsAtATime,
): AsyncGenerator<ChangedStates> {
  const sourceId = await sourceIdOf(db, source);
  for (let after = afterSeq; sourceId !== undefined && after < seq; ) {
    const page: (StateRow & {
      seq: number;
      at: string;
      change_links: string;
      links_before: string | null;
    })[] = await db('change')
      .join('resource', 'resource.id', 'change.resource_id')
      .join('item', 'item.id', 'resource.item_id')
      .modify(sameSource, 'resource', 'change')
      .modify(sameSource, 'item', 'change')
      .select([...columns, 'change.seq', 'change.at', 'change.links_before'])
      .select('change.links as change_links')
      .where('change.source_id', sourceId)
      .where('change.seq', '>', after)
      .where('change.seq', '<=', seq)
      .orderBy('change.seq')
      .limit(rows);
    await withLinks(db, page, ['change_links', 'links_before']);
    const distinct = [...new Map(page.map((row) => [row.id, row])).values()];
    const states = await statesAt(db, sourceId, seq, distinct);
    const living = new Set(states.flatMap(({ path, alive }) => (alive ? [path] : [])));
    const patched = page.filter((row) => living.has(row.path) && patchesIn(row.change_links).length > 0);
    const gone = await listGonePatches(
      db,
      sourceId,
      patched.map((row) => row.seq),
    );
    yield {
      changes: page.length,
      states,
      patches: patched.flatMap((row) =>
        gone.has(Number(row.seq)) ? [] : patchesOf(row.change_links, row.at),
      ),
      collections: [
        ...new Set(page.flatMap((row) => collectionsOf(row.change_links, row.links_before ?? '[]'))),
      ],
    };
    const last = page.at(-1);
    if (!last || page.length < rows) return;
    after = last.seq;
  }
}

/** Those of the resources at `paths` that lived at `seq`. */
export async function findLivingStates(
  db: Queryable,
  source: string,
  seq: number,
  paths: readonly string[],
): Promise<readonly ResourceState[]> {
  const sourceId = await sourceIdOf(db, source);
  if (sourceId === undefined || paths.length === 0) return [];
  const rows: StateRow[] = await selectStates(db, sourceId).modify((query) =>
    whereAnyOf(query, 'resource.path', paths),
  );
  return (await statesAt(db, sourceId, seq, rows)).filter(({ alive }) => alive);
}

/** The paths of all patches that were ever made of these resources. Each came with a version. */
export async function listPatchPaths(
  db: Queryable,
  source: string,
  paths: readonly string[],
): Promise<readonly string[]> {
  const sourceId = await sourceIdOf(db, source);
  if (sourceId === undefined || paths.length === 0) return [];
  const rows: { links: string; at: string }[] = await db('resource')
    .join('version', versionsOfResource)
    .join('change', 'change.seq', 'version.seq')
    .select('change.links', 'change.at')
    .where('resource.source_id', sourceId)
    .where('change.source_id', sourceId)
    .modify((query) => whereAnyOf(query, 'resource.path', paths));
  return rows.flatMap(({ links, at }) => patchesOf(links, at).map(({ path }) => path));
}

/** How many resources of a source lived at `seq`. */
export async function countLiving(db: Queryable, source: string, seq: number): Promise<number> {
  const row: { id: number; resource_count: number } | undefined = await db('source')
    .select('id', 'resource_count')
    .where({ name: source })
    .first();
  if (!row) return 0;
  const { created, deleted } = await countChangesAfter(db, row.id, seq);
  return row.resource_count - created + deleted;
}

/** How many items of a source are stored, deleted ones included. */
export async function countIdentifiers(db: Queryable, source: string): Promise<number> {
  const sourceId = await sourceIdOf(db, source);
  if (sourceId === undefined) return 0;
  const [row] = await db('item').where({ source_id: sourceId }).count({ count: '*' });
  return Number(row?.count ?? 0);
}

/** The living files of a source that are ours to serve and whose bytes we do not have, and those that are elsewhere. */
export async function countFilesElsewhere(
  db: Queryable,
  source: string,
): Promise<{ readonly unkept: number; readonly linked: number }> {
  const sourceId = await sourceIdOf(db, source);
  if (sourceId === undefined) return { unkept: 0, linked: 0 };
  const files = () =>
    db('resource').where({ 'resource.source_id': sourceId, kind: 'file' }).whereNull('deleted_at');
  const count = async (query: Knex.QueryBuilder) => {
    const [row] = await query.count({ count: '*' });
    return Number(row?.count ?? 0);
  };
  const linked = await count(files().where(whereLinked));
  const unkept = files().leftJoin('blob', 'blob.hash', 'resource.hash').whereNull('blob.hash');
  return { unkept: await count(unkept.whereNot(whereLinked)), linked };
}

function whereLinked(query: Knex.QueryBuilder): void {
  for (const scheme of ['http:', 'https:']) query.orWhere('resource.path', 'like', `${scheme}%`);
}

/** The identifiers of a source's items, in a stable order. */
export async function* listIdentifiers(
  db: Queryable,
  source: string,
  rows = rowsAtATime,
): AsyncGenerator<readonly string[]> {
  const sourceId = await sourceIdOf(db, source);
  for (let after = 0; sourceId !== undefined; ) {
    const page: { id: number; identifier: string }[] = await db('item')
      .select('id', 'identifier')
      .where({ source_id: sourceId })
      .where('id', '>', after)
      .orderBy('id')
      .limit(rows);
    yield page.map(({ identifier }) => identifier);
    const last = page.at(-1);
    if (!last || page.length < rows) return;
    after = last.id;
  }
}

const columns = [
  'resource.id',
  'resource.path',
  'resource.kind',
  'resource.lastmod',
  'resource.media_type',
  'resource.length',
  'resource.hash',
  'resource.last_seq',
  'resource.deleted_at',
  'resource.withdrawn_at',
  'item.identifier',
] as const;

function selectStates(db: Queryable, sourceId: number) {
  return db('resource')
    .join('item', 'item.id', 'resource.item_id')
    .modify(sameSource, 'item', 'resource')
    .select(columns)
    .where('resource.source_id', sourceId);
}

interface StateRow extends RepresentationRow {
  readonly id: number;
  readonly path: string;
  readonly kind: ResourceKind;
  readonly identifier: string;
  readonly lastmod: string;
  readonly last_seq: number;
  readonly deleted_at: string | null;
  readonly withdrawn_at: string | null;
}

async function statesAt(
  db: Queryable,
  sourceId: number,
  seq: number,
  rows: readonly StateRow[],
): Promise<readonly ResourceState[]> {
  const moved = rows.filter(({ last_seq }) => last_seq > seq).map(({ id }) => id);
  const next = await firstChangesAfter(db, sourceId, seq, moved);
  const versions = await versionsAt(db, sourceId, seq, moved);
  return rows.map((row) => {
    const { path, kind, identifier, lastmod } = row;
    const deletedAt = row.deleted_at ?? undefined;
    const withdrawnAt = row.withdrawn_at ?? undefined;
    const state = { path, kind, identifier, lastmod, deletedAt, withdrawnAt };
    if (row.last_seq <= seq) {
      const alive = deletedAt === undefined && withdrawnAt === undefined;
      return { ...state, ...toRepresentation(row), alive };
    }
    // What is created next did not live before; whatever else happens next, it did.
    const version = versions.get(row.id);
    const alive = version !== undefined && next.get(row.id) !== 'created';
    if (!version) return { ...state, alive };
    const { formerSince, ...facts } = version;
    const isFormer = kind === 'metadata' && withdrawnAt === undefined && formerSince !== undefined;
    return { ...state, ...facts, ...(isFormer && { withdrawnAt: formerSince }), alive };
  });
}

async function firstChangesAfter(
  db: Queryable,
  sourceId: number,
  seq: number,
  resourceIds: readonly number[],
): Promise<ReadonlyMap<number, ChangeKind>> {
  if (resourceIds.length === 0) return new Map();
  const rows: { resource_id: number; kind: ChangeKind }[] = await db('change')
    .select('resource_id', 'kind')
    .where({ source_id: sourceId })
    .where('seq', '>', seq)
    .whereIn('resource_id', [...resourceIds])
    .orderBy('seq', 'desc');
  return new Map(rows.map(({ resource_id, kind }) => [resource_id, kind]));
}

interface VersionThen extends Representation {
  readonly lastmod: string;
  /** Of metadata: since when it is withheld because another item is there (`rows/former-pasts.ts`). */
  readonly formerSince: string | undefined;
}

/** A change of the links alone leaves bytes and `lastmod` as they are: the version has both. */
async function versionsAt(
  db: Queryable,
  sourceId: number,
  seq: number,
  resourceIds: readonly number[],
): Promise<ReadonlyMap<number, VersionThen>> {
  if (resourceIds.length === 0) return new Map();
  const rows: (RepresentationRow & {
    resource_id: number;
    lastmod: string;
    dropped_at: string | null;
    upstream_url: string | null;
  })[] = await db('version')
    .select('resource_id', 'lastmod', 'media_type', 'length', 'hash', 'dropped_at', 'upstream_url')
    .whereIn('resource_id', [...resourceIds])
    .where({ source_id: sourceId, gone: 0 })
    .where('seq', '<=', seq)
    .orderBy('seq');
  return new Map(
    rows.map((row) => {
      const { resource_id, lastmod, upstream_url, dropped_at } = row;
      const formerSince = upstream_url === null ? undefined : (dropped_at ?? undefined);
      return [resource_id, { lastmod, ...toRepresentation(row), formerSince }];
    }),
  );
}

function patchesOf(links: string, at: string): ContentState[] {
  return patchesIn(links).map(({ href, hash, length }) => ({ path: href, lastmod: at, hash, length }));
}

function collectionsOf(...links: readonly string[]): string[] {
  return links.flatMap((json) =>
    parseLinks(json).flatMap(({ rel, href }) => (rel === 'collection' ? [href] : [])),
  );
}
