import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { BridgeError } from '../core/errors.ts';
import type { Database } from './database.ts';
import { isAlive, thisPlace } from './process-place.ts';

/**
 * One writer per source at a time: the row in `source` says who, and until when without a sign of life.
 * This alone lets any number of processes share a database.
 */
export interface Lease {
  readonly source: string;
  readonly sourceId: number;
  /** `<place>/<pid>/<random>`: so that a neighbour on the same host can see whether the holder still lives. */
  readonly holder: string;
}

const lifetimeMs = 60_000;
/** Holders of this very process; the pid alone would call a restarted container alive. */
const ownHolders = new Set<string>();

/** @throws BridgeError `lease-held` naming the holder */
export async function acquireLease(database: Database, source: string, nowMs: number): Promise<Lease> {
  const holder = `${thisPlace}/${process.pid}/${randomUUID()}`;
  const sourceId = await database.transaction(async (trx) => {
    // Written first: on both databases this waits for whoever else is at this row.
    await trx('source').where({ name: source }).update({ name: source });
    const row: { id: number; lease_holder: string | null; lease_expires: number | null } | undefined =
      await trx('source').select('id', 'lease_holder', 'lease_expires').where({ name: source }).first();
    if (!row) throw new BridgeError('unknown-source', `source ${source} is not in the database`);
    if (row.lease_holder !== null && isRunning(row.lease_expires ?? 0, nowMs) && !isDead(row.lease_holder)) {
      const [place = '', pid] = row.lease_holder.split('/');
      throw new BridgeError(
        'lease-held',
        `process ${pid} on ${place.split(' ')[0]} is working on ${source}`,
        {
          retryable: true,
        },
      );
    }
    await trx('source')
      .where({ id: row.id })
      .update({ lease_holder: holder, lease_expires: nowMs + lifetimeMs });
    return row.id;
  });
  ownHolders.add(holder);
  return { source, sourceId, holder };
}

/**
 * Says that the holder lives, inside the transaction that writes; taking the row's lock it also makes sure
 * that nobody else writes to the source until the commit.
 * @throws BridgeError `lease-lost`
 */
export async function renewLease(db: Knex | Knex.Transaction, lease: Lease, nowMs: number): Promise<void> {
  const changed = await db('source')
    .where({ id: lease.sourceId, lease_holder: lease.holder })
    .update({ lease_expires: nowMs + lifetimeMs });
  if (Number(changed) !== 1) {
    throw new BridgeError('lease-lost', `another process took over ${lease.source}`, { retryable: true });
  }
}

export async function releaseLease(database: Database, lease: Lease): Promise<void> {
  ownHolders.delete(lease.holder);
  await database
    .writer('source')
    .where({ id: lease.sourceId, lease_holder: lease.holder })
    .update({ lease_holder: null, lease_expires: null });
}

/** An expiry that no living holder would have written comes from a clock that was wrong. */
function isRunning(expires: number, nowMs: number): boolean {
  return expires > nowMs && expires < nowMs + 10 * lifetimeMs;
}

function isDead(holder: string): boolean {
  const [place, pid] = holder.split('/');
  if (place !== thisPlace || ownHolders.has(holder)) return false;
  return Number(pid) === process.pid || !isAlive(Number(pid));
}
