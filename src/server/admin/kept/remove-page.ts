import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../../html/html.ts';
import { actorOf } from '../guard/actor.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { visitorOf } from '../guard/visitor.ts';
import { formToken, seeOther, sendAdminPage, withCode } from '../page/admin-page.ts';
import { formOf } from '../page/form-body.ts';
import { languageOf } from '../page/language.ts';
import { keptWords } from './kept-words.ts';

type OfSource = { Params: { source: string } };

/** A source of the database is taken out of it, after its name was typed. */
export function removePageRoutes(app: FastifyInstance, deps: AdminServer): void {
  app.route<OfSource>({
    method: ['GET', 'HEAD'],
    url: '/admin/sources/:source/remove',
    config: { operationId: 'getRemoveSourcePage', needs: 'admin' },
    handler: async (request, reply) => {
      await deps.admin.acts.keptSettings(request.params.source);
      return sendRemove(deps, request, reply, undefined);
    },
  });
  app.route<OfSource>({
    method: 'POST',
    url: '/admin/sources/:source/remove',
    config: { operationId: 'removeSourceByForm', needs: 'admin', acts: true },
    handler: async (request, reply) => {
      const { source } = request.params;
      const { name = '' } = formOf(request.body);
      if (name.trim() !== source) return sendRemove(deps, request, reply, name);
      await deps.admin.acts.remove(source, actorOf(deps, request));
      return seeOther(deps, reply, '');
    },
  });
}

/** @param typed instead of its name */
function sendRemove(
  deps: AdminServer,
  request: FastifyRequest<OfSource>,
  reply: FastifyReply,
  typed: string | undefined,
): FastifyReply {
  const words = keptWords[languageOf(request)];
  const visitor = visitorOf(request);
  const { source } = request.params;
  const place = `${basePathOf(deps)}/admin/sources/${source}`;
  const body = html`<p>${withCode(words.removeIntro(source))}</p>
${typed !== undefined && html`<p class="bad s" role="alert">${words.notTheName}</p>`}
<form method="post" action="${place}/remove">${formToken(visitor)}
<label for="name">${words.confirmName(source)}</label><input id="name" name="name" required autocomplete="off" maxlength="200" value="${typed ?? ''}">
<p class="actions"><button>${words.remove}</button> <a href="${place}">${words.cancel}</a></p></form>`;
  const status = typed === undefined ? 200 : 400;
  return sendAdminPage(deps, request, reply, { title: `${words.remove}: ${source}`, body, visitor, status });
}
