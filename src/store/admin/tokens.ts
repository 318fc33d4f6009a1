import { addSeconds } from '../../core/datetime.ts';
import { BridgeError } from '../../core/errors.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { primaryOf } from './primary.ts';
import type { Scope } from './scope.ts';
import { hashOf, newSecret } from './secret-text.ts';

/** By which a program acts. Times are ISO. */
export interface ApiToken {
  readonly id: number;
  readonly name: string;
  readonly scope: Scope;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly expiresAt?: string | undefined;
  readonly usedAt?: string | undefined;
}

interface TokenRow {
  readonly id: number;
  readonly name: string;
  readonly scope: Scope;
  readonly created_by: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly used_at: string | null;
}

/** What programs that look for secrets know it by. */
export const tokenPrefix = 'rsb_';
const noteSeconds = 60;

export interface NewToken {
  readonly name: string;
  readonly scope: Scope;
  readonly createdBy: string;
  /** Undefined: until it is revoked. */
  readonly days?: number | undefined;
}

/**
 * @returns its secret with it, which is not kept
 * @throws BridgeError `usage`
 */
export async function createToken(
  database: Database,
  { name, scope, createdBy, days }: NewToken,
  now: string,
): Promise<ApiToken & { readonly secret: string }> {
  if (!/^[^\p{C}]{1,100}$/u.test(name.trim()))
    throw new BridgeError('usage', 'name the token in 1 to 100 characters: who has it, and what for');
  const secret = newSecret(tokenPrefix);
  const [row]: TokenRow[] = await database
    .writer('api_token')
    .insert({
      hash: hashOf(secret),
      name: name.trim(),
      scope,
      created_by: createdBy,
      created_at: now,
      expires_at: days === undefined ? null : addSeconds(now, days * 86_400),
    })
    .returning('*');
  return { ...toToken(row as TokenRow), secret };
}

/** One that has not expired. */
export async function findToken(
  database: Database,
  secret: string,
  now: string,
): Promise<ApiToken | undefined> {
  if (!secret.startsWith(tokenPrefix) || secret.length > 100) return undefined;
  const row: TokenRow | undefined = await primaryOf(database)('api_token')
    .where({ hash: hashOf(secret) })
    .andWhere((good) => good.whereNull('expires_at').orWhere('expires_at', '>', now))
    .first();
  if (!row) return undefined;
  if (row.used_at === null || row.used_at <= addSeconds(now, -noteSeconds))
    await database.writer('api_token').where({ id: row.id }).update({ used_at: now });
  return toToken(row);
}

/** Those that expired, too. */
export async function listTokens(db: Queryable): Promise<readonly ApiToken[]> {
  const rows: TokenRow[] = await db('api_token').orderBy('id');
  return rows.map(toToken);
}

/** The next request with it is refused, by whatever process. @returns its name; undefined: there is none */
export async function revokeToken(database: Database, id: number): Promise<string | undefined> {
  const row: { name: string } | undefined = await primaryOf(database)('api_token')
    .where({ id })
    .first('name');
  return (await database.writer('api_token').where({ id }).delete()) > 0 ? row?.name : undefined;
}

function toToken(row: TokenRow): ApiToken {
  const { id, name, scope, created_by: createdBy, created_at: createdAt } = row;
  return {
    ...{ id, name, scope, createdBy, createdAt },
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
    ...(row.used_at === null ? {} : { usedAt: row.used_at }),
  };
}
