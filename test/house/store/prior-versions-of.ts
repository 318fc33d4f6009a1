import type { Queryable } from '../../../src/store/engine/database.ts';
import { listPriorVersionsOf, type PriorVersion } from '../../../src/store/history/prior-versions.ts';

/** What an item was before, oldest first. @param source and identifier as the upstream has them */
export async function listPriorVersions(
  db: Queryable,
  source: string,
  identifier: string,
): Promise<readonly PriorVersion[]> {
  const item: { id: number; source_id: number } | undefined = await db('item')
    .join('source', 'source.id', 'item.source_id')
    .where({ 'source.name': source, 'item.identifier': identifier })
    .first('item.id', 'item.source_id');
  return (item && (await listPriorVersionsOf(db, item.source_id, [item.id])).get(item.id)) ?? [];
}
