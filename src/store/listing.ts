import type { Knex } from 'knex';
import type { ChangeKind, Link, Representation } from '../core/resource.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import type { Queryable } from './database.ts';
import { parseLinks, type RepresentationRow, toRepresentation } from './rows.ts';

/** One entry of a Resource List. */
export interface ResourceEntry extends Representation {
  /** Below `baseUrl`. */
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
}

const rowsAtATime = 2000;

/**
 * The living resources of a set in a stable order, page by page (keyset: every page costs the same). Run it
 * in a snapshot to get one consistent state.
 */
export async function* listResources(
  db: Queryable,
  set: ResourceSet,
  rows = rowsAtATime,
): AsyncGenerator<readonly ResourceEntry[]> {
  const sourceId = await sourceIdOf(db, set.source);
  if (sourceId === undefined) return;
  for (let after = 0; ; ) {
    const page: (RepresentationRow & { id: number; path: string; lastmod: string; links: string })[] =
      await db('resource')
        .select('id', 'path', 'lastmod', 'media_type', 'length', 'hash', 'links')
        .where('source_id', sourceId)
        .where('id', '>', after)
        .whereNull('deleted_at')
        .modify(restrictTo, set)
        .orderBy('id')
        .limit(rows);
    if (page.length > 0) {
      yield page.map((row) => ({
        path: row.path,
        lastmod: row.lastmod,
        ...toRepresentation(row),
        links: parseLinks(row.links),
      }));
    }
    const last = page.at(-1);
    if (!last || page.length < rows) return;
    after = last.id;
  }
}

export interface ChangeRange {
  /** Exclusive. */
  readonly afterSeq: number;
  /** Inclusive; default: the end of the journal as it is when each page is read. */
  readonly upToSeq?: number;
  /** Only each resource's latest change. */
  readonly latestOnly?: boolean;
}

/** The changes of a set, oldest first, page by page. */
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
      .select(
        'change.seq',
        'change.at',
        'change.kind',
        'change.lastmod',
        'change.media_type',
        'change.length',
        'change.hash',
        'change.links',
        'resource.path',
      )
      .where('change.source_id', sourceId)
      .where('change.seq', '>', after)
      .modify(restrictTo, set)
      .orderBy('change.seq')
      .limit(rows);
    if (range.upToSeq !== undefined) query.where('change.seq', '<=', range.upToSeq);
    if (range.latestOnly) query.whereRaw('resource.last_seq = change.seq');
    const page: ChangeRow[] = await query;
    if (page.length > 0) yield page.map(toChangeEntry);
    const last = page.at(-1);
    if (!last || page.length < rows) return;
    after = last.seq;
  }
}

interface ChangeRow extends RepresentationRow {
  readonly seq: number;
  readonly at: string;
  readonly kind: ChangeKind;
  readonly lastmod: string;
  readonly links: string;
  readonly path: string;
}

function toChangeEntry(row: ChangeRow): ChangeEntry {
  return {
    seq: row.seq,
    change: row.kind,
    datetime: row.at,
    path: row.path,
    lastmod: row.lastmod,
    ...toRepresentation(row),
    links: parseLinks(row.links),
  };
}

function restrictTo(query: Knex.QueryBuilder, set: ResourceSet): void {
  if (set.filter.kind !== undefined) query.where('resource.kind', set.filter.kind);
}

async function sourceIdOf(db: Queryable, name: string): Promise<number | undefined> {
  const row: { id: number } | undefined = await db('source').select('id').where({ name }).first();
  return row?.id;
}
