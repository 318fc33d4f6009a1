import { setImmediate } from 'node:timers/promises';
import type { Knex } from 'knex';
import { BridgeError } from '../../core/errors.ts';
import type { Database, Queryable } from './database.ts';
import { isAlive, thisPlace } from './process-place.ts';
import { hashFromText } from './sqlite-hashes.ts';

/**
 * A database of before is taken over in place: what a migration cannot do in a transaction is done in many, each with
 * the place up to where it is done. Whoever is killed leaves it to the next who migrates; until it is done nobody works
 * with the database, and versions of before refuse it.
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

/**
 * @param now of the machine, in milliseconds
 * @throws BridgeError `lease-held` while a process of before is at work in the database
 */
export async function takeOver(
  database: Database,
  onProgress: (progress: TakeoverProgress) => void,
  now = Date.now(),
): Promise<void> {
  const steps = await openSteps(database.writer);
  if (steps.length === 0) return;
  await refuseWorkers(database.writer, now);
  let done = 0;
  const lengths: number[] = [];
  for (const step of steps) lengths.push(await lastKey(database.writer, tableOf(step)));
  const total = lengths.reduce((sum, length) => sum + length, 0);
  for (const [index, step] of steps.entries()) {
    for (let after: number | undefined = step.after; after !== undefined; ) {
      onProgress({ done: done + after, total });
      after = await database.transaction((trx) => takeSome(trx, step));
      // On SQLite all of this is work without a pause; a signal gets its turn.
      await setImmediate();
    }
    done += lengths[index] ?? 0;
  }
  onProgress({ done: total, total });
}

/** @throws BridgeError `database-unavailable` where a takeover has not come to its end */
export async function refuseUnfinished(db: Queryable): Promise<void> {
  if ((await openSteps(db)).length === 0) return;
  throw new BridgeError(
    'database-unavailable',
    'the database is being taken over from an earlier version, or whoever did that was stopped; `rsbridge check` goes on with it, and says how far it is',
    { retryable: true },
  );
}

function openSteps(db: Queryable): Promise<readonly Step[]> {
  return db('takeover').select('position', 'what', 'after').orderBy('position');
}

function tableOf({ what }: Step): HashTable {
  return what.replace('hashes of ', '') as HashTable;
}

async function lastKey(db: Queryable, table: HashTable): Promise<number> {
  const [row] = await db(table).max({ last: hashes[table].key });
  return Number(row?.last ?? 0);
}

/** @returns how far it is; undefined: there is nothing left */
async function takeSome(trx: Knex.Transaction, { position, ...step }: Step): Promise<number | undefined> {
  // Written first: on SQLite this takes the lock. Another process may be at it, too.
  await trx('takeover').where({ position }).increment('after', 0);
  const at: { after: number } | undefined = await trx('takeover').where({ position }).first('after');
  if (!at) return undefined;
  const table = tableOf({ position, ...step });
  const { key, columns } = hashes[table];
  const rows: { key: number }[] = await trx(table)
    .select({ key })
    .where(key, '>', at.after)
    .orderBy(key)
    .limit(rowsAtATime);
  const last = rows.at(-1)?.key;
  if (last === undefined) {
    await trx('takeover').where({ position }).delete();
    return undefined;
  }
  const updates = columns.map((column) => [column, trx.raw(hashFromText(column))] as const);
  await trx(table).where(key, '>', at.after).where(key, '<=', last).update(Object.fromEntries(updates));
  await trx('takeover').where({ position }).update({ after: last });
  return last;
}

/** A process of before that is harvesting would write what nobody finds any more. */
async function refuseWorkers(db: Queryable, now: number): Promise<void> {
  const rows: { name: string; holder: string }[] = [
    ...(await db('source').select('name', { holder: 'lease_holder' }).where('lease_expires', '>', now)),
    ...(await db('source').select('name', { holder: 'files_holder' }).where('files_expires', '>', now)),
  ];
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
