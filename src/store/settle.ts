import type { FileRules } from '../core/published-files.ts';
import { whereAnyOf } from './bulk.ts';
import { storeChanges } from './change-rows.ts';
import type { Database } from './database.ts';
import { fileContext } from './file-context.ts';
import { endEmbargoes } from './item-files.ts';
import { type KnownItem, planItem } from './item-plan.ts';
import { readUnsettledItems } from './known-items.ts';
import { type Lease, renewLease } from './leases.ts';
import { storeMoved, storeUnasked } from './remote-files.ts';
import { type ChangeCounts, countChanges } from './resource-plan.ts';

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
  options: { readonly runId?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<Settled> {
  const total = { created: 0, updated: 0, deleted: 0 };
  if (rules.mode !== 'none') await endEmbargoes(database, lease.sourceId, now().iso);
  for (;;) {
    options.signal?.throwIfAborted();
    const items = await readUnsettledItems(database.writer, lease.sourceId, itemsAtATime);
    if (items.length === 0) return total;
    const settled = await settleItems(database, lease, rules, items, now(), options.runId);
    for (const kind of ['created', 'updated', 'deleted'] as const) total[kind] += settled[kind];
  }
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
      .update({ unsettled: 0 });
    // Only now: what one of them loses may be for another of them.
    await storeChanges(trx, sourceId, { id: runId ?? 0 }, changes, itemIds, now.iso);
    for (const due of new Set(plans.map(({ plan }) => plan.landingDue))) {
      if (due === undefined) continue;
      const those = plans.filter(({ plan }) => plan.landingDue === due).map(({ item }) => item.id);
      await trx('item')
        .modify((query) => whereAnyOf(query, 'id', those))
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
