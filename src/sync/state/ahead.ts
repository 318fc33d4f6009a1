import { addSeconds, longAgo } from '../../core/datetime.ts';
import { skewSeconds } from '../../resourcesync/reading/stated-time.ts';
import type { CopyDatabase } from './copy-database.ts';

/**
 * What a list with a time in the future left in a copy would hide every change until then. When it was so is not known: whatever
 * is stated of it next is newer.
 * @param clock now
 * @returns up to when everything was taken for known, where that is in the future: it is known no more
 */
export function forgetFuture(database: CopyDatabase, clock: string): string | undefined {
  const cursor = database.setting('cursor');
  const latest = addSeconds(clock, skewSeconds);
  if (cursor !== undefined && cursor <= latest) return undefined;
  database.write('update held set as_of = ? where as_of > ?', longAgo, latest);
  database.write('update held set doomed = ? where doomed > ?', longAgo, latest);
  database.write('update due set as_of = ? where as_of > ?', longAgo, latest);
  database.write('delete from gone where as_of > ?', latest);
  database.keepNone('list');
  database.keep('cursor', undefined);
  return cursor;
}
