import { type FileRules, noFiles } from '../core/published-files.ts';
import type { ChangeKind } from '../core/resource.ts';
import { whereAnyOf } from './bulk.ts';
import { storeChanges } from './change-rows.ts';
import type { Database } from './database.ts';
import { fileContext } from './file-context.ts';
import { endEmbargoes } from './item-files.ts';
import { type ItemChanges, type KnownItem, planItem } from './item-plan.ts';
import { readUnsettledItems } from './known-items.ts';
import { type Lease, renewLease } from './leases.ts';
import { unsettleHeirs } from './linked-files.ts';
import { storeUnasked } from './remote-files.ts';

export type Settled = Readonly<Record<ChangeKind, number>>;

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
  // What the first round takes from an item the second gives to its heirs.
  for (let rounds = rules.mode === 'link' ? 2 : 1; rounds > 0; ) {
    options.signal?.throwIfAborted();
    const items = await readUnsettledItems(database.writer, lease.sourceId, itemsAtATime);
    if (items.length === 0) {
      rounds -= 1;
      if (rounds > 0) await unsettleHeirs(database.writer, lease.sourceId);
      continue;
    }
    const settled = await settleItems(database, lease, rules, items, now(), options.runId);
    for (const kind of ['created', 'updated', 'deleted'] as const) total[kind] += settled[kind];
  }
  return total;
}

async function settleItems(
  database: Database,
  lease: Lease,
  rules: FileRules = noFiles,
  items: readonly KnownItem[],
  now: { iso: string; milliseconds: number },
  runId: number | undefined,
): Promise<Settled> {
  const { source, sourceId } = lease;
  const urls = items.flatMap(({ files }) => files.map(({ url }) => url));
  const given = await fileContext(database.writer, sourceId, rules, urls, now.iso);
  const links = new Set<string>();
  const context = { ...given, isTaken: (url: string) => given.isTaken(url) || links.has(url) };
  const plans = items.map((item) => {
    const plan = planItem(source, item, undefined, context);
    if (rules.mode === 'link')
      for (const { change, desired } of plan.changes)
        if (change === 'created' && desired?.kind === 'file') links.add(desired.path);
    return { item, plan };
  });
  const changes = plans.flatMap(({ plan }) => plan.changes);
  const settled = {
    created: count(changes, 'created'),
    updated: count(changes, 'updated'),
    deleted: count(changes, 'deleted'),
  };
  const itemIds = new Map(items.map(({ identifier, id }) => [identifier, id]));
  await database.transaction(async (trx) => {
    await renewLease(trx, lease, now.milliseconds);
    await storeUnasked(
      trx,
      sourceId,
      plans.flatMap(({ plan }) => plan.unasked),
      now.iso,
    );
    await storeChanges(trx, sourceId, { id: runId ?? 0 }, changes, itemIds, now.iso);
    await trx('item')
      .modify((query) => whereAnyOf(query, 'id', [...itemIds.values()]))
      .update({ unsettled: 0 });
    for (const { item, plan } of plans) {
      if (plan.landingDue !== undefined)
        await trx('item').where({ id: item.id }).update({ landing_due: plan.landingDue });
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

function count(changes: ItemChanges['changes'], kind: ChangeKind): number {
  return changes.filter(({ change }) => change === kind).length;
}
