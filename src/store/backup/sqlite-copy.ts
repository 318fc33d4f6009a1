import { randomUUID } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { copyFile, open, readdir, readlink, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { toMilliseconds, toStamp } from '../../core/datetime.ts';
import { BridgeError } from '../../core/errors.ts';
import { openSqliteFile, type SqliteDatabase } from '../drivers/sqlite-driver.ts';
import { tablesOfJournals } from '../schema/journal-tables.ts';
import { migrations, refuseNewer, type SchemaRow, schemaTable } from '../schema/migrate.ts';
import { type CarriedOver, carryOver } from './carried-over.ts';
import { forgetProcesses } from './others-processes.ts';

/** What is in a copy of the database, once it has been read through. */
export interface CopyFacts {
  readonly sources: number;
  readonly resources: number;
  readonly changes: number;
  readonly bytes: number;
}

/**
 * One consistent copy of an SQLite database, of one moment, however much is written meanwhile: written aside, read
 * through, and only then given its name.
 * @throws BridgeError `storage` where the copy is not sound: then there is none
 */
export async function copySqlite(from: string, to: string): Promise<CopyFacts> {
  const handle = await open(from, 'r').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new BridgeError('storage', `there is no database ${from}`) : error;
  });
  await handle.close();
  const aside = `${to}.${randomUUID().slice(0, 8)}.tmp`;
  try {
    withDatabase(from, (database) => {
      database.exec('pragma busy_timeout = 15000');
      database.prepare('vacuum into ?').run(aside);
    });
    const facts = await inspectSqlite(aside);
    await nameSafely(aside, to);
    return facts;
  } finally {
    await rm(aside, { force: true });
  }
}

/**
 * Reads a copy through.
 * @throws BridgeError `storage` when it is damaged, `backup-refused` when it is something else, `database-newer`
 */
export async function inspectSqlite(file: string): Promise<CopyFacts> {
  const { size } = await stat(file);
  return withDatabase(file, (database) => {
    const names = namesIn(database);
    if (!names.has(schemaTable))
      throw new BridgeError('backup-refused', `${file} is not a database of rsbridge`);
    refuseNewer(rowsOf(database, `select * from ${schemaTable}`) as unknown as SchemaRow[]);
    const [found] = rowsOf(database, 'pragma quick_check(1)').map((row) => String(Object.values(row)[0]));
    if (found !== 'ok') throw new BridgeError('storage', `${file} is damaged: ${found}`);
    const count = (table: string) =>
      Number(rowsOf(database, `select count(*) as count from ${table}`)[0]?.count ?? 0);
    const [ahead] = rowsOf(
      database,
      'select name from source where journal_seq < (select max(seq) from change where source_id = source.id)',
    );
    if (ahead) throw new BridgeError('storage', `${file} is damaged: the journal of ${ahead.name} has a gap`);
    return {
      sources: count('source'),
      resources: count('resource'),
      changes: count('change'),
      bytes: size,
    };
  });
}

/** Whether a copy knows all that this version does to a database. */
export function isOfThisSchema(file: string): boolean {
  return withDatabase(file, (database) => {
    const done = new Set(rowsOf(database, `select name from ${schemaTable}`).map(({ name }) => String(name)));
    return migrations.every(({ name }) => done.has(name));
  });
}

/** Whether a file begins as SQLite databases do. */
export async function isSqliteFile(file: string): Promise<boolean> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (!handle) return false;
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(16), 0, 16, 0);
    return bytesRead === 16 && buffer.toString('latin1') === 'SQLite format 3\0';
  } catch {
    return false;
  } finally {
    await handle.close();
  }
}

export interface Replacement {
  readonly facts: CopyFacts;
  /** The path of what was there before; undefined: nothing was. */
  readonly kept: string | undefined;
  /** What was known there, and is known now; undefined: that could not be read. */
  readonly carried: CarriedOver | undefined;
}

/**
 * Puts a copy in the place of the database; the one that was there is kept beside it, and what it keeps from others the copy keeps
 * from them, too.
 * @param now ISO
 * @throws BridgeError `database-locked` while another process has the database open
 */
