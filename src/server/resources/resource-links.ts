import { jointSetsWith } from '../../core/config/joint-sets.ts';
import { covers, type ResourceSet } from '../../core/resource-set.ts';
import { itemPath, toUri } from '../../core/uris.ts';
import { duplicates } from '../../publish/documents/entry-writer.ts';
import type { ServedResource } from '../../store/reading/resources.ts';
import { itemOf } from '../../store/rows/link-form.ts';
import type { ServerDeps } from '../deps.ts';
import { formatLinks, type HeaderLink } from '../http/link-header.ts';
import { backLink, linksetLinks, toLink, toTarget } from '../http/signposting.ts';
import { originalLinks } from '../past/memento-links.ts';
import { whyWithheldHere } from '../past/served-history.ts';

/** The Link field of a living resource. */
export function linkOf(
  deps: ServerDeps,
  { resource, metadata }: { readonly resource: ServedResource; readonly metadata: readonly ServedResource[] },
): string | undefined {
  return formatLinks([...lastingLinks(deps, resource), ...linksOf(deps, resource, metadata)]);
}

/** What stands before all others, in this order. */
const ranks = new Map(
  ['profile', 'canonical', 'describedby', 'linkset', 'alternate', 'via', 'duplicate'].map((rel, rank) => [
    rel,
    rank,
  ]),
);
const rankOf = ({ rel }: HeaderLink) => ranks.get(rel) ?? ranks.size;

/**
 * What matters most comes first: an item may have more files, and be in more collections, than a header has room
 * for. ResourceSync's links and those of FAIR Signposting are the same but for the page of the item.
 */
function linksOf(
  deps: ServerDeps,
  resource: ServedResource,
  metadata: readonly ServedResource[],
): readonly HeaderLink[] {
  const { baseUrl } = deps;
  const { source, identifier, path, kind } = resource;
  const page = `${baseUrl}/${itemOf(path) || itemPath(source, identifier)}`;
  const own = toUri(baseUrl, path);
  const few: HeaderLink[] = [];
  const many: HeaderLink[] = [];
  const collections: HeaderLink[] = [];
  const add = (link: HeaderLink) => {
    if (link.href !== own) few.push(link);
  };
  for (const one of metadata) {
    if (one.path !== path) add(toLink(kind === 'file' ? 'describedby' : 'alternate', toTarget(baseUrl, one)));
  }
  for (const link of linksetLinks(page)) add(link);
  for (const link of duplicates(deps.setsOf(source)[0]?.mirrors ?? [], path)) add(link);
  for (const { rel, href, type } of resource.links) {
    if (rel === 'alternate' || rel === 'describedby') continue;
    const link = { rel, href: toUri(baseUrl, href), type, many: rel === 'describes' };
    if (rel === 'collection') collections.push({ rel, href: link.href });
    else if (rel !== 'describes') add(link);
    else if (link.href !== page) many.push(link);
  }
  // Stable: of the same rank the first comes first.
  few.sort((a, b) => rankOf(a) - rankOf(b));
  return [...historyLinks(deps, resource), backLink(resource, page), ...few, ...many, ...collections];
}

/** ME-08: also what is gone leads to what it was, as far as that can be followed. */
export function lastingLinks(deps: ServerDeps, resource: ServedResource): readonly HeaderLink[] {
  if (whyWithheldHere(deps, resource) !== undefined) return [];
  return originalLinks(deps.baseUrl, toUri(deps.baseUrl, resource.path));
}

/** What a resource says of itself alive or deleted: the Capability List of every set that covers it (RS-DISC-13). */
export function historyLinks(deps: ServerDeps, resource: ServedResource): readonly HeaderLink[] {
  const { baseUrl, setsOf } = deps;
  const { source } = resource;
  const has = ({ filter }: Pick<ResourceSet, 'filter'>) => covers(filter, resource, source);
  return [...setsOf(source).filter(has), ...jointSetsWith(deps.jointSets?.(), source, has)].map(
    ({ path }) => ({ rel: 'resourcesync', href: `${baseUrl}/${path}/capabilitylist.xml` }),
  );
}
