import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { primaryOf } from '../../store/admin/primary.ts';
import { findAsked } from '../../store/runs/asked.ts';
import { findRunById } from '../../store/runs/recent-runs.ts';
import { listVanished } from '../../store/runs/vanished.ts';
import { findSource } from '../../store/sources/sources.ts';
import type { AdminServer } from '../admin/guard/admin-server.ts';
import { retry } from '../admin/problems/retry.ts';
import { decide } from '../admin/sources/decision-routes.ts';
import { actOn } from '../admin/sources/source-act-routes.ts';
import { findRow } from '../admin/sources/source-facts.ts';
import { Refusal, refuse } from '../http/errors.ts';
import { linkNext } from '../http/link-header.ts';
import { described, numberParams, sourceParams } from '../openapi/described.ts';
import { runSchema, taskSchema, toRun, toTask } from './json-views.ts';

const runBody = Type.Object({
  kind: Type.Union(
    ['harvest', 'full', 'identifiers', 'item'].map((kind) => Type.Literal(kind)),
    {
      description: 'What is new; everything; only the identifiers; one item again.',
    },
  ),
  item: Type.Optional(
    Type.String({ minLength: 1, maxLength: 2000, description: 'The identifier of the item.' }),
  ),
});
const decisionBody = Type.Object({
  decision: Type.Union([Type.Literal('approve'), Type.Literal('reject')]),
  run: Type.Integer({ minimum: 1, description: 'Which showed what is missing.' }),
});
export const afterQuery = Type.Object({
  after: Type.Optional(Type.Integer({ minimum: 0 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
});
export type AfterQuery = Static<typeof afterQuery>;
export type OfSource = { Params: { source: string } };

/** The answer to what takes a while. */
export const accepted = { 202: ['It will be done.', taskSchema] } as const;

/** What takes a while: asked for here, done by a process that works, followed at its address. */
export function taskRoutes(api: FastifyInstance, deps: AdminServer): void {
  api.route<OfSource & { Body: { kind: 'harvest' | 'full' | 'identifiers' | 'item'; item?: string } }>({
    method: 'POST',
    url: '/api/v1/sources/:source/runs',
    schema: { params: sourceParams, body: runBody },
    config: {
      ...{ operationId: 'startRun', needs: 'run', acts: true },
      operation: described('Has a source read, before all that is due by schedule', accepted, [400, 404]),
    },
    handler: async (request, reply) => {
      const { source } = request.params;
      const { kind, item } = request.body;
      await findRow(deps, source);
      if ((kind === 'item') !== (item !== undefined))
        throw new Refusal('bad-request', '`item` belongs to the kind item');
      const task =
        kind === 'item'
          ? await retry(deps, request, source, { item: item ?? '' })
          : (await actOn(deps, request, { act: kind, names: [source] }))[0];
      return follow(deps, reply, task);
    },
  });
  api.route<{ Params: { id: number } }>({
    method: ['GET', 'HEAD'],
    url: '/api/v1/tasks/:id',
    schema: { params: numberParams },
    config: {
      ...{ operationId: 'getTask', needs: 'read' },
      operation: described(
        'Something that was asked for, and its run',
        { 200: ['The task.', taskSchema] },
        [404],
      ),
    },
    handler: async ({ params }) => toTask(await taskOf(deps, params.id)),
  });
  api.route<{ Params: { id: number } }>({
    method: ['GET', 'HEAD'],
    url: '/api/v1/runs/:id',
    schema: { params: numberParams },
    config: {
      ...{ operationId: 'getRun', needs: 'read' },
      operation: described('A run', { 200: ['The run.', runSchema] }, [404]),
    },
    handler: async ({ params }) => {
      const found = await findRunById(primaryOf(deps.database), params.id);
      if (!found) throw new Refusal('not-found', 'there is no run of this number');
      return { ...toRun(found.run), source: found.source };
    },
  });
  api.route<OfSource & { Querystring: AfterQuery }>({
    method: ['GET', 'HEAD'],
    url: '/api/v1/sources/:source/missing',
    schema: { params: sourceParams, querystring: afterQuery },
    config: {
      ...{ operationId: 'listMissing', needs: 'read' },
      operation: described(
        'Items that are missing from the repository, and still published',
        { 200: ['Some of them.', undefined] },
        [404],
      ),
    },
    handler: async ({ params: { source }, query: { after = 0, limit = 50 } }, reply) => {
      const id = await storedId(deps, source);
      const some = id === undefined ? [] : await listVanished(primaryOf(deps.database), id, after, limit + 1);
      const items = some.slice(0, limit);
      const next = some.length > limit ? { limit, after: items.at(-1)?.itemId } : undefined;
      linkNext(deps, reply, `/api/v1/sources/${source}/missing`, next);
      return { items: items.map(({ itemId: _, ...item }) => item) };
    },
  });
  api.route<OfSource & { Body: { decision: string; run: number } }>({
    method: 'POST',
    url: '/api/v1/sources/:source/missing',
    schema: { params: sourceParams, body: decisionBody },
    config: {
      ...{ operationId: 'decideMissing', needs: 'admin', acts: true },
      operation: described(
        'Approves or rejects the deletion of what a run did not find',
        { ...accepted, 204: ['It is kept.', undefined] },
        [400, 404, 409],
      ),
    },
    handler: async (request, reply) => {
      const { source } = request.params;
      await findRow(deps, source);
      const task = await decide(deps, request, { source, ...request.body });
      return task === undefined ? reply.code(204).send() : follow(deps, reply, task);
    },
  });
}

export async function storedId(deps: AdminServer, source: string): Promise<number | undefined> {
  await findRow(deps, source);
  return (await findSource(primaryOf(deps.database), source))?.id;
}

async function taskOf(deps: AdminServer, id: number | undefined) {
  const task = id === undefined ? undefined : await findAsked(primaryOf(deps.database), id);
  if (!task) throw refuse('not-found', 'task-unknown', {});
  return task;
}

/** 202, and where it can be followed. */
export async function follow(
  deps: AdminServer,
  reply: FastifyReply,
  id: number | undefined,
): Promise<object> {
  const task = toTask(await taskOf(deps, id));
  reply.code(202).header('location', `${deps.baseUrl}/api/v1/tasks/${task.id}`);
  return task;
}
