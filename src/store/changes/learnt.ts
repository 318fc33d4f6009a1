import type { Knex } from 'knex';
import type { Learnt } from '../plans/resource-changes.ts';
import { storedLinks } from '../rows/link-forms.ts';
import { ofSource } from '../rows/one-source.ts';

/**
 * What became known of resources that have not changed: current lists and headers have it, the journal does not.
 */
export async function storeLearnt(
  trx: Knex.Transaction,
  sourceId: number,
  learnt: readonly Learnt[],
): Promise<void> {
  const stored = await storedLinks(trx, sourceId, learnt);
  for (const { id, path, ...facts } of learnt)
    await trx('resource')
      .where({ id })
      .modify(ofSource, 'resource', sourceId)
      .update({ ...facts, links: stored(facts.links, path), learnt: 1 });
}
