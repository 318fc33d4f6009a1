import type { Knex } from 'knex';
import type { Collection } from '../../core/adapter.ts';
import { repeatedly } from '../drivers/statement-names.ts';
import { insertRows, type Row, whereAnyOf } from '../engine/bulk.ts';
import type { Database } from '../engine/database.ts';
import type { KnownItem } from '../plans/item-changes.ts';
import type { ChangedItem } from '../plans/page-changes.ts';

/**
 * Writes the items of a page and where they belong.
 * @returns the ids of all items of the page, new and old, by identifier
 */
export async function storeItems(
  trx: Knex.Transaction,
  sourceId: number,
  items: readonly ChangedItem[],
  known: ReadonlyMap<string, KnownItem>,
): Promise<ReadonlyMap<string, number>> {
  const ids = new Map([...known].map(([identifier, { id }]) => [identifier, id]));
  const newcomers = items.filter(({ identifier }) => !known.has(identifier));
  const others = newcomers.length === 0 ? items : items.filter(({ identifier }) => known.has(identifier));
  const returning = ['id', 'identifier'];
  const toRow = (item: ChangedItem) => itemRow(sourceId, item);
  // Nobody else adds to a source whose lease is held: PostgreSQL need not look for each row that there is no such one.
  const written = [
    ...(await insertRows<WrittenItem>(trx, 'item', newcomers.map(toRow), { returning })),
    ...(await insertRows<WrittenItem>(trx, 'item', others.map(toRow), { conflict: ofItems, returning })),
  ];
  for (const { id, identifier } of written) ids.set(identifier, id);
  if (newcomers.length > 0)
    await trx('source').where({ id: sourceId }).modify(repeatedly).increment('item_count', newcomers.length);
  await storeMemberships(trx, sourceId, items, known, ids);
  return ids;
}

interface WrittenItem {
  readonly id: number;
  readonly identifier: string;
}

const ofItems = {
  columns: ['source_id', 'identifier'],
  update: ['datestamp', 'unsettled', 'landing_due', 'restated'],
} as const;

function itemRow(sourceId: number, item: ChangedItem): Row {
  const { identifier, datestamp, unsettled, landingDue, restated } = item;
  return {
    source_id: sourceId,
    identifier,
    datestamp: datestamp ?? null,
    unsettled: unsettled ? 1 : 0,
    landing_due: landingDue,
    restated: restated ? 1 : 0,
  };
}

async function storeMemberships(
  trx: Knex.Transaction,
  sourceId: number,
  items: readonly ChangedItem[],
  known: ReadonlyMap<string, KnownItem>,
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  const specs = new Set(items.flatMap(({ collections }) => collections ?? []));
  const collectionIds = await ensureCollections(trx, sourceId, [...specs]);
  const moved = items.flatMap(({ identifier, collections }) =>
    collections === undefined ? [] : (known.get(identifier)?.id ?? []),
  );
  if (moved.length > 0)
    await trx('item_collection')
      .where({ source_id: sourceId })
      .modify((query) => whereAnyOf(query, 'item_id', moved))
      .delete();
  const rows: Row[] = [];
  for (const { identifier, collections = [] } of items) {
    const item_id = ids.get(identifier);
    if (item_id === undefined) continue;
    // A header may name a set twice.
    for (const spec of collections.length > 1 ? new Set(collections) : collections) {
      const collection_id = collectionIds.get(spec);
      if (collection_id !== undefined) rows.push({ source_id: sourceId, item_id, collection_id });
    }
  }
  // Those that there were are deleted.
  await insertRows(trx, 'item_collection', rows);
}

/** A set that only records mention exists too; its name comes with ListSets. */
async function ensureCollections(
  trx: Knex.Transaction,
  sourceId: number,
  specs: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (specs.length === 0) return new Map();
  const read = async () => {
    const rows: { id: number; spec: string }[] = await trx('collection')
      .select('id', 'spec')
      .where({ source_id: sourceId })
      .modify((query) => whereAnyOf(query, 'spec', specs));
    return new Map(rows.map(({ id, spec }) => [spec, id]));
  };
  const found = await read();
  const absent = specs.filter((spec) => !found.has(spec));
  if (absent.length === 0) return found;
  await insertRows(
    trx,
    'collection',
    absent.map((spec) => ({ source_id: sourceId, spec, name: spec })),
    { conflict: { columns: ['source_id', 'spec'], update: [] } },
  );
  return read();
}

/** Names and descriptions as the upstream gives them. */
export async function storeCollections(
  database: Database,
  sourceId: number,
  collections: readonly Collection[],
): Promise<void> {
  const rows = new Map(
    collections.map(({ spec, name, description }) => [
      spec,
      { source_id: sourceId, spec, name: name || spec, description: description ?? null },
    ]),
  );
  await database.transaction(async (trx) => {
    await insertRows(trx, 'collection', [...rows.values()], {
      conflict: { columns: ['source_id', 'spec'], update: ['name', 'description'] },
    });
  });
}

/**
 * What a whole list of the upstream does not have any more, as a collection that is not for everybody now, keeps its setSpec, by which
 * records of before are found, and nothing else: it is as one that only records mention.
 */
export async function forgetCollections(
  database: Database,
  sourceId: number,
  listed: ReadonlySet<string>,
): Promise<void> {
  await database.transaction(async (trx) => {
    const named: { id: number; spec: string }[] = await trx('collection')
      .where({ source_id: sourceId })
      .where((query) => query.whereNot('name', trx.ref('spec')).orWhereNotNull('description'))
      .select('id', 'spec');
    const gone = named.filter(({ spec }) => !listed.has(spec)).map(({ id }) => id);
    if (gone.length === 0) return;
    await trx('collection')
      .where({ source_id: sourceId })
      .modify((query) => whereAnyOf(query, 'id', gone))
      .update({ name: trx.ref('spec'), description: null });
  });
}
