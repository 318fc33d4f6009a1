import type { FastifyInstance, FastifyReply } from 'fastify';
import { jointSetsWith } from '../../core/config/joint-sets.ts';
import { earlier, toHttpDate, toIso, toMilliseconds } from '../../core/datetime.ts';
import { isBridgeError } from '../../core/errors.ts';
import { covers, type ResourceSet } from '../../core/resource-set.ts';
import { itemPath, toUri } from '../../core/uris.ts';
import { duplicates } from '../../publish/documents/entry-writer.ts';
import { findWithMetadata, type StoredResource } from '../../store/reading/resources.ts';
import type { ServerDeps } from '../deps.ts';
import { sendFile } from '../files/files.ts';
import { keptRepresentation } from '../files/kept-content.ts';
import { servedPath } from '../http/base-path.ts';
import { Refusal } from '../http/errors.ts';
import { formatLinks, type HeaderLink } from '../http/link-header.ts';
import { sendRepresentation } from '../http/representation.ts';
import { backLink, linksetLinks, toLink, toTarget } from '../http/signposting.ts';
import { originalLinks } from '../past/memento-links.ts';
import { whyWithheldHere } from '../past/served-history.ts';
import { editionOf, repeatable, settingsOf } from '../repeated/grounds.ts';

/** The resources themselves: what the `loc` of every list leads to. */
export function resourceRoutes(app: FastifyInstance, deps: ServerDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/:source/items/*',
    config: { operationId: 'getResource', open: true },
    handler: async (request, reply) => {
      const path = servedPath(request);
      const [isRead, isConfigured] = [editionOf(deps), settingsOf(deps, path?.split('/', 1)[0] ?? '')];
      const found = path === undefined ? undefined : await findWithMetadata(deps.database.reader, path);
      if (!found) throw new Refusal('not-found', 'there is no such resource');
      const { resource, metadata } = found;
      if (resource.deletedAt !== undefined) throw gone(deps, resource, resource.deletedAt);
      const link = formatLinks([...lastingLinks(deps, resource), ...linksOf(deps, resource, metadata)]);
      // On the reply, a 304 has them too: a cache takes over what it says.
      if (link !== undefined) reply.header('link', link);
      if (resource.kind === 'file') {
        return sendFile(deps, request, reply, resource, link).catch(async (error: unknown) => {
          // What its repository refuses just now may have been deleted for that just now.
          if (!isBridgeError(error, 'file-withheld')) throw error;
          const now = await findWithMetadata(deps.database.writer, resource.path);
          const deletedAt = now?.resource.deletedAt;
          throw now && deletedAt !== undefined ? gone(deps, now.resource, deletedAt) : error;
        });
      }
      const content = { ...resource, lastModified: resource.lastmod };
      const representation = keptRepresentation(deps, content, { cacheControl: 'no-cache', link });
      const now = toIso(deps.clock.now());
      if (isRead && resource.lastmod <= now)
        repeatResource(deps, reply, resource.lastmod, isConfigured, isRead);
      return sendRepresentation(request, reply, representation, now);
    },
  });
}

/** By itself, so that what waits to be asked holds on to nothing else of the request. */
function repeatResource(
  { clock }: ServerDeps,
  reply: FastifyReply,
  lastmod: string,
  isConfigured: () => boolean,
  isRead: () => boolean,
): void {
  const since = toMilliseconds(lastmod);
  const hold = () => since <= clock.now().getTime() && isConfigured() && isRead();
  repeatable(reply, { operationId: 'getResource', hold });
}

function gone(deps: ServerDeps, resource: StoredResource, deletedAt: string): Refusal {
  const link = formatLinks([...lastingLinks(deps, resource), ...historyLinks(deps, resource)]);
  return new Refusal('gone', `this resource was deleted at ${deletedAt}`, {
    // HC-01: never later than Date, even where the journal's clock is ahead of ours.
    'last-modified': toHttpDate(earlier(deletedAt, toIso(deps.clock.now()))),
    ...(link === undefined ? {} : { link }),
  });
}

const order = ['profile', 'canonical', 'describedby', 'linkset', 'alternate', 'via', 'duplicate'];

/**
 * What matters most comes first: an item may have more files, and be in more collections, than a header has room
 * for. ResourceSync's links and those of FAIR Signposting are the same but for the page of the item.
 */
function linksOf(
  deps: ServerDeps,
  resource: StoredResource,
  metadata: readonly StoredResource[],
): readonly HeaderLink[] {
  const { baseUrl } = deps;
  const { source, identifier, path, kind } = resource;
  const page = `${baseUrl}/${itemPath(source, identifier)}`;
  const own = toUri(baseUrl, path);
  const rank = ({ rel }: HeaderLink) => order.indexOf(rel) + 1 || order.length + 1;
  const stored = resource.links
    .filter(({ rel }) => rel !== 'alternate' && rel !== 'describedby' && rel !== 'collection')
    .map((link) => ({
      ...link,
      href: toUri(baseUrl, link.href),
      ...(link.rel === 'describes' && { many: true }),
    }));
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

function collectionsOf({ links }: StoredResource): readonly string[] {
  return links.filter(({ rel }) => rel === 'collection').map(({ href }) => href);
}

/** ME-08: also what is gone leads to what it was, as far as that can be followed. */
function lastingLinks(deps: ServerDeps, resource: StoredResource): readonly HeaderLink[] {
  if (whyWithheldHere(deps, resource) !== undefined) return [];
  return originalLinks(deps.baseUrl, toUri(deps.baseUrl, resource.path));
}

/** What a resource says of itself alive or deleted: the Capability List of every set that covers it (RS-DISC-13). */
function historyLinks(deps: ServerDeps, resource: StoredResource): readonly HeaderLink[] {
  const { baseUrl, setsOf } = deps;
  const { source } = resource;
  const has = ({ filter }: Pick<ResourceSet, 'filter'>) => covers(filter, resource, source);
  return [...setsOf(source).filter(has), ...jointSetsWith(deps.jointSets?.(), source, has)].map(
    ({ path }) => ({ rel: 'resourcesync', href: `${baseUrl}/${path}/capabilitylist.xml` }),
  );
}
