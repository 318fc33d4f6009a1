import { randomBytes } from 'node:crypto';
import type { Database, Queryable } from '../engine/database.ts';

/** What tokens are signed with: the same for all processes, and after a restart. Made when it is first needed. */
export async function readTokenSecret(database: Pick<Database, 'reader' | 'writer'>): Promise<string> {
  const known = await find(database.reader);
  if (known !== undefined) return known;
  const fresh = { id: 1, secret: randomBytes(32).toString('base64url') };
  await database.writer('oai_secret').insert(fresh).onConflict('id').ignore();
  return (await find(database.writer)) ?? fresh.secret;
}

async function find(db: Queryable): Promise<string | undefined> {
  const row: { secret: string } | undefined = await db('oai_secret').where({ id: 1 }).first('secret');
  return row?.secret;
}
