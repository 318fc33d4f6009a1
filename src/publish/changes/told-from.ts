import type { Queryable } from '../../store/engine/database.ts';
import { type JournalState, momentOf } from '../../store/sources/journal.ts';

/**
 * Where a channel of a set begins: behind a sequence of the journal, so that all that comes after it is told.
 * @param seq what whoever subscribes has from the published lists; undefined: that is not known, and it begins now
 * @returns undefined where there is no journal
 */
export async function toldFrom(
  db: Queryable,
  journal: JournalState | undefined,
  seq: number | undefined,
): Promise<Pick<JournalState, 'id' | 'seq' | 'at'> | undefined> {
  if (!journal || seq === undefined || seq >= journal.seq) return journal;
  const at = await momentOf(db, journal.sourceId, seq);
  return at === undefined ? journal : { id: journal.id, seq, at };
}
