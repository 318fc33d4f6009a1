import { jointSetsWith } from '../../core/config/joint-sets.ts';
import { covers, type ResourceSet } from '../../core/resource-set.ts';
import { itemPath, toUri } from '../../core/uris.ts';
import { duplicates } from '../../publish/documents/entry-writer.ts';
import type { ServedResource } from '../../store/reading/resources.ts';
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

const order = ['profile', 'canonical', 'describedby', 'linkset', 'alternate', 'via', 'duplicate'];

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
  const page = `${baseUrl}/${itemPath(source, identifier)}`;
  const own = toUri(baseUrl, path);
  const rank = ({ rel }: HeaderLink) => order.indexOf(rel) + 1 || order.length + 1;
  const stored: readonly HeaderLink[] = resource.links
    .filter(({ rel }) => rel !== 'alternate' && rel !== 'describedby' && rel !== 'collection')
    .map(({ rel, href, type }) => {
      const link = { rel, href: toUri(baseUrl, href), many: rel === 'describes' };
      return type === undefined ? link : { ...link, type };
    });
  const others = metadata.map((one) => toTarget(baseUrl, one)).filter(({ uri }) => uri !== own);
  const few = [
    ...others.map((target) => toLink(kind === 'file' ? 'describedby' : 'alternate', target)),
    ...linksetLinks(page),
    ...duplicates(deps.setsOf(source)[0]?.mirrors ?? [], path),
    ...stored.filter(({ rel }) => rel !== 'describes'),
  ];
  return [
    ...historyLinks(deps, resource),
    backLink(resource, page),
    ...few.filter(({ href }) => href !== own).sort((a, b) => rank(a) - rank(b)),
    ...stored.filter(({ rel, href }) => rel === 'describes' && href !== page),
    ...collectionsOf(resource).map((href) => ({ rel: 'collection', href: toUri(baseUrl, href) })),
  ];
}

function collectionsOf({ links }: ServedResource): readonly string[] {
  return links.filter(({ rel }) => rel === 'collection').map(({ href }) => href);
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
