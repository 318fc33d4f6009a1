import { jointSetsWith } from '../../core/config/joint-sets.ts';
import type { Member, ResourceSet } from '../../core/resource-set.ts';
import { covers } from '../../core/resource-set.ts';
import { collectionPath } from '../../core/uris.ts';
import type { ServerDeps } from '../deps.ts';

/**
 * The Capability Lists that a page links to (RS-DISC-03, RS-DISC-04): one for every published set of the
 * source that has any of `members` (RS-DISC-13).
 */
export async function capabilityListsFor(
  deps: ServerDeps,
  source: string,
  members: readonly Member[],
): Promise<readonly string[]> {
  const has = ({ filter }: ResourceSet) => members.some((member) => covers(filter, member, source));
  return publishedAmong(deps, [
    ...deps.setsOf(source).filter(has),
    ...jointSetsWith(deps.jointSets?.(), source, has),
  ]);
}

/** Those for every published set that the collection has a part in. */
export async function capabilityListsForCollection(
  deps: ServerDeps,
  source: string,
  spec: string,
): Promise<readonly string[]> {
  const links = [{ rel: 'collection', href: collectionPath(source, spec) }];
  const has = ({ filter: { collections } }: ResourceSet) =>
    covers({ collections }, { kind: 'metadata', format: '', links }, source);
  return publishedAmong(deps, [
    ...deps.setsOf(source).filter(has),
    ...jointSetsWith(deps.jointSets?.(), source, has),
  ]);
}

async function publishedAmong(deps: ServerDeps, sets: readonly ResourceSet[]): Promise<readonly string[]> {
  const lists = await Promise.all(
    sets.map(async ({ path }) => {
      const list = `${path}/capabilitylist.xml`;
      const documents = (await deps.publication.set(path))?.documents ?? [];
      return documents.some((document) => document.path === list) ? [`${deps.baseUrl}/${list}`] : [];
    }),
  );
  return lists.flat();
}
