import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { type Account, findAccount, firstAccount } from '../../../store/admin/accounts.ts';
import { countAttempt, forgetAttempts } from '../../../store/admin/attempts.ts';
import { type Action, pruneActs, recordAct } from '../../../store/admin/audit.ts';
import { isPassword } from '../../../store/admin/password-hash.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import { hashOf } from '../../../store/admin/secret-text.ts';
import { beginSession, endSession } from '../../../store/admin/sessions.ts';
import { html } from '../../html/html.ts';
import { Refusal } from '../../http/errors.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { addressOf } from '../guard/loopback.ts';
import { readSessionCookie, setSessionCookie } from '../guard/session-cookie.ts';
import { findVisitor, visitorOf } from '../guard/visitor.ts';
import { seeOther, sendAdminPage, withCode } from '../page/admin-page.ts';
import { formOf } from '../page/form-body.ts';
import { wordsOf } from '../page/language.ts';

export function signInRoutes(app: FastifyInstance, deps: AdminServer): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/admin/sign-in',
    config: { operationId: 'getSignIn' },
    handler: async (request, reply) => {
      const { next, lapsed } = request.query as { next?: unknown; lapsed?: unknown };
      if (await findVisitor(deps, request)) return seeOther(deps, reply, ownPath(next));
      const trouble = lapsed === undefined ? {} : { trouble: wordsOf(request).signIn.lapsed };
      return sendForm(deps, request, reply, { next, ...trouble });
    },
  });
  app.route({
    method: 'POST',
    url: '/admin/sign-in',
    config: { operationId: 'signIn', acts: true },
    handler: async (request, reply) => {
      const { name = '', password = '', next } = formOf(request.body);
      const account = await signIn(deps, request, reply, name.trim(), password);
      if (typeof account === 'string')
        return sendForm(deps, request, reply, { next, name, trouble: account, status: 403 });
      await startSession(deps, request, reply, account.name);
      return seeOther(deps, reply, ownPath(next));
    },
  });
  app.route({
    method: 'POST',
    url: '/admin/sign-out',
    config: { operationId: 'signOut', acts: true, needs: 'read' },
    handler: async (request, reply) => {
      const { session, who } = visitorOf(request);
      if (session !== undefined) await endSession(deps.database, session);
      await note(deps, request, who, 'signed out');
      setSessionCookie(deps, request, reply, undefined);
      // Not its cookies: other programs at the same host have some, too.
      reply.header('clear-site-data', '"cache"');
      return seeOther(deps, reply, '/sign-in');
    },
  });
}

/** Below /admin, whatever was asked for: nobody is sent anywhere else. */
export function ownPath(next: unknown): string {
  return typeof next === 'string' &&
    /^(?:\/[\w.~%-]+)*\/?(?:\?[\w.~%&=+-]*)?$/.test(next) &&
    !next.includes('..')
    ? next
    : '';
}

/** @returns why not, in the words of the reader, where it is not the password */
async function signIn(
  deps: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  password: string,
): Promise<Account | string> {
  const { database, clock } = deps;
  const now = toIso(clock.now());
  const words = wordsOf(request).signIn;
  const account = await findAccount(primaryOf(database), name);
  const by = { account: account ? name : strangerOf(name), address: addressOf(deps, request) };
  const wait = await countAttempt(database, by, now);
  if (wait > 0) {
    reply.header('retry-after', String(wait));
    reply.code(429);
    return words.wait(wait);
  }
  if (!(await isPassword(password, account?.password)) || !account) {
    await note(deps, request, account ? name : 'unknown', 'failed to sign in');
    return words.wrong;
  }
  await forgetAttempts(database, by);
  return account;
}

/** Names that nobody has are counted together, some hundred ways: they shall not fill the table. */
function strangerOf(name: string): string {
  return `?${createHash('sha256').update(name).digest().readUInt16BE() % 500}`;
}

/** Always a new one, and whatever the browser had before is none any more. */
export async function startSession(
  deps: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
  account: string,
): Promise<void> {
  const { database, clock } = deps;
  const now = toIso(clock.now());
  const before = readSessionCookie(request);
  if (before !== undefined) await endSession(database, hashOf(before));
  const address = addressOf(deps, request);
  const agent = request.headers['user-agent'] ?? '';
  setSessionCookie(deps, request, reply, await beginSession(database, { account, address, agent }, now));
  await note(deps, request, account, 'signed in');
  await pruneActs(database, now);
}

/** Into the audit log. */
export async function note(
  deps: AdminServer,
  request: FastifyRequest,
  who: string,
  action: Action,
  what?: string,
): Promise<void> {
  const at = toIso(deps.clock.now());
  await recordAct(deps.database, { at, who, action, what, address: addressOf(deps, request) });
}

interface FormView {
  readonly next?: unknown;
  readonly name?: string;
  readonly trouble?: string;
  readonly status?: number;
}

function sendForm(
  deps: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
  { next, name = firstAccount, trouble, status = 200 }: FormView,
): FastifyReply {
  const words = wordsOf(request).signIn;
  const body = html`${trouble !== undefined && html`<p class="bad s" role="alert">${trouble}</p>`}
<form method="post" action="${basePathOf(deps)}/admin/sign-in">
<input type="hidden" name="next" value="${ownPath(next)}">
<label for="name">${words.name}</label><input id="name" name="name" value="${name.slice(0, 100)}" autocomplete="username" required>
<label for="password">${words.password}</label><input id="password" name="password" type="password" autocomplete="current-password" required>
<p><button>${words.submit}</button></p></form>
<p class="soft">${withCode(words.forgotten)}</p>`;
  const code = reply.statusCode === 429 ? 429 : status;
  return sendAdminPage(deps, request, reply, { title: words.title, body, status: code });
}

/** @throws Refusal where the one who asks has no account whose password could be another one */
export function refuseConfigured(deps: AdminServer, account: string, said: string): void {
  if (deps.admin.passwordConfigured && account === firstAccount) throw new Refusal('conflict', said);
}
