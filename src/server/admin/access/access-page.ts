import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { findAccount, listAccounts, removeAccount, setPassword } from '../../../store/admin/accounts.ts';
import { countAttempt, forgetAttempts } from '../../../store/admin/attempts.ts';
import { hashPassword, isPassword } from '../../../store/admin/password-hash.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import { type Scope, scopes, type TokenScope } from '../../../store/admin/scope.ts';
import { endSession, listSessions } from '../../../store/admin/sessions.ts';
import { createToken, listTokens, revokeToken } from '../../../store/admin/tokens.ts';
import { html, type Markup, timeAndAge } from '../../html/html.ts';
import { refuse } from '../../http/errors.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { addressOf } from '../guard/loopback.ts';
import { type Visitor, visitorOf } from '../guard/visitor.ts';
import { formToken, seeOther, sendAdminPage, withCode } from '../page/admin-page.ts';
import { formOf } from '../page/form-body.ts';
import { readerOf, wordsOf } from '../page/language.ts';
import { invite, refuseRemoval } from './accounts.ts';
import { newPasswordFields, troubleOf } from './password-link.ts';
import { note, refuseConfigured, startSession } from './sign-in.ts';
import { openedBy, refuseUnknownSets, scopeWords } from './token-scope.ts';

/** Who may do what: one's own password; accounts, sessions and tokens for those who may do everything. */
export function accessRoutes(app: FastifyInstance, deps: AdminServer): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/admin/access',
    config: { operationId: 'getAccessPage', needs: 'read' },
    handler: (request, reply) => sendAccess(deps, request, reply, {}),
  });
  app.route({
    method: 'POST',
    url: '/admin/access/password',
    config: { operationId: 'changePassword', needs: 'read', acts: true },
    handler: async (request, reply) => {
      const trouble = await changePassword(deps, request, reply);
      return trouble === undefined
        ? seeOther(deps, reply, '/access')
        : sendAccess(deps, request, reply, { trouble });
    },
  });
  app.route({
    method: 'POST',
    url: '/admin/access/tokens',
    config: { operationId: 'createTokenByForm', needs: 'admin', acts: true },
    handler: async (request, reply) => {
      const { name = '', scope = '', sets = '', days = '' } = formOf(request.body);
      const read = sets.split(/[\s,]+/).filter((set) => set !== '');
      refuseUnknownSets(deps, read);
      const { who } = visitorOf(request);
      const made = await createToken(
        deps.database,
        { name, scope: readTokenScope(scope), sets: read, createdBy: who, days: readDays(days) },
        toIso(deps.clock.now()),
      );
      await note(deps, request, who, 'made a token', `${made.name} (${scopeWords(made)})`);
      return sendAccess(deps, request, reply, { secret: made.secret, opens: openedBy(deps, read) });
    },
  });
  app.route({
    method: 'POST',
    url: '/admin/access/tokens/revoke',
    config: { operationId: 'revokeTokenByForm', needs: 'admin', acts: true },
    handler: async (request, reply) => {
      const name = await revokeToken(deps.database, Number(formOf(request.body).id));
      if (name !== undefined) await note(deps, request, visitorOf(request).who, 'revoked a token', name);
      return seeOther(deps, reply, '/access');
    },
  });
  app.route({
    method: 'POST',
    url: '/admin/access/links',
    config: { operationId: 'createLinkByForm', needs: 'admin', acts: true },
    handler: async (request, reply) => {
      const { account = '', scope = '' } = formOf(request.body);
      const made = await invite(deps, request, account, scope === '' ? undefined : readScope(scope));
      return sendAccess(deps, request, reply, { invited: made });
    },
  });
  app.route({
    method: 'POST',
    url: '/admin/access/accounts/remove',
    config: { operationId: 'removeAccountByForm', needs: 'admin', acts: true },
    handler: async (request, reply) => {
      const { account = '' } = formOf(request.body);
      await refuseRemoval(deps, request, account);
      if (await removeAccount(deps.database, account))
        await note(deps, request, visitorOf(request).who, 'removed an account', account);
      return seeOther(deps, reply, '/access');
    },
  });
  app.route({
    method: 'POST',
    url: '/admin/access/sessions/end',
    config: { operationId: 'endSessionByForm', needs: 'admin', acts: true },
    handler: async (request, reply) => {
      const ended = await endSession(deps.database, formOf(request.body).session ?? '');
      if (ended) await note(deps, request, visitorOf(request).who, 'ended a session');
      return seeOther(deps, reply, '/access');
    },
  });
}

