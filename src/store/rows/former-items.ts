import type { Knex } from 'knex';
import { itemAt } from '../../core/addresses/item-address.ts';
import { insertRows, whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import type { FormerPast } from './former-pasts.ts';
import { sameSource } from './one-source.ts';

/** A row of the table `former_item`: versions of a resource that are of another item than the one that has its identifier now. */
export interface FormerItem extends FormerPast {
  /** Its repository does not show it. */
  readonly isHidden: boolean;
  /** Of the item that has its identifier now. */
  readonly identifier: string;
}

/** Where one ends another may have begun: what is noted already stays as it is. */
export async function noteFormerItems(
  trx: Knex.Transaction,
  sourceId: number,
  formers: readonly Pick<FormerItem, 'id' | 'seq' | 'owner' | 'isHidden'>[],
  now: string,
): Promise<void> {
  const rows = formers.map(({ id, seq, owner, isHidden }) => ({
    source_id: sourceId,
    resource_id: id,
    until_seq: seq,
    address: owner,
    asked_at: isHidden ? now : null,
    hidden_seq: isHidden ? seq : null,
  }));
  const conflict = { columns: ['source_id', 'resource_id', 'until_seq'], update: [] };
  await insertRows(trx, 'former_item', rows, { conflict });
}

export interface FormersAsked {
  /** Only of what this run has met, and those that nobody has asked for yet; undefined: all. */
  readonly runId?: number | undefined;
  /** Not those that have been asked for since. */
  readonly before: string;
}

/** Former items of a source that are to be asked for, by their own keys. */
export async function listFormerItems(
  db: Queryable,
  sourceId: number,
  { runId, before }: FormersAsked,
): Promise<ReadonlyMap<string, readonly FormerItem[]>> {
  const due = await readFormerItems(db, sourceId, (query) => {
    query.where((any) => any.whereNull('former.asked_at').orWhere('former.asked_at', '<', before));
    if (runId !== undefined)
      query.where((any) => any.whereNull('former.asked_at').orWhere('resource.seen_run', runId));
  });
  return byItem(due);
}

/** Of these items of a source, which they were before. */
export async function findFormerItems(
  db: Queryable,
  sourceId: number,
  identifiers: readonly string[],
): Promise<readonly FormerItem[]> {
  if (identifiers.length === 0) return [];
  // Most sources have none.
  if ((await db('former_item').where({ source_id: sourceId }).first('resource_id')) === undefined) return [];
  return readFormerItems(db, sourceId, (query) => whereAnyOf(query, 'item.identifier', identifiers));
}

export function byItem(formers: readonly FormerItem[]): ReadonlyMap<string, readonly FormerItem[]> {
  const groups = new Map<string, FormerItem[]>();
  for (const former of formers) {
    const key = itemAt(former.owner) ?? former.owner;
    const group = groups.get(key);
    if (group) group.push(former);
    else groups.set(key, [former]);
  }
  return groups;
}

async function readFormerItems(
  db: Queryable,
  sourceId: number,
  which: (query: Knex.QueryBuilder) => void,
): Promise<readonly FormerItem[]> {
  const earlier = `(select max(earlier.until_seq) from former_item as earlier where earlier.source_id = former.source_id
    and earlier.resource_id = former.resource_id and earlier.until_seq < former.until_seq)`;
  const rows: {
    id: number;
    identifier: string;
    seq: number | string;
    after: number | string | null;
    owner: string;
    hidden_seq: number | string | null;
  }[] = await db('former_item as former')
    .join('resource', 'resource.id', 'former.resource_id')
    .modify(sameSource, 'resource', 'former')
    .join('item', 'item.id', 'resource.item_id')
    .modify(sameSource, 'item', 'resource')
    .where('former.source_id', sourceId)
    .modify(which)
    .orderBy(['former.resource_id', 'former.until_seq'])
    .select('resource.id', 'item.identifier', 'former.until_seq as seq', 'former.address as owner')
    .select('former.hidden_seq', db.raw(`${earlier} as after`));
  return rows.map(({ id, identifier, seq, after, owner, hidden_seq }) => ({
    ...{ id, identifier, owner, seq: Number(seq), after: Number(after ?? 0) },
    isHidden: hidden_seq !== null,
  }));
}

export async function markFormerItems(
  trx: Knex.Transaction,
  sourceId: number,
  formers: readonly FormerItem[],
  mark: { readonly asked_at?: string; readonly hidden_seq?: number | null },
): Promise<void> {
  for (const { id, seq } of formers)
    await trx('former_item').where({ source_id: sourceId, resource_id: id, until_seq: seq }).update(mark);
}
