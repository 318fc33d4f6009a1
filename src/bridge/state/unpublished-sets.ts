import type { ResourceSet } from '../../core/resource-set.ts';
import type { PublishedSet } from '../../publish/published/publication.ts';
import type { Queryable } from '../../store/engine/database.ts';
import { readJointJournal } from '../../store/joint/joint-journal.ts';
import { listLeaving } from '../../store/joint/take-up.ts';
import { jointOf } from '../../store/reading/joint-changes.ts';
import type { StoredBridge } from '../stored-bridge.ts';

/** Paths of the sets of a source of which there are no documents. @param sets those that are published */
export function unpublishedSets(
  { setsOf }: Pick<StoredBridge, 'setsOf'>,
  sets: readonly PublishedSet[],
  name: string,
): readonly string[] {
  const there = new Set(sets.flatMap(({ path, documents }) => (documents.length > 0 ? [path] : [])));
  return setsOf(name)
    .map(({ path }) => path)
    .filter((path) => !there.has(path));
}

/** Whether what is published of a set across sources may still name one that has left it by the configuration. */
export async function isOfFormerSources(
  db: Queryable,
  joint: ResourceSet,
  published: PublishedSet,
): Promise<boolean> {
  const row = await readJointJournal(db, joint.source);
  if (!row || published.journal?.id !== row.journal_id) return true;
  return (await listLeaving(db, row.id, jointOf(joint))).length > 0;
}
