import type { Knex } from 'knex';
import { addSeconds } from '../../core/datetime.ts';
import { BridgeError } from '../../core/errors.ts';
import { insertRows } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { keepObjects } from './doomed-objects.ts';

/**
 * What each set publishes, in the database: the table `published_pointer`. Whoever switches one says what was there before,
 * so that of two who work on one set only one comes through.
 */
export interface PointerRow {
  /** One more with each switch. */
  readonly number: number;
  readonly pointer: string;
  /** Of its copy in the object storage. */
  readonly etag: string | null;
}

export interface PointerSwitch {
  /** Of the set; empty: the site's. */
  readonly path: string;
  /** Undefined: there was none. */
  readonly before: number | undefined;
  readonly pointer: string;
  readonly etag: string | undefined;
  /** Objects that it refers to for the first time; they were announced. */
  readonly keeps: readonly string[];
  /** Objects that it does not refer to any more. */
  readonly dooms: readonly DoomedObject[];
}

export interface DoomedObject {
  readonly key: string;
  readonly dueAt: string;
}

const table = 'published_pointer';
/** The longest upload. */
const uploadSeconds = 7 * 86_400;

export async function readPointerRow(db: Queryable, path: string): Promise<PointerRow | undefined> {
  const row: PointerRow | undefined = await db(table).where({ path }).first('number', 'pointer', 'etag');
  return row && { ...row, number: Number(row.number) };
}

/** Of all sets: how often each was switched. */
export async function readPointerNumbers(db: Queryable): Promise<ReadonlyMap<string, number>> {
  const rows: { path: string; number: number }[] = await db(table).select('path', 'number');
  return new Map(rows.map(({ path, number }) => [path, Number(number)]));
}

/** @throws BridgeError `publication-busy` when it is another one by now, `objects-unavailable` as `keepObjects` */
export async function switchPointerRow(database: Database, asked: PointerSwitch): Promise<void> {
  const { path, before, pointer, etag = null, keeps, dooms } = asked;
  await database.transaction(async (trx) => {
    const number = (before ?? 0) + 1;
    const row = { path, number, pointer, etag };
    const switched =
      before === undefined
        ? (await trx(table).insert(row).onConflict('path').ignore().returning('path')).length
        : await trx(table).where({ path, number: before }).update({ number, pointer, etag });
    if (switched !== 1) throw switchedMeanwhile(path);
    await keepObjects(trx, keeps);
    await doom(trx, dooms);
  });
}

/** @throws BridgeError `publication-busy` when it is another one by now */
export async function removePointerRow(
  database: Database,
  path: string,
  before: number,
  dooms: readonly DoomedObject[],
): Promise<void> {
  await database.transaction(async (trx) => {
    if ((await trx(table).where({ path, number: before }).delete()) !== 1) throw switchedMeanwhile(path);
    await doom(trx, dooms);
  });
}

/** Before they are written; also those that were announced before, and may not have been written then. */
export async function announceAgain(database: Database, keys: readonly string[], now: string): Promise<void> {
  const dueAt = addSeconds(now, uploadSeconds);
  await database.transaction((trx) =>
    doom(
      trx,
      keys.map((key) => ({ key, dueAt })),
    ),
  );
}

export async function doomAll(database: Database, objects: readonly DoomedObject[]): Promise<void> {
  await database.transaction((trx) => doom(trx, objects));
}

async function doom(trx: Knex.Transaction, objects: readonly DoomedObject[]): Promise<void> {
  const rows = objects.map(({ key, dueAt }) => ({ key, due_at: dueAt }));
  await insertRows(trx, 'doomed_object', rows, { conflict: { columns: ['key'], update: ['due_at'] } });
}

export function switchedMeanwhile(path: string): BridgeError {
  const what = path === '' ? 'the Source Description' : path;
  return new BridgeError('publication-busy', `another process has just published ${what}`, {
    retryable: true,
  });
}
