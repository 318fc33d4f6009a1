import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { toIso } from '../../core/datetime.ts';
import { listActs } from '../../store/admin/audit.ts';
import { primaryOf } from '../../store/admin/primary.ts';
import { type Scope, scopes, type TokenScope, tokenScopes } from '../../store/admin/scope.ts';
import { createToken, listTokens, revokeToken } from '../../store/admin/tokens.ts';
import { note } from '../admin/access/sign-in.ts';
import { refuseUnknownSets, scopeWords } from '../admin/access/token-scope.ts';
import type { AdminServer } from '../admin/guard/admin-server.ts';
import { visitorOf } from '../admin/guard/visitor.ts';
import { Refusal } from '../http/errors.ts';
import { beforeQuery, described, numberParams } from './described.ts';
import { linkNext } from './link-next.ts';

const scopeSchema = Type.Unsafe<Scope>({ type: 'string', enum: [...scopes] });
const tokenBody = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 100 }),
  scope: Type.Unsafe<TokenScope>({
    type: 'string',
    enum: [...tokenScopes],
    description: '`content`: it reads `sets`, and nothing of the dashboard.',
  }),
  sets: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 1000,
      description: 'Of `content`: what it reads, as SOURCE or SOURCE/SET.',
    }),
  ),
  days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 9999, description: 'Default: it does not expire.' }),
  ),
});

/** Who may do what, and who did what. */
export function accessApiRoutes(api: FastifyInstance, deps: AdminServer): void {
  api.route({
    method: ['GET', 'HEAD'],
    url: '/api/v1/me',
    config: {
      ...{ operationId: 'getMe', needs: 'read' },
      operation: described('Whose token or session this is', {
        200: ['Its name and scope.', Type.Object({ who: Type.String(), scope: scopeSchema })],
      }),
    },
    handler: async (request) => {
      const { who, scope } = visitorOf(request);
      return { who, scope };
    },
  });
  api.route({
    method: ['GET', 'HEAD'],
    url: '/api/v1/tokens',
    config: {
      ...{ operationId: 'listTokens', needs: 'admin' },
      operation: described('All tokens, without their secrets', { 200: ['The tokens.', undefined] }),
    },
    handler: async () => ({ tokens: await listTokens(primaryOf(deps.database)) }),
  });
  api.route<{ Body: Static<typeof tokenBody> }>({
    method: 'POST',
    url: '/api/v1/tokens',
    schema: { body: tokenBody },
    config: {
      ...{ operationId: 'createToken', needs: 'admin', acts: true, tellsSecret: true },
      operation: described(
        'Makes a token; its secret is told this once',
        { 201: ['The token.', undefined] },
        [400],
      ),
    },
    handler: async (request, reply) => {
      const { who } = visitorOf(request);
      const now = toIso(deps.clock.now());
      refuseUnknownSets(deps, request.body.sets);
      const { secret, ...token } = await createToken(deps.database, { ...request.body, createdBy: who }, now);
      await note(deps, request, who, 'made a token', `${token.name} (${scopeWords(token)})`);
      return reply.code(201).send({ ...token, token: secret });
    },
  });
  api.route<{ Params: { id: number } }>({
    method: 'DELETE',
    url: '/api/v1/tokens/:id',
    schema: { params: numberParams },
    config: {
      ...{ operationId: 'revokeToken', needs: 'admin', acts: true },
      operation: described('Refuses a token from now on', { 204: ['It is revoked.', undefined] }, [404]),
    },
    handler: async (request, reply) => {
      const name = await revokeToken(deps.database, request.params.id);
      if (name === undefined) throw new Refusal('not-found', 'there is no token of this number');
      await note(deps, request, visitorOf(request).who, 'revoked a token', name);
      return reply.code(204).send();
    },
  });
  api.route({
    method: ['GET', 'HEAD'],
    url: '/api/v1/settings',
    config: {
      ...{ operationId: 'getSettings', needs: 'admin' },
      operation: described('The settings of the installation in force, secrets masked', {
        200: ['The settings.', undefined],
      }),
    },
    handler: async () => ({ settings: deps.admin.settings() }),
  });
  api.route<{ Querystring: Static<typeof beforeQuery> }>({
    method: ['GET', 'HEAD'],
    url: '/api/v1/audit',
    schema: { querystring: beforeQuery },
    config: {
      ...{ operationId: 'listActs', needs: 'admin' },
      operation: described('Who did what, the newest first', { 200: ['Some of it.', undefined] }, [400]),
    },
    handler: async ({ query: { before, limit = 50 } }, reply) => {
      const some = await listActs(primaryOf(deps.database), { before, limit: limit + 1 });
      const acts = some.slice(0, limit);
      linkNext(
        deps,
        reply,
        '/api/v1/audit',
        some.length > limit ? { limit, before: acts.at(-1)?.id } : undefined,
      );
      return { acts };
    },
  });
}
