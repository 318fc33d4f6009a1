import { addSeconds } from '../../core/datetime.ts';
import { BridgeError } from '../../core/errors.ts';
import type { Database, Queryable } from '../engine/database.ts';
import { primaryOf } from './primary.ts';
import type { Scope, TokenScope } from './scope.ts';
import { hashOf, newSecret } from './secret-text.ts';

/** By which a program acts. Times are ISO. */
export interface ApiToken {
  readonly id: number;
  readonly name: string;
  readonly scope: TokenScope;
  /** Of one for content, what it reads: SOURCE, or SOURCE/SET. */
  readonly sets?: readonly string[] | undefined;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly expiresAt?: string | undefined;
  readonly usedAt?: string | undefined;
}

/** One by which the dashboard and its API are used. */
export interface ActingToken extends ApiToken {
  readonly scope: Scope;
}

interface TokenRow {
  readonly id: number;
  readonly name: string;
  readonly scope: TokenScope;
  /** JSON. */
  readonly sets: string | null;
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
  readonly scope: TokenScope;
  /** Of one for content: what it reads. */
  readonly sets?: readonly string[] | undefined;
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
  { name, scope, sets = [], createdBy, days }: NewToken,
  now: string,
): Promise<ApiToken & { readonly secret: string }> {
  checkSets(scope, sets);
  if (!/^[^\p{C}]{1,100}$/u.test(name.trim()))
    throw new BridgeError('usage', 'name the token in 1 to 100 characters: who has it, and what for');
  const secret = newSecret(tokenPrefix);
  const [row]: TokenRow[] = await database
    .writer('api_token')
    .insert({
      hash: hashOf(secret),
      name: name.trim(),
      scope,
      sets: scope === 'content' ? JSON.stringify([...new Set(sets)].sort()) : null,
      created_by: createdBy,
      created_at: now,
      expires_at: days === undefined ? null : addSeconds(now, days * 86_400),
    })
    .returning('*');
  return { ...toToken(row as TokenRow), secret };
}

/** What a token may read: a source, or one of its sets. */
const setName = /^[a-z0-9-]+(?:\/[a-z0-9-]+)?$/;

function checkSets(scope: TokenScope, sets: readonly string[]): void {
  if (scope !== 'content' && sets.length > 0)
    throw new BridgeError('usage', `a token that reads sets has the scope content, not ${scope}`);
  if (scope === 'content' && sets.length === 0)
    throw new BridgeError('usage', 'say what the token reads: a source, or SOURCE/SET');
  const wrong = sets.find((set) => !setName.test(set));
  if (wrong !== undefined)
    throw new BridgeError('usage', `"${wrong}" names no set; write SOURCE, or SOURCE/SET`);
}

/** One by which somebody acts, and that has not expired. */
export async function findToken(
  database: Database,
  secret: string,
  now: string,
): Promise<ActingToken | undefined> {
  const token = await findAnyToken(database, secret, now);
  return token && isActing(token) ? token : undefined;
}

function isActing(token: ApiToken): token is ActingToken {
  return token.scope !== 'content';
}

/** What somebody may read by a token for content that has not expired: sources, and sets as SOURCE/SET. */
export async function findReadableSets(
  database: Database,
  secret: string,
  now: string,
): Promise<readonly string[]> {
  return (await findAnyToken(database, secret, now))?.sets ?? [];
}

/** The same of a token whose hash alone is known. */
export async function findSetsOfToken(
  database: Database,
  hash: string,
  now: string,
): Promise<readonly string[]> {
  const row: TokenRow | undefined = await primaryOf(database)('api_token')
    .where({ hash })
    .andWhere((good) => good.whereNull('expires_at').orWhere('expires_at', '>', now))
    .first();
  return row ? (toToken(row).sets ?? []) : [];
}

async function findAnyToken(database: Database, secret: string, now: string): Promise<ApiToken | undefined> {
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
    ...(row.sets === null ? {} : { sets: JSON.parse(row.sets) as string[] }),
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
    ...(row.used_at === null ? {} : { usedAt: row.used_at }),
  };
}
