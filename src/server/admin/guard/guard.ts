import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasAccounts } from '../../../store/admin/accounts.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import { allows, type Scope } from '../../../store/admin/scope.ts';
import { refuse } from '../../http/errors.ts';
import { type AdminServer, basePathOf } from './admin-server.ts';
import { addressOf, isLoopback } from './loopback.ts';
import { provenanceOf } from './same-origin.ts';
import { findVisitor, letIn, type Visitor } from './visitor.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What somebody has to be allowed who asks for it; unset: nothing. */
    needs?: Scope;
  }
}

/** The largest form or JSON that anything here takes. */
export const bodyLimit = 64 * 1024;

/**
 * Nobody passes without a session or a token, except to the pages by which one is had; nothing is changed by a page of
 * somebody else; until there is a password, only this machine gets in.
 * @param kind `page`: whoever is not signed in is led to where that is done
 */
export function installGuard(app: FastifyInstance, deps: AdminServer, kind: 'page' | 'api'): void {
  app.addHook('onRequest', async (request, reply) => {
    const needed = request.routeOptions.config?.needs;
    const isUnsafe = request.method !== 'GET' && request.method !== 'HEAD';
    if (isUnsafe && provenanceOf(deps, request) === 'foreign')
      throw refuse('cross-site', 'page-of-another-site', {});
    const visitor = await findVisitor(deps, request);
    if (
      !visitor &&
      !isLoopback(request.raw, addressOf(deps, request)) &&
      !(await hasAccounts(primaryOf(deps.database)))
    )
      throw refuse('no-password-yet', 'no-password-yet', {});
    if (needed === undefined) return;
    if (!visitor) return turnAway(deps, request, reply, kind);
    if (!allows(visitor.scope, needed))
      throw refuse('not-allowed', 'scope-missing', { needed, who: visitor.who, scope: visitor.scope });
    letIn(request, visitor);
    if (isUnsafe && visitor.by === 'proxy' && provenanceOf(deps, request) === 'unsaid')
      throw refuse('cross-site', 'page-unknown', {});
    if (isUnsafe) unsaid.set(request, visitor);
  });
  // Only a form that we wrote has the word of the session: for browsers that say nothing of where a form stood.
  app.addHook('preValidation', async (request) => {
    const visitor = unsaid.get(request);
    if (visitor?.by !== 'session' || provenanceOf(deps, request) === 'own') return;
    const { form } = (request.body ?? {}) as { form?: unknown };
    if (!isSame(form, visitor.formToken)) throw refuse('cross-site', 'page-unknown', {});
  });
  app.addHook('onSend', async (_request, reply, payload) => {
    reply.headers({
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex, nofollow',
      // With none, browsers would hide the origin of our own forms from us, too.
      'referrer-policy': 'same-origin',
    });
    return payload;
  });
}

const unsaid = new WeakMap<FastifyRequest, Visitor>();

function isSame(given: unknown, expected: string | undefined): boolean {
  if (typeof given !== 'string' || expected === undefined) return false;
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function turnAway(
  deps: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: 'page' | 'api',
): FastifyReply {
  if (kind === 'page' && (request.method === 'GET' || request.method === 'HEAD')) {
    const next = request.url.replace(/^\/admin/, '');
    const query = next === '' || next === '/' ? '' : `?next=${encodeURIComponent(next)}`;
    return reply.redirect(`${basePathOf(deps)}/admin/sign-in${query}`, 303);
  }
  // A person's form, sent after the session had ended.
  if (kind === 'page' && request.headers['sec-fetch-mode'] === 'navigate') {
    const next = encodeURIComponent(pageBefore(deps, request));
    return reply.redirect(`${basePathOf(deps)}/admin/sign-in?lapsed=1&next=${next}`, 303);
  }
  throw refuse('sign-in-needed', 'sign-in-needed', {}, { 'www-authenticate': 'Bearer realm="rsbridge"' });
}

/** The page of ours that the form stood on, below /admin; empty: nobody knows. */
function pageBefore(deps: AdminServer, { headers }: FastifyRequest): string {
  const { referer = '' } = headers;
  if (!URL.canParse(referer)) return '';
  const { pathname, search } = new URL(referer);
  const root = `${basePathOf(deps)}/admin`;
  return pathname.startsWith(`${root}/`) ? `${pathname.slice(root.length)}${search}` : '';
}
