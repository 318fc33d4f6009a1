import knex, { type Knex } from 'knex';
import BetterSqlite3Client from 'knex/lib/dialects/better-sqlite3/index.js';
import { RecentlyUsed } from '../../core/memory/recently-used.ts';
import { openSqliteFile, type SqliteDatabase, type SqliteStatement } from '../drivers/sqlite-driver.ts';
import { readHash, storedHash } from '../drivers/sqlite-hashes.ts';
import { translate } from './storage-error.ts';
import { giveWay } from './time-slice.ts';

/**
 * knex over `node:sqlite`, or the package with the same API (`sqlite-driver.ts`). Prepared statements are kept per
 * connection: the native memory of an abandoned statement is invisible to the garbage collector, and 2,000 of them cost
 * 350 MB of RSS.
 */

interface SqliteConnection {
  readonly database: SqliteDatabase;
  readonly statements: RecentlyUsed<string, PreparedStatement>;
  readonly file: string;
}

interface PreparedStatement {
  readonly statement: SqliteStatement;
  /** Undefined: it returns no rows. */
  readonly columns: readonly Column[] | undefined;
  /** A row without values. */
  readonly empty: SqliteRow;
  /** It says `*`: what that stands for changes with the schema. */
  readonly isOpen: boolean;
}

interface Column {
  readonly name: string;
  /** It was made for octets. */
  readonly isOctets: boolean;
}

type SqliteRow = Record<string, unknown>;

interface QueryObject {
  sql: string;
  bindings?: readonly unknown[];
  response?: unknown;
  context?: { lastID: number | bigint; changes: number | bigint };
}

export interface SqliteSettings {
  readonly filename: string;
  readonly pragmas: readonly string[];
  /** Besides those, of the one connection that answers questions, past the pool. With it nothing is ever written. */
  readonly ofQuestions?: readonly string[];
}

const keptStatements = 100;
/** Another process may hold the write lock for the length of a page. */
export const busyTimeoutMs = 15_000;

class SqliteClient extends BetterSqlite3Client {
  _driver(): typeof openSqliteFile {
    return openSqliteFile;
  }

  /** The clients of transactions have none: what they ask is asked within them. */
  readonly questions = openQuestions(this.connectionSettings as unknown as SqliteSettings);

  override async acquireRawConnection(): Promise<SqliteConnection> {
    return openConnection(this.connectionSettings as unknown as SqliteSettings);
  }

  override async destroyRawConnection(connection: SqliteConnection): Promise<void> {
    connection.statements.clear();
    connection.database.close();
  }

  override async query(connection: SqliteConnection, query: unknown): Promise<unknown> {
    try {
      return await super.query(connection, query);
    } catch (error) {
      // Whoever asked without a transaction is told the same.
      throw translate(error);
    }
  }

  async _query(connection: SqliteConnection, query: QueryObject): Promise<QueryObject> {
    const turn = giveWay();
    if (turn) await turn;
    return answer(connection, query);
  }

  override async destroy(callback?: () => void): Promise<void> {
    this.questions?.close();
    return super.destroy(callback);
  }
}

/** Answers each question at once: none is ever under way, so all of them can have one connection. */
export interface Questions {
  ask(query: QueryObject): QueryObject;
  /**
   * What is asked with `askTogether` until the function is called that it returns is asked of one moment: SQLite then locks and looks
   * for what is new once, not for each.
   */
  together(): () => void;
  askTogether(query: QueryObject): QueryObject;
  close(): void;
}

/**
 * Without waiting for a connection of the pool, which takes half a dozen promises and a timer for each statement.
 * @returns undefined for whoever writes: there a question waits for the transaction before it
 */
function openQuestions({ filename, pragmas, ofQuestions }: SqliteSettings): Questions | undefined {
  if (!ofQuestions) return undefined;
  const settings = { filename, pragmas: [...pragmas, ...ofQuestions] };
  let connection: SqliteConnection | undefined;
  let isClosed = false;
  let isTogether = false;

  function open(): SqliteConnection {
    if (isClosed) throw new Error('a question came after the database was closed');
    connection ??= openConnection(settings);
    return connection;
  }

  function leave(): void {
    if (!isTogether || !connection) return;
    isTogether = false;
    try {
      runQuery(connection, { sql: 'commit' });
    } catch {
      // What has begun must end, or the same moment would be read for ever.
      close();
    }
  }

  function close(): void {
    isTogether = false;
    connection?.statements.clear();
    connection?.database.close();
    connection = undefined;
  }

  return {
    ask: (query) => {
      // Whoever waits for its answer may have written meanwhile.
      leave();
      return answer(open(), query);
    },
    together: () => {
      leave();
      runQuery(open(), { sql: 'begin' });
      isTogether = true;
      return leave;
    },
    askTogether: (query) => answer(open(), query),
    close: () => {
      isClosed = true;
      close();
    },
  };
}

function openConnection({ filename, pragmas }: SqliteSettings): SqliteConnection {
  let database: SqliteDatabase | undefined;
  try {
    database = openSqliteFile(filename);
    for (const pragma of pragmas) database.exec(`pragma ${pragma}`);
    return { database, statements: new RecentlyUsed(keptStatements), file: filename };
  } catch (error) {
    database?.close();
    throw Object.assign(error as Error, { databaseFile: filename });
  }
}

function answer(connection: SqliteConnection, query: QueryObject): QueryObject {
  // On a full disk SQLite has ended the transaction itself: what is to be told is why, and not that there is none any more.
  if (/^rollback;?$/i.test(query.sql) && !connection.database.isTransaction) return query;
  try {
    return runQuery(connection, query);
  } catch (error) {
    throw Object.assign(error as Error, { databaseFile: connection.file });
  }
}

