import { parseStamp, toStamp } from '../../core/datetime.ts';
import type { Pointer } from '../disk/pointer.ts';

/**
 * Which moment a Resource List is of that only an archive keeps, by the path of it or of a part of it; undefined: it is none. Such a list names
 * what lived then, and nobody writes it anew: once something of its sources has been withdrawn, or has become private, it is
 * handed out no more.
 */
export function archivedListAt(path: string, { snapshots }: Pick<Pointer, 'snapshots'>): string | undefined {
  const [, stamp, rest] = /\/resourcelist\/(\d{8}T\d{6}Z)\/(.+)$/.exec(path) ?? [];
  if (stamp === undefined) return undefined;
  // Of the current list, and those just before it, the parts are not the archive's alone.
  const isKept = rest !== 'index.xml' && snapshots.some(({ at }) => toStamp(at) === stamp);
  return isKept ? undefined : parseStamp(stamp);
}
