import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Knex } from 'knex';
import type { DatabaseConfig } from '../../core/config/config.ts';
import { sqliteEdition } from '../drivers/sqlite-edition.ts';
import { type AnswerSettings, openAnswers } from '../replicas/answers.ts';
import type { ReplicaState } from '../replicas/replica.ts';
import { checkpointAtEnd, keepCheckpointed } from './checkpoint.ts';
import { openPostgresPool, serversOf } from './postgres-dialect.ts';
import { retried } from './retried.ts';
import { busyTimeoutMs, knexLog, openSqlite, readTogether } from './sqlite-dialect.ts';
import { translate } from './storage-error.ts';

/** What store functions take: the database or a transaction in it. */
export type Queryable = Knex | Knex.Transaction;

/**
 * One database. On SQLite there is exactly one writing connection, because two in one process would wait for
 * each other inside the event loop; readers have connections of their own and never wait (WAL).
 */
export interface Database {
  readonly client: 'sqlite' | 'pg';
  /** So long without a sign of life, and what a process works on is free for others. */
  readonly leaseMs: number;
  /**
   * How far the clock of this process is ahead of the one that all processes at this database go by: PostgreSQL's.
   * Nothing until `lookAtClock` has looked.
   */
  aheadMs: number;
  readonly writer: Knex;
  /** Of those who work: on PostgreSQL the primary, with the connections that they write with. */
  readonly reader: Knex;
  /** Of those who answer requests, and only read (`replicas/answers.ts`). */
  readonly answers: DatabaseAnswers;
  /**
   * Runs `work` in a writing transaction that commits when it resolves; again from its beginning where the database gave
   * it up for the sake of another one.
   */
  transaction<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T>;
  /**
   * The same for what may be left undone: on SQLite it does not wait for another process that writes, which would hold up all
   * of this one.
   * @throws BridgeError `database-locked` while another one writes
   */
  offhand<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T>;
  /** Runs `work` on one unchanging view of everything committed so far, for as long as it takes. */
  snapshot<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T>;
  /**
   * Another number as soon as it is another server, a replica that has become the primary: what was read before may not be
   * there. Behind a pooler, and on SQLite, always the same.
   */
  server(): number;
  /**
   * Another number as soon as anything was committed, by whatever connection of whatever process. What was read since it
   * was the same as now would be read again. Undefined: that is not known; a database on another machine is never asked.
   */
  edition(): number | undefined;
  /**
   * What is asked at once (`question.ts`) from now on is asked of one moment, until the function is called that this returns: before
   * anything else happens in this process, and after `edition` where both are asked.
   */
  readTogether(): () => void;
  close(): Promise<void>;
}

export interface DatabaseAnswers {
  /** Has connections of its own; on PostgreSQL a replica may answer, where it knows all that was committed before. */
  readonly reader: Knex;
  /** What is read while `work` and what it begins goes on: what was seen once is seen again. Undefined: it always is. */
  readonly asOne?: (<T>(work: () => T) => T) | undefined;
  /** What is read together from now on is read at the primary: something was written there. */
  stayAtPrimary(): void;
  /** How each of `database.replicaUrl` is doing. */
  lookAtReplicas(): Promise<readonly ReplicaState[]>;
}

const defaultLeaseSeconds = 60;
const defaultTimeoutSeconds = 5;
const defaultReaderPoolSize = 5;

/** The same database, for those who answer requests: what they read is asked where `answers` leads. */
export function forAnswers(database: Database): Database {
  const { reader, stayAtPrimary } = database.answers;
  return Object.create(database, {
    reader: { value: reader },
    writer: {
      get: () => {
        stayAtPrimary();
        return database.writer;
      },
    },
    transaction: {
      value: <T>(work: (trx: Knex.Transaction) => Promise<T>) => {
        stayAtPrimary();
        return database.transaction(work);
      },
    },
  } satisfies Partial<Record<keyof Database, PropertyDescriptor>>) as Database;
}

