import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { toHttpDate, toIso } from '../../core/datetime.ts';
import { type Channel, channelAt, channelKinds, channelLinks } from '../../core/push/channels.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { toUri } from '../../core/uris.ts';
import { setPaths } from '../../publish/documents/document-paths.ts';
import { latestNotification } from '../../store/push/notifications.ts';
import { findTopic } from '../../store/push/topics.ts';
import type { ServerDeps } from '../deps.ts';
import { servedPath } from '../http/base-path.ts';
import { refuse } from '../http/errors.ts';

const sets = ['/:source', '/:source/:part', '/:source/:part/:name'];

/** The address of a channel (NT-01, NT-02): what was told there last, and where to subscribe to it. */
export function channelRoutes(app: FastifyInstance, deps: ServerDeps): void {
  const { push, baseUrl } = deps;
  if (!push) return;
  for (const place of sets)
    for (const kind of channelKinds)
      app.route({
        method: ['GET', 'HEAD'],
        url: `${place}/${kind}.xml`,
        config: { operationId: 'getChannel', open: true },
        handler: async (request, reply) => {
          const channel = channelAt(servedPath(request) ?? '');
          const set = channel && setOf(deps, channel);
          const hubs = set ? push.hubsOf(set) : [];
          if (!channel || hubs.length === 0) throw refuse('not-found', 'nothing-here', {});
          const topic = await findTopic(deps.database.reader, channel.path);
          if (!topic && !(await deps.publication.set(channel.set)))
            throw refuse('not-found', 'nothing-here', {});
          const latest = topic && (await latestNotification(deps.database.reader, topic.id));
          const body = latest?.content ?? Buffer.alloc(0);
          const capabilityList = toUri(baseUrl, setPaths({ path: channel.set }).capabilityList);
          const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
          reply
            .header('link', channelLinks({ topic: toUri(baseUrl, channel.path), hubs, capabilityList }))
            .header('cache-control', 'no-cache')
            .header('etag', etag);
          if (latest) reply.header('last-modified', toHttpDate(toIso(new Date(latest.createdAt))));
          if (request.headers['if-none-match'] === etag) return reply.code(304).send();
          // NT-01: without parameters.
          return reply
            .header('content-type', 'application/xml')
            .header('content-length', String(body.byteLength))
            .send(request.method === 'HEAD' ? undefined : body);
        },
      });
}

/** The set that a channel tells of, as it is configured now. */
export function setOf(deps: ServerDeps, { set: path }: Channel): ResourceSet | undefined {
  const own = deps.setsOf(path.split('/', 1)[0] ?? '');
  return [...own, ...(deps.jointSets?.() ?? [])].find((set) => set.path === path);
}
