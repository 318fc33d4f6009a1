import { toIso } from '../../core/datetime.ts';
import type { Queryable } from '../engine/database.ts';
import { databaseNow } from '../engine/database-clock.ts';
import { isGone, listUnsharing } from './askers.ts';

/** A process that has the turn at a host. */
export interface TurnHolder {
  /** `<place>/<pid>/<random>`, as leases have it. */
  readonly holder: string;
  /** ISO: for so long without another sign of life. */
  readonly until: string;
}

/** Who may ask a host now, as far as others have to wait for that. */
export async function listTurnHolders(db: Queryable, host: string): Promise<readonly TurnHolder[]> {
  const slots: { holder: string; expires: number }[] = await db('host_slot')
    .select('holder', 'expires')
    .where({ host })
    .whereRaw(`expires > ${databaseNow(db)}`)
    .orderBy('n');
  const living = slots.filter(({ holder }) => !isGone(holder));
  const holders = living.length > 0 ? living : await listUnsharing(db);
  return holders.map(({ holder, expires }) => ({ holder, until: toIso(new Date(Number(expires))) }));
}
