import type { FastifyInstance } from 'fastify';
import { earlier, toHttpDate, toIso } from '../../core/datetime.ts';
import { isBridgeError } from '../../core/errors.ts';
import { findWithMetadata, type StoredResource } from '../../store/reading/resources.ts';
import type { ServerDeps } from '../deps.ts';
import { sendFile } from '../files/files.ts';
import { servedPath } from '../http/base-path.ts';
import { Refusal } from '../http/errors.ts';
import { formatLinks } from '../http/link-header.ts';
import { sendRepresentation } from '../http/representation.ts';
import { editionOf, repeatable, settingsOf } from '../repeated/grounds.ts';
import { groundsOfResource, metadataOf } from './metadata.ts';
import { historyLinks, lastingLinks, linkOf } from './resource-links.ts';

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
      const { resource } = found;
      if (resource.deletedAt !== undefined) throw gone(deps, resource, resource.deletedAt);
      const link = linkOf(deps, found);
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
      const grounds = groundsOfResource(deps, resource.lastmod, isConfigured, isRead);
      if (grounds) repeatable(reply, grounds);
      const now = toIso(deps.clock.now());
      return sendRepresentation(request, reply, metadataOf(deps, resource, link), now);
    },
  });
}

function gone(deps: ServerDeps, resource: StoredResource, deletedAt: string): Refusal {
  const link = formatLinks([...lastingLinks(deps, resource), ...historyLinks(deps, resource)]);
  return new Refusal('gone', `this resource was deleted at ${deletedAt}`, {
    // HC-01: never later than Date, even where the journal's clock is ahead of ours.
    'last-modified': toHttpDate(earlier(deletedAt, toIso(deps.clock.now()))),
    ...(link === undefined ? {} : { link }),
  });
}
