import type { FileRules } from '../../core/files/published-files.ts';
import type { Queryable } from '../engine/database.ts';
import type { FileContext } from '../plans/known-files.ts';
import { noLinkedFiles } from '../plans/known-files.ts';
import { findLinkedFiles } from './linked-files.ts';
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
  const linked = rules.mode === 'link' ? await findLinkedFiles(db, sourceId, distinct) : noLinkedFiles;
  return { rules, now, seen: (url) => seen.get(url), ...linked };
}
