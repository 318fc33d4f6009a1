import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { actorOf } from '../admin/guard/actor.ts';
import type { AdminServer } from '../admin/guard/admin-server.ts';
import { longestText } from '../admin/takedown/takedown-page.ts';
import { linkNext } from '../http/link-header.ts';
import { beforeQuery, described } from '../openapi/described.ts';

const what = Type.String({
  minLength: 1,
  maxLength: longestText,
  description: 'An address of ours (of a page, a record or a file), or what the repository calls an item.',
});
const reason = Type.Optional(
  Type.String({ maxLength: longestText, description: 'For those who run the bridge.' }),
);
const dryRun = Type.Optional(Type.Boolean({ description: 'Only say what would be taken down.' }));
const withdrawBody = Type.Object({ what, reason, dryRun });
const restoreBody = Type.Object({ what });
const planned = {
  uri: Type.String({ description: 'Of the resource, or of the page of the item.' }),
  source: Type.String(),
  identifier: Type.String({ description: 'What the repository calls the item.' }),
};
const takedownSchema = Type.Object({
  ...planned,
  resources: Type.Array(Type.String(), { description: 'Addresses that answer 410 from then on.' }),
  announced: Type.Optional(
    Type.Boolean({
      description: 'Whether the journal says so; else whoever reads the source sees to it within a minute.',
    }),
  ),
  contentsRemoved: Type.Optional(
    Type.Integer({ description: 'Absent: they are still being removed, or it was only said what would be.' }),
  ),
});
const listSchema = Type.Object({
  withdrawals: Type.Array(
    Type.Object({
      id: Type.Integer(),
      ...planned,
      reason: Type.Optional(Type.String()),
      at: Type.String({ format: 'date-time' }),
    }),
  ),
});
const restoredSchema = Type.Object({
  restored: Type.Array(Type.String()),
  tasks: Type.Array(Type.Integer(), {
    description:
      'By which it can be followed how the repository is asked; none of a source that is read no more.',
  }),
});

/** What is taken down, and published again: as `rsbridge withdraw` and `rsbridge restore` do it. */
export function takedownRoutes(api: FastifyInstance, deps: AdminServer): void {
  const { takedown } = deps.admin;
  api.route<{ Querystring: Static<typeof beforeQuery> }>({
    method: ['GET', 'HEAD'],
    url: '/api/v1/withdrawals',
    schema: { querystring: beforeQuery },
    config: {
      ...{ operationId: 'listWithdrawals', needs: 'read' },
      operation: described(
        'What is taken down, the latest first',
        { 200: ['Some of it.', listSchema] },
        [400],
      ),
    },
    handler: async ({ query: { before, limit = 50 } }, reply) => {
      const some = await takedown.list({ before, limit: limit + 1 });
      const withdrawals = some.slice(0, limit);
      const next = some.length > limit ? { limit, before: withdrawals.at(-1)?.id } : undefined;
      linkNext(deps, reply, '/api/v1/withdrawals', next);
      return { withdrawals };
    },
  });
  api.route<{ Body: { what: string; reason?: string; dryRun?: boolean } }>({
    method: 'POST',
    url: '/api/v1/withdrawals',
    schema: { body: withdrawBody },
    config: {
      ...{ operationId: 'withdraw', needs: 'admin', acts: true },
      operation: described(
        'Takes a resource or an item down, whatever the repository delivers',
        { 200: ['It answers 410 from now on.', takedownSchema] },
        [400, 404, 409],
      ),
    },
    handler: async (request) => {
      const { what: text, reason: why, dryRun: isDry = false } = request.body;
      if (isDry) return takedown.plan(text);
      return takedown.withdraw(text, why, actorOf(deps, request));
    },
  });
  api.route<{ Body: { what: string } }>({
    method: 'POST',
    url: '/api/v1/withdrawals/end',
    schema: { body: restoreBody },
    config: {
      ...{ operationId: 'endWithdrawal', needs: 'admin', acts: true },
      operation: described(
        'Publishes again what was taken down: its repository is asked for it',
        { 202: ['It will be asked for.', restoredSchema] },
        [400, 404, 409],
      ),
    },
    handler: async (request, reply) => {
      const done = await takedown.restore(request.body.what, actorOf(deps, request));
      const [task] = done.tasks;
      if (task !== undefined) reply.header('location', `${deps.baseUrl}/api/v1/tasks/${task}`);
      return reply.code(202).send(done);
    },
  });
}
