import { longAgo } from '../../core/datetime.ts';
import type { CopyDatabase } from './copy-database.ts';

/**
 * A copy of one set becomes that of another: sets have times of their own, so that nothing of what was known says how old it is by
 * those of the other, and nothing is due or gone any more. What is held stays until a list does not name it.
 * @param set of whose resources the copy is from now on
 */
export function forgetSet(database: CopyDatabase, set: string): void {
  database.write('update held set as_of = ?, doomed = null', longAgo);
  for (const table of ['due', 'gone']) database.write(`delete from ${table}`);
  database.write(`delete from setting where name in ('cursor', 'packages')`);
  for (const kind of ['list', 'expected']) database.keepNone(kind);
  database.keep('set', set);
}