export async function replaceSqlite(copy: string, file: string, now: string): Promise<Replacement> {
  const aside = `${file}.${randomUUID().slice(0, 8)}.tmp`;
  try {
    await copyFile(copy, aside, constants.COPYFILE_EXCL);
    const facts = await inspectSqlite(aside);
    await refuseInUse(file);
    const kept = existsSync(file) ? `${file}.replaced-${toStamp(now)}` : undefined;
    const carried = kept === undefined ? undefined : carriedOver(file, aside, now);
    if (kept === undefined || !hasSameJournals(file, aside)) noteWentBack(copy, aside, now);
    renewJournals(aside);
    withDatabase(aside, forgetProcesses);
    if (kept !== undefined) await rename(file, kept);
    for (const suffix of ['-wal', '-shm']) {
      if (!existsSync(file + suffix)) continue;
      // With a log that could not be emptied goes what is in it.
      if (kept === undefined) await rm(file + suffix, { force: true });
      else await rename(file + suffix, kept + suffix);
    }
    await nameSafely(aside, file);
    return { facts, kept, carried };
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(aside + suffix, { force: true });
  }
}

/** Nothing has happened in one that has not in the other. */
function hasSameJournals(one: string, other: string): boolean {
  try {
    const [here, there] = [one, other].map((file) =>
      withDatabase(file, (database) =>
        JSON.stringify(rowsOf(database, 'select name, journal_id, journal_seq from source order by name')),
      ),
    );
    return here === there;
  } catch {
    return false;
  }
}

/** Change Lists that are written from here begin now: none says how what was published became what is in the copy. */
function noteWentBack(copy: string, aside: string, now: string): void {
  withDatabase(aside, (database) => {
    if (!namesIn(database).has('installation_fact')) return;
    database
      .prepare("insert or replace into installation_fact (name, value, at) values ('went-back', ?, ?)")
      .run(copy, toMilliseconds(now));
  });
}

/** Undefined where it cannot be read, as what is damaged. */
function carriedOver(from: string, to: string, now: string): CarriedOver | undefined {
  return withDatabase(to, (target) => {
    try {
      return withDatabase(from, (database) => carryOver(database, target, now));
    } catch {
      return undefined;
    }
  });
}

/**
 * What the journals hold from here on is another story than the one that was published: with names of their own
 * nothing that follows them takes a sequence that is used once more for the one that it knows.
 */
function renewJournals(file: string): void {
  withDatabase(file, (database) => {
    const there = rowsOf(database, "select name from sqlite_master where type = 'table'").map(
      ({ name }) => name,
    );
    // A backup may be of a version that had no sets across sources.
    for (const table of tablesOfJournals.filter((name) => there.includes(name))) {
      const renew = database.prepare(`update ${table} set journal_id = ? where id = ?`);
      for (const { id } of rowsOf(database, `select id from ${table}`)) renew.run(randomUUID(), Number(id));
    }
  });
}

async function refuseInUse(file: string): Promise<void> {
  if (!existsSync(file)) return;
  const holder = await holderOf(file);
  if (holder !== undefined)
    throw new BridgeError('database-locked', `process ${holder} has ${file} open; stop it first`);
  try {
    // Leaving the log behind takes being alone.
    withDatabase(file, (database) => {
      database.exec('pragma busy_timeout = 1000');
      database.exec('pragma journal_mode = delete');
    });
  } catch (error) {
    if (/locked|busy/i.test((error as Error).message))
      throw new BridgeError('database-locked', `another process has ${file} open; stop it first`, {
        cause: error,
      });
    // It is damaged: that is why it is replaced.
  }
}

/** A process that has the file open, as far as this system shows it; a damaged file cannot be asked for locks. */
async function holderOf(file: string): Promise<number | undefined> {
  for (const pid of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    for (const descriptor of await readdir(join('/proc', pid, 'fd')).catch(() => [])) {
      const target = await readlink(join('/proc', pid, 'fd', descriptor)).catch(() => '');
      if (target === file) return Number(pid);
    }
  }
  return undefined;
}

function withDatabase<Result>(file: string, work: (database: SqliteDatabase) => Result): Result {
  let database: SqliteDatabase | undefined;
  try {
    database = openSqliteFile(file);
    return work(database);
  } catch (error) {
    throw error instanceof BridgeError ? error : Object.assign(error as Error, { databaseFile: file });
  } finally {
    database?.close();
  }
}

function namesIn(database: SqliteDatabase): ReadonlySet<string> {
  return new Set(rowsOf(database, 'select name from sqlite_master').map(({ name }) => String(name)));
}

function rowsOf(database: SqliteDatabase, sql: string): readonly Record<string, unknown>[] {
  return database.prepare(sql).all() as Record<string, unknown>[];
}

/** On the disk before it has its name: a crash leaves the old or the new, whole. */
async function nameSafely(aside: string, file: string): Promise<void> {
  await sync(aside);
  await rename(aside, file);
  await sync(dirname(file));
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().catch(() => undefined);
  await handle.close();
}
