import type { FastifyInstance } from 'fastify';
import { earlier, toHttpDate, toIso } from '../core/datetime.ts';
import type { Link } from '../core/resource.ts';
import { covers } from '../core/resource-set.ts';
import { toUri } from '../core/uris.ts';
import { duplicates } from '../publish/entry-writer.ts';
import { findWithSiblings, type StoredResource } from '../store/resources.ts';
import { servedPath } from './base-path.ts';
import type { ServerDeps } from './deps.ts';
import { Refusal } from './errors.ts';
import { keptRepresentation } from './kept-content.ts';
import { formatLinks } from './link-header.ts';
import { sendRepresentation } from './representation.ts';

/** The resources themselves: what the `loc` of every list leads to. */
export function resourceRoutes(app: FastifyInstance, deps: ServerDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/:source/items/*',
    config: { operationId: 'getResource', open: true },
    handler: async (request, reply) => {
      const path = servedPath(request);
      const found = path === undefined ? [] : await findWithSiblings(deps.database.reader, path);
      const resource = found.find((candidate) => candidate.path === path);
      if (resource?.kind !== 'metadata') throw new Refusal('not-found', 'there is no such resource');
      if (resource.deletedAt !== undefined) throw gone(deps, resource, resource.deletedAt);
      const link = formatLinks(linksOf(deps, resource, found));
      const content = { ...resource, lastModified: resource.lastmod };
      const representation = keptRepresentation(deps, content, 'no-cache', link);
      return sendRepresentation(request, reply, representation, toIso(deps.clock.now()));
    },
  });
}

function gone(deps: ServerDeps, resource: StoredResource, deletedAt: string): Refusal {
  const link = formatLinks(historyLinks(deps, resource));
  return new Refusal('gone', `this resource was deleted at ${deletedAt}`, {
    // HC-01: never later than Date, even where the journal's clock is ahead of ours.
    'last-modified': toHttpDate(earlier(deletedAt, toIso(deps.clock.now()))),
    ...(link === undefined ? {} : { link }),
  });
}

const order = ['describes', 'describedby', 'profile', 'canonical', 'alternate', 'via', 'duplicate'];

/** What matters most comes first: an item may be in more collections than a header has room for. */
function linksOf(
  deps: ServerDeps,
  resource: StoredResource,
  siblings: readonly StoredResource[],
): readonly Link[] {
  const rank = ({ rel }: Link) =>
    rel === 'collection' ? order.length + 1 : order.indexOf(rel) + 1 || order.length;
  const links = [
    ...resource.links.filter(({ rel }) => rel !== 'alternate'),
    ...alternates(resource, siblings),
    ...duplicates(deps.setsOf(resource.source)[0]?.mirrors ?? [], resource.path),
  ].map((link) => ({ ...link, href: toUri(deps.baseUrl, link.href) }));
  const own = toUri(deps.baseUrl, resource.path);
  return [
    ...historyLinks(deps, resource),
    ...links.filter(({ href }) => href !== own).sort((a, b) => rank(a) - rank(b)),
  ];
}

/** The item's other formats that are there now (RS-LN-07), however they were delivered. */
function alternates(resource: StoredResource, siblings: readonly StoredResource[]): readonly Link[] {
  return siblings
    .filter(
      ({ kind, path, deletedAt }) => kind === 'metadata' && deletedAt === undefined && path !== resource.path,
    )
    .map(({ path, mediaType = 'application/xml' }) => ({ rel: 'alternate', href: path, type: mediaType }));
}

/**
 * What a resource says of itself alive or deleted: the Capability List of every set that covers it
 * (RS-DISC-13). Its TimeGate and TimeMap belong here as soon as they can be followed.
 */
function historyLinks({ baseUrl, setsOf }: ServerDeps, resource: StoredResource): readonly Link[] {
  const { source } = resource;
  return setsOf(source)
    .filter(({ filter }) => covers(filter, resource, source))
    .map(({ path }) => ({ rel: 'resourcesync', href: `${baseUrl}/${path}/capabilitylist.xml` }));
}
