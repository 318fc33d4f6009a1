import { createRequire } from 'node:module';
import knex, { type Knex } from 'knex';
import PostgresClient from 'knex/lib/dialects/postgres/index.js';
import type pg from 'pg';
import { keepPlans } from '../drivers/kept-plans.ts';
import { isHash } from '../drivers/sqlite-hashes.ts';
import { nameOf, type SaidByName } from '../drivers/statement-names.ts';
import { type Connection, PostgresReach } from './postgres-reach.ts';
import { translate } from './storage-error.ts';

/**
 * knex over `pg`, with hashes as they are kept: an SHA-256 in 32 octets, any other in those of its text. As on SQLite
 * (`sqlite-hashes.ts`) every binding and every row has them as text, `sha-256:` and 64 letters, and this is the one place
 * that knows better: what is bound and reads like one is one, and a column of octets has hashes unless it is one of three.
 */
const octetColumns = new Set(['data', 'json_data', 'raw']);
const scheme = 'sha-256:';
const hexLetters = 64;

const int8 = 20;
const bytea = 17;

interface QueryObject {
  readonly sql: string;
  bindings?: readonly unknown[];
  options?: SaidByName;
  response?: pg.QueryArrayResult | pg.QueryResult<Record<string, unknown>>;
}

/** Of a connection: the reach of the pool that it is of. The client of a transaction is another one than the pool's. */
const reaches = new WeakMap<object, PostgresReach>();

/**
 * Connections that lead to one process of PostgreSQL, and not to a pooler that gives each transaction another: to those it
 * is enough to say a statement once. What was planned for it is kept there, and planning costs half of a small answer.
 */
const direct = new WeakSet<object>();

/** What is said of a statement that is not known by its name any more, or whose answer has other columns since. */
const forgotten = new Set(['26000', '0A000']);

class HashingClient extends PostgresClient {
  #reach: PostgresReach | undefined;

  override async acquireRawConnection(): Promise<Connection> {
    const since = performance.now();
    const reach = this.#ownReach();
    try {
      const connection = await super.acquireRawConnection();
      reaches.set(connection, reach);
      reach.add(connection);
      const { pid, timeline } = await placeOf(connection);
      if (pid !== connection.processID) return connection;
      direct.add(connection);
      if (timeline) reach.leads(connection, timeline);
      return connection;
    } catch (error) {
      reach.failed(error, since);
      throw error;
    }
  }

  override async acquireConnection(): Promise<Connection> {
    try {
      return await this.#ownReach().unlessAway(
        () => super.acquireConnection(),
        (connection) => void this.releaseConnection(connection),
      );
    } catch (error) {
      throw translate(error);
    }
  }

  override async query(connection: Connection, query: unknown): Promise<unknown> {
    try {
      return await super.query(connection, query);
    } catch (error) {
      // Whoever asked without a transaction is told the same.
      throw translate(error);
    }
  }

  override async destroy(done: () => void): Promise<void> {
    await super.destroy(done);
    this.#reach?.close();
  }

  get servers(): number {
    return this.#ownReach().servers;
  }

  #ownReach(): PostgresReach {
    const { timeoutMs } = this.config as unknown as PoolSettings;
    this.#reach ??= new PostgresReach({ timeoutMs, connect: () => this._acquireOnlyConnection() });
    return this.#reach;
  }

  override async _query(connection: Connection, query: QueryObject): Promise<QueryObject> {
    if (query.bindings) query.bindings = query.bindings.map(toBinding);
    const { isRepeated, isByKey = false, name = isRepeated && nameOf(query.sql) } = query.options ?? {};
    if (query.options) query.options = name !== undefined && direct.has(connection) ? { name } : {};
    const { transacting = false } = this as { readonly transacting?: boolean };
    // What begins a transaction is still said outside of it.
    const isWithin = transacting && !query.sql.startsWith('BEGIN');
    const reach = reaches.get(connection);
    reach?.ask(connection);
    try {
      if (!isWithin) await keepPlans(connection, isByKey && query.options?.name !== undefined);
      await byName(connection, query, isWithin, () => super._query(connection, query));
      reach?.answered(connection);
    } catch (error) {
      reach?.answered(connection, error);
      throw error;
    }
    const { response } = query;
    const results = Array.isArray(response) ? response : [response];
    for (const result of results) readOctets(result as pg.QueryResult<Record<string, unknown>> | undefined);
    return query;
  }
}

