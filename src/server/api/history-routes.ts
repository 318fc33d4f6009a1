import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { primaryOf } from '../../store/admin/primary.ts';
import { listHarvesters } from '../../store/oai/harvesters.ts';
import { latestDifference, listCounts } from '../../store/sources/counts.ts';
import type { AdminServer } from '../admin/guard/admin-server.ts';
import { comparisonOf } from '../admin/sources/run-page.ts';
import { Refusal } from '../http/errors.ts';
import { described, sourceParams } from '../openapi/described.ts';
import { comparedSchema, toCompared, withoutUndefined } from './json-views.ts';
import { type OfSource, storedId } from './task-routes.ts';

const text = Type.String();
const number = Type.Number();
const maybe = Type.Optional;

const day = Type.String({ description: 'In UTC.' });
const countsSchema = Type.Object({
  counts: Type.Array(
    Type.Object({
      day,
      items: maybe(Type.Number({ description: 'That are known, deleted ones included.' })),
      records: maybe(Type.Number({ description: 'That a harvest of everything read.' })),
      stated: maybe(Type.Number({ description: 'The same by the repository’s own count.' })),
    }),
  ),
  difference: maybe(
    Type.Object(
      {
        day,
        records: number,
        stated: number,
        difference: Type.Number({ description: 'Read beyond the repository’s own count.' }),
      },
      { description: 'Of the latest day on which both are known.' },
    ),
  ),
});
const comparisonSchema = Type.Object({
  before: maybe(comparedSchema),
  after: comparedSchema,
  settings: maybe(
    Type.Array(Type.Object({ key: text, before: maybe(Type.Unknown()), after: maybe(Type.Unknown()) }), {
      description: 'That were changed between the two, without secrets; absent where nobody knows.',
    }),
  ),
});
const comparisonQuery = Type.Object({
  with: Type.Optional(
    Type.Integer({
      ...{ minimum: 1, maximum: 2 ** 31 - 1 },
      description: 'The other run; without it, the latest one of the same kind before.',
    }),
  ),
});
const runParams = Type.Object({
  source: Type.String({ description: 'The name of a source.' }),
  id: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }),
});

const harvestersSchema = Type.Object({
  harvesters: Type.Array(
    Type.Object({
      agent: Type.String({ description: '`User-Agent` of its requests; empty: it has none.' }),
      sender: Type.String({ description: '`From` of its requests; empty: it has none.' }),
      firstAt: text,
      lastAt: text,
      lastFrom: maybe(Type.String({ description: 'Of its last list; without it, it asked for everything.' })),
      requests: number,
      records: Type.Number({ description: 'Records or headers.' }),
    }),
  ),
});

/** How a source was day by day and run by run, and who reads it from us. */
export function historyRoutes(api: FastifyInstance, deps: AdminServer): void {
  api.route<OfSource>({
    method: ['GET', 'HEAD'],
    url: '/api/v1/sources/:source/counts',
    schema: { params: sourceParams },
    config: {
      ...{ operationId: 'listCounts', needs: 'read' },
      operation: described(
        'What there was of a source, day by day, and by the repository’s own count: every day of the last 90, before them one of each week, for five years',
        { 200: ['The oldest first.', countsSchema] },
        [404],
      ),
    },
    handler: async ({ params: { source } }) => {
      const id = await storedId(deps, source);
      const counts = id === undefined ? [] : await listCounts(primaryOf(deps.database), id);
      return { counts, ...withoutUndefined({ difference: latestDifference(counts) }) };
    },
  });
  api.route<{ Params: Static<typeof runParams>; Querystring: Static<typeof comparisonQuery> }>({
    method: ['GET', 'HEAD'],
    url: '/api/v1/sources/:source/runs/:id/comparison',
    schema: { params: runParams, querystring: comparisonQuery },
    config: {
      ...{ operationId: 'compareRuns', needs: 'read' },
      operation: described(
        'A run of a source beside another one, and the settings that were changed between them',
        { 200: ['The earlier one as `before`.', comparisonSchema] },
        [400, 404],
      ),
    },
    handler: async ({ params: { source, id }, query }) => {
      const found = await comparisonOf(deps, source, id, query.with);
      if (!found) throw new Refusal('not-found', 'the source has no run of this number');
      const { before, after, settings } = found;
      return { ...(before && { before: toCompared(before) }), after: toCompared(after), settings };
    },
  });
  api.route<OfSource>({
    method: ['GET', 'HEAD'],
    url: '/api/v1/sources/:source/harvesters',
    schema: { params: sourceParams },
    config: {
      ...{ operationId: 'listHarvesters', needs: 'read' },
      operation: described(
        'Who harvests a source from here by OAI-PMH, and from which date on',
        { 200: ['Whoever came last first; 200 at most.', harvestersSchema] },
        [404],
      ),
    },
    handler: async ({ params: { source } }) => {
      await storedId(deps, source);
      const found = (await listHarvesters(primaryOf(deps.database), [source])).get(source) ?? [];
      return {
        harvesters: found.map(({ lastFrom, ...one }) => ({ ...one, ...withoutUndefined({ lastFrom }) })),
      };
    },
  });
}
