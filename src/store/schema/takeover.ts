import { setImmediate } from 'node:timers/promises';
import type { Knex } from 'knex';
import { BridgeError, isBridgeError } from '../../core/errors.ts';
import { hashFromText } from '../drivers/sqlite-hashes.ts';
import { isPostgres } from '../engine/bulk.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { isAlive, thisPlace } from '../engine/process-place.ts';
import { translate } from '../engine/storage-error.ts';
import { type Extent, extentOf, moveRows, nameTables } from './moved-rows.ts';

/**
 * A database of before is taken over in place: what a migration cannot do in a transaction is done in many, each with
 * the place up to where it is done. Whoever is killed leaves it to the next who migrates; until it is done nobody works
 * with the database, and versions of before refuse it. Several processes may be at it: they take turns.
 */
export interface TakeoverProgress {
  /** In rows, as far as their keys tell. */
  readonly done: number;
  readonly total: number;
}

interface Step {
  readonly position: number;
  readonly what: string;
  readonly after: number;
}

/** Of each table: the key in whose order it is read, and the columns that have hashes. */
const hashes = {
  released: { key: 'rowid', columns: ['hash'] },
  blob: { key: 'rowid', columns: ['hash', 'base'] },
  remote_file: { key: 'rowid', columns: ['content_hash'] },
  prior_representation: { key: 'rowid', columns: ['hash'] },
  item_file: { key: 'rowid', columns: ['hash'] },
  resource: { key: 'rowid', columns: ['hash'] },
  change: { key: 'rowid', columns: ['hash'] },
  version: { key: 'resource_id', columns: ['hash'] },
} as const;

type HashTable = keyof typeof hashes;

const rowsAtATime = 2_000;

export async function takeOver(
  database: Database,
  onProgress: (progress: TakeoverProgress) => void,
): Promise<void> {
  const steps = await openSteps(database.writer);
  if (steps.length === 0) return;
  const extents: Extent[] = [];
  for (const step of steps) extents.push(await extentOfStep(database.writer, step));
  const total = sum(extents.map(({ last, rows }) => Math.round(last * rows)));
  let done = 0;
  for (const [index, step] of steps.entries()) {
    const { last, rows } = extents[index] ?? nothing;
    for (let after: number | undefined = step.after; after !== undefined; ) {
      onProgress({ done: done + Math.round(Math.min(after, last) * rows), total });
      after = await takeNext(database, step);
      // On SQLite all of this is work without a pause; a signal gets its turn.
      await setImmediate();
    }
    done += Math.round(last * rows);
  }
  onProgress({ done: total, total });
}

const nothing: Extent = { last: 0, rows: 1 };

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

async function takeNext(database: Database, step: Step): Promise<number | undefined> {
  try {
    return await database.transaction((trx) => takeSome(trx, step));
  } catch (error) {
    const failure = translate(error);
    if (!isBridgeError(failure, 'disk-full')) throw error;
    throw new BridgeError(
      'disk-full',
      `the disk of the database is full, in the middle of taking it over from an earlier version (${step.what}); make room and start again: what is done stays, and nothing is lost. On PostgreSQL it takes as much room again as the database has, on SQLite a tenth of the file`,
      { cause: error, retryable: true },
    );
  }
}

/** @throws BridgeError `database-unavailable` where a takeover has not come to its end */
export async function refuseUnfinished(db: Queryable): Promise<void> {
  if (!(await db.schema.hasTable('takeover')) || (await openSteps(db)).length === 0) return;
  throw new BridgeError(
    'database-unavailable',
    'the database is being taken over from an earlier version, or whoever did that was stopped; `rsbridge check` goes on with it, and says how far it is',
    { retryable: true },
  );
}

function openSteps(db: Queryable): Promise<readonly Step[]> {
  return db('takeover').select('position', 'what', 'after').orderBy('position');
}

/** What a step is about, if it is of this kind. */
function tableIn({ what }: Pick<Step, 'what'>, kind: 'hashes' | 'rows'): string | undefined {
  return what.startsWith(`${kind} of `) ? what.slice(kind.length + 4) : undefined;
}

async function extentOfStep(db: Queryable, step: Step): Promise<Extent> {
  const moved = tableIn(step, 'rows');
  if (moved !== undefined) return extentOf(db, moved);
  const table = tableIn(step, 'hashes') as HashTable | undefined;
  if (table === undefined) return nothing;
  const [row] = await db(table).max({ last: hashes[table].key });
  return { last: Number(row?.last ?? 0), rows: 1 };
}

/** @returns how far it is; undefined: there is nothing left */
async function takeSome(trx: Knex.Transaction, step: Step): Promise<number | undefined> {
  const { position } = step;
  // Written first: on SQLite this takes the lock. Another process may be at it, too.
  await trx('takeover').where({ position }).increment('after', 0);
  const at: { after: number } | undefined = await trx('takeover').where({ position }).first('after');
  if (!at) return undefined;
  const last = await takeFrom(trx, step, at.after);
  if (last === undefined) await trx('takeover').where({ position }).delete();
  else await trx('takeover').where({ position }).update({ after: last });
  return last;
}

async function takeFrom(trx: Knex.Transaction, step: Step, after: number): Promise<number | undefined> {
  const moved = tableIn(step, 'rows');
  if (moved !== undefined) return moveRows(trx, moved, after);
  const table = tableIn(step, 'hashes') as HashTable | undefined;
  if (table !== undefined) return shortenHashes(trx, table, after);
  await nameTables(trx);
  return undefined;
}

async function shortenHashes(
  trx: Knex.Transaction,
  table: HashTable,
  after: number,
): Promise<number | undefined> {
  const { key, columns } = hashes[table];
  const rows: { key: number }[] = await trx(table)
    .select({ key })
    .where(key, '>', after)
    .orderBy(key)
    .limit(rowsAtATime);
  const last = rows.at(-1)?.key;
  if (last === undefined) return undefined;
  const updates = columns.map((column) => [column, trx.raw(hashFromText(column))] as const);
  await trx(table).where(key, '>', after).where(key, '<=', last).update(Object.fromEntries(updates));
  return last;
}

/**
 * Asked before anything is changed: a process of before that is at work would be stopped in the middle of it.
 * @param now of the machine, in milliseconds
 * @throws BridgeError `lease-held`
 */
export async function refuseWorkers(trx: Knex.Transaction, now = Date.now()): Promise<void> {
  // Nobody takes up work from here on to the end of the transaction.
  if (isPostgres(trx)) await trx.raw('lock table source in exclusive mode');
  const columns = await trx('source').columnInfo();
  const rows: { name: string; holder: string }[] = [];
  for (const work of ['lease', 'files']) {
    const [holder, expires] = [`${work}_holder`, `${work}_expires`];
    if (holder in columns)
      rows.push(...(await trx('source').select('name', { holder }).where(expires, '>', now)));
  }
  const worker = rows.find(({ holder }) => {
    const [place, pid] = holder.split('/');
    return place !== thisPlace || isAlive(Number(pid));
  });
  if (!worker) return;
  const [place = '', pid] = worker.holder.split('/');
  throw new BridgeError(
    'lease-held',
    `process ${pid} on ${place.split(' ')[0]} is working on ${worker.name} with an earlier version; stop it first: this version takes over the database`,
    { retryable: true },
  );
}
