import { batches } from '../engine/batches.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { ofSource, sameSource, sourceIdOf } from '../rows/one-source.ts';

const itemsAtATime = 200;

/**
 * When something of items changed last, by the journal: metadata or files, also what has been deleted since.
 * @returns ISO UTC by identifier; without those of which the journal tells nothing
 */
export async function lastChangesOf(
  db: Queryable,
  source: string,
  identifiers: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const sourceId = await sourceIdOf(db, source);
  if (sourceId === undefined) return found;
  for (const some of batches([...identifiers], itemsAtATime)) {
    const rows: { identifier: string; at: string }[] = await db('item')
      .join('resource', 'resource.item_id', 'item.id')
      .modify(sameSource, 'resource', 'item')
      .join('change', (on) => {
        on.on('change.source_id', 'resource.source_id').andOn('change.seq', 'resource.last_seq');
      })
      .where('item.source_id', sourceId)
      .modify(ofSource, 'resource', sourceId)
      .modify(ofSource, 'change', sourceId)
      .modify((query) => whereAnyOf(query, 'item.identifier', some))
      .groupBy('item.identifier')
      .select('item.identifier')
      .max({ at: 'change.at' });
    for (const { identifier, at } of rows) found.set(identifier, at);
  }
  return found;
}
