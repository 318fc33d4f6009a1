import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { toIso } from '../../core/datetime.ts';
import { listAccounts, removeAccount } from '../../store/admin/accounts.ts';
import { listActs } from '../../store/admin/audit.ts';
import { primaryOf } from '../../store/admin/primary.ts';
import { type Scope, scopes, type TokenScope, tokenScopes } from '../../store/admin/scope.ts';
import { endSession, listSessions } from '../../store/admin/sessions.ts';
import { createToken, listTokens, revokeToken } from '../../store/admin/tokens.ts';
import { invite, refuseRemoval } from '../admin/access/accounts.ts';
import { note } from '../admin/access/sign-in.ts';
import { refuseUnknownSets, scopeWords } from '../admin/access/token-scope.ts';
import type { AdminServer } from '../admin/guard/admin-server.ts';
import { visitorOf } from '../admin/guard/visitor.ts';
import { Refusal } from '../http/errors.ts';
import { linkNext } from '../http/link-header.ts';
import { beforeQuery, described, numberParams } from '../openapi/described.ts';

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

const accountParams = Type.Object({ account: Type.String({ maxLength: 64 }) });
const sessionParams = Type.Object({ session: Type.String({ description: 'As the list calls it.' }) });
const linkBody = Type.Object({
  account: Type.String({ minLength: 1, maxLength: 64 }),
  scope: Type.Optional(
    Type.Unsafe<Scope>({ ...scopeSchema, description: 'Default: what it has; of a new one, `read`.' }),
  ),
});
const linkSchema = Type.Object({
  account: Type.String(),
  scope: scopeSchema,
  link: Type.String({ description: 'It sets the password, once, within a day; it is told this once.' }),
});
const accountsSchema = Type.Object({
  accounts: Type.Array(Type.Object({ name: Type.String(), scope: scopeSchema, changedAt: Type.String() })),
});
const sessionsSchema = Type.Object({
  sessions: Type.Array(
    Type.Object({
      session: Type.String(),
      account: Type.String(),
      createdAt: Type.String(),
      usedAt: Type.String(),
      address: Type.String(),
      agent: Type.String(),
    }),
  ),
});

/** Who may do what, and who did what. */
export function accessApiRoutes(api: FastifyInstance, deps: AdminServer): void {
  accountRoutes(api, deps);
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

/** People who sign in: their accounts, and where they are signed in. */
function accountRoutes(api: FastifyInstance, deps: AdminServer): void {
  const method = ['GET', 'HEAD'];
  api.route({
    method,
    url: '/api/v1/accounts',
    config: {
      ...{ operationId: 'listAccounts', needs: 'admin' },
      operation: described('All accounts', { 200: ['The accounts.', accountsSchema] }),
    },
    handler: async () => ({ accounts: await listAccounts(primaryOf(deps.database)) }),
  });
  api.route<{ Body: Static<typeof linkBody> }>({
    method: 'POST',
    url: '/api/v1/links',
    schema: { body: linkBody },
    config: {
      ...{ operationId: 'createLink', needs: 'admin', acts: true, tellsSecret: true },
      operation: described(
        'Makes a link by which a person sets the password of an account, also of a new one',
        { 201: ['The link.', linkSchema] },
        [400, 409],
      ),
    },
    handler: async (request, reply) => {
      const made = await invite(deps, request, request.body.account, request.body.scope);
      return reply.code(201).send(made);
    },
  });
  api.route<{ Params: { account: string } }>({
    method: 'DELETE',
    url: '/api/v1/accounts/:account',
    schema: { params: accountParams },
    config: {
      ...{ operationId: 'removeAccount', needs: 'admin', acts: true },
      operation: described(
        'Removes an account; whoever is signed in with it is not any more',
        { 204: ['It is removed.', undefined] },
        [404, 409],
      ),
    },
    handler: async (request, reply) => {
      const { account } = request.params;
      await refuseRemoval(deps, request, account);
      if (!(await removeAccount(deps.database, account)))
        throw new Refusal('not-found', 'there is no account of this name');
      await note(deps, request, visitorOf(request).who, 'removed an account', account);
      return reply.code(204).send();
    },
  });
  api.route({
    method,
    url: '/api/v1/sessions',
    config: {
      ...{ operationId: 'listSessions', needs: 'admin' },
      operation: described('Who is signed in, the latest used first', {
        200: ['The sessions.', sessionsSchema],
      }),
    },
    handler: async () => {
      const sessions = await listSessions(primaryOf(deps.database), toIso(deps.clock.now()));
      return { sessions: sessions.map(({ hash, ...one }) => ({ session: hash, ...one })) };
    },
  });
  api.route<{ Params: { session: string } }>({
    method: 'DELETE',
    url: '/api/v1/sessions/:session',
    schema: { params: sessionParams },
    config: {
      ...{ operationId: 'endSession', needs: 'admin', acts: true },
      operation: described('Ends a session', { 204: ['It has ended.', undefined] }, [404]),
    },
    handler: async (request, reply) => {
      if (!(await endSession(deps.database, request.params.session)))
        throw new Refusal('not-found', 'there is no such session, or it has ended');
      await note(deps, request, visitorOf(request).who, 'ended a session');
      return reply.code(204).send();
    },
  });
}
