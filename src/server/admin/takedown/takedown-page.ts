import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { type BridgeError, isBridgeError } from '../../../core/errors.ts';
import type { TakedownPlan, TakenDown } from '../../deps.ts';
import { html, type Markup } from '../../html/html.ts';
import { told } from '../../html/told.ts';
import { errorWords } from '../../words/errors.ts';
import { actorOf } from '../guard/actor.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { visitorOf } from '../guard/visitor.ts';
import { formToken, seeOther, sendAdminPage, withCode } from '../page/admin-page.ts';
import { formOf } from '../page/form-body.ts';
import { languageOf, readerOf, wordsOf } from '../page/language.ts';
import { when } from '../page/when.ts';
import { takedownWords } from './takedown-words.ts';

const perPage = 100;
const addressesAtMost = 20;
export const longestText = 2_000;

/** Something is taken down after it was shown what that is, and published again. */
export function takedownPageRoutes(app: FastifyInstance, deps: AdminServer): void {
  const { takedown } = deps.admin;
  app.route({
    method: ['GET', 'HEAD'],
    url: '/admin/withdrawals',
    config: { operationId: 'getWithdrawalsPage', needs: 'admin' },
    handler: async (request, reply) => {
      const { what, done, before } = request.query as Readonly<Record<string, unknown>>;
      const from = /^\d{1,9}$/.test(String(before)) ? Number(before) : undefined;
      const typed = typeof what === 'string' ? what.trim().slice(0, longestText) : '';
      if (typed === '') return sendPage(deps, request, reply, { typed, from, done: String(done ?? '') });
      try {
        return await sendPage(deps, request, reply, { typed, plan: await takedown.plan(typed) });
      } catch (error) {
        if (!isMistake(error)) throw error;
        return sendPage(deps, request, reply, { typed, mistake: error });
      }
    },
  });
  app.route({
    method: 'POST',
    url: '/admin/withdrawals',
    config: { operationId: 'withdrawByForm', needs: 'admin', acts: true },
    handler: async (request, reply) => {
      const { what = '', reason = '' } = formOf(request.body);
      const why = reason.trim().slice(0, longestText);
      const done = await takedown.withdraw(what, why === '' ? undefined : why, actorOf(deps, request));
      return seeOther(deps, reply, `/withdrawals?done=${done.announced ? 'withdrawn' : 'unannounced'}`);
    },
  });
  app.route({
    method: 'POST',
    url: '/admin/withdrawals/end',
    config: { operationId: 'restoreByForm', needs: 'admin', acts: true },
    handler: async (request, reply) => {
      const { what = '' } = formOf(request.body);
      const { tasks } = await takedown.restore(what, actorOf(deps, request));
      return seeOther(deps, reply, tasks.length > 0 ? `/tasks/${tasks[0]}` : '/withdrawals?done=restored');
    },
  });
}

interface Shown {
  readonly typed: string;
  /** Of what is taken down: those before this number. */
  readonly from?: number | undefined;
  readonly plan?: TakedownPlan;
  readonly mistake?: BridgeError;
  readonly done?: string;
}

/** What a person can have mistyped: said on the page, where what was typed still stands. */
function isMistake(error: unknown): error is BridgeError {
  return isBridgeError(error, 'unknown-resource') || isBridgeError(error, 'already-withdrawn');
}

async function sendPage(
  deps: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
  { typed, from, plan, mistake, done }: Shown,
): Promise<FastifyReply> {
  const words = takedownWords[languageOf(request)];
  const place = `${basePathOf(deps)}/admin/withdrawals`;
  const body = html`<p>${words.intro}</p>
${said(done, words)}${mistake && mistakeOf(request, mistake)}
${
  plan
    ? confirmation(request, place, typed, plan)
    : html`<form method="get" action="${place}"><label for="what">${words.what}</label><input id="what" name="what" required maxlength="${longestText}" size="60" value="${typed}">
<p class="actions"><button>${words.look}</button></p></form>`
}
<h2>${words.now}</h2>
${await listOf(deps, request, place, from)}`;
  const status = mistake ? (isBridgeError(mistake, 'unknown-resource') ? 404 : 409) : 200;
  return sendAdminPage(deps, request, reply, {
    title: words.title,
    body,
    visitor: visitorOf(request),
    status,
  });
}

function said(done: string | undefined, words: (typeof takedownWords)['en']): Markup | undefined {
  const sentences = {
    withdrawn: words.done,
    unannounced: `${words.done} ${words.unannounced}`,
    restored: words.restored,
  };
  const sentence = Object.hasOwn(sentences, done ?? '')
    ? sentences[done as keyof typeof sentences]
    : undefined;
  return sentence === undefined ? undefined : html`<p class="note" role="status">${sentence}</p>`;
}

function mistakeOf(request: FastifyRequest, error: BridgeError): Markup {
  const { code, advice } = error;
  const own = errorWords[languageOf(request)].advice[code];
  return html`<div role="alert"><p class="bad s any">${told(error, languageOf(request))}</p><p>${withCode(own ?? advice)} <span class="soft mono">${code}</span></p></div>`;
}

function confirmation(request: FastifyRequest, place: string, typed: string, plan: TakedownPlan): Markup {
  const words = takedownWords[languageOf(request)];
  const { number } = wordsOf(request);
  const { uri, source, identifier, resources } = plan;
  const some = resources.slice(0, addressesAtMost);
  return html`<dl><dt>${words.item}</dt><dd class="any"><a href="${uri}">${identifier}</a></dd><dt>${words.source}</dt><dd>${source}</dd></dl>
<p>${words.would(number(resources.length))}</p>
<ul>${some.map((one) => html`<li class="mono any">${one}</li>`)}${resources.length > some.length && html`<li>${words.more(number(resources.length - some.length))}</li>`}</ul>
<form method="post" action="${place}">${formToken(visitorOf(request))}<input type="hidden" name="what" value="${typed}">
<label for="reason">${words.reason}</label><input id="reason" name="reason" maxlength="${longestText}" size="60">
<p class="actions"><button>${words.withdraw}</button> <a href="${place}">${words.cancel}</a></p></form>`;
}

async function listOf(
  deps: AdminServer,
  request: FastifyRequest,
  place: string,
  before: number | undefined,
): Promise<Markup> {
  const words = takedownWords[languageOf(request)];
  const some = await deps.admin.takedown.list({ before, limit: perPage + 1 });
  if (some.length === 0) return html`<p>${words.none}</p>`;
  const shown = some.slice(0, perPage);
  const now = toIso(deps.clock.now());
  const reader = readerOf(deps, request);
  const token = formToken(visitorOf(request));
  const row = ({ uri, identifier, source, reason, at }: TakenDown) =>
    html`<tr><td class="any">${identifier}<br><a class="mono soft" href="${uri}">${uri}</a></td><td>${source}</td><td>${when(reader, at, now)}</td><td class="any">${reason}</td><td><form method="post" action="${place}/end">${token}<input type="hidden" name="what" value="${uri}"><button>${words.restore}</button></form></td></tr>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${words.now}"><table><tr><th scope="col">${words.address}</th><th scope="col">${words.source}</th><th scope="col">${words.since}</th><th scope="col">${words.why}</th><th scope="col">${words.restore}</th></tr>
${shown.map(row)}</table></div>
${some.length > shown.length && html`<p><a rel="next" href="${place}?before=${shown.at(-1)?.id}">${words.older}</a></p>`}
<p class="soft">${words.restoreHint}</p>`;
}
