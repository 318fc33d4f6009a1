import type { Queryable } from '../engine/database.ts';
import { sameSource } from '../rows/one-source.ts';

export interface SampledItem {
  readonly id: number;
  readonly identifier: string;
}

/**
 * Some items of which metadata are published, each once, spread over all of them: the same ones as long as nothing
 * is added.
 * @param count 2 or more
 */
export async function sampleItems(
  db: Queryable,
  source: string,
  count: number,
): Promise<readonly SampledItem[]> {
  const living = () =>
    db('resource')
      .join('item', 'item.id', 'resource.item_id')
      .modify(sameSource, 'item', 'resource')
      .where('resource.source_id', db('source').select('id').where({ name: source }))
      .where('resource.kind', 'metadata')
      .whereNull('resource.deleted_at');
  const last: { id: number } | undefined = await living().orderBy('resource.id', 'desc').first('resource.id');
  const first: { id: number } | undefined = await living().orderBy('resource.id').first('resource.id');
  if (first === undefined || last === undefined) return [];
  const found = new Map<number, SampledItem>();
  for (let place = 0; place < count; place += 1) {
    const at = first.id + Math.floor(((last.id - first.id) * place) / (count - 1));
    const item: SampledItem | undefined = await living()
      .where('resource.id', '>=', at)
      .orderBy('resource.id')
      .first('item.id', 'item.identifier');
    if (item !== undefined) found.set(item.id, { id: item.id, identifier: item.identifier });
  }
  return [...found.values()];
}
