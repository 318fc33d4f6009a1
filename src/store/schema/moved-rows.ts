import type { Knex } from 'knex';
import { hashFromText } from '../drivers/sqlite-hashes.ts';
import { isPostgres } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';

/**
 * The rows of a table of before (`before_…`), on their way into the one that takes its place (`next_…`); until all are
 * there, neither has its name.
 */

/** Tables that did not say of which source they are, and who does. */
const owners: Readonly<Record<string, { readonly table: string; readonly key: string }>> = {
  version: { table: 'resource', key: 'resource_id' },
  item_collection: { table: 'item', key: 'item_id' },
  prior_version: { table: 'item', key: 'item_id' },
  prior_representation: { table: 'item', key: 'item_id' },
};
const hashColumns = new Set(['hash', 'base', 'content_hash']);

/** On SQLite: in whose order they are read. */
const orders: Readonly<Record<string, string>> = { version: 'resource_id' };
const rowsAtATime = 2_000;

/** On PostgreSQL nobody writes to the table any more: its blocks are copied one after the other. */
const blocksAtATime = 128;
/** Until PostgreSQL has counted. */
const rowsPerBlock = 50;

/** How far a step is, and how far it goes, in rows. */
export interface Extent {
  readonly last: number;
  /** Of one unit of its place. */
  readonly rows: number;
}

const nothing: Extent = { last: 0, rows: 1 };

export async function extentOf(db: Queryable, table: string): Promise<Extent> {
  const before = `before_${table}`;
  const isThere = () => db.schema.hasTable(before);
  // Another process may have come to its end before we ask, and while we do.
  if (!(await isThere())) return nothing;
  return measure(db, table, before).catch(async (error: unknown) => {
    if (await isThere()) throw error;
    return nothing;
  });
}

async function measure(db: Queryable, table: string, before: string): Promise<Extent> {
  if (!isPostgres(db)) {
    const [row] = await db(before).max({ last: orders[table] ?? 'rowid' });
    return { last: Number(row?.last ?? 0), rows: 1 };
  }
  const { rows } = await db.raw(
    `select pg_relation_size('${before}') / current_setting('block_size')::int as blocks,
      (select reltuples from pg_class where oid = '${before}'::regclass) as tuples`,
  );
  const { blocks, tuples }: { blocks: number; tuples: number } = rows[0];
  return { last: blocks, rows: tuples > 0 && blocks > 0 ? tuples / blocks : rowsPerBlock };
}

/**
 * Moves some rows. On SQLite they are deleted where they were, so that their room is used again; on PostgreSQL the whole
 * table goes when all are copied.
 * @returns how far it is; undefined: there is nothing left, and the table of before is gone
 */
export async function moveRows(
  trx: Knex.Transaction,
  table: string,
  after: number,
): Promise<number | undefined> {
  const moved = isPostgres(trx) ? await copyBlocks(trx, table, after) : await moveSome(trx, table, after);
  if (moved === undefined) await trx.raw(`drop table before_${table}`);
  return moved;
}

async function copyBlocks(trx: Knex.Transaction, table: string, after: number): Promise<number | undefined> {
  const { last } = await extentOf(trx, table);
  if (after >= last) return undefined;
  const until = after + blocksAtATime;
  // What it is joined with is found by its key, however little PostgreSQL knows of these tables by now.
  await trx.raw('set local enable_hashjoin = off');
  await trx.raw('set local enable_mergejoin = off');
  await copyWhere(trx, table, `own.ctid >= '(${after},0)'::tid and own.ctid < '(${until},0)'::tid`);
  return until;
}

async function moveSome(trx: Knex.Transaction, table: string, after: number): Promise<number | undefined> {
  const key = orders[table] ?? 'rowid';
  const rows: { key: number }[] = await trx(`before_${table}`)
    .select({ key })
    .where(key, '>', after)
    .orderBy(key)
    .limit(rowsAtATime);
  const last = rows.at(-1)?.key;
  if (last === undefined) return undefined;
  const range = `own.${key} > ${after} and own.${key} <= ${last}`;
  await copyWhere(trx, table, range);
  await trx.raw(`delete from before_${table} as own where ${range}`);
  return last;
}

async function copyWhere(trx: Knex.Transaction, table: string, range: string): Promise<void> {
  const own = await columnsOf(trx, `before_${table}`);
  const columns = await columnsOf(trx, `next_${table}`);
  const owner = own.includes('source_id') ? undefined : owners[table];
  const values = columns.map((column) => {
    if (column === 'source_id' && owner) return 'owner.source_id';
    return hashColumns.has(column) ? toOctets(trx, `own.${column}`) : `own.${column}`;
  });
  const ownerTable = owner && (isPostgres(trx) ? `before_${owner.table}` : owner.table);
  await trx.raw(
    `insert into next_${table} (${columns.join(', ')}) select ${values.join(', ')}
    from before_${table} as own
    ${owner ? `join ${ownerTable} as owner on owner.id = own.${owner.key}` : ''}
    where ${range}`,
  );
}

async function columnsOf(db: Queryable, table: string): Promise<readonly string[]> {
  return Object.keys(await db(table).columnInfo());
}

function toOctets(db: Queryable, column: string): string {
  if (!isPostgres(db)) return hashFromText(column);
  return `case when ${column} ~ '^sha-256:[0-9a-f]{64}$' then decode(substr(${column}, 9), 'hex')
    else convert_to(${column}, 'UTF8') end`;
}

/** Gives the new tables their names: from now on they are in use. */
export async function nameTables(trx: Knex.Transaction): Promise<void> {
  const rows: { name: string }[] = isPostgres(trx)
    ? await trx('pg_tables').select({ name: 'tablename' }).whereRaw('schemaname = current_schema()')
    : await trx('sqlite_master').select('name').where({ type: 'table' });
  for (const { name } of rows.filter((row) => row.name.startsWith('next_'))) {
    const table = name.slice('next_'.length);
    await trx.raw(`drop table if exists before_${table}`);
    await trx.raw(`alter table ${name} rename to ${table}`);
  }
}
