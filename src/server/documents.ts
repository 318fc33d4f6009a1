import type { FastifyInstance } from 'fastify';
import { parseStamp, toIso } from '../core/datetime.ts';
import type { PublishedDocument, PublishedSet } from '../publish/publication.ts';
import { servedPath } from './base-path.ts';
import type { ServerDeps } from './deps.ts';
import { Refusal } from './errors.ts';
import { formatLinks } from './link-header.ts';
import { wantsGzip } from './negotiation.ts';
import { type ServedRepresentation, sendRepresentation } from './representation.ts';

/** Everything the publication has: lists, indexes, dumps, Source Descriptions. */
export function documentRoutes(app: FastifyInstance, deps: ServerDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/*',
    config: { operationId: 'getDocument', open: true },
    handler: async (request, reply) => {
      const path = servedPath(request);
      const now = toIso(deps.clock.now());
      const document = path === undefined ? undefined : await deps.publication.find(path);
      if (!document) throw await explainAbsence(deps, path ?? '', now);
      return sendRepresentation(request, reply, choose(document, request.headers['accept-encoding']), now);
    },
  });
}

function choose(document: PublishedDocument, acceptEncoding: string | undefined): ServedRepresentation {
  const gzip = wantsGzip(acceptEncoding) ? document.gzip : undefined;
  const variant = gzip ?? document.plain;
  return {
    etag: variant.etag,
    length: variant.length,
    // A package is compressed inside: there is nothing to negotiate.
    ...(document.gzip ? { coding: gzip ? 'gzip' : 'identity' } : {}),
    lastModified: document.lastModified,
    unsettled: document.unsettled,
    mediaType: document.mediaType,
    cacheControl: document.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    // A part of a gzip stream is of no use alone: who asks for a range gets one of the plain bytes, or all.
    ranges: !gzip,
    open: (start, end) => variant.open(start, end),
  };
}

const mayBeDated = /\/(?:resource|change)(?:list|dump)\//;
const dated = /^(resourcelist|resourcedump|changelist|changedump)\/(?:([^/]+)\/)?[^/]+\.(?:xml|zip)$/;

/** A document that has had its time leads to the one in its place. */
async function explainAbsence(
  { publication, baseUrl }: ServerDeps,
  path: string,
  now: string,
): Promise<Refusal> {
  // Most of what is not there never was: no need to look through what is published.
  const set = mayBeDated.test(path) ? longestPrefix(await publication.sets(), path) : undefined;
  const [, kind, snapshot] = (set && dated.exec(path.slice(set.path.length + 1))) ?? [];
  const successor = set?.documents.find((document) =>
    [`${set.path}/${kind}.xml`, `${set.path}/${kind}-index.xml`].includes(document.path),
  );
  if (!successor) return new Refusal('not-found', 'there is nothing at this address');
  const href = `${baseUrl}/${successor.path}`;
  const links = formatLinks([{ rel: 'latest-version', href }]) ?? '';
  const takenAt = snapshot === undefined ? undefined : parseStamp(snapshot);
  // Only a snapshot names a moment at which it certainly was taken, or never will be.
  return takenAt !== undefined && takenAt <= now
    ? new Refusal('gone', `this snapshot is no longer kept; the current one is ${href}`, { link: links })
    : new Refusal('not-found', `there is no such document; the current one is ${href}`, { link: links });
}

function longestPrefix(sets: readonly PublishedSet[], path: string): PublishedSet | undefined {
  return sets
    .filter((set) => path.startsWith(`${set.path}/`))
    .sort((a, b) => b.path.length - a.path.length)
    .at(0);
}
