import type { Knex } from 'knex';
import { BridgeError } from '../../core/errors.ts';
import type { Database, Queryable } from '../engine/database.ts';
import type { Scope } from './scope.ts';

/** The one that there is without asking for another. */
export const firstAccount = 'admin';

export interface Account {
  readonly name: string;
  readonly scope: Scope;
  /** When its password was set. */
  readonly changedAt: string;
}

interface AccountRow {
  readonly name: string;
  readonly scope: Scope;
  readonly password: string;
  readonly changed_at: string;
}

/** @throws BridgeError `usage` */
export function checkAccountName(name: string): string {
  if (!/^[a-z0-9][a-z0-9._@+-]{0,63}$/i.test(name))
    throw new BridgeError(
      'usage',
      'the name of an account has letters, digits and . _ @ + -, at most 64 of them',
    );
  return name;
}

export async function listAccounts(db: Queryable): Promise<readonly Account[]> {
  const rows: AccountRow[] = await db('admin_account').orderBy('name');
  return rows.map(({ name, scope, changed_at: changedAt }) => ({ name, scope, changedAt }));
}

export async function hasAccounts(db: Queryable): Promise<boolean> {
  return (await db('admin_account').first('name')) !== undefined;
}

export async function findAccount(
  db: Queryable,
  name: string,
): Promise<(Account & { readonly password: string }) | undefined> {
  const row: AccountRow | undefined = await db('admin_account').where({ name }).first();
  return row && { name, scope: row.scope, password: row.password, changedAt: row.changed_at };
}

/** Whoever was signed in is not any more, and no link for it is good any more. */
export function setPassword(
  database: Database,
  account: { readonly name: string; readonly scope: Scope; readonly password: string },
  now: string,
): Promise<void> {
  return database.transaction((trx) => putPassword(trx, account, now));
}

export async function putPassword(
  trx: Knex.Transaction,
  { name, scope, password }: { readonly name: string; readonly scope: Scope; readonly password: string },
  now: string,
): Promise<void> {
  await trx('admin_account').insert({ name, scope, password, changed_at: now }).onConflict('name').merge();
  await trx('admin_session').where({ account: name }).delete();
  await trx('admin_link').where({ account: name }).delete();
}

/** @returns whether there was such an account */
export function removeAccount(database: Database, name: string): Promise<boolean> {
  return database.transaction(async (trx) => {
    const found = await trx('admin_account').where({ name }).delete();
    await trx('admin_session').where({ account: name }).delete();
    await trx('admin_link').where({ account: name }).delete();
    return found > 0;
  });
}
