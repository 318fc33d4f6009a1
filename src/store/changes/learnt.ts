import type { Knex } from 'knex';
import type { Learnt } from '../plans/resource-changes.ts';

/**
 * What became known of resources that have not changed: current lists and headers have it, the journal does not.
 */
export async function storeLearnt(trx: Knex.Transaction, learnt: readonly Learnt[]): Promise<void> {
  for (const { id, ...facts } of learnt)
    await trx('resource')
      .where({ id })
      .update({ ...facts, learnt: 1 });
}
