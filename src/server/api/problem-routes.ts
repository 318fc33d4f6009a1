import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { primaryOf } from '../../store/admin/primary.ts';
import { listUnreadable } from '../../store/runs/unreadable.ts';
import { listCauses } from '../../store/runs/unreadable-causes.ts';
import type { AdminServer } from '../admin/guard/admin-server.ts';
import { findProblem } from '../admin/problems/problem-page.ts';
import { sendCsv } from '../admin/problems/problems-page.ts';
import { faultsOf } from '../admin/problems/record-card.ts';
import { causeOf, retry } from '../admin/problems/retry.ts';
import { Refusal } from '../http/errors.ts';
import { linkNext } from '../http/link-header.ts';
import { described, numberParams, sourceParams } from '../openapi/described.ts';
import { type AfterQuery, accepted, afterQuery, follow, type OfSource, storedId } from './task-routes.ts';

const cause = Type.Optional(Type.String({ description: 'Only of the cause with this id.' }));
const problemsQuery = Type.Composite([afterQuery, Type.Object({ cause })]);
const csvQuery = Type.Object({ cause });
const problemParams = Type.Composite([sourceParams, numberParams]);
const againBody = Type.Object(
  {
    item: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description: 'An identifier.' })),
    cause: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'The id of a cause.' })),
    all: Type.Optional(Type.Literal(true)),
  },
  { description: 'One of `item`, `cause` and `all`.' },
);
type AgainBody = { readonly item?: string; readonly cause?: string; readonly all?: true };

/** Records that could not be read: which, why, where they are wrong; and read again. */
export function problemRoutes(api: FastifyInstance, deps: AdminServer): void {
  const method = ['GET', 'HEAD'];
  api.route<OfSource & { Querystring: AfterQuery & { cause?: string } }>({
    method,
    url: '/api/v1/sources/:source/problems',
    schema: { params: sourceParams, querystring: problemsQuery },
    config: {
      ...{ operationId: 'listProblems', needs: 'read' },
      operation: described(
        'Records that could not be read, and why',
        { 200: ['Some of them, and all causes.', undefined] },
        [404],
      ),
    },
    handler: async ({ params: { source }, query }, reply) => {
      const { after = 0, limit = 50, cause: id } = query;
      const stored = await storedId(deps, source);
      const of = id === undefined ? undefined : await causeOf(deps, source, id);
      const db = primaryOf(deps.database);
      const causes = stored === undefined ? [] : await listCauses(db, stored, 50);
      const page = { after, limit: limit + 1, raw: true, cause: of };
      const some = stored === undefined ? [] : await listUnreadable(db, stored, page);
      const problems = some.slice(0, limit);
      const next = some.length > limit ? { cause: id, limit, after: problems.at(-1)?.id } : undefined;
      linkNext(deps, reply, `/api/v1/sources/${source}/problems`, next);
      return { causes, problems };
    },
  });
  api.route<OfSource & { Querystring: { cause?: string } }>({
    method,
    url: '/api/v1/sources/:source/problems.csv',
    schema: { params: sourceParams, querystring: csvQuery },
    config: {
      ...{ operationId: 'exportProblems', needs: 'read' },
      operation: {
        ...described('Records that could not be read, for spreadsheets', {}, [404]),
        answers: { 200: { description: 'A line each.', content: { 'text/csv': undefined } } },
      },
    },
    handler: (request, reply) => sendCsv(deps, request, reply, request.params.source),
  });
  api.route<{ Params: { source: string; id: number } }>({
    method,
    url: '/api/v1/sources/:source/problems/:id',
    schema: { params: problemParams },
    config: {
      ...{ operationId: 'getProblem', needs: 'read' },
      operation: described(
        'A record that could not be read, as it came, with the places that are wrong',
        { 200: ['The record.', undefined] },
        [404],
      ),
    },
    handler: async ({ params: { source, id } }) => {
      const found = await findProblem(deps, source, id);
      if (!found) throw new Refusal('not-found', 'there is no such record any more: it was read, or is gone');
      return { ...found, faults: faultsOf(found) };
    },
  });
  api.route<OfSource & { Body: AgainBody }>({
    method: 'POST',
    url: '/api/v1/sources/:source/problems',
    schema: { params: sourceParams, body: againBody },
    config: {
      ...{ operationId: 'tryAgain', needs: 'run', acts: true },
      operation: described(
        'Tries again to read a record, all of a cause, or all that could not be read',
        accepted,
        [400, 404],
      ),
    },
    handler: async (request, reply) => {
      const { source } = request.params;
      const { item, cause: id, all } = request.body;
      if ([item, id, all].filter((one) => one !== undefined).length !== 1)
        throw new Refusal('bad-request', 'say one of `item`, `cause` and `all`');
      const again = item !== undefined ? { item } : id !== undefined ? { cause: id } : 'all';
      return follow(deps, reply, await retry(deps, request, source, again));
    },
  });
}
