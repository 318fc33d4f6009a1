import { hostNotPublic, notPublicPattern } from '../../core/addresses/private-address.ts';
import { whereAnyOf } from '../engine/bulk.ts';
import type { Queryable } from '../engine/database.ts';
import { ofSource } from '../rows/one-source.ts';

/** A file that was not asked for, because its address, or the one it redirects to, is not public and not allowed. */
export interface PrivateFile {
  readonly id: number;
  readonly url: string;
  /** The one that is not public: of the URL, or of a redirect. */
  readonly host: string;
}

interface Row {
  readonly id: number;
  readonly url: string;
  readonly reason: string;
}

/** In the order of ids; those that are due already are left out. */
export async function listPrivateFiles(
  db: Queryable,
  sourceId: number,
  { now, after, limit }: { readonly now: string; readonly after: number; readonly limit: number },
): Promise<readonly PrivateFile[]> {
  const rows: Row[] = await db('remote_file')
    .select('id', 'url', 'reason')
    .where({ source_id: sourceId, outcome: 'refused' })
    .where('reason', 'like', notPublicPattern)
    .where((late) => late.whereNull('due_at').orWhere('due_at', '>', now))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit);
  return rows.flatMap(({ id, url, reason }) => {
    const host = hostNotPublic(reason);
    return host === undefined ? [] : [{ id, url, host }];
  });
}

/** They are due at once. */
export async function askAgain(
  db: Queryable,
  sourceId: number,
  ids: readonly number[],
  now: string,
): Promise<void> {
  if (ids.length === 0) return;
  await db('remote_file')
    .modify((query) => whereAnyOf(query, 'id', ids))
    .modify(ofSource, 'remote_file', sourceId)
    .update({ due_at: now });
}
