import type { Knex } from 'knex';
import { isHash, listedHashes } from '../drivers/sqlite-hashes.ts';
import type { SaidByName } from '../drivers/statement-names.ts';
import { batches } from './batches.ts';
import type { Queryable } from './database.ts';
import { asArrays } from './postgres-arrays.ts';
import { directStatements } from './sqlite-dialect.ts';

/**
 * Many rows in few statements. SQLite takes multi-row VALUES in a handful of fixed sizes, so that its
 * prepared statements are reused; PostgreSQL takes an array of each column (8,000 bound parameters would cost it
 * more to plan than the rows to insert). Both are the same insert, and every test of the store runs on both.
 */

type Value = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, Value>>;

export interface InsertOptions {
  /** On a clash in these columns: overwrite `update`, or keep the old row where it is empty. */
  readonly conflict?: {
    readonly columns: readonly string[];
    readonly update: readonly string[];
    /** They are sets of bits: those of both rows stay. */
    readonly asBits?: boolean;
  };
  readonly returning?: readonly string[];
}

/** Largest first: any number of rows is a sum of these. */
const chunkSizes = [64, 16, 4, 1] as const;

/** So many lie in memory at once, and are one array for each column of PostgreSQL. */
const rowsAtATime = 5_000;

/**
 * @param rows may be made as they are asked for, where there are very many
 * @returns the `returning` columns of the rows that were written, in no particular order
 */
export async function insertRows<Returned extends object = object>(
  trx: Knex.Transaction,
  table: string,
  rows: Iterable<Row>,
  options: InsertOptions = {},
): Promise<Returned[]> {
  const insert = isPostgres(trx) ? insertAsArrays : insertAsValues;
  if (Array.isArray(rows) && rows.length <= rowsAtATime)
    return rows.length === 0 ? [] : insert<Returned>(trx, table, rows, options);
  const returned: Returned[] = [];
  for (const some of batches(rows, rowsAtATime)) {
    for (const row of await insert<Returned>(trx, table, some, options)) returned.push(row);
  }
  return returned;
}

async function insertAsArrays<Returned>(
  trx: Knex.Transaction,
  table: string,
  rows: readonly Row[],
  options: InsertOptions,
): Promise<Returned[]> {
  const columns = columnsOf(rows);
  const list = columns.map(quote).join(', ');
  const { sql, bindings } = await asArrays(trx, table, columns, rows);
  const insert = `insert into ${quote(table)} (${list}) select ${list} from ${sql}`;
  const statement = insert + suffix(table, options);
  const result: { rows: Returned[] } = await trx
    .raw(statement, [...bindings])
    .options({ isRepeated: true } satisfies SaidByName);
  return result.rows;
}

async function insertAsValues<Returned>(
  trx: Knex.Transaction,
  table: string,
  rows: readonly Row[],
  options: InsertOptions,
): Promise<Returned[]> {
  const columns = columnsOf(rows);
  const insert = `insert into ${quote(table)} (${columns.map(quote).join(', ')})`;
  const tuple = `(${columns.map(() => '?').join(', ')})`;
  const returned: Returned[] = [];
  const run = await directStatements(trx);
  let start = 0;
  for (const size of chunkSizes) {
    if (rows.length - start < size) continue;
    const sql = `${insert} values ${Array(size).fill(tuple).join(', ')}${suffix(table, options)}`;
    for (; rows.length - start >= size; start += size) {
      const written = await run(sql, valuesOf(rows, columns, start, start + size));
      if (options.returning) returned.push(...(written as Returned[]));
    }
  }
  return returned;
}

/** One after the other: counting leaves nothing behind, where iterators leave an object for each value. */
function valuesOf(rows: readonly Row[], columns: readonly string[], start: number, end: number): Value[] {
  const values: Value[] = new Array((end - start) * columns.length);
  let at = 0;
  for (let index = start; index < end; index += 1) {
    const row = rows[index] as Row;
    for (let column = 0; column < columns.length; column += 1) {
      values[at] = row[columns[column] as string] ?? null;
      at += 1;
    }
  }
  return values;
}

function columnsOf([first = {}]: readonly Row[]): readonly string[] {
  return Object.keys(first);
}

const listed = 'select value from json_each(?)';

/** `column in (values)` with one parameter, however many values there are. */
export function whereAnyOf(
  query: Knex.QueryBuilder,
  column: string,
  values: readonly string[] | readonly number[],
): void {
  if (isPostgres(query)) query.whereRaw('?? = any(?)', [column, values as unknown as Knex.Value]);
  else {
    const list = values.some((value) => typeof value === 'string' && isHash(value)) ? listedHashes : listed;
    query.whereRaw(`?? in (${list})`, [column, JSON.stringify(values)]);
  }
}

/** The same for a question of a list that has no hashes, which is given it by `asList`. */
export function anyInList(db: Queryable, column: string): string {
  return isPostgres(db) ? `${column} = any(?)` : `${column} in (${listed})`;
}

export function asList<Value extends string | number>(
  db: Queryable,
  values: readonly Value[],
): string | readonly Value[] {
  return isPostgres(db) ? values : JSON.stringify(values);
}

export function isPostgres(query: Knex.QueryInterface | Knex.QueryBuilder): boolean {
  return (query as unknown as { client: { config: { client: unknown } } }).client.config.client === 'pg';
}

function suffix(table: string, options: InsertOptions): string {
  return conflictClause(table, options) + returningClause(options);
}

function conflictClause(table: string, { conflict }: InsertOptions): string {
  if (!conflict) return '';
  const target = ` on conflict (${conflict.columns.map(quote).join(', ')})`;
  if (conflict.update.length === 0) return `${target} do nothing`;
  const before = (column: string) => (conflict.asBits ? `${quote(table)}.${quote(column)} | ` : '');
  const updates = conflict.update.map(
    (column) => `${quote(column)} = ${before(column)}excluded.${quote(column)}`,
  );
  return `${target} do update set ${updates.join(', ')}`;
}

function returningClause({ returning }: InsertOptions): string {
  return returning ? ` returning ${returning.map(quote).join(', ')}` : '';
}

function quote(name: string): string {
  return `"${name}"`;
}
