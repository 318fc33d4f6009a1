import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { findLink, useLink } from '../../../store/admin/links.ts';
import { hashPassword, longestPassword, shortestPassword } from '../../../store/admin/password-hash.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import { html } from '../../html/html.ts';
import { type Refusal, refuse } from '../../http/errors.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { seeOther, sendAdminPage } from '../page/admin-page.ts';
import { formOf } from '../page/form-body.ts';
import { wordsOf } from '../page/language.ts';
import { note, refuseConfigured, startSession } from './sign-in.ts';

/** Where a link leads by which a person sets the password of an account, once. Looking at it does not use it. */
export function passwordLinkRoutes(app: FastifyInstance, deps: AdminServer): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/admin/link',
    config: { operationId: 'getPasswordLink' },
    handler: async (request, reply) => {
      const { key } = request.query as { key?: unknown };
      return sendForm(deps, request, reply, typeof key === 'string' ? key : '');
    },
  });
  app.route({
    method: 'POST',
    url: '/admin/link',
    config: { operationId: 'usePasswordLink', acts: true },
    handler: async (request, reply) => {
      const { key = '', password = '', repeat = '' } = formOf(request.body);
      const trouble = troubleOf(request, password, repeat);
      if (trouble !== undefined) return sendForm(deps, request, reply, key, trouble);
      const now = toIso(deps.clock.now());
      // Nobody has us hash what they like without a link.
      const found = await findLink(primaryOf(deps.database), key, now);
      if (found) refuseConfigured(deps, found.account, wordsOf(request).link.configured);
      const used = found && (await useLink(deps.database, key, await hashPassword(password), now));
      if (!used) throw linkUsed();
      await note(deps, request, used.account, 'set the password by a link');
      await startSession(deps, request, reply, used.account);
      return seeOther(deps, reply, '');
    },
  });
}

/** What is wrong with a new password, in the words of the reader. */
export function troubleOf(request: FastifyRequest, password: string, repeat: string): string | undefined {
  const { differ, length } = wordsOf(request).link;
  if (password.length < shortestPassword || password.length > longestPassword) return length;
  return password === repeat ? undefined : differ;
}

function linkUsed(): Refusal {
  return refuse('link-used', 'link-used', {});
}

async function sendForm(
  deps: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
  key: string,
  trouble?: string,
): Promise<FastifyReply> {
  const words = wordsOf(request).link;
  const found = await findLink(primaryOf(deps.database), key, toIso(deps.clock.now()));
  if (!found) throw linkUsed();
  const body = html`<p>${words.intro(found.account)}</p>
${trouble !== undefined && html`<p class="bad s" role="alert">${trouble}</p>`}
<form method="post" action="${basePathOf(deps)}/admin/link">
<input type="hidden" name="key" value="${key}">
<input type="hidden" name="name" value="${found.account}" autocomplete="username">
${newPasswordFields(words)}
<p><button>${words.title}</button></p></form>`;
  return sendAdminPage(deps, request, reply, {
    title: words.title,
    body,
    status: trouble === undefined ? 200 : 400,
  });
}

export function newPasswordFields(words: { readonly password: string; readonly repeat: string }) {
  const limits = html`minlength="${shortestPassword}" maxlength="${longestPassword}" autocomplete="new-password" required`;
  return html`<label for="password">${words.password}</label><input id="password" name="password" type="password" ${limits}>
<label for="repeat">${words.repeat}</label><input id="repeat" name="repeat" type="password" ${limits}>`;
}
