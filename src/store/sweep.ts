import type { Knex } from 'knex';
import { storeChanges } from './change-rows.ts';
import type { Database, Queryable } from './database.ts';
import { type Lease, renewLease } from './leases.ts';
import type { KnownResource, ResourcePlan } from './page-plan.ts';

/** How much of a source a complete full pass did not meet. */
export async function countUnseen(
  db: Queryable,
  sourceId: number,
  runId: number,
): Promise<{ unseen: number; total: number }> {
  const living = () => db('resource').where({ source_id: sourceId }).whereNull('deleted_at');
  const [all] = await living().count({ count: '*' });
  const [unseen] = await living().modify(whereUnseen, runId).count({ count: '*' });
  return { total: Number(all?.count ?? 0), unseen: Number(unseen?.count ?? 0) };
}

/** What of the unseen goes. */
export interface Swept {
  /** Only metadata, and only in formats other than these. */
  readonly formatsOtherThan?: readonly string[];
}

const rowsAtATime = 1000;

/**
 * Deletes what `runId` did not see, page by page; each page is a transaction of its own, and a second call
 * continues where a crash left off.
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
  for (let total = 0; ; ) {
    signal.throwIfAborted();
    const rows: (KnownResource & { item_id: number })[] = await database
      .writer('resource')
      .select('*')
      .where({ source_id: lease.sourceId })
      .whereNull('deleted_at')
      .modify(whereUnseen, runId)
      .modify(whereSwept, which)
      .orderBy('id')
      .limit(rowsAtATime);
    if (rows.length === 0) return total;
    const itemIds = new Map(rows.map((row) => [String(row.item_id), row.item_id]));
    const { iso, milliseconds } = now();
    await database.transaction(async (trx) => {
      await renewLease(trx, lease, milliseconds);
      await storeChanges(trx, lease.sourceId, { id: runId }, rows.map(toDeletion), itemIds, iso);
      await trx('run')
        .where({ id: runId })
        .update({ deleted: trx.raw('deleted + ?', [rows.length]) });
    });
    total += rows.length;
  }
}

function whereUnseen(query: Knex.QueryBuilder, runId: number): void {
  query.where((either) => either.whereNull('seen_run').orWhere('seen_run', '<', runId));
}

function whereSwept(query: Knex.QueryBuilder, { formatsOtherThan }: Swept): void {
  if (formatsOtherThan) query.where({ kind: 'metadata' }).whereNotIn('format', formatsOtherThan);
}

function toDeletion(row: KnownResource & { item_id: number }): ResourcePlan {
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
