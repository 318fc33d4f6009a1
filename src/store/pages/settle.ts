import type { FileRules } from '../../core/files/published-files.ts';
import { storeChanges } from '../changes/journal-writing.ts';
import { storeLearnt } from '../changes/learnt.ts';
import { readItemsWithRefusals, readUnsettledItems } from '../changes/stored-items.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { fileContext } from '../files/file-context.ts';
import { endEmbargoes } from '../files/item-files.ts';
import { forgetWithdrawn, weighRefusals } from '../files/refusals.ts';
import { storeMoved, storeUnasked } from '../files/remote-file-writing.ts';
import { type KnownItem, planItem } from '../plans/item-changes.ts';
import { type ChangeCounts, countChanges } from '../plans/resource-changes.ts';
import { hideStrays } from '../removal/private-items.ts';
import { enforceWithdrawals } from '../removal/withdrawals.ts';
import { ofSource } from '../rows/one-source.ts';
import { type Lease, renewLease } from '../runs/leases.ts';
import { inTurn } from '../runs/turns.ts';

export type Settled = ChangeCounts;

const itemsAtATime = 200;

/**
 * Brings items in line with what became known of their files and formats apart from their delivery: a file was
 * checked, downloaded or lost, an embargo has ended, a format did not come. A transaction for some items at a
 * time; whoever is interrupted continues.
 * @param runId the changes are counted in this run, if it is one that is going on
 * @throws BridgeError `lease-lost`
 */
export async function settle(
  database: Database,
  lease: Lease,
  rules: FileRules,
  now: () => { iso: string; milliseconds: number },
  options: SettleOptions = {},
): Promise<Settled> {
  const { sourceId } = lease;
  if (rules.mode !== 'none') {
    await endEmbargoes(database, sourceId, now().iso);
    await weighRefusals(database, sourceId, rules.fuse, now().iso);
  }
  return settleAll(database, lease, rules, now, options, (db) =>
    readUnsettledItems(db, sourceId, itemsAtATime),
  );
}

/**
 * Decides about files whose servers say no, and deletes those that go, and nothing else: what a harvest that is going
 * on has left for its end stays left. At any time, beside a harvest too, as long as it is the holder of its lease.
 * @throws BridgeError `lease-lost`
 */
export async function settleRefusals(
  database: Database,
  lease: Lease,
  rules: FileRules,
  now: () => { iso: string; milliseconds: number },
  options: SettleOptions = {},
): Promise<Settled> {
  const { sourceId } = lease;
  await weighRefusals(database, sourceId, rules.fuse, now().iso);
  return settleAll(database, lease, rules, now, options, (db) =>
    readItemsWithRefusals(db, sourceId, itemsAtATime),
  );
}

interface SettleOptions {
  readonly runId?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

async function settleAll(
  database: Database,
  lease: Lease,
  rules: FileRules,
  now: () => { iso: string; milliseconds: number },
  { runId, signal }: SettleOptions,
  readSome: (db: Queryable) => Promise<readonly KnownItem[]>,
): Promise<Settled> {
  await hideStrays(database, lease.source, now().iso);
  const enforced = await inTurn(lease, () => enforceWithdrawals(database, lease, now()));
  const total = { created: 0, updated: 0, deleted: enforced };
  for (;;) {
    signal?.throwIfAborted();
    const settled = await inTurn(lease, async () => {
      const items = await readSome(database.writer);
      return items.length === 0 ? undefined : settleItems(database, lease, rules, items, now(), runId);
    });
    if (!settled) break;
    for (const kind of ['created', 'updated', 'deleted'] as const) total[kind] += settled[kind];
  }
  await endRefusals(database, lease, rules, now);
  return total;
}

/** Nobody is called any more once everything that was decided has been done. */
async function endRefusals(
  database: Database,
  { sourceId }: Lease,
  { mode, fuse }: FileRules,
  now: () => { iso: string },
): Promise<void> {
  if (mode === 'none') return;
  await forgetWithdrawn(database, sourceId, now().iso);
  await weighRefusals(database, sourceId, fuse, now().iso);
}

async function settleItems(
  database: Database,
  lease: Lease,
  rules: FileRules,
  items: readonly KnownItem[],
  now: { iso: string; milliseconds: number },
  runId: number | undefined,
): Promise<Settled> {
  const { source, sourceId } = lease;
  const urls = items.flatMap(({ files }) => files.map(({ url }) => url));
  const context = await fileContext(database.writer, sourceId, rules, urls, now.iso);
  const plans = items.map((item) => {
    const plan = planItem(source, item, undefined, context);
    context.take(plan.changes);
    return { item, plan };
  });
  const changes = plans.flatMap(({ plan }) => plan.changes);
  const settled = countChanges(changes);
  const itemIds = new Map(items.map(({ identifier, id }) => [identifier, id]));
  await database.transaction(async (trx) => {
    await renewLease(trx, lease, now.milliseconds);
    await storeMoved(
      trx,
      sourceId,
      plans.flatMap(({ plan }) => plan.moved),
      now.iso,
    );
    await storeUnasked(
      trx,
      sourceId,
      plans.flatMap(({ plan }) => plan.unasked),
      now.iso,
    );
    await trx('item')
      .modify((query) => whereAnyOf(query, 'id', [...itemIds.values()]))
      .modify(ofSource, 'item', sourceId)
      .update({ unsettled: 0, restated: 0 });
    // Only now: what one of them loses may be for another of them.
    const before = new Map(items.map((item) => [item.identifier, item]));
    await storeChanges(trx, sourceId, { id: runId ?? 0 }, changes, itemIds, now.iso, { before });
    await storeLearnt(
      trx,
      sourceId,
      plans.flatMap(({ plan }) => plan.learnt),
    );
    for (const due of new Set(plans.map(({ plan }) => plan.landingDue))) {
      if (due === undefined) continue;
      const those = plans.filter(({ plan }) => plan.landingDue === due).map(({ item }) => item.id);
      await trx('item')
        .modify((query) => whereAnyOf(query, 'id', those))
        .modify(ofSource, 'item', sourceId)
        .update({ landing_due: due });
    }
    if (runId !== undefined) {
      await trx('run')
        .where({ id: runId })
        .update(
          Object.fromEntries(
            Object.entries(settled).map(([column, number]) => [column, trx.raw('?? + ?', [column, number])]),
          ),
        );
    }
  });
  return settled;
}
