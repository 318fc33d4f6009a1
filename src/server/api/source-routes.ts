import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { primaryOf } from '../../store/admin/primary.ts';
import { listRunsBefore } from '../../store/runs/recent-runs.ts';
import type { AdminServer } from '../admin/guard/admin-server.ts';
import { actOn } from '../admin/sources/source-act-routes.ts';
import { findRow, readSourceFacts } from '../admin/sources/source-facts.ts';
import { pageAfter, readRows, readSelection, select, sortings } from '../admin/sources/source-rows.ts';
import { sourceWords } from '../deps.ts';
import { linkNext } from '../http/link-header.ts';
import { beforeQuery, described, sourceParams } from '../openapi/described.ts';
import { runSchema, sourceSchema, toRun, toSource, withoutUndefined } from './json-views.ts';

const listQuery = Type.Object({
  q: Type.Optional(Type.String({ description: 'In the name or the title.' })),
  state: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: [...sourceWords] })),
  sort: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: [...sortings] })),
  after: Type.Optional(Type.String({ description: 'Those after this source.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
});

/** It may be left out. */
const pauseBody = Type.Unsafe<{ until?: string; reason?: string } | null>({
  type: ['object', 'null'],
  properties: {
    until: { type: 'string', description: 'A date, a time, or the name of a day.' },
    reason: { type: 'string', maxLength: 500 },
  },
});

/** What the dashboard says of sources, and does with them, for programs. */
export function sourceRoutes(api: FastifyInstance, deps: AdminServer): void {
  api.route<{ Querystring: Static<typeof listQuery> }>({
    method: ['GET', 'HEAD'],
    url: '/api/v1/sources',
    schema: { querystring: listQuery },
    config: {
      ...{ operationId: 'listSources', needs: 'read' },
      operation: described(
        'All sources, those with problems first',
        {
          200: ['Some of them.', Type.Object({ sources: Type.Array(sourceSchema), total: Type.Number() })],
        },
        [400],
      ),
    },
    handler: async ({ query }, reply) => {
      const selection = readSelection(query);
      const found = select(await readRows(deps), selection);
      const { shown, next } = pageAfter(found, query.after, query.limit ?? 50);
      linkNext(deps, reply, '/api/v1/sources', next === undefined ? undefined : { ...query, after: next });
      return { sources: shown.map(toSource), total: found.length };
    },
  });
  api.route<{ Params: { source: string } }>({
    method: ['GET', 'HEAD'],
    url: '/api/v1/sources/:source',
    schema: { params: sourceParams },
    config: {
      ...{ operationId: 'getSource', needs: 'read' },
      operation: described(
        'A source: how it is, when what is due, its settings',
        {
          200: ['The source.', undefined],
        },
        [404],
      ),
    },
    handler: async ({ params }) => {
      const { row, details, due, settings } = await readSourceFacts(deps, params.source, undefined);
      const { unreadable = 0, vanished, lessons = [] } = details ?? {};
      return {
        ...toSource(row),
        unreadable,
        missing: vanished?.items ?? 0,
        missingRun: vanished?.runId,
        lessons,
        files: details?.files,
        withheldFiles: details?.withheldFiles,
        due: due.map(({ kind, dueAt, attempts, reason, isHeld }) =>
          withoutUndefined({
            ...{ kind, attempts, reason, running: isHeld },
            dueAt: dueAt === undefined ? undefined : new Date(dueAt).toISOString(),
          }),
        ),
        settings,
      };
    },
  });
  api.route<{ Params: { source: string }; Querystring: Static<typeof beforeQuery> }>({
    method: ['GET', 'HEAD'],
    url: '/api/v1/sources/:source/runs',
    schema: { params: sourceParams, querystring: beforeQuery },
    config: {
      ...{ operationId: 'listRuns', needs: 'read' },
      operation: described(
        'The runs of a source, the newest first',
        {
          200: ['Some of them.', Type.Object({ runs: Type.Array(runSchema) })],
        },
        [400, 404],
      ),
    },
    handler: async ({ params: { source }, query: { before, limit = 50 } }, reply) => {
      await findRow(deps, source);
      const some = await listRunsBefore(primaryOf(deps.database), source, { before, limit: limit + 1 });
      const shown = some.slice(0, limit);
      const next = some.length > limit ? { limit, before: shown.at(-1)?.id } : undefined;
      linkNext(deps, reply, `/api/v1/sources/${source}/runs`, next);
      return { runs: shown.map(toRun) };
    },
  });
  for (const act of ['pause', 'resume', 'stop'] as const)
    api.route<{ Params: { source: string }; Body?: { until?: string; reason?: string } }>({
      method: 'POST',
      url: `/api/v1/sources/:source/${act}`,
      schema: { params: sourceParams, ...(act === 'pause' ? { body: pauseBody } : {}) },
      config: {
        ...{ operationId: `${act}Source`, needs: 'run', acts: true },
        operation: described(sentences[act], { 200: ['The source as it is now.', sourceSchema] }, [400, 404]),
      },
      handler: async (request) => {
        const { source } = request.params;
        await findRow(deps, source);
        const { until, reason } = (act === 'pause' && request.body) || {};
        await actOn(deps, request, { act, names: [source], until, reason });
        return toSource(await findRow(deps, source));
      },
    });
}

const sentences = {
  pause: 'Leaves a source alone, whatever its schedule says',
  resume: 'Reads a source again that was paused',
  stop: 'Ends what is under way with a source after its page',
} as const;
