import { addSeconds } from '../../core/datetime.ts';
import { hashOf, newSecret } from '../admin/secret-text.ts';
import type { Database, Queryable } from '../engine/database.ts';

/** A link by which somebody without an account sees how one source is. */
export interface NewShareLink {
  readonly source: string;
  /** Whom it is sent to. */
  readonly contact: string;
  /** The id of the message: sent again, its link takes the place of the one before. */
  readonly message: string;
  /** Undefined: one is made. */
  readonly secret?: string;
}

/** Five weeks, so that the one of the last mail works until the next has come, and somebody has read it. */
export const shareDays = 35;
const noteSeconds = 3600;

/** @param now ISO @returns the secret of the link; it is not kept */
export async function createShareLink(
  { writer }: Pick<Database, 'writer'>,
  { source, contact, message, secret = newSecret() }: NewShareLink,
  now: string,
): Promise<string> {
  await writer('share_link').where('expires_at', '<=', now).delete();
  await writer('share_link')
    .insert({
      ...{ hash: hashOf(secret), source, contact, message },
      ...{ created_at: now, expires_at: addSeconds(now, shareDays * 86_400) },
    })
    .onConflict(['message', 'source'])
    .merge(['hash', 'created_at', 'expires_at']);
  return secret;
}

/** @param db where what was just written is seen @returns the source that it shows; undefined: it has ended, or never was */
export async function findShareLink(
  db: Queryable,
  { writer }: Pick<Database, 'writer'>,
  secret: string,
  now: string,
): Promise<string | undefined> {
  if (secret.length > 100) return undefined;
  const row: { id: number; source: string; used_at: string | null } | undefined = await db('share_link')
    .where({ hash: hashOf(secret) })
    .andWhere('expires_at', '>', now)
    .first('id', 'source', 'used_at');
  if (!row) return undefined;
  if (row.used_at === null || row.used_at <= addSeconds(now, -noteSeconds))
    await writer('share_link').where({ id: row.id }).update({ used_at: now });
  return row.source;
}

/** Ends all links to a source. @returns how many there were */
export function revokeShareLinks({ writer }: Pick<Database, 'writer'>, source: string): Promise<number> {
  return writer('share_link').where({ source }).delete();
}
