import type { Knex } from 'knex';
import { isPostgres } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { question } from '../engine/question.ts';
import { ofSource } from '../rows/one-source.ts';
import { type ItemRow, wholeItems } from './stored-item.ts';
import { type RecordRow, recordColumns } from './stored-record.ts';

export type OrderedRow = RecordRow | ItemRow;

/** Where to read in the order of a source. */
export interface OrderedPart {
  readonly sourceId: number;
  /** Or `wholeItems`. */
  readonly format: string;
  /** Empty: all records of the format. */
  readonly spec: string;
  readonly after: number;
  /** Inclusive. */
  readonly upTo: number;
}

/** A place and what stands there; without an item: that has changed since, and is met again further back. */
type Placed = (Omit<RecordRow, 'item_id'> | Omit<ItemRow, 'item_id'>) & {
  readonly item_id: number | string | null;
  readonly place: number | string;
};

/** The next rows of a part that still hold. */
export function nextInOrder(db: Queryable, part: OrderedPart, limit: number): Promise<OrderedRow[]> {
  return standing(limit, async (found, size) => {
    const after = found === undefined ? part.after : found;
    return (part.format === wholeItems ? itemsForward : recordsForward)(
      db,
      ...valuesOf({ ...part, after }, size),
    );
  });
}

/** The last row of a part that still holds. */
export async function lastInOrder(db: Queryable, part: OrderedPart): Promise<OrderedRow | undefined> {
  const [row] = await standing(1, async (found, size) => {
    const upTo = found === undefined ? part.upTo : found - 1;
    return (part.format === wholeItems ? itemsBackward : recordsBackward)(
      db,
      ...valuesOf({ ...part, upTo }, size),
    );
  });
  return row;
}

/** @param read so many places behind the one that was read last */
async function standing(
  limit: number,
  read: (last: number | undefined, size: number) => Promise<readonly Placed[]>,
): Promise<OrderedRow[]> {
  const rows: OrderedRow[] = [];
  for (let [last, passed]: [number | undefined, number] = [undefined, 0]; ; ) {
    // Where much is passed over, more is read at a time.
    const size = limit - rows.length + passed;
    const places = await read(last, size);
    for (const place of places) if (holds(place)) rows.push(place);
    if (rows.length >= limit || places.length < size) return rows.slice(0, limit);
    passed += places.length;
    last = Number(places.at(-1)?.place);
  }
}

function holds(placed: Placed): placed is Placed & OrderedRow {
  return placed.item_id !== null;
}

type Values = [sourceId: number, format: string, spec: string, after: number, upTo: number, limit: number];

function valuesOf({ sourceId, format, spec, after, upTo }: OrderedPart, limit: number): Values {
  return [sourceId, format, spec, after, upTo, limit];
}

const [recordsForward, recordsBackward] = [recordsAt('asc'), recordsAt('desc')];
const [itemsForward, itemsBackward] = [itemsAt('asc'), itemsAt('desc')];

/**
 * The places are chosen first, and only then it is asked what stands there: PostgreSQL takes it for so unlikely that
 * anything does (two columns have to fit) that it would read all places behind, and sort them, for each page.
 */
function placesOf(db: Queryable, direction: 'asc' | 'desc', values: Values): Knex.QueryBuilder {
  return db
    .from(
      db.raw(
        `(select seq, resource_id from oai_record
          where source_id = ? and format = ? and spec = ? and seq > ? and seq <= ? order by seq ${direction} limit ?) as place`,
        values,
      ),
    )
    .leftJoin('change', (on) => on.onVal('change.source_id', values[0]).andOn('change.seq', 'place.seq'))
    .orderBy('place.seq', direction)
    .select('place.seq as place', 'place.seq as seq', 'change.at');
}

function recordsAt(direction: 'asc' | 'desc') {
  return question<Placed, Values>(6, (db, ...values) =>
    placesOf(db, direction, values)
      .leftJoin('resource', (on) => {
        on.on('resource.id', 'place.resource_id').andOn('resource.last_seq', 'place.seq');
        if (isPostgres(db)) on.andOnVal('resource.source_id', values[0]);
      })
      .leftJoin('item', (on) => {
        on.on('item.id', 'resource.item_id');
        if (isPostgres(db)) on.andOnVal('item.source_id', values[0]);
      })
      .select(recordColumns),
  );
}

function itemsAt(direction: 'asc' | 'desc') {
  return question<Placed, Values>(6, (db, ...values) =>
    placesOf(db, direction, values)
      .leftJoin('item', (on) => {
        on.on('item.id', db.raw('-place.resource_id'));
        if (isPostgres(db)) on.andOnVal('item.source_id', values[0]);
        on.andOnNotExists((query: Knex.QueryBuilder) => laterChanges(query, values[0]));
      })
      .select('item.id as item_id', 'item.identifier', 'item.datestamp'),
  );
}

/** Of anything else of the item. */
function laterChanges(query: Knex.QueryBuilder, sourceId: number): void {
  query
    .from('resource as later')
    .whereRaw('later.item_id = -place.resource_id')
    .whereRaw('later.last_seq > place.seq')
    .modify(ofSource, 'later', sourceId)
    .select('later.id');
}
