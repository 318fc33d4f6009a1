import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { primaryOf } from '../../store/admin/primary.ts';
import { latestDifference, listCounts } from '../../store/sources/counts.ts';
import type { AdminServer } from '../admin/guard/admin-server.ts';
import { described, sourceParams } from './described.ts';
import { withoutUndefined } from './json-views.ts';
import { type OfSource, storedId } from './task-routes.ts';

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
/** How a source was day by day. */
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
}