/**
 * @param isWithin a transaction, which is done again as a whole (`retried.ts`)
 * @param ask by its name, if it has one that the connection may know; again as it is, where that is forgotten
 */
async function byName(
  connection: Connection,
  query: QueryObject,
  isWithin: boolean,
  ask: () => Promise<unknown>,
): Promise<void> {
  try {
    await ask();
  } catch (error) {
    const { code = '' } = error as { readonly code?: string };
    if (query.options?.name === undefined || !forgotten.has(code)) throw error;
    direct.delete(connection);
    if (isWithin) throw error;
    query.options = {};
    await ask();
  }
}

/** What a connection leads to. */
interface Place extends pg.QueryResultRow {
  /** Of the process, as it says itself. */
  readonly pid: number;
  /** A replica that becomes the primary begins another one. */
  readonly timeline?: string | null;
}

/** A statement's column: the timeline of a primary. What is only like PostgreSQL may know of none, and fail. */
export const timelineOfPrimary = 'left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline';

const ofProcess = 'select pg_backend_pid() as pid';
const ofTimeline = `(select ${timelineOfPrimary} where not pg_is_in_recovery()) as timeline`;

async function placeOf(connection: Connection): Promise<Partial<Place>> {
  const ask = async (sql: string) => (await connection.query<Place>(sql)).rows[0] ?? {};
  return ask(`${ofProcess}, ${ofTimeline}`).catch(() => ask(ofProcess));
}

/** As `PostgresReach.servers`. */
export function serversOf({ client }: Knex): number {
  return (client as HashingClient).servers;
}

export interface PoolSettings extends Omit<Knex.Config, 'client' | 'connection'> {
  /** So long PostgreSQL may be silent. */
  readonly timeoutMs: number;
}

/** What is said to a connection on which nothing happens, after so long: routers forget those that are quiet. */
const keepAliveMs = 10_000;

export function openPostgresPool(url: string, settings: PoolSettings): Knex {
  const { timeoutMs, pool } = settings;
  const opened = knex({
    ...settings,
    pool: { ...pool, createTimeoutMillis: 2 * timeoutMs },
    client: HashingClient as unknown as typeof Knex.Client,
    connection: {
      connectionString: url,
      types: { getTypeParser: typeParser() },
      connectionTimeoutMillis: timeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMs,
    } as Knex.PgConnectionConfig,
  });
  // By this name everybody asks which database it is.
  opened.client.config.client = 'pg';
  return opened;
}

/** Our counters stay far below 2^53: as numbers, not as pg's strings. */
function typeParser(): typeof pg.types.getTypeParser {
  // As knex does it: SQLite needs none of it.
  const { types } = createRequire(import.meta.url)('pg') as typeof pg;
  return ((oid: number, format?: 'text' | 'binary') => {
    if (format !== 'binary' && oid === int8) return (value: string) => Number(value);
    if (format !== 'binary' && oid === bytea) return (value: string) => value;
    return types.getTypeParser(oid, format as 'text');
  }) as typeof types.getTypeParser;
}

function toBinding(value: unknown): unknown {
  if (typeof value === 'string') return hashAsHex(value);
  return Array.isArray(value) ? value.map(toBinding) : value;
}

/** As PostgreSQL reads it, in JSON too. */
export function hashAsHex(text: string): string {
  return isHash(text) ? `\\x${text.slice(scheme.length)}` : text;
}

/** `\x` and two letters for each octet, as PostgreSQL wrote it. */
function readOctets(result: pg.QueryResult<Record<string, unknown>> | undefined): void {
  for (const { name, dataTypeID } of result?.fields ?? []) {
    if (dataTypeID !== bytea) continue;
    const read = octetColumns.has(name) ? toOctets : toHash;
    for (const row of result?.rows ?? []) {
      const value = row[name];
      if (typeof value === 'string') row[name] = read(value);
    }
  }
}

function toOctets(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}

function toHash(hex: string): string {
  return hex.length === 2 + hexLetters ? scheme + hex.slice(2) : toOctets(hex).toString();
}

/** Within a statement: a hash as text, where JSON is made of it. */
export function hashAsTextOnPostgres(column: string): string {
  return `case when octet_length(${column}) = 32 then '${scheme}' || encode(${column}, 'hex') else convert_from(${column}, 'UTF8') end`;
}
