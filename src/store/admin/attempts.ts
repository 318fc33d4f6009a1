import type { Knex } from 'knex';
import { addSeconds, toMilliseconds } from '../../core/datetime.ts';
import type { Database } from '../engine/database.ts';
import { primaryOf } from './primary.ts';

/** So many attempts may fail before each further one has to wait: 2, 4, 8 … seconds, at most 15 minutes. */
const freeAttempts = { account: 5, address: 10 } as const;
const longestWaitSeconds = 900;
/** After a day without any they are forgotten. */
const rememberedSeconds = 86_400;

export interface AttemptBy {
  readonly account: string;
  readonly address: string;
}

/**
 * Counts an attempt to sign in as one that failed, before the password is looked at: those that come at the same time are
 * counted, too.
 * @returns seconds to wait; 0: it may be tried
 */
export function countAttempt(database: Database, by: AttemptBy, now: string): Promise<number> {
  return database.transaction(async (trx) => {
    await trx('sign_in_attempt').where('at', '<=', addSeconds(now, -rememberedSeconds)).delete();
    for (const kind of ['account', 'address'] as const) {
      const wait = await countOne(trx, `${kind} ${by[kind]}`, freeAttempts[kind], now);
      if (wait > 0) return wait;
    }
    return 0;
  });
}

async function countOne(trx: Knex.Transaction, key: string, free: number, now: string): Promise<number> {
  const rows = () => trx('sign_in_attempt').where({ key });
  await trx('sign_in_attempt').insert({ key, failures: 0, at: now }).onConflict('key').ignore();
  const [counted]: { failures: number }[] = await rows()
    .andWhere((may) => may.whereNull('until').orWhere('until', '<=', now))
    .update({ failures: trx.raw('failures + 1'), at: now })
    .returning('failures');
  if (!counted) {
    const row: { until: string } | undefined = await rows().first('until');
    return row ? Math.ceil((toMilliseconds(row.until) - toMilliseconds(now)) / 1000) : 0;
  }
  const over = counted.failures - free;
  if (over >= 0)
    await rows().update({
      until: addSeconds(now, Math.min(longestWaitSeconds, 2 ** Math.min(20, over + 1))),
    });
  return 0;
}

/** Of tokens for content each address has its own count: who mistypes one is not kept from signing in. */
const contentKey = (address: string) => `content ${address}`;

/** @returns seconds until an address may try a token for content; 0: at once */
export async function waitForContent(database: Database, address: string, now: string): Promise<number> {
  const row: { until: string | null } | undefined = await primaryOf(database)('sign_in_attempt')
    .where({ key: contentKey(address) })
    .first('until');
  const until = row?.until ?? now;
  return until > now ? Math.ceil((toMilliseconds(until) - toMilliseconds(now)) / 1000) : 0;
}

/** It was no token for what was asked for. @returns seconds to wait */
export function countContentAttempt(database: Database, address: string, now: string): Promise<number> {
  return database.transaction(async (trx) => {
    await trx('sign_in_attempt').where('at', '<=', addSeconds(now, -rememberedSeconds)).delete();
    return countOne(trx, contentKey(address), freeAttempts.address, now);
  });
}

/** It was the right password. */
export async function forgetAttempts(database: Database, { account, address }: AttemptBy): Promise<void> {
  await database
    .writer('sign_in_attempt')
    .whereIn('key', [`account ${account}`, `address ${address}`])
    .delete();
}
