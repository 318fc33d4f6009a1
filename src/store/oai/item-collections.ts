import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';

/** The specs of the collections that items are in, or were in when they were deleted, by the item's id. */
export async function collectionsOfItems(
  db: Queryable,
  sourceId: number,
  itemIds: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const found = new Map<number, string[]>();
  const ids = [...new Set(itemIds)];
  if (ids.length === 0) return found;
  const rows: { item_id: number; spec: string }[] = await db('item_collection')
    .join('collection', 'collection.id', 'item_collection.collection_id')
    .where('item_collection.source_id', sourceId)
    .modify((query) => whereAnyOf(query, 'item_collection.item_id', ids))
    .select('item_collection.item_id', 'collection.spec');
  for (const { item_id, spec } of rows) {
    const some = found.get(Number(item_id));
    if (some) some.push(spec);
    else found.set(Number(item_id), [spec]);
  }
  return found;
}
