import type { ResourceSet } from '../../core/resource-set.ts';
import type { Queryable } from '../../store/engine/database.ts';
import { membersTakenUp } from '../../store/reading/joint-changes.ts';
import { listChanges, listStored } from '../../store/reading/listing.ts';
import { hasMembers } from '../../store/sources/collections.ts';
import type { JournalState } from '../../store/sources/journal.ts';

/**
 * Whether there is something to say of it: it has had a resource, or is all of a source that has been read to its end and has none, which those
 * who follow it from the beginning may know. Of other sets nobody can tell whether they are meant to be empty.
 */
export async function isPublishable(
  reader: Queryable,
  set: ResourceSet,
  journal: Pick<JournalState, 'seq' | 'firstPassSeq'> | undefined,
): Promise<boolean> {
  const { collections, formats } = set.filter;
  const isWhole = !set.members && collections === undefined && formats === undefined;
  if (!journal || (journal.seq === 0 && !isWhole)) return false;
  return (isWhole && journal.firstPassSeq !== undefined) || isInhabited(reader, set);
}

/** Whether there ever was a resource in it, as far as that can be told without reading the whole journal. */
async function isInhabited(reader: Queryable, set: ResourceSet): Promise<boolean> {
  if (set.members) {
    for (const member of await membersTakenUp(reader, set))
      for await (const page of listStored(reader, member, 1)) if (page.length > 0) return true;
    return false;
  }
  const { collections } = set.filter;
  if (collections) return hasMembers(reader, set.source, collections);
  for await (const page of listChanges(reader, set, { afterSeq: 0 }, 1)) return page.length > 0;
  return false;
}
