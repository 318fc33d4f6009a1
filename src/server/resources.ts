import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { earlier, toHttpDate, toIso } from '../core/datetime.ts';
import { BridgeError } from '../core/errors.ts';
import type { Link } from '../core/resource.ts';
import { covers } from '../core/resource-set.ts';
import { toUri } from '../core/uris.ts';
import { readBlob } from '../store/blobs.ts';
import { findResource, type StoredResource } from '../store/resources.ts';
import { servedPath } from './base-path.ts';
import type { ServerDeps } from './deps.ts';
import { Refusal } from './errors.ts';
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
      const resource = path === undefined ? undefined : await findResource(deps.database.reader, path);
      if (resource?.kind !== 'metadata') throw new Refusal('not-found', 'there is no such resource');
      if (resource.deletedAt !== undefined) throw gone(deps, resource, resource.deletedAt);
      return sendMetadata(deps, request, reply, resource);
    },
  });
}

/** The exact bytes, never content-coded: `length` and `hash` in the lists are those of this body (HC-11). */
function sendMetadata(
  deps: ServerDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  resource: StoredResource,
): Promise<FastifyReply> {
  const { hash = '', length = 0 } = resource;
  const digest = /^sha-256:([0-9a-f]{64})$/.exec(hash)?.[1];
  if (digest === undefined) throw new BridgeError('content-damaged', `${resource.path} has no digest`);
  const link = formatLinks(linksOf(deps, resource));
  const representation = {
    etag: `"${digest}"`,
    length,
    ranges: true,
    lastModified: resource.lastmod,
    mediaType: resource.mediaType ?? 'application/xml',
    cacheControl: 'no-cache, no-transform',
    headers: {
      'repr-digest': `sha-256=:${Buffer.from(digest, 'hex').toString('base64')}:`,
      ...(link === undefined ? {} : { link }),
    },
    open: async (start: number, end: number) => {
      const content = await readBlob(deps.database.reader, hash);
      if (content?.byteLength === length) return content.subarray(start, end);
      throw new BridgeError('content-damaged', `the content of ${resource.path} is not complete`);
    },
  };
  return sendRepresentation(request, reply, representation, toIso(deps.clock.now()));
}

function gone(deps: ServerDeps, resource: StoredResource, deletedAt: string): Refusal {
  const link = formatLinks(historyLinks(deps, resource));
  return new Refusal('gone', `this resource was deleted at ${deletedAt}`, {
    // HC-01: never later than Date, even where the journal's clock is ahead of ours.
    'last-modified': toHttpDate(earlier(deletedAt, toIso(deps.clock.now()))),
    ...(link === undefined ? {} : { link }),
  });
}

/** What matters most comes first: an item may be in more collections than a header has room for. */
function linksOf(deps: ServerDeps, resource: StoredResource): readonly Link[] {
  const order = ['describes', 'describedby', 'profile'];
  const rank = ({ rel }: Link) =>
    rel === 'collection' ? order.length + 1 : (order.indexOf(rel) + 1 || order.length + 1) - 1;
  const stored = resource.links.map((link) => ({ ...link, href: toUri(deps.baseUrl, link.href) }));
  return [...historyLinks(deps, resource), ...stored.sort((a, b) => rank(a) - rank(b))];
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
