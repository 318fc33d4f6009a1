import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { BridgeError } from '../../core/errors.ts';
import {
  openSqliteFile,
  type SqliteDatabase,
  type SqliteStatement,
} from '../../store/drivers/sqlite-driver.ts';

/** What a copy knows of itself lies in it, below one name. */
export const ownFolder = '.rsbridge';
/** Raised with every change of the tables that an older release would not understand. */
const schemaVersion = 4;
/** So many changes, or what came in so many milliseconds, are lost at most when the process is killed. */
const longestBatch = 2_000;
const longestBatchMs = 500;

const documentTable = `
  create table document (
    uri text primary key,
    -- Where it came from.
    url text not null,
    -- JSON.
    headers text not null,
    packed blob not null
  ) without rowid;
`;

const tables = `
  create table setting (name text primary key, value text not null) without rowid;
  create table held (
    id integer primary key,
    loc text not null unique,
    path text not null,
    -- Its letters in one case: on some file systems they are one file.
    fold text not null unique,
    -- When what is held was so, in the Source's time.
    as_of text not null,
    lastmod text,
    -- Of the bytes; other hashes that the Source stated and that fitted them are in hashes.
    -- Null where contents are not copied.
    sha256 blob,
    hashes text,
    length integer,
    type text,
    etag text,
    last_modified text,
    fetched_at text not null,
    -- It is newer than what was stated, as its server said.
    provisional integer not null default 0,
    -- Since when it is to be deleted, in the Source's time.
    doomed text,
    -- What the sink noted of it.
    note text
  );
  create index held_doomed on held (doomed) where doomed is not null;
  create table due (
    id integer primary key,
    loc text not null unique,
    change text,
    as_of text not null,
    lastmod text,
    hashes text,
    length integer,
    type text,
    links text,
    failures integer not null default 0,
    next_try text,
    reason text
  );
  create table gone (loc text primary key, as_of text not null) without rowid;
  create table run (
    id integer primary key,
    started_at text not null,
    ended_at text,
    way text not null,
    outcome text,
    counts text
  );
  ${documentTable}
`;

/** What each version of the tables has that the one before had not. In the fourth, links of what is expected may be unread. */
const steps = ['', 'alter table held add column note text', documentTable, ''];

/** What is bound; nothing is null. */
export type Bound = string | number | Uint8Array | undefined;

/**
 * The state of a copy: SQLite beside what is copied. Writes are gathered into transactions of some hundred; whatever a
 * kill takes away is found again, for the files are there.
 */
export class CopyDatabase {
  readonly #database: SqliteDatabase;
  readonly #lock: SqliteDatabase | undefined;
  readonly #statements = new Map<string, SqliteStatement>();
  readonly #now: () => number;
  #open: { writes: number; since: number } | undefined;
  /** Everything is taken back at the end. */
  #isTrial = false;

  private constructor(database: SqliteDatabase, lock: SqliteDatabase | undefined, now: () => number) {
    this.#database = database;
    this.#lock = lock;
    this.#now = now;
  }

  /**
   * @param directory of the copy; undefined: nothing is kept
   * @throws BridgeError `copy-busy` while another process works on it; `database-newer`
   */
  static open(directory: string | undefined, now: () => number = Date.now): CopyDatabase {
    if (directory === undefined) {
      const memory = openSqliteFile(':memory:');
      memory.exec(tables);
      return new CopyDatabase(memory, undefined, now);
    }
    const own = join(directory, ownFolder);
    mkdirSync(own, { recursive: true });
    const lock = takeLock(own, directory);
    try {
      const database = openSqliteFile(join(own, 'state.db'));
      for (const pragma of [
        // Of a new file.
        'page_size = 8192',
        'journal_mode = WAL',
        'synchronous = NORMAL',
        'cache_size = -16384',
        'wal_autocheckpoint = 2000',
      ])
        database.exec(`pragma ${pragma}`);
      prepareTables(database, directory);
      return new CopyDatabase(database, lock, now);
    } catch (error) {
      lock.close();
      throw error;
    }
  }

