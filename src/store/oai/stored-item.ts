import type { Knex } from 'knex';
import { mapPrefix } from '../../oai/formats.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { ofSource } from '../rows/one-source.ts';
import { type StoredRecord, toRecords } from './stored-record.ts';

/** In the place of a format, in the order of records: items as wholes, which a change of any file moves, too. */
export const wholeItems = '';

/** In the place of a resource: no resource has such a number. */
export function placedAs(itemId: number): number {
  return -itemId;
}

/** An item, and the latest change of anything of it. */
export interface ItemRow {
  readonly seq: number | string;
  readonly at: string;
  readonly item_id: number | string;
  readonly identifier: string;
  readonly datestamp: string | null;
}

/** What a file adds to the Resource Map of its item, or metadata: octets, about. */
const octetsOfResource = 800;

/** With the collections of the items and what is published of them, in two queries more. */
export async function toItemRecords(
  db: Queryable,
  sourceId: number,
  rows: readonly ItemRow[],
): Promise<readonly StoredRecord[]> {
  const living = await countLiving(
    db,
    sourceId,
    rows.map(({ item_id }) => Number(item_id)),
  );
  const told = rows.map((row) => ({ ...row, ...withoutContent }));
  return (await toRecords(db, sourceId, told)).map((record, index) => {
    const count = living.get(Number(rows[index]?.item_id)) ?? 0;
    return { ...record, whole: true, deleted: count === 0, length: count * octetsOfResource };
  });
}

const withoutContent = {
  format: mapPrefix,
  media_type: null,
  path: '',
  hash: null,
  length: null,
  deleted_at: null,
  withdrawn_at: null,
};

/** How much is published of items, by their ids; without those of which nothing is. */
async function countLiving(
  db: Queryable,
  sourceId: number,
  itemIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (itemIds.length === 0) return new Map();
  const rows: { item_id: number | string; count: number | string }[] = await db('resource')
    .modify((query) => whereAnyOf(query, 'item_id', itemIds))
    .modify(ofSource, 'resource', sourceId)
    .whereNull('deleted_at')
    .whereNull('withdrawn_at')
    .groupBy('item_id')
    .select('item_id')
    .count({ count: '*' });
  return new Map(rows.map(({ item_id, count }) => [Number(item_id), Number(count)]));
}

const columns = ['change.seq', 'change.at', 'item.id as item_id', 'item.identifier', 'item.datestamp'];

/** Items whose latest change is behind a sequence, up to another. */
export async function itemsInJournal(
  db: Queryable,
  sourceId: number,
  after: number,
  upTo: number,
): Promise<ItemRow[]> {
  return db('change')
    .join('resource', (on) => {
      on.on('resource.id', 'change.resource_id').andOn('resource.last_seq', 'change.seq');
    })
    .join('item', 'item.id', 'resource.item_id')
    .where('change.source_id', sourceId)
    .where('change.seq', '>', after)
    .where('change.seq', '<=', upTo)
    .modify(ofSource, 'item', sourceId)
    .modify(ofSource, 'resource', sourceId)
    .modify(whereLatest, sourceId)
    .orderBy('change.seq')
    .select(columns);
}

/** An item as a whole; undefined: there is no such item, or nothing was ever published of it. */
export async function findWholeItem(
  db: Queryable,
  sourceId: number,
  identifier: string,
): Promise<StoredRecord | undefined> {
  const rows: ItemRow[] = await db('item')
    .join('resource', 'resource.item_id', 'item.id')
    .join('change', (on) => {
      on.on('change.source_id', 'resource.source_id').andOn('change.seq', 'resource.last_seq');
    })
    .where({ 'item.source_id': sourceId, 'item.identifier': identifier })
    .modify(ofSource, 'resource', sourceId)
    .modify(ofSource, 'change', sourceId)
    .orderBy('change.seq', 'desc')
    .limit(1)
    .select(columns);
  const [record] = await toItemRecords(db, sourceId, rows);
  return record;
}

/** Nothing else of the item has changed later. */
function whereLatest(query: Knex.QueryBuilder, sourceId: number): void {
  query.whereNotExists((later) => {
    later
      .from('resource as later')
      .whereRaw('later.item_id = item.id')
      .whereRaw('later.last_seq > change.seq')
      .modify(ofSource, 'later', sourceId)
      .select('later.id');
  });
}
