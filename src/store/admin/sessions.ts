import { addSeconds } from '../../core/datetime.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { primaryOf } from './primary.ts';
import type { Scope } from './scope.ts';
import { hashOf, newSecret } from './secret-text.ts';

/** Somebody who signed in. Times are ISO. */
export interface Session {
  /** Of its secret. */
  readonly hash: string;
  readonly account: string;
  readonly scope: Scope;
}

export interface ListedSession {
  readonly hash: string;
  readonly account: string;
  readonly createdAt: string;
  readonly usedAt: string;
  readonly address: string;
  readonly agent: string;
}

interface SessionRow {
  readonly hash: string;
  readonly account: string;
  readonly scope: Scope;
  readonly created_at: string;
  readonly used_at: string;
  readonly address: string;
  readonly agent: string;
}

const idleSeconds = 24 * 3600;
export const longestSeconds = 14 * 24 * 3600;
/** That it is used is written down no more often. */
const noteSeconds = 60;

/** @returns its secret, for the cookie; it is not kept */
export async function beginSession(
  database: Database,
  { account, address, agent }: { account: string; address: string; agent: string },
  now: string,
): Promise<string> {
  const secret = newSecret();
  await database.transaction(async (trx) => {
    await trx('admin_session')
      .where('used_at', '<=', addSeconds(now, -idleSeconds))
      .orWhere('created_at', '<=', addSeconds(now, -longestSeconds))
      .delete();
    await trx('admin_session').insert({
      hash: hashOf(secret),
      account,
      created_at: now,
      used_at: now,
      address,
      agent: agent.slice(0, 200),
    });
  });
  return secret;
}

/** One that is neither too old nor left alone for too long, of an account that there still is. */
export async function findSession(
  database: Database,
  secret: string,
  now: string,
): Promise<Session | undefined> {
  const row: SessionRow | undefined = await living(primaryOf(database), now)
    .where('admin_session.hash', hashOf(secret))
    .first('admin_session.*', 'admin_account.scope');
  if (!row) return undefined;
  const { hash, account, scope } = row;
  if (row.used_at <= addSeconds(now, -noteSeconds))
    await database.writer('admin_session').where({ hash }).update({ used_at: now });
  return { hash, account, scope };
}

export async function listSessions(db: Queryable, now: string): Promise<readonly ListedSession[]> {
  const rows: SessionRow[] = await living(db, now)
    .orderBy('admin_session.used_at', 'desc')
    .select('admin_session.*');
  return rows.map(({ hash, account, created_at: createdAt, used_at: usedAt, address, agent }) => ({
    hash,
    account,
    createdAt,
    usedAt,
    address,
    agent,
  }));
}

function living(db: Queryable, now: string) {
  return db('admin_session')
    .join('admin_account', 'admin_account.name', 'admin_session.account')
    .where('admin_session.used_at', '>', addSeconds(now, -idleSeconds))
    .where('admin_session.created_at', '>', addSeconds(now, -longestSeconds));
}

/** Asking is no use of it. */
export async function isSessionLiving(db: Queryable, hash: string, now: string): Promise<boolean> {
  return (await living(db, now).where('admin_session.hash', hash).first('admin_session.hash')) !== undefined;
}

/** @returns whether there was one */
export async function endSession(database: Database, hash: string): Promise<boolean> {
  return (await database.writer('admin_session').where({ hash }).delete()) > 0;
}
