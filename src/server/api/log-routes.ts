import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { primaryOf } from '../../store/admin/primary.ts';
import { findLogLine, listLog } from '../../store/presence/log-lines.ts';
import type { AdminServer } from '../admin/guard/admin-server.ts';
import { levelNames, readLogFilter } from '../admin/log/log-filter.ts';
import { Refusal } from '../http/errors.ts';
import { linkNext } from '../http/link-header.ts';
import { described, numberParams } from '../openapi/described.ts';

const lineSchema = Type.Object({
  id: Type.Number(),
  at: Type.String(),
  level: Type.String({ enum: [...levelNames] }),
  source: Type.Optional(Type.String()),
  run: Type.Optional(Type.Number()),
  process: Type.String({ description: 'Its role, its process id, and its host.' }),
  message: Type.String(),
  fields: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
const logQuery = Type.Object({
  source: Type.Optional(Type.String()),
  level: Type.Optional(Type.String({ description: `This and what is worse: ${levelNames.join(', ')}.` })),
  run: Type.Optional(Type.String({ description: 'The number of a run.' })),
  q: Type.Optional(Type.String({ description: 'Words, in any order; case does not matter.' })),
  before: Type.Optional(Type.Integer({ minimum: 1, description: 'Those before this line.' })),
  after: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Those behind this line, the oldest first.' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 50 })),
});

/** What all processes logged. */
export function logRoutes(api: FastifyInstance, deps: AdminServer): void {
  api.route<{ Querystring: Static<typeof logQuery> }>({
    method: ['GET', 'HEAD'],
    url: '/api/v1/log',
    schema: { querystring: logQuery },
    config: {
      ...{ operationId: 'listLog', needs: 'read' },
      operation: described(
        'Warnings, errors and the milestones of runs of the last seven days, the newest first',
        { 200: ['Some lines.', Type.Object({ lines: Type.Array(lineSchema) })] },
        [400],
      ),
    },
    handler: async ({ query }, reply) => {
      const { before, after, limit = 50, ...filter } = query;
      const page = { before, after, limit: limit + 1 };
      const some = await listLog(primaryOf(deps.database), readLogFilter(filter), page);
      const lines = some.slice(0, limit);
      const last = lines.at(-1)?.id;
      const place = after === undefined ? { before: last } : { after: last };
      linkNext(deps, reply, '/api/v1/log', some.length > limit ? { ...filter, limit, ...place } : undefined);
      return { lines };
    },
  });
  api.route<{ Params: { id: number } }>({
    method: ['GET', 'HEAD'],
    url: '/api/v1/log/:id',
    schema: { params: numberParams },
    config: {
      ...{ operationId: 'getLogLine', needs: 'read' },
      operation: described('A line of the log', { 200: ['The line.', lineSchema] }, [404]),
    },
    handler: async ({ params }) => {
      const line = await findLogLine(primaryOf(deps.database), params.id);
      if (!line) throw new Refusal('not-found', 'the log has no line of this number any more');
      return line;
    },
  });
}
