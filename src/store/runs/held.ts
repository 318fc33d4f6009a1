import type { Clock } from '../../core/adapter.ts';
import type { Database } from '../engine/database.ts';
import { type Lease, renewLease } from './leases.ts';

/**
 * The database as whoever holds a lease writes to it: each transaction begins with a sign of life, and fails once another
 * process has taken over. So one that stood still, or was cut off, and comes back writes nothing more.
 */
export function whileHeld(database: Database, lease: Lease, clock: Pick<Clock, 'now'>): Database {
  const transaction: Database['transaction'] = (work) =>
    database.transaction(async (trx) => {
      await renewLease(trx, lease, clock.now().getTime());
      return work(trx);
    });
  return Object.assign(Object.create(database) as Database, { transaction });
}

export interface Heartbeat {
  end(): Promise<void>;
}

/** Never twice at once: a beat that waits for the row of its source has a connection meanwhile. */
export function beatEvery(milliseconds: number, beat: () => Promise<void>): Heartbeat {
  let beating: Promise<void> | undefined;
  const timer = setInterval(() => {
    beating ??= beat().finally(() => {
      beating = undefined;
    });
  }, milliseconds).unref();
  return {
    end: async () => {
      clearInterval(timer);
      await beating;
    },
  };
}
