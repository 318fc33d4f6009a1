import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { BridgeError } from '../../core/errors.ts';
import { openSqliteFile, type SqliteDatabase, type SqliteStatement } from '../drivers/sqlite-driver.ts';
import { batchBytes } from '../engine/batches.ts';
import { insertRows, type Row } from '../engine/bulk.ts';
import type { Database } from '../engine/database.ts';
import { tablesOfJournals } from '../schema/journal-tables.ts';
import { refuseNewer, type SchemaRow, schemaTable } from '../schema/migrate.ts';
import { claims } from './others-processes.ts';

/** What PostgreSQL has instead of a row of SQLite. */
type Value = Row[string];

/**
 * What PostgreSQL has of its own: its schema, what processes say of themselves, places at hosts, what is due (planned anew), and
 * the words of the search, which are another kind of column there and are gathered anew beside other work.
 */
const notMoved: ReadonlySet<string> = new Set([
  schemaTable,
  'takeover',
  ...['process', 'under_way', 'asker', 'host', 'host_slot', 'due'],
  ...['description', 'described'],
]);

/** Others refer to their rows. */
const first = ['source', 'run'] as const;

/** Whoever has rows in one of these has begun already. */
const telling = ['source', 'kept_source', 'change', 'admin_account', 'api_token'] as const;

const wholeNumbers: ReadonlySet<string> = new Set(['smallint', 'integer', 'bigint']);
const rowsAtATime = 2_000;

export interface MoveProgress {
  readonly table: string;
  /** Rows of all tables so far. */
  readonly rows: number;
}

/**
 * Everything of an SQLite database, of one moment, into a PostgreSQL of the same schema that is empty: in one transaction, so that a
 * move that is broken off has changed nothing. Journals get new names, as with every backup that is put back.
 * @param file of this version's schema
 * @returns how many rows
 * @throws BridgeError `backup-refused` where PostgreSQL has something already, or the file is of another schema
 */
export async function moveIntoPostgres(
  file: string,
  target: Database,
  onProgress: (progress: MoveProgress) => void = () => undefined,
): Promise<number> {
  const from = openSqliteFile(file);
  try {
    // One moment, also while others write.
    from.exec('pragma query_only = on; begin');
    refuseOlder(from, await target.reader(schemaTable).select('*'), file);
    return await target.transaction(async (trx) => {
      await refuseFilled(trx);
      let rows = 0;
      for (const { table, columns } of await sharedTables(trx, from)) {
        // What a migration has left there is what the rows that come have, too.
        await trx(table).delete();
        for (const batch of batchesOf(from, table, columns)) {
          await insertRows(trx, table, batch);
          rows += batch.length;
          onProgress({ table, rows });
        }
        await continueNumbers(trx, table);
        for (const { holder, expires } of claims.filter(
          (claim) => claim.table === table && columns.has(claim.holder),
        ))
          await trx(table)
            .whereNotNull(holder)
            .update({ [holder]: null, [expires]: null });
      }
      for (const table of tablesOfJournals)
        for (const { id } of await trx(table).select('id'))
          await trx(table).where({ id }).update({ journal_id: randomUUID() });
      return rows;
    });
  } finally {
    // On Node 20 a file stays open, and what is read of it locked, until its statements are collected.
    if (from.isTransaction) from.exec('rollback');
    from.close();
  }
}

function refuseOlder(from: SqliteDatabase, there: readonly SchemaRow[], file: string): void {
  const rows = from.prepare(`select * from ${schemaTable}`).all() as unknown as SchemaRow[];
  refuseNewer(rows);
  const done = new Set(rows.map(({ name }) => name));
  const missing = there.filter(({ name }) => !done.has(name)).map(({ name }) => name);
  if (missing.length > 0)
    throw new BridgeError('backup-refused', `${file} is of an older schema: it lacks ${missing.join(', ')}`);
}

async function refuseFilled(trx: Knex.Transaction): Promise<void> {
  for (const table of telling) {
    if ((await trx(table).first('*')) === undefined) continue;
    throw new BridgeError(
      'backup-refused',
      `the PostgreSQL database is not empty (${table} has rows), and nothing of it is overwritten; name one that is new (createdb) in database.url`,
    );
  }
}

interface SharedTable {
  readonly table: string;
  /** Each with the type that it has in PostgreSQL. */
  readonly columns: ReadonlyMap<string, string>;
}

async function sharedTables(trx: Knex.Transaction, from: SqliteDatabase): Promise<readonly SharedTable[]> {
  const { rows }: { rows: { name: string; column: string; type: string }[] } = await trx.raw(`
    select c.relname as name, a.attname as column, a.atttypid::regtype::text as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname, a.attnum`);
  const tables = new Map<string, Map<string, string>>(first.map((table) => [table, new Map()]));
  for (const { name, column, type } of rows) {
    if (notMoved.has(name)) continue;
    const columns = tables.get(name) ?? new Map<string, string>();
    tables.set(name, columns.set(column, type));
  }
  const there = from.prepare("select name from sqlite_master where type = 'table'").all();
  const names = new Set(there.map(({ name }) => String(name)));
  return [...tables].flatMap(([table, columns]) => (names.has(table) ? { table, columns } : []));
}

/** As many rows as lie in memory at a time, by their number and by their octets. */
function* batchesOf(
  from: SqliteDatabase,
  table: string,
  columns: ReadonlyMap<string, string>,
): Generator<readonly Row[]> {
  const list = [...columns.keys()].map((column) => `"${column}"`).join(', ');
  const statement = from.prepare(`select ${list} from "${table}"`);
  statement.setReadBigInts(true);
  let batch: Row[] = [];
  let octets = 0;
  for (const row of rowsOf(statement)) {
    const moved: Record<string, Value> = {};
    for (const [column, type] of columns) {
      const value = asPostgresHasIt(row[column] ?? null, type);
      moved[column] = value;
      octets += value instanceof Uint8Array ? value.byteLength : typeof value === 'string' ? value.length : 8;
    }
    batch.push(moved);
    if (batch.length < rowsAtATime && octets < batchBytes) continue;
    yield batch;
    batch = [];
    octets = 0;
  }
  if (batch.length > 0) yield batch;
}

type Stored = null | number | bigint | string | Uint8Array;

function rowsOf(statement: SqliteStatement): Iterable<Readonly<Record<string, Stored>>> {
  return statement.iterate() as Iterable<Readonly<Record<string, Stored>>>;
}

/** SQLite keeps a hash as its 32 octets also where the column is one of text (`sqlite-hashes.ts`), and fractions where whole numbers belong. */
function asPostgresHasIt(value: Stored, type: string): Value {
  if (typeof value === 'number' && wholeNumbers.has(type)) return Math.floor(value);
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (value instanceof Uint8Array && type !== 'bytea') return `sha-256:${Buffer.from(value).toString('hex')}`;
  return value;
}

/** Numbers that PostgreSQL gives go on behind those that came. */
async function continueNumbers(trx: Knex.Transaction, table: string): Promise<void> {
  const { rows }: { rows: { column: string; sequence: string | null }[] } = await trx.raw(
    `select attname as column, pg_get_serial_sequence(quote_ident(?), attname) as sequence
     from pg_attribute where attrelid = quote_ident(?)::regclass and attnum > 0 and not attisdropped`,
    [table, table],
  );
  for (const { column, sequence } of rows) {
    if (sequence === null) continue;
    await trx.raw('select setval(?::regclass, max(??)) from ?? having max(??) is not null', [
      sequence,
      column,
      table,
      column,
    ]);
  }
}
