import type { FastifyInstance } from 'fastify';
import type { ServerDeps } from '../deps.ts';
import { callbackPath } from '../follower.ts';
import { Refusal } from '../http/errors.ts';
import type { Operation, Parameter } from '../openapi/operation.ts';

/** A Change Notification of a thousand entries has about a third of it. */
const longestNotification = 4 * 1024 * 1024;

const key: Parameter = { name: 'key', in: 'path', description: 'The secret of the callback.' };
const confirming: Operation = {
  tag: 'notifications',
  summary: 'Whether the bridge wants what a hub was asked for (WebSub)',
  parameters: [key],
  answers: { 200: { description: 'It does: `hub.challenge`.', content: { 'text/plain': undefined } } },
  problems: [404],
};
const receiving: Operation = {
  tag: 'notifications',
  summary: 'A hub tells of changes in a Source that the bridge follows (WebSub)',
  parameters: [key],
  answers: { 202: { description: 'The bridge looks at the Source.' } },
  problems: [410, 413],
};

/** Where the hubs of Sources that are followed call back. */
export function callbackRoutes(app: FastifyInstance, deps: ServerDeps): void {
  const { follower } = deps;
  if (!follower) return;
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.route<{ Params: { key: string } }>({
      method: 'GET',
      url: `/${callbackPath}/:key`,
      config: { operationId: 'confirmSubscription', operation: confirming, acts: true },
      handler: async (request, reply) => {
        const answer = await follower.confirm(request.params.key, request.query as Record<string, unknown>);
        // Whatever we did not ask for is not there.
        if (answer === undefined) throw new Refusal('not-found', 'nobody asked for that here');
        return reply
          .type('text/plain; charset=utf-8')
          .header('cache-control', 'no-store')
          .send(Buffer.from(answer));
      },
    });
    scope.route<{ Params: { key: string } }>({
      method: 'POST',
      url: `/${callbackPath}/:key`,
      bodyLimit: longestNotification,
      config: { operationId: 'receiveChanges', operation: receiving, acts: true },
      handler: async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const signature = request.headers['x-hub-signature'];
        const given = typeof signature === 'string' ? signature : undefined;
        // A hub that is told so may forget the subscription.
        if (!(await follower.receive(request.params.key, body, given)))
          throw new Refusal('gone', 'nobody listens here any more');
        return reply.code(202).send();
      },
    });
  });
}
