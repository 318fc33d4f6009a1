import type { Knex } from 'knex';
import { whereAnyOf } from '../engine/bulk.ts';
import type { KnownItem } from '../plans/item-changes.ts';
import type { ResourceChange } from '../plans/resource-changes.ts';
import { ofSource } from '../rows/one-source.ts';

/** Items as they were before a change, by identifier: those that are not among them are new. */
export type ItemsBefore = ReadonlyMap<string, Pick<KnownItem, 'resources'>>;

/**
 * How many more items are published, that is, have metadata that lives, after these changes, which are planned and not yet stored. What
 * is known says it all: nothing is asked.
 * @param countedTo while a source is counted, the number of the resource up to which that is done (`0098-published-items`)
 */
export function publishedGrowth(
  changes: readonly ResourceChange[],
  before: ItemsBefore,
  countedTo: number | null,
): number {
  const newcomers = new Set<string>();
  const living = new Map<string, Set<number | undefined>>();
  for (const plan of changes) {
    if (plan.change === 'updated' || !isMetadata(plan)) continue;
    const { identifier, known, change } = plan;
    const item = before.get(identifier);
    if (!item) {
      newcomers.add(identifier);
      continue;
    }
    const ids = living.get(identifier) ?? livingOf(item);
    living.set(identifier, ids);
    if (change === 'created') ids.add(known?.id);
    else ids.delete(known?.id);
  }
  // The numbers of what is new are beyond all that have been counted.
  let growth = countedTo === null ? newcomers.size : 0;
  for (const [identifier, after] of living) {
    const item = before.get(identifier);
    growth += Number(hasCounted(after, countedTo)) - Number(item && hasCounted(livingOf(item), countedTo));
  }
  return growth;
}

/**
 * The same where nothing but deletions has been stored, and nobody has the items at hand: what is left of them is asked for.
 * @param itemIds by the names that the changes have for them
 */
export async function publishedGrowthBy(
  trx: Knex.Transaction,
  sourceId: number,
  deletions: readonly ResourceChange[],
  itemIds: ReadonlyMap<string, number>,
  countedTo: number | null,
): Promise<number> {
  const items = new Set<number>();
  for (const plan of deletions) {
    const { change, known, identifier } = plan;
    if (!isMetadata(plan) || change === 'updated') continue;
    if (change === 'created' || !known) throw new Error(`nobody knows what there was of ${identifier}`);
    const id = itemIds.get(identifier);
    if (id !== undefined && known.deleted_at === null && isCounted(known.id, countedTo)) items.add(id);
  }
  if (items.size === 0) return 0;
  const left: unknown[] = await trx('resource')
    .distinct('item_id')
    .where({ kind: 'metadata' })
    .whereNull('deleted_at')
    .modify(ofSource, 'resource', sourceId)
    .modify((query) => whereAnyOf(query, 'item_id', [...items]))
    .modify((query) => {
      if (countedTo !== null) query.where('id', '<=', countedTo);
    });
  return left.length - items.size;
}

function isMetadata({ desired, known }: ResourceChange): boolean {
  return (desired ?? known)?.kind === 'metadata';
}

function livingOf({ resources }: Pick<KnownItem, 'resources'>): Set<number | undefined> {
  return new Set(
    resources.flatMap(({ id, kind, deleted_at }) => (kind === 'metadata' && deleted_at === null ? id : [])),
  );
}

function hasCounted(ids: ReadonlySet<number | undefined>, countedTo: number | null): boolean {
  if (countedTo === null) return ids.size > 0;
  for (const id of ids) if (id !== undefined && isCounted(id, countedTo)) return true;
  return false;
}

function isCounted(id: number, countedTo: number | null): boolean {
  return countedTo === null || id <= countedTo;
}
