import type { PublishedSet } from '../../publish/published/publication.ts';
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
