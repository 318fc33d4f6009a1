import { createHash } from 'node:crypto';
import type { Database } from '../../../src/store/engine/database.ts';

/** Of a table: how many rows it has, and a number that is another one if any of them is another. */
export interface TableSum {
  readonly rows: number;
  readonly sum: string;
}

const tables = [
  'item',
  'item_collection',
  'resource',
  'change',
  'version',
  'blob',
  'prior_version',
  'prior_representation',
  'item_file',
  'remote_file',
  'released',
  'moment',
] as const;

export type Told = Readonly<Record<string, TableSum>>;

/** The columns of what documents are made of, in a database of any schema. */
export async function columnsTold(database: Database): Promise<Readonly<Record<string, readonly string[]>>> {
  const found: Record<string, readonly string[]> = {};
  for (const table of tables) {
    if (!(await database.reader.schema.hasTable(table))) continue;
    found[table] = Object.keys(await database.reader(table).columnInfo()).sort();
  }
  return found;
}

const rowsAtATime = 20_000;

/**
 * What a database tells, in whatever order its rows are.
 * @param columns as `columnsTold` of a schema that it has, or once had
 * @param only a condition for some of the tables
 */
export async function told(
  database: Database,
  columns: Readonly<Record<string, readonly string[]>>,
  only: Readonly<Record<string, string>> = {},
): Promise<Told> {
  const sums: Record<string, TableSum> = {};
  for (const [table, own] of Object.entries(columns)) {
    let rows = 0;
    let sum = 0n;
    for await (const page of pagesOf(database, table, own, only[table] ?? 'true')) {
      rows += page.length;
      for (const row of page) sum = (sum + numberOf(row, own)) & mask;
    }
    sums[table] = { rows, sum: sum.toString(16) };
  }
  return sums;
}

const mask = (1n << 64n) - 1n;

function numberOf(row: Readonly<Record<string, unknown>>, columns: readonly string[]): bigint {
  const hash = createHash('sha1');
  for (const column of columns) {
    const value = row[column];
    hash.update(value instanceof Uint8Array ? value : `${String(value)}\n`);
  }
  return hash.digest().readBigUInt64BE();
}

async function* pagesOf(
  database: Database,
  table: string,
  columns: readonly string[],
  condition: string,
): AsyncGenerator<readonly Readonly<Record<string, unknown>>[]> {
  const list = columns.map((column) => `"${column}"`).join(', ');
  if (database.client === 'pg') {
    const trx = await database.writer.transaction();
    try {
      await trx.raw(`declare told cursor for select ${list} from ${table} where ${condition}`);
      for (;;) {
        const { rows } = await trx.raw(`fetch ${rowsAtATime} from told`);
        if (rows.length === 0) return;
        yield rows;
      }
    } finally {
      await trx.rollback();
    }
  }
  const [made] = await database.reader.raw('select sql from sqlite_master where name = ?', [table]);
  const isTree = /without rowid/i.test(made.sql);
  const key = isTree
    ? (columns.find((column) => ['resource_id', 'item_id'].includes(column)) ?? '')
    : 'rowid';
  const isBySource = isTree && 'source_id' in (await database.reader(table).columnInfo());
  const where = `${condition} and ${isBySource ? 'source_id in (select id from source) and ' : ''}${key}`;
  const [span] = await database.reader.raw(`select min(${key}) as low, max(${key}) as high from ${table}`);
  for (let low = Number(span.low ?? 1); low <= Number(span.high ?? 0); low += rowsAtATime)
    yield await database.reader.raw(
      `select ${list} from ${table} where ${where} >= ${low} and ${key} < ${low + rowsAtATime}`,
    );
}