interface TransactionClient {
  acquireConnection(): Promise<SqliteConnection>;
  _query(connection: SqliteConnection, query: QueryObject): Promise<QueryObject>;
}

/** A statement of many values, in a transaction. @returns its rows */
export type DirectStatement = (sql: string, bindings: readonly unknown[]) => Promise<unknown>;

/**
 * Past knex, which copies each value several times on its way and looks at the text of the statement for each: that was
 * an eighth of what storing a page costs.
 */
export async function directStatements(trx: Knex.Transaction): Promise<DirectStatement> {
  const client = (trx as unknown as { client: TransactionClient }).client;
  const connection = await client.acquireConnection();
  return async (sql, bindings) => {
    if (trx.isCompleted()) throw new Error('a statement came after the end of its transaction');
    try {
      return (await client._query(connection, { sql, bindings })).response;
    } catch (error) {
      // As knex has it.
      if (error instanceof Error) error.message = `${sql} - ${error.message}`;
      throw error;
    }
  };
}

function runQuery(connection: SqliteConnection, query: QueryObject): QueryObject {
  const prepared = prepare(connection, query.sql);
  const { statement } = prepared;
  const bindings = bindingsOf(query.bindings);
  if (prepared.columns) {
    query.response = readRows(prepared, bindings);
    return query;
  }
  const result = statement.run(...bindings);
  const [lastInsertRowid, changes] = [Number(result.lastInsertRowid), Number(result.changes)];
  query.response = { lastInsertRowid, changes };
  query.context = { lastID: lastInsertRowid, changes };
  return query;
}

/**
 * The objects that the driver makes of rows are hash tables, of a kilobyte each where a table has many columns:
 * 50,000 rows take 50 MB. It is asked for bare values, and these become objects of one shape, a sixth as large.
 */
function readRows(
  { statement, isOpen, ...prepared }: PreparedStatement,
  bindings: readonly Binding[],
): unknown[] {
  const rows: unknown[] = statement.all(...bindings);
  const columns = (isOpen ? undefined : prepared.columns) ?? columnsOf(statement);
  const empty = isOpen ? emptyRow(columns) : prepared.empty;
  for (let index = 0; index < rows.length; index += 1) {
    const values = rows[index] as unknown[];
    const row = { ...empty };
    for (let at = 0; at < columns.length; at += 1) {
      const { name, isOctets } = columns[at] as Column;
      const value = values[at];
      row[name] = typeof value === 'object' ? readHash(value, isOctets) : value;
    }
    rows[index] = row;
  }
  return rows;
}

function columnsOf(statement: SqliteStatement): readonly Column[] {
  return statement.columns().map(({ name, type }) => ({ name, isOctets: type?.toLowerCase() === 'blob' }));
}

/** Copies of an object that has the columns keep its shape, whatever is set. */
function emptyRow(columns: readonly Column[]): SqliteRow {
  return { ...Object.fromEntries(columns.map(({ name }) => [name, null])) };
}

function prepare(connection: SqliteConnection, sql: string): PreparedStatement {
  const { database, statements } = connection;
  const known = statements.get(sql);
  if (known) return known;
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  const columns = columnsOf(statement);
  // The index of words numbers rows of its own beyond what a number holds, which Node 26 refuses to tell otherwise.
  if (columns.length === 0) statement.setReadBigInts(true);
  const prepared = {
    statement,
    columns: columns.length > 0 ? columns : undefined,
    empty: emptyRow(columns),
    isOpen: sql.includes('*'),
  };
  // Schema changes and pragmas are run once; a cached statement would hold on to the old schema.
  if (/^\s*(select|insert|update|delete|with|begin|commit)\b/i.test(sql)) statements.add(sql, prepared);
  return prepared;
}

function bindingsOf(values: readonly unknown[] = []): Binding[] {
  const bindings: Binding[] = new Array(values.length);
  for (let index = 0; index < values.length; index += 1) bindings[index] = toBinding(values[index]);
  return bindings;
}

type Binding = null | number | bigint | string | Uint8Array;

function toBinding(value: unknown): Binding {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string') return storedHash(value);
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`cannot bind a ${typeof value} to a statement`);
}

/**
 * Brings everything into the database file and empties the log, unless somebody is reading what is in it: that is not
 * waited for, as waiting would hold up this whole process.
 */
export async function checkpointSqlite(knexInstance: Knex): Promise<void> {
  const { client } = knexInstance as unknown as {
    client: {
      acquireConnection(): Promise<SqliteConnection>;
      releaseConnection(connection: SqliteConnection): Promise<void>;
    };
  };
  const connection = await client.acquireConnection();
  try {
    connection.database.exec('pragma busy_timeout = 0');
    connection.database.exec('pragma wal_checkpoint(truncate)');
  } finally {
    connection.database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
    await client.releaseConnection(connection);
  }
}

const mute = () => undefined;

/** knex would talk to the console about failures that it throws as well. */
export const knexLog: Knex.Logger = { warn: mute, error: mute, deprecate: mute, debug: mute };

/** @returns how the moment ends of which is asked at once from now on */
export function readTogether(reader: Knex): () => void {
  return (reader.client as SqliteClient).questions?.together() ?? (() => undefined);
}

export function openSqlite(settings: SqliteSettings, pool: { min: number; max: number }): Knex {
  return knex({
    client: SqliteClient as unknown as typeof Knex.Client,
    connection: settings as unknown as Knex.StaticConnectionConfig,
    pool,
    log: knexLog,
    useNullAsDefault: true,
  });
}
