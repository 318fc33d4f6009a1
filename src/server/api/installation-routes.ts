import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { actorOf } from '../admin/guard/actor.ts';
import type { AdminServer } from '../admin/guard/admin-server.ts';
import { described } from '../openapi/described.ts';

const publishBody = Type.Object({
  what: Type.Union([Type.Literal('lists'), Type.Literal('dumps')], {
    description: 'The Resource Lists of all sets anew, or the dumps of those that have any.',
  }),
});

/** What concerns all sources at once. */
export function installationRoutes(api: FastifyInstance, deps: AdminServer): void {
  const { installation } = deps.admin;
  api.route<{ Body: { what: 'lists' | 'dumps' } }>({
    method: 'POST',
    url: '/api/v1/publish',
    schema: { body: publishBody },
    config: {
      ...{ operationId: 'publish', needs: 'run', acts: true },
      operation: described(
        'Has everything published anew, by whichever process publishes',
        { 202: ['It will be done.', publishBody] },
        [400],
      ),
    },
    handler: async (request, reply) => {
      await installation.publish(request.body.what, actorOf(deps, request));
      reply.code(202).header('location', `${deps.baseUrl}/api/v1/activity`);
      return request.body;
    },
  });
  api.route({
    method: 'POST',
    url: '/api/v1/reload',
    config: {
      ...{ operationId: 'reload', needs: 'admin', acts: true },
      operation: described('Has every process at this database read its configuration again', {
        204: ['They do so within 10 seconds, and log what has changed, or why it cannot be used.', undefined],
      }),
    },
    handler: async (request, reply) => {
      await installation.reload(actorOf(deps, request));
      return reply.code(204).send();
    },
  });
}
