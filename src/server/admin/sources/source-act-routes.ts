import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type BridgeError, isBridgeError } from '../../../core/errors.ts';
import { html } from '../../html/html.ts';
import { told } from '../../html/told.ts';
import { Refusal, refuse } from '../../http/errors.ts';
import { actorOf } from '../guard/actor.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { visitorOf } from '../guard/visitor.ts';
import { formToken, seeOther, sendAdminPage } from '../page/admin-page.ts';
import { type Form, formOf } from '../page/form-body.ts';
import { languageOf, wordsOf } from '../page/language.ts';
import { pauseFields, type SourceAct, sourceActs } from './source-forms.ts';
import { readRows, readSelection, select } from './source-rows.ts';

/** Forms that act on sources: one at once, several after it was said once more how many they are. */
export function sourceActRoutes(app: FastifyInstance, deps: AdminServer): void {
  app.route({
    method: 'POST',
    url: '/admin/sources/act',
    config: { operationId: 'actOnSources', needs: 'run', acts: true },
    handler: async (request, reply) => {
      const form = formOf(request.body);
      const act = readAct(form.act);
      const names = await namesOf(deps, form);
      if (names.length === 0) throw new Refusal('bad-request', wordsOf(request).acts.nothingChosen);
      if (form.confirmed !== String(names.length)) return confirm(deps, request, reply, { act, names, form });
      try {
        await actOn(deps, request, { act, names, ...form });
      } catch (error) {
        if (act !== 'pause' || !isBridgeError(error, 'usage')) throw error;
        return confirm(deps, request, reply, { act, names, form, mistake: error });
      }
      return seeOther(
        deps,
        reply,
        form.back === 'source' ? `/sources/${names[0]}` : `?${queryText(form.filter)}`,
      );
    },
  });
}

export interface SourceOrder {
  readonly act: SourceAct;
  readonly names: readonly string[];
  readonly until?: string | undefined;
  readonly reason?: string | undefined;
}

/** @returns the numbers of what is now to be done */
export async function actOn(
  deps: AdminServer,
  request: FastifyRequest,
  { act, names, until, reason }: SourceOrder,
): Promise<readonly number[]> {
  const { acts } = deps.admin;
  const by = actorOf(deps, request);
  const given = (text: string | undefined) =>
    text === undefined || text.trim() === '' ? undefined : text.trim();
  if (act === 'pause') await acts.pause(names, { until: given(until), reason: given(reason) }, by);
  else if (act === 'resume') await acts.resume(names, by);
  else if (act === 'stop') await acts.stop(names, by);
  else return acts.ask(names, { kind: act }, by);
  return [];
}

/** @throws Refusal */
export function readAct(text: unknown): SourceAct {
  const act = sourceActs.find((one) => one === text);
  if (!act) throw refuse('bad-request', 'act-unknown', { names: sourceActs.join(', ') });
  return act;
}

async function namesOf(deps: AdminServer, form: Form): Promise<readonly string[]> {
  if (form.all !== '1') return [...new Set((form.source ?? '').split(' ').filter((name) => name !== ''))];
  const filter = Object.fromEntries(new URLSearchParams(form.filter));
  return select(await readRows(deps), readSelection(filter)).map(({ name }) => name);
}

function queryText(filter: string | undefined): string {
  return new URLSearchParams(filter).toString();
}

interface ToConfirm {
  readonly act: SourceAct;
  readonly names: readonly string[];
  readonly form: Form;
  readonly mistake?: BridgeError | undefined;
}

/**
 * One source needs no second word, unless there is something to fill in.
 * @param asked.mistake in what was filled in: it is there to be mended
 */
function confirm(
  deps: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
  { act, names, form, mistake }: ToConfirm,
): FastifyReply {
  const visitor = visitorOf(request);
  const words = wordsOf(request);
  const base = `${basePathOf(deps)}/admin`;
  const { filter = '' } = form;
  const some = names.slice(0, 20);
  const body = html`${mistake && html`<p class="bad s any" role="alert" id="trouble">${told(mistake, languageOf(request))}</p>`}<p>${words.acts.confirm(words.acts[act], names.length)}</p>
<ul>${some.map((name) => html`<li class="mono">${name}</li>`)}${names.length > some.length && html`<li>… ${words.number(names.length - some.length)}</li>`}</ul>
<form method="post" action="${base}/sources/act">${formToken(visitor)}
<input type="hidden" name="act" value="${act}"><input type="hidden" name="filter" value="${filter}">
${form.all === '1' ? html`<input type="hidden" name="all" value="1">` : html`<input type="hidden" name="source" value="${names.join(' ')}">`}<input type="hidden" name="confirmed" value="${names.length}">${form.back && html`<input type="hidden" name="back" value="${form.back}">`}
${act === 'pause' && pauseFields(words, mistake && form)}
<p class="actions"><button>${words.acts.doIt(words.acts[act], names.length)}</button> <a href="${base}?${queryText(filter)}">${words.acts.cancel}</a></p></form>`;
  const status = mistake ? 400 : 200;
  return sendAdminPage(deps, request, reply, { title: words.acts[act], body, visitor, status });
}
