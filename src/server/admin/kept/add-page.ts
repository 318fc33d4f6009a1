import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { isBridgeError } from '../../../core/errors.ts';
import { listDrafts } from '../../../store/admin/drafts.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import { html, type Markup } from '../../html/html.ts';
import { told } from '../../html/told.ts';
import { actorOf } from '../guard/actor.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { type Visitor, visitorOf } from '../guard/visitor.ts';
import { formToken, seeOther, sendAdminPage } from '../page/admin-page.ts';
import { formOf } from '../page/form-body.ts';
import { languageOf, readerOf } from '../page/language.ts';
import { when } from '../page/when.ts';
import { type KeptWords, keptWords } from './kept-words.ts';

export const addPath = '/sources/add';
const draftsShown = 20;
const protocolNames = {
  'oai-pmh': 'OAI-PMH',
  dspace: 'DSpace 7+',
  'dspace-legacy': 'DSpace 5, 6',
  resourcesync: 'ResourceSync',
} as const;

/** The first step: where is it? */
export function addPageRoutes(app: FastifyInstance, deps: AdminServer): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: `/admin${addPath}`,
    config: { operationId: 'getAddSourcePage', needs: 'admin' },
    handler: (request, reply) => sendAddPage(deps, request, reply, {}),
  });
  app.route({
    method: 'POST',
    url: `/admin${addPath}`,
    config: { operationId: 'lookForSourceByForm', needs: 'admin', acts: true },
    handler: async (request, reply) => {
      const { address = '', adapter = '', group = '' } = formOf(request.body);
      const wanted = { address, ...(adapter !== '' && { adapter }), ...(group !== '' && { group }) };
      try {
        const id = await deps.admin.newSources.look(wanted, actorOf(deps, request));
        return seeOther(deps, reply, `${addPath}/${id}`);
      } catch (error) {
        if (!isBridgeError(error, 'usage')) throw error;
        return sendAddPage(deps, request, reply, {
          ...wanted,
          trouble: told(error, languageOf(request)),
        });
      }
    },
  });
}

interface Typed {
  readonly address?: string;
  readonly adapter?: string | undefined;
  readonly group?: string | undefined;
  readonly trouble?: Markup;
}

async function sendAddPage(
  deps: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
  typed: Typed,
): Promise<FastifyReply> {
  const words = keptWords[languageOf(request)];
  const visitor = visitorOf(request);
  const drafts = (await listDrafts(primaryOf(deps.database), draftsShown)).filter(
    ({ state }) => state !== 'saved',
  );
  const reader = readerOf(deps, request);
  const now = toIso(deps.clock.now());
  const place = `${basePathOf(deps)}/admin${addPath}`;
  const earlier =
    drafts.length > 0 &&
    html`<h2>${words.earlier}</h2><ul>${drafts.map(({ id, address, state, updatedAt }) => html`<li><a href="${place}/${id}"><bdi class="any">${address}</bdi></a> ${words.states[state]} <span class="soft">${when(reader, updatedAt, now)}</span></li>`)}</ul>`;
  const body = html`${addressForm(deps, visitor, words, typed)}${earlier}`;
  const status = typed.trouble === undefined ? 200 : 400;
  return sendAdminPage(deps, request, reply, { title: words.add, body, visitor, status });
}

/** Where to look, and how; what was typed before is in it. */
export function addressForm(
  deps: AdminServer,
  visitor: Visitor,
  words: KeptWords,
  { address = '', adapter, group, trouble }: Typed,
): Markup {
  const groups = deps.admin.newSources.groups();
  const option = (value: string, label: string, chosen = '') =>
    html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`;
  const groupField =
    groups.length > 0 &&
    html`<label for="group">${words.group}</label><select id="group" name="group">${option('', words.noGroup, group)}${groups.map((name) => option(name, name, group))}</select>`;
  return html`${trouble !== undefined && html`<p class="bad s any" role="alert">${trouble}</p><p>${words.advice.usage}</p>`}
<form method="post" action="${basePathOf(deps)}/admin${addPath}">${formToken(visitor)}
<label for="address">${words.address}</label><input id="address" name="address" required maxlength="2000" size="60" inputmode="url" autocapitalize="none" spellcheck="false" value="${address}">
<label for="adapter">${words.protocol}</label><select id="adapter" name="adapter">${option('', words.anyProtocol, adapter)}${Object.entries(protocolNames).map(([value, label]) => option(value, label, adapter))}</select>
${groupField}
<p><button>${address === '' ? words.look : words.lookAgain}</button></p></form>`;
}
