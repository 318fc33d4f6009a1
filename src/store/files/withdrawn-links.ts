import type { Knex } from 'knex';
import { isAbsolute } from '../../core/uris.ts';
import { isPostgres, whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { sameSource } from '../rows/one-source.ts';
import { markUnsettled } from './item-files.ts';

/**
 * The URL of a file that is only linked to is its path in every source and every item that names it: taken down in one,
 * it is taken down in all of them, also in those that come to name it later.
 */

/** Those of these URLs that are withdrawn, for whichever item, or that this source had of an item that is withdrawn. */
export async function findWithdrawnLinks(
  db: Queryable,
  sourceId: number,
  urls: readonly string[],
): Promise<ReadonlySet<string>> {
  const named: { path: string }[] = await db('withdrawal')
    .modify((query) => whereAnyOf(query, 'path', urls))
    .distinct('path');
  const held: { path: string }[] = await db('resource')
    .where({ source_id: sourceId })
    .whereNotNull('withdrawn_at')
    .modify((query) => whereAnyOf(query, 'path', urls))
    .select('path');
  return new Set([...named, ...held].map(({ path }) => path));
}

/** What a source had at a URL, if that is withdrawn: nobody asks for it. */
export function resourcesWithdrawnAt(db: Queryable, url: Knex.Raw, sourceId: number): Knex.QueryBuilder {
  return db('resource as down')
    .where('down.path', url)
    .where('down.source_id', sourceId)
    .whereNotNull('down.withdrawn_at')
    .select(db.raw('1'));
}

/** Whose resource it is. */
export interface Holder {
  readonly source: string;
  readonly identifier: string;
}

/** In the order in which the sources came. */
export async function listHolders(db: Queryable, path: string): Promise<readonly Holder[]> {
  return db('resource')
    .join('source', 'source.id', 'resource.source_id')
    .join('item', 'item.id', 'resource.item_id')
    .modify(sameSource, 'item', 'resource')
    .where('resource.path', path)
    .orderBy('resource.source_id')
    .select('source.name as source', 'item.identifier');
}

/** What a source has at withdrawn URLs, whichever of its items it belongs to by now. */
export function resourcesAtWithdrawnLinks(trx: Knex.Transaction, sourceId: number): Knex.QueryBuilder {
  // In this order: SQLite, which has no statistics, would read all resources instead of what has these paths.
  const inOrder = isPostgres(trx) ? 'join' : 'cross join';
  return trx('withdrawal')
    .joinRaw(`${inOrder} resource on resource.path = withdrawal.path`)
    .join('item', 'item.id', 'resource.item_id')
    .modify(sameSource, 'item', 'resource')
    .whereRaw('withdrawal.path = withdrawal.upstream_url')
    .where('resource.source_id', sourceId);
}

/** Items that name one of these URLs may publish it again. */
export async function unsettleNaming(trx: Knex.Transaction, urls: readonly string[]): Promise<void> {
  const links = urls.filter(isAbsolute);
  if (links.length === 0) return;
  const naming: { source_id: number; item_id: number }[] = await trx('item_file')
    .whereIn('source_id', trx('source').select('id'))
    .modify((query) => whereAnyOf(query, 'url', links))
    .distinct('source_id', 'item_id');
  for (const sourceId of new Set(naming.map(({ source_id }) => source_id))) {
    const items = naming.flatMap(({ source_id, item_id }) => (source_id === sourceId ? item_id : []));
    await markUnsettled(trx, sourceId, items);
  }
}
