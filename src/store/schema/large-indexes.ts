import { setTimeout } from 'node:timers/promises';
import type { Knex } from 'knex';
import { isPostgres } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { briefly, lockTimeoutMs } from './brief-locks.ts';
import type { LargeIndex } from './migration.ts';

/**
 * Indexes of tables that may be large. On PostgreSQL they are built behind the work, one partition after the other and
 * beside those who write (`concurrently`, which no transaction can do); the index of the whole table is of use from the last
 * one on. SQLite has one writer, and builds them at once: some seconds for a million rows, before anything else begins.
 */

/** What is quick of it, with the migration. @returns whether something is left to be built behind the work */
export async function beginIndexes(trx: Knex.Transaction, indexes: readonly LargeIndex[]): Promise<boolean> {
  let isLeft = false;
  for (const index of indexes) {
    const { name, table } = index;
    const isEmpty = (await trx(table).first(trx.raw('1 as one'))) === undefined;
    if (!isPostgres(trx) || isEmpty) {
      await trx.raw(`create index ${name} on ${table} ${definition(trx, index)}`);
      continue;
    }
    isLeft = true;
    if ((await partitionsOf(trx, table)).length > 0)
      await trx.raw(`create index ${name} on only ${table} ${definition(trx, index)}`);
  }
  return isLeft;
}

/** One index of one partition. */
interface Part {
  readonly name: string;
  readonly table: string;
  readonly sql: string;
  /** The index of the whole table, which it becomes a part of. */
  readonly whole: string | undefined;
}

/** What another process builds is looked at again after so long. */
const othersMs = 1_000;

/**
 * Builds the next part.
 * @param after how many are done
 * @param stop ends what is being built, too; it is begun anew another time
 * @returns how many are done now; undefined: all
 */
export async function buildNext(
  database: Database,
  indexes: readonly LargeIndex[],
  after: string | undefined,
  stop?: AbortSignal,
): Promise<string | undefined> {
  const { writer } = database;
  if (!isPostgres(writer)) return undefined;
  const parts = await partsOf(writer, indexes);
  const done = Number(after ?? 0);
  const part = parts[done];
  if (!part) return undefined;
  const next = done + 1 < parts.length ? String(done + 1) : undefined;
  // Of a table that was empty, all of it was made at once.
  if (part.whole !== undefined && (await stateOf(writer, part.whole)) === 'valid') return next;
  const later = async () => {
    await setTimeout(othersMs, undefined, { signal: stop });
    return after ?? '0';
  };
  const state = await stateOf(writer, part.name);
  if (state === 'building') return later();
  if (state === 'broken') await dropBroken(database, part);
  // An index that is attached before it is valid leaves the one of the whole table invalid for ever.
  if (state !== 'valid' && !(await build(writer, part, stop))) return later();
  if (part.whole !== undefined) await attach(database, part.whole, part.name);
  return next;
}

async function partsOf(db: Queryable, indexes: readonly LargeIndex[]): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for (const index of indexes) {
    const on = definition(db, index);
    const partitions = await partitionsOf(db, index.table);
    const tables = partitions.length > 0 ? partitions : [index.table];
    for (const table of tables) {
      const isWhole = table === index.table;
      const name = isWhole ? index.name : `${index.name}${table.slice(index.table.length)}`;
      const sql = `create index concurrently ${name} on ${table} ${on}`;
      parts.push({ name, table, sql, whole: isWhole ? undefined : index.name });
    }
  }
  return parts;
}

async function partitionsOf(db: Queryable, table: string): Promise<readonly string[]> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = ?::regclass order by pg_class.oid`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** `broken`: whoever was building it was stopped. */
async function stateOf(db: Queryable, name: string): Promise<'absent' | 'building' | 'broken' | 'valid'> {
  const { rows } = await db.raw<{ rows: { valid: boolean; building: boolean }[] }>(
    `select indisvalid as valid,
        exists (select 1 from pg_stat_progress_create_index where index_relid = indexrelid) as building
      from pg_index where indexrelid = to_regclass(?)`,
    [name],
  );
  const [row] = rows;
  if (!row) return 'absent';
  if (row.valid) return 'valid';
  return row.building ? 'building' : 'broken';
}

/** @returns false: another process has begun with it a moment ago */
async function build(db: Knex, { sql, table }: Part, stop?: AbortSignal): Promise<boolean> {
  stop?.throwIfAborted();
  const cancel = () => {
    const own = db('pg_stat_progress_create_index').whereRaw('relid = ?::regclass', [table]);
    own.select(db.raw('pg_cancel_backend(pid)')).catch(() => undefined);
  };
  stop?.addEventListener('abort', cancel, { once: true });
  try {
    await db.raw(sql);
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code !== '42P07') throw error;
    return false;
  } finally {
    stop?.removeEventListener('abort', cancel);
  }
}

/**
 * Nobody builds while the table is locked, so that what is still broken then is nobody's: another process may have seen the
 * same, and have built a good one since.
 */
function dropBroken(database: Database, { name, table }: Part): Promise<void> {
  return briefly(() =>
    database.transaction(async (trx) => {
      await trx.raw(`set local lock_timeout = ${lockTimeoutMs}`);
      await trx.raw(`lock table ${table} in access exclusive mode`);
      if ((await stateOf(trx, name)) === 'broken') await trx.raw(`drop index ${name}`);
    }),
  );
}

function attach(database: Database, whole: string, part: string): Promise<void> {
  return briefly(() =>
    database.transaction(async (trx) => {
      await trx.raw(`set local lock_timeout = ${lockTimeoutMs}`);
      await trx.raw(`alter index ${whole} attach partition ${part}`);
    }),
  );
}

function definition(db: Queryable, { on }: LargeIndex): string {
  if (typeof on === 'string') return on;
  return isPostgres(db) ? on.pg : on.sqlite;
}
