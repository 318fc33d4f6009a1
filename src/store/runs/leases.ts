import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { BridgeError } from '../../core/errors.ts';
import { repeatedly } from '../drivers/statement-names.ts';
import type { Database } from '../engine/database.ts';
import { isAlive, thisPlace } from '../engine/process-place.ts';

/**
 * One writer per source at a time: the row in `source` says who, and until when without a sign of life.
 * This alone lets any number of processes share a database.
 */
export interface Lease {
  readonly source: string;
  readonly sourceId: number;
  readonly work: Work;
  /** `<place>/<pid>/<random>`: so that a neighbour on the same host can see whether the holder still lives. */
  readonly holder: string;
  /** Until when it is held by one who gives a sign of life now, by the clock of the database. */
  readonly until: (nowMs: number) => number;
  /** Whether the database is still the server that it was: what was read under the lease is to be there when it is written upon. */
  readonly isHere: () => boolean;
}

/** `harvest`: whatever writes resources. `files`: asking for files and downloading them, beside a harvest. */
export type Work = 'harvest' | 'files';

const columnsOf = {
  harvest: { holder: 'harvest_holder', expires: 'harvest_expires' },
  files: { holder: 'file_work_holder', expires: 'file_work_expires' },
} as const;

/** Holders of this very process; the pid alone would call a restarted container alive. */
const ownHolders = new Set<string>();

/** Of a transaction: the lease whose holder has just been found to have it still, by its name. */
const confirmed = new WeakMap<object, string>();

/** What this process is doing with a source for a moment only: settling what became known of its files. */
const shortWork = new Set<string>();

/**
 * As `acquireLease`, but for work of this process that ends by itself within seconds.
 * @throws BridgeError `lease-held`
 */
export async function borrowLease<T>(
  database: Database,
  source: string,
  nowMs: number,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const lease = await acquireLease(database, source, nowMs);
  shortWork.add(source);
  try {
    return await work(lease);
  } finally {
    shortWork.delete(source);
    await releaseLease(database, lease);
  }
}

/** Whether the lease of a source is only borrowed, and worth waiting for. */
export function isBorrowed(source: string): boolean {
  return shortWork.has(source);
}

/** @throws BridgeError `lease-held` naming the holder */
export async function acquireLease(
  database: Database,
  source: string,
  nowMs: number,
  work: Work = 'harvest',
): Promise<Lease> {
  const holder = newHolder();
  const columns = columnsOf[work];
  const until = (ownMs: number) => ownMs - database.aheadMs + database.leaseMs;
  const { sourceId, server } = await database.transaction(async (trx) => {
    const server = database.server();
    // Written first: on both databases this waits for whoever else is at this row.
    await trx('source').where({ name: source }).update({ name: source });
    const row: { id: number; holder: string | null; expires: number | null } | undefined = await trx('source')
      .select('id', { holder: columns.holder, expires: columns.expires })
      .where({ name: source })
      .first();
    if (!row) throw new BridgeError('unknown-source', `source ${source} is not in the database`);
    if (
      row.holder !== null &&
      isRunning(row.expires ?? 0, until(nowMs), database.leaseMs) &&
      !isDead(row.holder)
    ) {
      const [place = '', pid] = row.holder.split('/');
      const what = work === 'files' ? `the files of ${source}` : source;
      throw new BridgeError('lease-held', `process ${pid} on ${place.split(' ')[0]} is working on ${what}`, {
        retryable: true,
      });
    }
    await trx('source')
      .where({ id: row.id })
      .update({ [columns.holder]: holder, [columns.expires]: until(nowMs) });
    return { sourceId: row.id, server };
  });
  ownHolders.add(holder);
  return { source, sourceId, work, holder, until, isHere: () => database.server() === server };
}

/**
 * Says that the holder lives, inside the transaction that writes; taking the row's lock it also makes sure
 * that nobody else writes to the source until the commit.
 * @throws BridgeError `lease-lost`
 */
export async function renewLease(db: Knex | Knex.Transaction, lease: Lease, nowMs: number): Promise<void> {
  // What is locked stays as it is until the commit.
  if (confirmed.get(db) === lease.holder) return;
  if (!lease.isHere()) {
    const what = `the database of ${lease.source} is another server now`;
    throw new BridgeError('lease-lost', `${what}; what was read before may not be there`, {
      retryable: true,
    });
  }
  const columns = columnsOf[lease.work];
  const changed = await db('source')
    .where({ id: lease.sourceId, [columns.holder]: lease.holder })
    .modify(repeatedly)
    .update({ [columns.expires]: lease.until(nowMs) });
  if (Number(changed) !== 1) {
    throw new BridgeError('lease-lost', `another process took over ${lease.source}`, { retryable: true });
  }
  if (db.isTransaction) confirmed.set(db, lease.holder);
}

export async function releaseLease(database: Database, lease: Lease): Promise<void> {
  ownHolders.delete(lease.holder);
  const columns = columnsOf[lease.work];
  await database
    .writer('source')
    .where({ id: lease.sourceId, [columns.holder]: lease.holder })
    .update({ [columns.holder]: null, [columns.expires]: null });
}

/** By this name a process is known to the others as long as it lives. */
export function newHolder(): string {
  return `${thisPlace}/${process.pid}/${randomUUID()}`;
}

/** A name that this very process goes by: the process id alone would call a restarted container alive. */
export function addHolder(holder: string): void {
  ownHolders.add(holder);
}

/**
 * An expiry that no living holder would have written comes from a clock that was wrong.
 * @param until when one would expire that is renewed now
 */
function isRunning(expires: number, until: number, leaseMs: number): boolean {
  return expires > until - leaseMs && expires < until + 9 * leaseMs;
}

/** Whether a neighbour on this host is gone; of any other one nobody knows. */
export function isDead(holder: string): boolean {
  const [place, pid] = holder.split('/');
  if (place !== thisPlace || ownHolders.has(holder)) return false;
  return Number(pid) === process.pid || !isAlive(Number(pid));
}
