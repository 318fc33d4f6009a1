import type { FileRules } from '../core/published-files.ts';
import { whereAnyOf } from './bulk.ts';
import type { Queryable } from './database.ts';
import type { FileContext } from './item-plan.ts';
import { findRemoteFiles } from './remote-files.ts';

/** What planning has to know about these URLs. */
export async function fileContext(
  db: Queryable,
  sourceId: number,
  rules: FileRules,
  urls: readonly string[],
  now: string,
): Promise<FileContext> {
  const distinct = [...new Set(urls)];
  const seen = await findRemoteFiles(db, sourceId, distinct);
  const taken = rules.mode === 'link' ? await findPublished(db, distinct) : new Set<string>();
  return { rules, now, seen: (url) => seen.get(url), isTaken: (url) => taken.has(url) };
}

/** Resources whose own address is one of these. */
async function findPublished(db: Queryable, urls: readonly string[]): Promise<ReadonlySet<string>> {
  if (urls.length === 0) return new Set();
  const rows: { path: string }[] = await db('resource')
    .select('path')
    .modify((query) => whereAnyOf(query, 'path', urls));
  return new Set(rows.map(({ path }) => path));
}
