import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { toIso } from '../../core/datetime.ts';
import { followedView } from '../../core/following/followed-source.ts';
import { listFollowed } from '../../store/following/followed-sources.ts';
import { actorOf } from '../admin/guard/actor.ts';
import type { AdminServer } from '../admin/guard/admin-server.ts';
import type { ToldSubscription } from '../deps.ts';
import { described, numberParams } from '../openapi/described.ts';

const moment = Type.Optional(Type.String({ format: 'date-time' }));
const subscriptionSchema = Type.Object({
  id: Type.Integer(),
  kind: Type.String({ description: '`websub`, `webhook`, or `ping`: a hub of somebody else.' }),
  topic: Type.String({ description: 'The channel, below the address of the bridge.' }),
  callback: Type.String(),
  label: Type.Optional(Type.String()),
  signed: Type.Boolean({ description: 'What is sent there is signed.' }),
  behind: Type.Integer({ description: 'Notifications that it has still to get.' }),
  failures: Type.Integer({ description: 'In a row.' }),
  reason: Type.Optional(Type.String({ description: 'Why the last one failed.' })),
  createdAt: Type.String({ format: 'date-time' }),
  ...{ until: moment, nextAt: moment, deliveredAt: moment, failedAt: moment },
});
const followedSchema = Type.Object({
  followed: Type.Array(
    Type.Object({
      source: Type.String(),
      hub: Type.Optional(Type.String({ description: 'Its host; none: the Source names no hub.' })),
      state: Type.String({
        description:
          '`active`: its hub tells of changes; `wanted`, `asked`: the hub is to confirm; `ending`: it is told that it is over; `polled`: by its schedule alone.',
      }),
      reason: Type.Optional(Type.String({ description: 'Why it is not `active`.' })),
      received: Type.Integer({ description: 'Notifications since the subscription was made.' }),
      ...{ receivedAt: moment, leaseUntil: moment },
    }),
  ),
});
const listSchema = Type.Object({ subscriptions: Type.Array(subscriptionSchema) });
const addBody = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 2000, description: 'What is called (POST, JSON).' }),
  set: Type.String({ minLength: 1, maxLength: 500, description: 'The set that it is told of.' }),
  secret: Type.Optional(
    Type.String({
      minLength: 16,
      maxLength: 500,
      description: 'What messages are signed with; default: one is made.',
    }),
  ),
  label: Type.Optional(Type.String({ maxLength: 200 })),
});
const addedSchema = Type.Object({
  id: Type.Integer(),
  secret: Type.String({ description: 'It is not shown again.' }),
});
const triedSchema = Type.Object({ delivered: Type.Boolean(), reason: Type.Optional(Type.String()) });

type IdParams = Static<typeof numberParams>;

/** Who is told of changes: as `rsbridge subscriptions` lists, adds, removes and tries them. */
export function subscriptionRoutes(api: FastifyInstance, deps: AdminServer): void {
  const { subscriptions } = deps.admin;
  api.route({
    method: ['GET', 'HEAD'],
    url: '/api/v1/subscriptions',
    config: {
      ...{ operationId: 'listSubscriptions', needs: 'read' },
      operation: described('Who is told of changes as they happen', { 200: ['All of them.', listSchema] }),
    },
    handler: async () => ({ subscriptions: (await subscriptions.list()).map(viewOf) }),
  });
  api.route({
    method: ['GET', 'HEAD'],
    url: '/api/v1/subscriptions/followed',
    config: {
      ...{ operationId: 'listFollowed', needs: 'read' },
      operation: described('Which Sources are followed, and whether their hubs tell of changes', {
        200: ['All of them.', followedSchema],
      }),
    },
    handler: async () => ({ followed: (await listFollowed(deps.database.reader)).map(followedView) }),
  });
  api.route<{ Body: Static<typeof addBody> }>({
    method: 'POST',
    url: '/api/v1/subscriptions',
    schema: { body: addBody },
    config: {
      ...{ operationId: 'addSubscription', needs: 'admin', acts: true },
      operation: described(
        'Has each change of a set told to a program',
        { 201: ['It is told.', addedSchema] },
        [400, 404],
      ),
    },
    handler: async (request, reply) => {
      const added = await subscriptions.add(request.body, actorOf(deps, request));
      reply.code(201);
      return added;
    },
  });
  api.route<{ Params: IdParams }>({
    method: 'DELETE',
    url: '/api/v1/subscriptions/:id',
    schema: { params: numberParams },
    config: {
      ...{ operationId: 'removeSubscription', needs: 'admin', acts: true },
      operation: described('Sends nothing there any more', { 204: ['It is gone.', undefined] }, [400, 404]),
    },
    handler: async (request, reply) => {
      await subscriptions.remove(request.params.id, actorOf(deps, request));
      return reply.code(204).send();
    },
  });
  api.route<{ Params: IdParams }>({
    method: 'POST',
    url: '/api/v1/subscriptions/:id/test',
    schema: { params: numberParams },
    config: {
      ...{ operationId: 'testSubscription', needs: 'admin', acts: true },
      operation: described(
        'Sends something there now',
        { 200: ['What became of it.', triedSchema] },
        [400, 404],
      ),
    },
    handler: (request) => subscriptions.test(request.params.id, actorOf(deps, request)),
  });
}

function viewOf(one: ToldSubscription) {
  const iso = (at: number | undefined) => (at === undefined ? undefined : toIso(new Date(at)));
  const { id, kind, topic, callback, label, hasSecret: signed, behind, attempts: failures, reason } = one;
  return {
    ...{ id, kind, topic, callback, label, signed, behind, failures, reason, createdAt: iso(one.createdAt) },
    ...{ until: iso(one.leaseUntil), nextAt: iso(one.dueAt) },
    ...{ deliveredAt: iso(one.deliveredAt), failedAt: iso(one.failedAt) },
  };
}
