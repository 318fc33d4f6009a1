import type { Knex } from 'knex';
import type { MetadataTarget } from '../../core/mapping/mapping.ts';
import { xmlType } from '../../core/uris.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { type LinkedFiles, noLinkedFiles } from '../plans/known-files.ts';
import type { ResourceChange } from '../plans/resource-changes.ts';
import { ofSource } from '../rows/one-source.ts';
import { findWithdrawnLinks } from './withdrawn-links.ts';

export async function findLinkedFiles(
  db: Queryable,
  sourceId: number,
  urls: readonly string[],
): Promise<LinkedFiles> {
  if (urls.length === 0) return noLinkedFiles;
  const published: { path: string }[] = await db('resource')
    .select('path')
    .where({ source_id: sourceId })
    .whereNull('deleted_at')
    .modify((query) => whereAnyOf(query, 'path', urls));
  const rows: { url: string; item_id: number; path: string; media_type: string | null }[] = await db(
    'item_file',
  )
    .join('resource', 'resource.item_id', 'item_file.item_id')
    .distinct('item_file.url', 'item_file.item_id', 'resource.path', 'resource.media_type')
    .where('item_file.source_id', sourceId)
    .modify(ofSource, 'resource', sourceId)
    .where('resource.kind', 'metadata')
    .whereNull('resource.deleted_at')
    .modify((query) => whereAnyOf(query, 'item_file.url', urls))
    .orderBy(['item_file.url', 'resource.path']);
  const withdrawn = await findWithdrawnLinks(db, sourceId, urls);
  const taken = new Set(published.map(({ path }) => path));
  const describers = new Map<string, { readonly itemId: number; readonly target: MetadataTarget }[]>();
  for (const { url, item_id, path, media_type } of rows) {
    const target = { path, mediaType: media_type ?? xmlType };
    describers.set(url, [...(describers.get(url) ?? []), { itemId: item_id, target }]);
  }
  return {
    isTaken: (url) => taken.has(url),
    isWithdrawn: (url) => withdrawn.has(url),
    describersOf: (url, itemId) =>
      (describers.get(url) ?? []).filter((one) => one.itemId !== itemId).map(({ target }) => target),
    take: (changes) => {
      for (const { change, desired } of changes)
        if (change === 'created' && desired?.kind === 'file') taken.add(desired.path);
    },
  };
}

/** Items that name the same address as one of these: what one publishes depends on the others. */
export async function unsettleSharers(
  trx: Knex.Transaction,
  sourceId: number,
  urls: readonly string[],
): Promise<void> {
  if (urls.length === 0) return;
  const shared = trx('item_file')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'url', urls))
    .groupBy('url')
    .havingRaw('count(distinct item_id) > 1')
    .select('url');
  const items = trx('item_file').where({ source_id: sourceId }).whereIn('url', shared).select('item_id');
  await trx('item').whereIn('id', items).modify(ofSource, 'item', sourceId).update({ unsettled: 1 });
}

/** What the item that had them loses may pass to others. */
export async function unsettleHeirs(
  trx: Knex.Transaction,
  sourceId: number,
  changes: readonly ResourceChange[],
): Promise<void> {
  const lost = changes.flatMap(({ change, known }) =>
    change === 'deleted' && known?.kind === 'file' && known.path === known.upstream_url ? known.path : [],
  );
  if (lost.length === 0) return;
  const heirs = trx('item_file')
    .where({ source_id: sourceId })
    .modify((query) => whereAnyOf(query, 'url', lost))
    .select('item_id');
  await trx('item').whereIn('id', heirs).modify(ofSource, 'item', sourceId).update({ unsettled: 1 });
}