export function openDatabase(config: DatabaseConfig): Database {
  const leaseMs = (config.leaseSeconds ?? defaultLeaseSeconds) * 1000;
  return config.client === 'sqlite'
    ? openSqliteDatabase(config.file, leaseMs)
    : openPostgres({
        ...config,
        leaseMs,
        readerPoolSize: config.readerPoolSize ?? defaultReaderPoolSize,
        timeoutMs: (config.timeoutSeconds ?? defaultTimeoutSeconds) * 1000,
      });
}

function openSqliteDatabase(file: string, leaseMs: number): Database {
  mkdirSync(dirname(file), { recursive: true });
  const pragmas = [
    `busy_timeout = ${busyTimeoutMs}`,
    'journal_mode = WAL',
    'synchronous = NORMAL',
    'foreign_keys = ON',
    'temp_store = MEMORY',
  ];
  const writer = openSqlite(
    {
      filename: file,
      pragmas: [
        ...pragmas,
        'cache_size = -16384',
        // Pages of indexes are written over and over: 32 MB of log gather them before they go to the file.
        'wal_autocheckpoint = 8000',
        // Once a long snapshot has been read, the log that grew meanwhile is cut again.
        'journal_size_limit = 67108864',
      ],
    },
    { min: 0, max: 1 },
  );
  const reader = openSqlite(
    {
      filename: file,
      // Lists are read from one end to the other; questions come again and again to the same pages of indexes.
      pragmas: [...pragmas, 'cache_size = -4096', 'query_only = ON'],
      ofQuestions: ['cache_size = -16384'],
    },
    { min: 0, max: 4 },
  );
  const checkpoints = keepCheckpointed(file, writer);
  const edition = sqliteEdition(file);
  return {
    client: 'sqlite',
    leaseMs,
    aheadMs: 0,
    writer,
    reader,
    answers: { reader, stayAtPrimary: () => undefined, lookAtReplicas: () => Promise.resolve([]) },
    transaction: (work) => translated(() => retried(() => writer.transaction(work), busyTimeoutMs)),
    offhand: (work) =>
      translated(() =>
        writer.transaction(async (trx) => {
          await trx.raw('pragma busy_timeout = 0');
          try {
            return await work(trx);
          } finally {
            await trx.raw(`pragma busy_timeout = ${busyTimeoutMs}`);
          }
        }),
      ),
    snapshot: (work) => translated(() => reader.transaction(work)),
    server: () => 0,
    edition: edition.read,
    readTogether: () => readTogether(reader),
    close: async () => {
      checkpoints.stop();
      edition.close();
      await reader.destroy();
      await checkpointAtEnd(file, writer);
      await writer.destroy();
    },
  };
}

interface PostgresSettings extends AnswerSettings {
  readonly poolSize: number;
  readonly leaseMs: number;
  readonly timeoutMs: number;
}

function openPostgres(config: PostgresSettings): Database {
  const openPool = (url: string, size: number) =>
    openPostgresPool(url, {
      log: knexLog,
      pool: { min: 0, max: size, afterCreate: setUp(config.leaseMs) },
      acquireConnectionTimeout: 30_000,
      timeoutMs: config.timeoutMs,
    });
  const connection = openPool(config.url, config.poolSize);
  const answers = openAnswers(config, openPool, knexLog);
  return {
    client: 'pg',
    leaseMs: config.leaseMs,
    aheadMs: 0,
    writer: connection,
    reader: connection,
    answers,
    transaction: (work) => translated(() => retried(() => connection.transaction(work))),
    offhand: (work) => translated(() => connection.transaction(work)),
    snapshot: (work) =>
      translated(() => connection.transaction(work, { isolationLevel: 'repeatable read', readOnly: true })),
    server: () => serversOf(connection),
    edition: () => undefined,
    readTogether: () => () => undefined,
    close: async () => {
      await answers.close();
      await connection.destroy();
    },
  };
}

/**
 * A process that stands still, or is cut off, in the middle of a transaction locks rows that nobody else can have: its
 * transaction ends with its lease.
 */
function setUp(leaseMs: number) {
  const statement = `set idle_in_transaction_session_timeout = ${leaseMs}`;
  return (connection: { query(sql: string, done: (error: unknown) => void): void }, done: Done): void =>
    connection.query(statement, (error) => done(error, connection));
}

type Done = (error: unknown, connection: unknown) => void;

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translate(error);
  }
}