  all<Row>(sql: string, ...bound: readonly Bound[]): readonly Row[] {
    return this.#prepared(sql).all(...bound.map(orNull)) as Row[];
  }

  get<Row>(sql: string, ...bound: readonly Bound[]): Row | undefined {
    return (this.#prepared(sql).get(...bound.map(orNull)) as Row | null) ?? undefined;
  }

  /** @returns how many rows it changed */
  write(sql: string, ...bound: readonly Bound[]): number {
    const now = this.#now();
    if (this.#open === undefined) {
      this.#database.exec('begin');
      this.#open = { writes: 0, since: now };
    }
    const { changes } = this.#prepared(sql).run(...bound.map(orNull));
    this.#open.writes += 1;
    return Number(changes);
  }

  /** To be called between two things that belong together: what is written may be made lasting here. */
  breathe(): void {
    const open = this.#open;
    if (open && (open.writes >= longestBatch || this.#now() - open.since >= longestBatchMs)) this.flush();
  }

  /** What is written lasts from now on, as far as this is no trial. */
  flush(): void {
    if (this.#open === undefined || this.#isTrial) return;
    this.#open = undefined;
    this.#database.exec('commit');
  }

  /** What is written until the database is closed is taken back then. */
  beginTrial(): void {
    this.flush();
    this.#isTrial = true;
  }

  setting(name: string): string | undefined {
    return this.get<{ value: string }>('select value from setting where name = ?', name)?.value;
  }

  /** @param value undefined: there is none any more */
  keep(name: string, value: string | undefined): void {
    if (value === undefined) this.write('delete from setting where name = ?', name);
    else this.write('insert or replace into setting (name, value) values (?, ?)', name, value);
  }

  /** Of all settings of a kind, which are called by it and something else: `list https://…`. */
  keepNone(kind: string): void {
    // `!` comes behind the space.
    this.write('delete from setting where name >= ? and name < ?', `${kind} `, `${kind}!`);
  }

  close(): void {
    if (this.#isTrial && this.#open) this.#database.exec('rollback');
    else this.flush();
    this.#statements.clear();
    this.#database.close();
    this.#lock?.close();
  }

  #prepared(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const made = this.#database.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }
}

function orNull(value: Bound): string | number | Uint8Array | null {
  return value ?? null;
}

function prepareTables(database: SqliteDatabase, directory: string): void {
  const { user_version: version } = database.prepare('pragma user_version').get() as { user_version: number };
  if (version > schemaVersion)
    throw new BridgeError('database-newer', `the state of the copy in ${directory} is of a later release`);
  if (version === schemaVersion) return;
  database.exec('begin');
  if (version === 0) database.exec(tables);
  else for (const step of steps.slice(version)) database.exec(step);
  database.exec(`pragma user_version = ${schemaVersion}`);
  database.exec('commit');
}

/**
 * A lock that the system takes back from whoever dies: a transaction that stays open. Who holds it is written beside,
 * for people alone.
 */
function takeLock(own: string, directory: string): SqliteDatabase {
  const lock = openSqliteFile(join(own, 'lock.db'));
  const note = join(own, 'holder.json');
  try {
    lock.exec('pragma busy_timeout = 0');
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if (!/locked|busy/i.test(String(error instanceof Error && error.message))) throw error;
    const message = `${directory} is being synchronised by ${holderOf(note)}`;
    throw new BridgeError('copy-busy', message, { retryable: true });
  }
  writeFileSync(note, JSON.stringify({ pid: process.pid, host: hostname() }));
  return lock;
}

function holderOf(note: string): string {
  try {
    const { pid, host } = JSON.parse(readFileSync(note, 'utf8')) as { pid?: unknown; host?: unknown };
    if (typeof pid === 'number') return `process ${pid} on ${host}`;
  } catch {
    // For people alone: the lock is what counts.
  }
  return 'another process';
}
