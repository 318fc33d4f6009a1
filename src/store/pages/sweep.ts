import type { Knex } from 'knex';
import { storeChanges } from '../changes/journal-writing.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { markUnsettled } from '../files/item-files.ts';
import type { KnownResource, ResourceChange } from '../plans/resource-changes.ts';
import { ofSource, sameSource } from '../rows/one-source.ts';
import { type Lease, renewLease } from '../runs/leases.ts';
import { lastSeenBy, unseenBy } from '../runs/seen.ts';
import { inTurn } from '../runs/turns.ts';
import { areItemsCounted, type CountsRow, countColumns } from '../sources/sources.ts';

/** How much metadata of a source a complete pass did not meet. Files go with their items and are not counted. */
export async function countUnseen(
  db: Queryable,
  sourceId: number,
  runId: number,
): Promise<{ unseen: number; total: number }> {
  const [all] = await living(db, sourceId).count({ count: '*' });
  const [unseen] = await living(db, sourceId).modify(whereUnseen, sourceId, runId).count({ count: '*' });
  return { total: Number(all?.count ?? 0), unseen: Number(unseen?.count ?? 0) };
}

/** Items of which metadata is published. */
export async function countItems(db: Queryable, sourceId: number): Promise<number> {
  const [row] = await living(db, sourceId).countDistinct({ count: 'item_id' });
  return Number(row?.count ?? 0);
}

/** The same as it is kept with the journal: asked of every incremental harvest, it costs the same however many there are. */
export async function readItemCount(db: Queryable, sourceId: number): Promise<number> {
  const row: CountsRow | undefined = await db('source')
    .where({ id: sourceId })
    .first(...countColumns);
  return row && areItemsCounted(row) ? row.published_items : countItems(db, sourceId);
}

/** An item of which something living was not met. */
export interface UnseenItem {
  readonly id: number;
  readonly identifier: string;
  /** The formats in which it was not. */
  readonly formats: readonly string[];
  /** The last run that met anything of that; undefined: none. */
  readonly lastSeenRun: number | undefined;
  /** Upstream addresses of its metadata. */
  readonly deliveredFrom: readonly string[];
}

/**
 * Those that were not met for the longest time come first: what turns out to live is met thereby, and leaves the
 * next pass to the others.
 */
export async function listUnseenItems(
  db: Queryable,
  sourceId: number,
  runId: number,
  limit: number,
): Promise<readonly UnseenItem[]> {
  const first: { item_id: number }[] = await living(db, sourceId)
    .modify(whereUnseen, sourceId, runId)
    .groupBy('item_id')
    .orderByRaw(`min(${lastSeenBy(db, sourceId)}), item_id`)
    .limit(limit)
    .select('item_id');
  if (first.length === 0) return [];
  const ids = first.map(({ item_id }) => item_id);
  return readUnseen(db, sourceId, runId, ids);
}

/** The same without an order of urgency, page by page: those with ids beyond `after`. */
export async function listUnseenItemsAfter(
  db: Queryable,
  sourceId: number,
  runId: number,
  after: number,
  limit: number,
): Promise<readonly UnseenItem[]> {
  const next: { item_id: number }[] = await living(db, sourceId)
    .modify(whereUnseen, sourceId, runId)
    .where('item_id', '>', after)
    .distinct('item_id')
    .orderBy('item_id')
    .limit(limit);
  const ids = next.map(({ item_id }) => item_id);
  return ids.length === 0 ? [] : readUnseen(db, sourceId, runId, ids);
}

interface UnseenRow {
  readonly id: number;
  readonly identifier: string;
  readonly format: string;
  readonly seen_run: number;
  readonly kind: string;
  readonly upstream_url: string | null;
}

async function readUnseen(
  db: Queryable,
  sourceId: number,
  runId: number,
  ids: readonly number[],
): Promise<readonly UnseenItem[]> {
  const rows: UnseenRow[] = await living(db, sourceId)
    .modify(whereUnseen, sourceId, runId)
    .join('item', 'item.id', 'resource.item_id')
    .modify(sameSource, 'item', 'resource')
    .modify((query) => whereAnyOf(query, 'resource.item_id', ids))
    .orderBy('resource.id')
    .select(
      'item.id',
      'item.identifier',
      'resource.format',
      'resource.kind',
      'resource.upstream_url',
      db.raw(`${lastSeenBy(db, sourceId)} as seen_run`),
    );
  const byItem = new Map<number, typeof rows>();
  for (const row of rows) byItem.set(row.id, [...(byItem.get(row.id) ?? []), row]);
  return ids.flatMap((id) => {
    const own = byItem.get(id) ?? [];
    const [row] = own;
    if (!row) return [];
    const lastSeenRun = own.reduce((last, { seen_run }) => Math.max(last, Number(seen_run)), 0) || undefined;
    const formats = own.map(({ format }) => format);
    const addresses = own.flatMap(({ kind, upstream_url }) =>
      kind === 'metadata' && upstream_url !== null ? [upstream_url] : [],
    );
    const deliveredFrom = [...new Set(addresses)];
    return [{ id, identifier: row.identifier, formats, lastSeenRun, deliveredFrom }];
  });
}

