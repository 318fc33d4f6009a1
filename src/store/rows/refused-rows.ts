import type { Knex } from 'knex';
import { whereAnyOf } from '../engine/bulk.ts';
import { ofSource } from './one-source.ts';

/** @param at since when their repository refuses these resources; null: it does not any more */
export async function markRefused(
  trx: Knex.Transaction,
  sourceId: number,
  ids: readonly number[],
  at: string | null,
): Promise<void> {
  if (ids.length === 0) return;
  await trx('resource')
    .modify((query) => whereAnyOf(query, 'id', ids))
    .modify(ofSource, 'resource', sourceId)
    .update({ withdrawn_at: at, refused_at: at });
}
