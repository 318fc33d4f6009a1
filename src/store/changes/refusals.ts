import type { Knex } from 'knex';
import { areOfTwoItems, itemAt } from '../../core/addresses/item-address.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { KnownResource, ResourceChange } from '../plans/resource-changes.ts';
import { type FormerItem, findFormerItems, markFormerItems, noteFormerItems } from '../rows/former-items.ts';
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
  const moved = new Map<string, Move>();
  for (const { identifier, known, desired } of changes) {
    const [from, to] = [known?.upstream_url, desired?.upstreamUrl];
    if (desired?.kind === 'metadata' && from && to && areOfTwoItems(from, to))
      moved.set(identifier, { from, to });
  }
  if (moved.size === 0) return;
  const formers: Former[] = [];
  const shown: Pick<FormerPast, 'id' | 'owner'>[] = [];
  const taken = new Set<number>();
  for (const { change, identifier, known, desired } of changes) {
    const move = moved.get(identifier);
    if (!move || !known || desired?.kind !== 'metadata') continue;
    const isHidden = change === 'created' && (known.refused_at ?? null) !== null;
    shown.push({ id: known.id, owner: move.to });
    formers.push({ id: known.id, seq: known.last_seq, owner: ownerOf(known, move), isHidden });
    if (isHidden) taken.add(itemIds.get(identifier) ?? 0);
  }
  const besides = await unchangedOf(trx, sourceId, moved, itemIds, new Set(shown.map(({ id }) => id)));
  await noteFormerItems(trx, sourceId, [...formers, ...besides], now);
  const noted = await findFormerItems(trx, sourceId, [...moved.keys()]);
  const hiding = new Set(formers.flatMap(({ id, seq, isHidden }) => (isHidden ? `${id} ${seq}` : [])));
  await withholdPasts(
    trx,
    sourceId,
    noted.filter(({ id, seq }) => hiding.has(`${id} ${seq}`)),
    now,
  );
  await showPasts(trx, sourceId, shown);
  const back = noted.filter(({ identifier, owner }) => itemAt(owner) === itemAt(moved.get(identifier)?.to));
  await markFormerItems(trx, sourceId, back, { hidden_seq: null, asked_at: now });
  await keepFormerFiles(trx, sourceId, [...taken], now);
}

interface Move {
  readonly from: string;
  readonly to: string;
}

type Former = Pick<FormerItem, 'id' | 'seq' | 'owner' | 'isHidden'>;

/** Formats that OAI-PMH writes do not say which item they are of; those beside them do. */
function ownerOf({ upstream_url }: Pick<KnownResource, 'upstream_url'>, { from }: Move): string {
  return upstream_url !== null && itemAt(upstream_url) ? upstream_url : from;
}

/** Metadata of these items that has not come, or not changed: what it was is the former item's as well. */
async function unchangedOf(
  trx: Knex.Transaction,
  sourceId: number,
  moved: ReadonlyMap<string, Move>,
  itemIds: ReadonlyMap<string, number>,
  changed: ReadonlySet<number>,
): Promise<readonly Former[]> {
  const moves = new Map([...moved].map(([identifier, move]) => [itemIds.get(identifier) ?? 0, move]));
  const rows: (Pick<KnownResource, 'id' | 'upstream_url'> & {
    item_id: number;
    last_seq: number | string;
  })[] = await trx('resource')
    .modify((query) => whereAnyOf(query, 'item_id', [...moves.keys()]))
    .modify(ofSource, 'resource', sourceId)
    .where({ kind: 'metadata' })
    .whereNull('refused_at')
    .select('id', 'item_id', 'upstream_url', 'last_seq');
  return rows.flatMap(({ id, item_id, last_seq, upstream_url }) => {
    const move = moves.get(item_id);
    if (!move || changed.has(id) || itemAt(upstream_url) === itemAt(move.to)) return [];
    return [{ id, seq: Number(last_seq), owner: ownerOf({ upstream_url }, move), isHidden: false }];
  });
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
