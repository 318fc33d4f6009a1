import type { Knex } from 'knex';
import type { ResourceKind } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { hashAsText } from '../drivers/sqlite-hashes.ts';
import { isPostgres } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { columnsOfChange, factOfChange, versionOfChange } from '../rows/change-facts.ts';
import { type SharedLinks, sharedForms, textOfLinks, withLinks } from '../rows/link-forms.ts';
import { ofSource, sameSource, sourceIdOf } from '../rows/one-source.ts';
import { parseLinks, type RepresentationRow } from '../rows/representation-columns.ts';
import {
  type ChangeEntry,
  type ChangeRange,
  type ChangeRow,
  type ResourceEntry,
  toChangeEntry,
  whereMarked,
  whereOfSet,
} from './change-rows.ts';
import { lastUnkeptJointly, listJointChanges, membersTakenUp } from './joint-changes.ts';

export type { ChangeEntry, ChangeRange, ResourceEntry } from './change-rows.ts';
export { whereMarked, whereOfSet } from './change-rows.ts';

const rowsAtATime = 2000;
/** Of what is written down at once: what outlives a page is copied by the garbage collector. */
const writtenAtATime = 500;

/** One entry of a Resource List, with its links as they are stored: whoever only writes them down needs no more. */
export type ListedResource = Omit<ResourceEntry, 'links'> & {
  readonly id: number;
  readonly links: SharedLinks;
};

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
      links: parseLinks(textOfLinks(entry.links, entry.path)),
    }));
}

/** The same, with their links as they are stored. */
export async function* listStored(
  db: Queryable,
  set: ResourceSet,
  rows = writtenAtATime,
): AsyncGenerator<readonly ListedResource[]> {
  if (set.members) {
    for (const member of await membersTakenUp(db, set))
      for await (const page of listStored(db, member, rows))
        yield page.map((resource) => ({ ...resource, source: member.source }));
    return;
  }
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
      .select('id', 'path', 'kind', 'lastmod', 'media_type', 'length', hashText(db), 'links')
      .where('source_id', sourceId)
      .where('id', '>', after)
      .whereNull('deleted_at')
      .whereNull('withdrawn_at')
      .modify(whereOfSet, set)
      .modify(whereMarked, set, ['resource.links'])
      .orderBy('id')
      .limit(rows);
    if (page.length > 0) {
      const shared = await sharedForms(db, page);
      yield page.map(({ id, path, kind, lastmod, media_type, length, hash, links }) => ({
        id,
        path,
        kind,
        lastmod,
        mediaType: media_type ?? undefined,
        length: length ?? undefined,
        hash: hash ?? undefined,
        links: shared(links),
      }));
    }
    const last = page.at(-1);
    if (!last || page.length < rows) return;
    after = last.id;
  }
}

/** SQLite makes text of octets in less time than it takes to hand them over. */
function hashText(db: Queryable): string | Knex.Raw {
  return isPostgres(db) ? 'hash' : db.raw(`${hashAsText('hash')} as hash`);
}

/** How many `listResources` would list, links aside. */
export async function countResources(db: Queryable, set: ResourceSet): Promise<number> {
  if (set.members) {
    let sum = 0;
    for (const member of await membersTakenUp(db, set)) sum += await countResources(db, member);
    return sum;
  }
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

/**
 * The changes of a set, oldest first, page by page. A resource that comes into the set is created there, one
 * that leaves it is deleted there, whatever the change was to the resource itself.
 */
export async function* listChanges(
  db: Queryable,
  set: ResourceSet,
  range: ChangeRange,
  rows = writtenAtATime,
): AsyncGenerator<readonly ChangeEntry[]> {
  if (set.members) {
    yield* listJointChanges(db, set, range, rows);
    return;
  }
  const sourceId = await sourceIdOf(db, set.source);
  if (sourceId === undefined) return;
  for (let after = range.afterSeq; ; ) {
    const query = db('change')
      .join('resource', 'resource.id', 'change.resource_id')
      .modify(sameSource, 'resource', 'change')
      .leftJoin('version', versionOfChange)
      .select('change.seq', ...columnsOfChange(db))
      .where('change.source_id', sourceId)
      .where('change.seq', '>', after)
      .modify(whereOfSet, set)
      .modify(whereMarked, set, ['change.links', 'change.links_before'])
      .orderBy('change.seq')
      .limit(rows);
    if (range.upToSeq !== undefined) query.where('change.seq', '<=', range.upToSeq);
    // None is later than the last. PostgreSQL takes an equation for rare, and would join the whole source for each page.
    if (range.latestOnly) query.whereRaw('resource.last_seq <= change.seq');
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

/** The first resource of a set whose bytes we do not keep; undefined when all of it can be in a dump (RS-CAP-11). */
export async function findUnkept(db: Queryable, set: ResourceSet): Promise<string | undefined> {
  if (set.members) {
    for (const member of await membersTakenUp(db, set)) {
      const path = await findUnkept(db, member);
      if (path !== undefined) return path;
    }
    return undefined;
  }
  // The content of metadata is always kept.
  const sourceId = set.filter.kind === 'metadata' ? undefined : await sourceIdOf(db, set.source);
  if (sourceId === undefined) return undefined;
  const row: { path: string } | undefined = await db('resource')
    .leftJoin('blob', 'blob.hash', 'resource.hash')
    .where('resource.source_id', sourceId)
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
  if (set.members) return lastUnkeptJointly(db, set, lastUnkeptChange);
  // The bytes of metadata are always there, unless some of them were given up.
  const source: { id: number; retention: string | null } | undefined = await db('source')
    .where({ name: set.source })
    .first('id', 'retention');
  if (!source) return 0;
  const whole = source.retention === null;
  if (set.filter.kind === 'metadata' && whole) return 0;
  const row: { seq: number } | undefined = await db('change')
    .join('resource', 'resource.id', 'change.resource_id')
    .modify(ofSource, 'resource', source.id)
    .leftJoin('version', versionOfChange)
    .leftJoin('blob', 'blob.hash', db.raw(factOfChange('hash')))
    .where('change.source_id', source.id)
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
