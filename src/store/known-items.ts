import { whereAnyOf } from './bulk.ts';
import type { Queryable } from './database.ts';
import type { KnownItem, KnownResource } from './page-plan.ts';

/** Of the table `resource`: what a change may change. */
export const changingColumns = [
  'media_type',
  'length',
  'hash',
  'lastmod',
  'upstream_url',
  'links',
  'last_seq',
  'version_count',
  'deleted_at',
  'seen_run',
] as const;

/** What the store holds of these items, by identifier. */
export async function readKnownItems(
  db: Queryable,
  source: string,
  identifiers: readonly string[],
): Promise<ReadonlyMap<string, KnownItem>> {
  if (identifiers.length === 0) return new Map();
  const items: { id: number; identifier: string; datestamp: string | null }[] = await db('item')
    .select('id', 'identifier', 'datestamp')
    .where('source_id', db('source').select('id').where({ name: source }))
    .modify((query) => whereAnyOf(query, 'identifier', identifiers));
  if (items.length === 0) return new Map();
  const ids = items.map((item) => item.id);
  const resources: (KnownResource & { item_id: number })[] = await db('resource')
    .select('id', 'item_id', 'path', 'kind', 'format', ...changingColumns)
    .modify((query) => whereAnyOf(query, 'item_id', ids));
  const memberships: { item_id: number; spec: string }[] = await db('item_collection')
    .join('collection', 'collection.id', 'item_collection.collection_id')
    .select('item_collection.item_id', 'collection.spec')
    .modify((query) => whereAnyOf(query, 'item_collection.item_id', ids));
  const resourcesOf = groupBy(resources, (resource) => resource.item_id);
  const collectionsOf = groupBy(memberships, (membership) => membership.item_id);
  return new Map(
    items.map(({ id, identifier, datestamp }) => [
      identifier,
      {
        id,
        datestamp,
        collections: collectionsOf.get(id)?.map(({ spec }) => spec) ?? [],
        resources: resourcesOf.get(id) ?? [],
      },
    ]),
  );
}

function groupBy<T>(rows: readonly T[], key: (row: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const row of rows) {
    const group = groups.get(key(row));
    if (group) group.push(row);
    else groups.set(key(row), [row]);
  }
  return groups;
}
