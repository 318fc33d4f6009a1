import type { ResourceSet } from '../../core/resource-set.ts';
import type { PublishedSet } from '../../publish/published/publication.ts';
import { isPublishable } from '../../publish/sets/inhabited.ts';
import type { Queryable } from '../../store/engine/database.ts';
import { readJointJournal } from '../../store/joint/joint-journal.ts';
import { listLeaving } from '../../store/joint/take-up.ts';
import { jointOf } from '../../store/reading/joint-changes.ts';
import { findUnknownCollections } from '../../store/sources/collections.ts';
import { readJournal } from '../../store/sources/journal.ts';
import type { StoredBridge } from '../stored-bridge.ts';

/**
 * Paths of the sets of a source of which there are no documents, though there is something to publish, or somebody to ask what is meant.
 * @param sets those that are published
 */
export async function unpublishedSets(
  { setsOf, database: { reader } }: Pick<StoredBridge, 'setsOf' | 'database'>,
  sets: readonly PublishedSet[],
  name: string,
): Promise<readonly string[]> {
  const there = new Set(sets.flatMap(({ path, documents }) => (documents.length > 0 ? [path] : [])));
  const missing: string[] = [];
  const journal = await readJournal(reader, name);
  for (const set of setsOf(name)) {
    if (there.has(set.path)) continue;
    const { collections = [] } = set.filter;
    const isMistaken = (await findUnknownCollections(reader, set.source, collections)).length > 0;
    if (isMistaken || (await isPublishable(reader, set, journal))) missing.push(set.path);
  }
  return missing;
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
