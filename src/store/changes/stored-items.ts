import type { Knex } from 'knex';
import { repeatedly } from '../drivers/statement-names.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { readItemFiles } from '../files/item-files.ts';
import { itemsOfWithdrawn } from '../files/refusals.ts';
import type { KnownItem } from '../plans/item-changes.ts';
import type { KnownResource } from '../plans/resource-changes.ts';
import type { KnownStatements } from '../plans/statements.ts';
import { withLinks } from '../rows/link-forms.ts';
import { ofSource } from '../rows/one-source.ts';

/** Of the table `resource`: what a change may change. */
export const changingColumns = [
  'media_type',
  'length',
  'hash',
  'lastmod',
  'upstream_url',
  'landing_page',
  'links',
  'last_seq',
  'version_count',
  'deleted_at',
  'seen_run',
] as const;

interface ItemRow {
  readonly id: number;
  readonly source_id: number;
  readonly identifier: string;
  readonly datestamp: string | null;
  readonly unsettled: number;
  readonly landing_due: string | null;
  readonly restated: number;
}

/**
 * What the store holds of these items, by identifier.
 * @param withFiles what their origins state, too
 */
export async function readKnownItems(
  db: Queryable,
  source: string,
  identifiers: readonly string[],
  withFiles: boolean,
): Promise<ReadonlyMap<string, KnownItem>> {
  if (identifiers.length === 0) return new Map();
  const own: { id: number } | undefined = await db('source')
    .where({ name: source })
    .modify(repeatedly)
    .first('id');
  if (!own) return new Map();
  const items: ItemRow[] = await selectItems(db)
    .where({ source_id: own.id })
    .modify((query) => whereAnyOf(query, 'identifier', identifiers));
  const known = await complete(db, items, withFiles);
  return new Map(known.map((item) => [item.identifier, item]));
}

/** Items that may have to be brought in line with themselves, in the order of their ids. */
export async function readUnsettledItems(
  db: Queryable,
  sourceId: number,
  limit: number,
): Promise<readonly KnownItem[]> {
  return complete(db, await selectUnsettled(db, sourceId, limit), true);
}

/** Those of them that are to lose files whose servers say no. */
export async function readItemsWithRefusals(
  db: Queryable,
  sourceId: number,
  limit: number,
): Promise<readonly KnownItem[]> {
  const refused = itemsOfWithdrawn(db, sourceId).select('stated.item_id');
  return complete(db, await selectUnsettled(db, sourceId, limit).whereIn('id', refused), true);
}

function selectUnsettled(db: Queryable, sourceId: number, limit: number): Knex.QueryBuilder {
  return selectItems(db).where({ source_id: sourceId, unsettled: 1 }).orderBy('id').limit(limit);
}

function selectItems(db: Queryable): Knex.QueryBuilder {
  return db('item').select(
    'id',
    'source_id',
    'identifier',
    'datestamp',
    'unsettled',
    'landing_due',
    'restated',
  );
}

async function complete(
  db: Queryable,
  items: readonly ItemRow[],
  withFiles: boolean,
): Promise<readonly KnownItem[]> {
  const [first] = items;
  if (!first) return [];
  const { source_id } = first;
  const ids = items.map((item) => item.id);
  const resources: (KnownResource & { item_id: number })[] = await db('resource')
    .select('id', 'item_id', 'path', 'kind', 'format', 'withdrawn_at', 'refused_at', ...changingColumns)
    .modify((query) => whereAnyOf(query, 'item_id', ids))
    .modify(ofSource, 'resource', source_id);
  await withLinks(db, resources, ['links']);
  const memberships: { item_id: number; spec: string }[] = await db('item_collection')
    .join('collection', 'collection.id', 'item_collection.collection_id')
    .select('item_collection.item_id', 'collection.spec')
    .where({ 'item_collection.source_id': source_id })
    .modify((query) => whereAnyOf(query, 'item_collection.item_id', ids));
  const resourcesOf = groupBy(resources, (resource) => resource.item_id);
  const collectionsOf = groupBy(memberships, (membership) => membership.item_id);
  const statementsOf = withFiles
    ? await readItemFiles(db, source_id, ids)
    : new Map<number, KnownStatements>();
  return items.map(({ id, identifier, datestamp, unsettled, landing_due, restated }) => ({
    id,
    identifier,
    datestamp,
    collections: collectionsOf.get(id)?.map(({ spec }) => spec) ?? [],
    resources: resourcesOf.get(id) ?? [],
    ...(statementsOf.get(id) ?? { files: [], ownList: undefined }),
    unsettled: unsettled === 1,
    landingDue: landing_due ?? undefined,
    restated: restated === 1,
  }));
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