/** @throws Refusal */
export function readScope(text: unknown): Scope {
  const scope = scopes.find((one) => one === text);
  if (!scope) throw refuse('bad-request', 'scope-unknown', { names: scopes.join(', ') });
  return scope;
}

function readTokenScope(text: unknown): TokenScope {
  return text === 'content' ? text : readScope(text);
}

/** @throws Refusal */
export function readDays(text: unknown): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (!/^[1-9]\d{0,3}$/.test(String(text))) throw refuse('bad-request', 'days-unreadable', {});
  return Number(text);
}

/** @returns why not, in the words of the reader */
async function changePassword(
  deps: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string | undefined> {
  const { current = '', password = '', repeat = '' } = formOf(request.body);
  const { account: name } = visitorOf(request);
  const account = name === undefined ? undefined : await findAccount(primaryOf(deps.database), name);
  if (!account) throw refuse('not-allowed', 'program-without-password', {});
  const words = wordsOf(request);
  refuseConfigured(deps, account.name, words.link.configured);
  const trouble = troubleOf(request, password, repeat);
  if (trouble !== undefined) return trouble;
  const now = toIso(deps.clock.now());
  const by = { account: account.name, address: addressOf(deps, request) };
  const wait = await countAttempt(deps.database, by, now);
  if (wait > 0) return words.signIn.wait(wait);
  if (!(await isPassword(current, account.password))) return words.signIn.wrong;
  await forgetAttempts(deps.database, by);
  await setPassword(deps.database, { ...account, password: await hashPassword(password) }, now);
  await note(deps, request, account.name, 'changed the password');
  await startSession(deps, request, reply, account.name);
  return undefined;
}

interface AccessNews {
  readonly trouble?: string;
  /** Of a token that was just made. */
  readonly secret?: string;
  /** The addresses at which that begins to read. */
  readonly opens?: readonly string[];
  /** Of an account that somebody is to have. */
  readonly invited?: { readonly account: string; readonly link: string };
}

async function sendAccess(
  deps: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
  { trouble, secret, opens = [], invited }: AccessNews,
): Promise<FastifyReply> {
  const visitor = visitorOf(request);
  const words = wordsOf(request);
  const { access } = words;
  const base = `${basePathOf(deps)}/admin/access`;
  const own = html`<h2>${access.change}</h2>
<form method="post" action="${base}/password">${formToken(visitor)}
<label for="current">${access.current}</label><input id="current" name="current" type="password" autocomplete="current-password" required>
${newPasswordFields(words.link)}
<p><button>${words.save}</button></p></form>`;
  const body = html`${trouble !== undefined && html`<p class="bad s" role="alert">${trouble}</p>`}
${secret !== undefined && html`<p class="note" role="status">${access.made} <code>${secret}</code>${opens.length > 0 && html`<br>${access.opens} ${opens.map((url) => html`<code class="any">${url}</code> `)}`}</p>`}
${invited && html`<p class="note" role="status">${access.link(invited.account)} <code class="any">${invited.link}</code></p>`}
<p>${access.you(visitor.who, visitor.scope)} <span class="soft">${access.scopes}</span></p>
${visitor.scope === 'admin' && (await everything(deps, request, visitor, base))}
${visitor.by === 'session' && own}`;
  return sendAdminPage(deps, request, reply, {
    title: access.title,
    body,
    visitor,
    status: trouble === undefined ? 200 : 400,
  });
}

async function everything(
  deps: AdminServer,
  request: FastifyRequest,
  visitor: Visitor,
  base: string,
): Promise<Markup> {
  const { access } = wordsOf(request);
  const now = toIso(deps.clock.now());
  const reader = primaryOf(deps.database);
  const [accounts, sessions, tokens] = await Promise.all([
    listAccounts(reader),
    listSessions(reader, now),
    listTokens(reader),
  ]);
  const when = (iso: string | undefined) => timeAndAge(readerOf(deps, request), iso, now, access.never);
  return html`<h2>${access.tokens}</h2>
${
  tokens.length === 0
    ? html`<p>${withCode(access.noTokens)}</p>`
    : html`<div class="scroll" tabindex="0" role="region" aria-label="${access.tokens}"><table><tr><th scope="col">${access.name}</th><th scope="col">${access.scope}</th><th scope="col">${access.since}</th><th scope="col">${access.used}</th><th scope="col">${access.expires}</th><th scope="col">${access.revoke}</th></tr>
${tokens.map((token) => html`<tr><td>${token.name}</td><td>${token.scope === 'content' ? access.contentOf((token.sets ?? []).join(', ')) : token.scope}</td><td>${when(token.createdAt)}</td><td>${when(token.usedAt)}</td><td>${when(token.expiresAt)}</td><td><form method="post" action="${base}/tokens/revoke">${formToken(visitor)}<button name="id" value="${token.id}" aria-label="${access.revoke}: ${token.name}">${access.revoke}</button></form></td></tr>`)}</table></div>`
}
<form method="post" action="${base}/tokens">${formToken(visitor)}
<label for="token-name">${access.name}</label><input id="token-name" name="name" required maxlength="100">
<label for="token-scope">${access.scope}</label><select id="token-scope" name="scope">${[...scopes, 'content'].map((scope) => html`<option>${scope}</option>`)}</select>
<label for="token-sets">${access.sets}</label><input id="token-sets" name="sets" maxlength="2000">
<label for="token-days">${access.days}</label><input id="token-days" name="days" inputmode="numeric" pattern="[1-9][0-9]{0,3}">
<p><button>${access.create}</button></p></form>
<h2>${access.accounts}</h2>
<ul>${accounts.map(({ name, scope }) => html`<li>${name} <span class="soft">${scope}</span>${name !== visitor.account && html` <form class="inline" method="post" action="${base}/accounts/remove">${formToken(visitor)}<button name="account" value="${name}" aria-label="${access.removeAccount}: ${name}">${access.removeAccount}</button></form>`}</li>`)}</ul>
<form method="post" action="${base}/links">${formToken(visitor)}
<label for="account">${access.accountName}</label><input id="account" name="account" required maxlength="64">
<label for="account-scope">${access.accountScope}</label><select id="account-scope" name="scope"><option value="">${access.asItIs}</option>${scopes.map((scope) => html`<option>${scope}</option>`)}</select>
<p><button>${access.invite}</button> <span class="soft">${access.inviteHint}</span></p></form>
<h2>${access.sessions}</h2>
<div class="scroll" tabindex="0" role="region" aria-label="${access.sessions}"><table><tr><th scope="col">${access.account}</th><th scope="col">${access.since}</th><th scope="col">${access.used}</th><th scope="col">${access.from}</th><th scope="col">${access.end}</th></tr>
${sessions.map((one) => html`<tr><td>${one.account}</td><td>${when(one.createdAt)}</td><td>${when(one.usedAt)}</td><td><span class="mono">${one.address}</span> <span class="soft">${one.agent}</span></td><td>${one.hash === visitor.session ? access.thisOne : html`<form method="post" action="${base}/sessions/end">${formToken(visitor)}<button name="session" value="${one.hash}" aria-label="${access.end}: ${one.account} ${one.address}">${access.end}</button></form>`}</td></tr>`)}</table></div>`;
}
