import type { FastifyInstance } from 'fastify';
import { longestNotification } from '../../core/notifications/notification.ts';
import { inboxPath, toUri } from '../../core/uris.ts';
import type { ServerDeps } from '../deps.ts';
import { Refusal } from '../http/errors.ts';
import type { Taken } from '../inbox.ts';
import type { Operation } from '../openapi/operation.ts';

const accepted = 'application/ld+json';
const allowed = { allow: 'GET, HEAD, POST, OPTIONS', 'accept-post': accepted } as const;

const sending: Operation = {
  tag: 'notifications',
  summary: 'Tells of an item, which is then read again from its repository',
  description:
    'JSON-LD of COAR Notify 1.0, at most 64 KiB, from the services and addresses that are configured. The same notification sent again is kept once.',
  answers: {
    201: { description: 'It is kept.', headers: { Location: 'Where those who run the bridge read it.' } },
  },
  problems: [400, 403, 409, 413, 415, 429],
};

/** Where services send notifications. They are read by `inbox-reading.ts`. */
export function inboxRoutes(app: FastifyInstance, deps: ServerDeps): void {
  const { inbox } = deps;
  if (!inbox) return;
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.route({
      method: 'OPTIONS',
      url: `/${inboxPath}`,
      config: { operationId: 'preflight', acts: true },
      handler: async (_request, reply) => reply.code(204).headers(allowed).send(),
    });
    scope.route({
      method: 'POST',
      url: `/${inboxPath}`,
      bodyLimit: longestNotification,
      config: { operationId: 'sendNotification', acts: true, operation: sending },
      onRequest: async (request, reply) => {
        // Of whoever is not expected nothing is read.
        if (!inbox.admits(request.raw)) {
          reply.header('connection', 'close');
          throw new Refusal('not-a-partner', 'no service that is known here sends from your address');
        }
        const [type = ''] = (request.headers['content-type'] ?? '').split(';', 1);
        if (type.trim().toLowerCase() !== accepted) {
          reply.header('connection', 'close');
          const what = type === '' ? 'it has no Content-Type' : `it is ${type.trim()}`;
          throw new Refusal('media-type-refused', what, allowed);
        }
      },
      handler: async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const taken = await inbox.take(body, request.raw, deps.clientOf?.(request.raw) ?? '');
        const number = numberOf(taken);
        return reply
          .code(201)
          .header('location', toUri(deps.baseUrl, `${inboxPath}/${number}`))
          .send();
      },
    });
  });
}

/** @throws Refusal */
function numberOf(taken: Taken): number {
  switch (taken.kind) {
    case 'kept':
      return taken.number;
    case 'faulty':
      throw new Refusal(
        'bad-request',
        `it is no notification of COAR Notify 1.0: ${taken.faults.join('; ')}`,
      );
    case 'stranger':
      throw new Refusal(
        'not-a-partner',
        `no service that is known here as ${taken.origin} sends from your address`,
      );
    case 'full':
      throw new Refusal('too-many-attempts', 'the service has sent many notifications within a minute', {
        'retry-after': '60',
      });
    case 'other':
      throw new Refusal('conflict', 'another notification has this `id`; each has one of its own');
  }
}
