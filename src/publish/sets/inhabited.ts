import type { ResourceSet } from '../../core/resource-set.ts';
import type { Queryable } from '../../store/engine/database.ts';
import { membersTakenUp } from '../../store/reading/joint-changes.ts';
import { listChanges, listStored } from '../../store/reading/listing.ts';
import { hasMembers } from '../../store/sources/collections.ts';

/** Whether there ever was a resource in it, as far as that can be told without reading the whole journal. */
export async function isInhabited(reader: Queryable, set: ResourceSet): Promise<boolean> {
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
