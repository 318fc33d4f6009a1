import type { Knex } from 'knex';
import { areOfTwoItems, itemAt } from '../../core/addresses/item-address.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { KnownResource, ResourceChange } from '../plans/resource-changes.ts';
import { type FormerPast, showPasts, withholdPasts } from '../rows/former-pasts.ts';
import { ofSource } from '../rows/one-source.ts';
import { markRefused } from '../rows/refused-rows.ts';

/**
 * What its repository refuses is withheld with its past; what comes back, and metadata that is merely gone now, is not any more.
 * Where it is another item that comes, only that is public.
 */
export async function followRefusals(
  trx: Knex.Transaction,
  sourceId: number,
  changes: readonly ResourceChange[],
  itemIds: ReadonlyMap<string, number>,
  now: string,
): Promise<void> {
  const refused: number[] = [];
  const freed: number[] = [];
  for (const { change, known, refused: isRefused } of changes) {
    if (!known) continue;
    if (isRefused) refused.push(known.id);
    else if ((known.refused_at ?? null) !== null && isFreed(change, known)) freed.push(known.id);
  }
  await markRefused(trx, sourceId, refused, now);
  await markRefused(trx, sourceId, freed, null);
  await followItems(trx, sourceId, changes, itemIds, now);
}

/** A file that goes has no past, and comes back only where its item names it. */
function isFreed(change: ResourceChange['change'], { kind }: KnownResource): boolean {
  return change === 'created' || (change === 'deleted' && kind === 'metadata');
}

/** An identifier that leads to another item than before. */
async function followItems(
  trx: Knex.Transaction,
  sourceId: number,
  changes: readonly ResourceChange[],
  itemIds: ReadonlyMap<string, number>,
  now: string,
): Promise<void> {
  const moved = new Map<string, { readonly from: string; readonly to: string }>();
  for (const { identifier, known, desired } of changes) {
    const [from, to] = [known?.upstream_url, desired?.upstreamUrl];
    if (desired?.kind === 'metadata' && from && to && areOfTwoItems(from, to))
      moved.set(identifier, { from, to });
  }
  if (moved.size === 0) return;
  const withheld: FormerPast[] = [];
  const shown: Pick<FormerPast, 'id' | 'owner'>[] = [];
  const taken = new Set<number>();
  for (const { change, identifier, known, desired } of changes) {
    const move = moved.get(identifier);
    if (!move || !known || desired?.kind !== 'metadata') continue;
    // Formats that OAI-PMH writes do not say which item they are of; those beside them do.
    const owner = known.upstream_url !== null && itemAt(known.upstream_url) ? known.upstream_url : move.from;
    shown.push({ id: known.id, owner: move.to });
    if (change !== 'created' || (known.refused_at ?? null) === null) continue;
    withheld.push({ id: known.id, seq: known.last_seq, owner });
    taken.add(itemIds.get(identifier) ?? 0);
  }
  await withholdPasts(trx, sourceId, withheld, now);
  await showPasts(trx, sourceId, shown);
  await keepFormerFiles(trx, sourceId, [...taken], now);
}

/** So that no file of the item is taken for one that the former item had (`plans/item-changes.ts`). */
async function keepFormerFiles(
  trx: Knex.Transaction,
  sourceId: number,
  itemIds: readonly number[],
  now: string,
): Promise<void> {
  if (itemIds.length === 0) return;
  await trx('resource')
    .modify((query) => whereAnyOf(query, 'item_id', itemIds))
    .modify(ofSource, 'resource', sourceId)
    .where({ kind: 'file' })
    // What is only linked to has the address that others may name, too.
    .whereNot('path', 'like', 'http%:%')
    .whereNotNull('deleted_at')
    .whereNull('withdrawn_at')
    .update({ withdrawn_at: now, refused_at: now });
}
