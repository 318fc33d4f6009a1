import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import type { ContentOwner } from '../payloads/content-owner.ts';
import { ofSource } from '../rows/one-source.ts';

/** An item with the metadata that is published of it; none: it is deleted, or withdrawn. */
export interface ItemWithMetadata {
  readonly id: number;
  readonly identifier: string;
  readonly metadata: readonly PublishedMetadata[];
}

export interface PublishedMetadata extends ContentOwner {
  readonly format: string;
  readonly hash: string;
  readonly landingPage: string | undefined;
}

/** The next items of a source, by id. @param after the id of the last one before; 0: from the first on */
export async function listItemsWithMetadata(
  db: Queryable,
  sourceId: number,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly ItemWithMetadata[]> {
  const items: { id: number; identifier: string }[] = await db('item')
    .where({ source_id: sourceId })
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .select('id', 'identifier');
  if (items.length === 0) return [];
  const ids = items.map(({ id }) => id);
  const rows: {
    item_id: number;
    path: string;
    format: string;
    length: number | null;
    hash: string | null;
    landing_page: string | null;
  }[] = await db('resource')
    .modify((query) => whereAnyOf(query, 'item_id', ids))
    .modify(ofSource, 'resource', sourceId)
    .where('kind', 'metadata')
    .whereNull('deleted_at')
    .whereNull('withdrawn_at')
    .orderBy('id')
    .select('item_id', 'path', 'format', 'length', 'hash', 'landing_page');
  const byItem = new Map<number, PublishedMetadata[]>();
  for (const { item_id, path, format, length, hash, landing_page } of rows) {
    if (hash === null) continue;
    const own = byItem.get(Number(item_id)) ?? [];
    if (own.length === 0) byItem.set(Number(item_id), own);
    own.push({ path, format, hash, length: length ?? undefined, landingPage: landing_page ?? undefined });
  }
  return items.map(({ id, identifier }) => ({
    id: Number(id),
    identifier,
    metadata: byItem.get(Number(id)) ?? [],
  }));
}
