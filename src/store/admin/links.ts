import { addSeconds } from '../../core/datetime.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { putPassword } from './accounts.ts';
import type { Scope } from './scope.ts';
import { hashOf, newSecret } from './secret-text.ts';

/** By which one person sets the password of an account, once. */
export interface Invitation {
  readonly account: string;
  readonly scope: Scope;
}

export const linkHours = 24;

/** @returns the secret of the link; it is not kept */
export async function createLink(
  database: Database,
  { account, scope }: Invitation,
  now: string,
): Promise<string> {
  const secret = newSecret();
  const expires = addSeconds(now, linkHours * 3600);
  await database.transaction(async (trx) => {
    await trx('admin_link').where('expires_at', '<=', now).delete();
    await trx('admin_link').insert({ hash: hashOf(secret), account, scope, expires_at: expires });
  });
  return secret;
}

/** Looks without using it. */
export async function findLink(db: Queryable, secret: string, now: string): Promise<Invitation | undefined> {
  return db('admin_link')
    .where({ hash: hashOf(secret) })
    .andWhere('expires_at', '>', now)
    .first('account', 'scope');
}

/**
 * Of two who use it at once, one has it.
 * @param password hashed
 */
export function useLink(
  database: Database,
  secret: string,
  password: string,
  now: string,
): Promise<Invitation | undefined> {
  return database.transaction(async (trx) => {
    const hash = hashOf(secret);
    const found = await findLink(trx, secret, now);
    // Who deletes it has it.
    if (!found || (await trx('admin_link').where({ hash }).delete()) === 0) return undefined;
    await putPassword(trx, { name: found.account, scope: found.scope, password }, now);
    return found;
  });
}