/** Deletes everything that is published of an item, whoever met it last. @returns how many resources went */
export async function removeItem(
  database: Database,
  lease: Lease,
  run: { readonly id: number },
  identifier: string,
  now: { iso: string; milliseconds: number },
): Promise<number> {
  const work = async (trx: Knex.Transaction) => {
    await renewLease(trx, lease, now.milliseconds);
    const rows: ItemResource[] = await trx('resource')
      .select('*')
      .whereIn('item_id', trx('item').select('id').where({ source_id: lease.sourceId, identifier }))
      .modify(ofSource, 'resource', lease.sourceId)
      .whereNull('deleted_at');
    const deleted = await storeDeletions(trx, lease.sourceId, run.id, rows, now.iso);
    await trx('run')
      .where({ id: run.id })
      .update({ deleted: trx.raw('deleted + ?', [deleted]) });
    return deleted;
  };
  return inTurn(lease, () => database.transaction(work));
}

/** What of the unseen goes. */
export interface Swept {
  /** Only what is in formats other than these. */
  readonly formatsOtherThan?: readonly string[];
  /** Only what is of these items. */
  readonly items?: readonly number[];
  /** Only what a person was shown as vanished in this run. */
  readonly shownBy?: number;
}

const rowsAtATime = 1000;

/**
 * Deletes what `runId` did not see, page by page, and the files of items that have nothing else left; each page
 * is a transaction of its own, and a second call continues where a crash left off.
 * @returns how many resources were deleted
 */
export async function sweep(
  database: Database,
  lease: Lease,
  runId: number,
  which: Swept,
  now: () => { iso: string; milliseconds: number },
  signal: AbortSignal,
): Promise<number> {
  for (let total = 0, after = 0; ; ) {
    signal.throwIfAborted();
    const swept = await inTurn(lease, () => sweepSome(database, lease, runId, which, after, now()));
    if (!swept) return total;
    after = swept.last;
    total += swept.deleted;
  }
}

async function sweepSome(
  database: Database,
  lease: Lease,
  runId: number,
  which: Swept,
  after: number,
  { iso, milliseconds }: { iso: string; milliseconds: number },
): Promise<{ readonly last: number; readonly deleted: number } | undefined> {
  const rows: ItemResource[] = await living(database.writer, lease.sourceId)
    .modify(whereUnseen, lease.sourceId, runId)
    .modify(whereSwept, lease.sourceId, which)
    .where('id', '>', after)
    .orderBy('id')
    .limit(rowsAtATime)
    .select('*');
  const last = rows.at(-1);
  if (!last) return undefined;
  const deleted = await database.transaction(async (trx) => {
    await renewLease(trx, lease, milliseconds);
    const remove = (gone: readonly ItemResource[]) => storeDeletions(trx, lease.sourceId, runId, gone, iso);
    const deleted = (await remove(rows)) + (await removeAbandonedFiles(trx, lease.sourceId, rows, remove));
    await trx('run')
      .where({ id: runId })
      .update({ deleted: trx.raw('deleted + ?', [deleted]) });
    return deleted;
  });
  return { last: last.id, deleted };
}

type ItemResource = KnownResource & { readonly item_id: number };

function living(db: Queryable, sourceId: number): Knex.QueryBuilder {
  return db('resource').where({ 'resource.source_id': sourceId, kind: 'metadata' }).whereNull('deleted_at');
}

function whereUnseen(query: Knex.QueryBuilder, sourceId: number, runId: number): void {
  query.whereRaw(unseenBy(runId, sourceId));
}

function whereSwept(
  query: Knex.QueryBuilder,
  sourceId: number,
  { formatsOtherThan, items, shownBy }: Swept,
): void {
  if (formatsOtherThan) query.whereNotIn('format', [...formatsOtherThan]);
  if (items) whereAnyOf(query, 'item_id', items);
  if (shownBy !== undefined)
    query
      .modify(whereUnseen, sourceId, shownBy)
      .whereRaw('id in (select resource_id from vanished where run_id = ?)', [shownBy]);
}

/** Files are published as long as something describes them; what is left of an item has links to follow. */
async function removeAbandonedFiles(
  trx: Knex.Transaction,
  sourceId: number,
  gone: readonly ItemResource[],
  remove: (files: readonly ItemResource[]) => Promise<number>,
): Promise<number> {
  const ids = [...new Set(gone.map(({ item_id }) => item_id))];
  const described: { item_id: number }[] = await trx('resource')
    .distinct('item_id')
    .where({ kind: 'metadata' })
    .whereNull('deleted_at')
    .modify(ofSource, 'resource', sourceId)
    .modify((query) => whereAnyOf(query, 'item_id', ids));
  const remaining = described.map(({ item_id }) => item_id);
  await markUnsettled(trx, sourceId, remaining);
  const kept = new Set(remaining);
  const abandoned = ids.filter((id) => !kept.has(id));
  for (let total = 0; ; ) {
    const files: ItemResource[] = await trx('resource')
      .select('*')
      .where({ kind: 'file' })
      .whereNull('deleted_at')
      .modify(ofSource, 'resource', sourceId)
      .modify((query) => whereAnyOf(query, 'item_id', abandoned))
      .orderBy('id')
      .limit(rowsAtATime);
    if (files.length === 0) return total;
    total += await remove(files);
  }
}

async function storeDeletions(
  trx: Knex.Transaction,
  sourceId: number,
  runId: number,
  rows: readonly ItemResource[],
  iso: string,
): Promise<number> {
  const itemIds = new Map(rows.map((row) => [String(row.item_id), row.item_id]));
  await storeChanges(trx, sourceId, { id: runId }, rows.map(toDeletion), itemIds, iso);
  return rows.length;
}

function toDeletion(row: ItemResource): ResourceChange {
  return {
    change: 'deleted',
    identifier: String(row.item_id),
    datestamp: undefined,
    known: row,
    desired: undefined,
    links: '[]',
    newBytes: false,
  };
}
