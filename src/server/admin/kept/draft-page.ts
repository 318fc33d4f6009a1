import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addSeconds, toIso } from '../../../core/datetime.ts';
import type { DraftChoices, DraftFound } from '../../../core/drafts/source-draft.ts';
import { isBridgeError } from '../../../core/errors.ts';
import { type Draft, type DraftState, findDraft } from '../../../store/admin/drafts.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import { html, linkTo, type Markup } from '../../html/html.ts';
import { told } from '../../html/told.ts';
import { refuse } from '../../http/errors.ts';
import type { Language } from '../../words/language.ts';
import { actorOf } from '../guard/actor.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { type Visitor, visitorOf } from '../guard/visitor.ts';
import { formToken, seeOther, sendAdminPage, withCode } from '../page/admin-page.ts';
import { type Form, formOf } from '../page/form-body.ts';
import { languageOf, wordsOf } from '../page/language.ts';
import { addPath, addressForm } from './add-page.ts';
import { choiceFields, readChoices } from './choices-form.ts';
import { type KeptWords, keptWords } from './kept-words.ts';
import { sampleTable } from './sample-table.ts';

const refreshSeconds = 2;

/** The steps behind the first: what was found, what it would bring, and that it is kept. */
export function draftPageRoutes(app: FastifyInstance, deps: AdminServer): void {
  app.route<{ Params: { draft: string } }>({
    method: ['GET', 'HEAD'],
    url: `/admin${addPath}/:draft`,
    config: { operationId: 'getDraftPage', needs: 'admin' },
    handler: async (request, reply) => {
      const draft = await readDraft(deps, request.params.draft);
      const { source } = draft;
      const sources = source === undefined ? [] : await deps.sources();
      if (sources.some(({ name }) => name === source)) return seeOther(deps, reply, `/sources/${source}`);
      return sendDraft(deps, request, reply, draft, {});
    },
  });
  app.route<{ Params: { draft: string } }>({
    method: 'POST',
    url: `/admin${addPath}/:draft`,
    config: { operationId: 'addSourceByForm', needs: 'admin', acts: true },
    handler: async (request, reply) => {
      const draft = await readDraft(deps, request.params.draft);
      const { found } = draft;
      if (!found || draft.source !== undefined) return seeOther(deps, reply, `${addPath}/${draft.id}`);
      const form = formOf(request.body);
      const choices = readChoices(form, found, draft.choices);
      const trouble = troubleWith(choices, keptWords[languageOf(request)]);
      if (trouble !== undefined)
        return sendDraft(deps, request, reply, draft, { choices, trouble: html`${trouble}` });
      try {
        return seeOther(deps, reply, await goOn(deps, request, { draft, choices, form }));
      } catch (error) {
        if (!isBridgeError(error, 'usage')) throw error;
        return sendDraft(deps, request, reply, draft, {
          choices,
          trouble: told(error.message, languageOf(request)),
        });
      }
    },
  });
}

/**
 * What is dead is so told, whoever was to write it.
 * @throws Refusal
 */
export async function readDraft(deps: AdminServer, id: string): Promise<Draft> {
  const draft = /^\d{1,9}$/.test(id) ? await findDraft(primaryOf(deps.database), Number(id)) : undefined;
  if (!draft) throw refuse('not-found', 'draft-unknown', {});
  const isDead = isBusy(draft.state) && (draft.busyUntil ?? '') < toIso(deps.clock.now());
  if (!isDead) return draft;
  return {
    ...draft,
    state: 'failed',
    code: 'interrupted',
    message: 'the process that worked on it has ended',
  };
}

export function isBusy(state: DraftState): boolean {
  return state === 'waiting' || state === 'looking' || state === 'trying';
}

const heardOfSeconds = 60;

function isNew(deps: AdminServer, { state, updatedAt }: Draft): boolean {
  return state === 'saved' && addSeconds(updatedAt, heardOfSeconds) > toIso(deps.clock.now());
}

/** What is kept is what was tried. @returns where to go on */
async function goOn(
  deps: AdminServer,
  request: FastifyRequest,
  { draft, choices, form }: { readonly draft: Draft; readonly choices: DraftChoices; readonly form: Form },
): Promise<string> {
  const { newSources } = deps.admin;
  const by = actorOf(deps, request);
  const isTried = draft.state === 'tried' && JSON.stringify(draft.trial?.choices) === JSON.stringify(choices);
  if (form.act === 'save' && isTried) await newSources.keep(draft.id, choices, by);
  else await newSources.trial(draft.id, choices, by);
  return `${addPath}/${draft.id}`;
}

function troubleWith({ name, formats }: DraftChoices, words: KeptWords): string | undefined {
  if (name === 'add' || name === 'act') return words.reservedName;
  return formats?.length === 0 ? words.chooseFormat : undefined;
}

interface Typed {
  readonly choices?: DraftChoices;
  readonly trouble?: Markup;
}

function sendDraft(
  deps: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
  draft: Draft,
  typed: Typed,
): FastifyReply {
  const language = languageOf(request);
  const words = keptWords[language];
  const visitor = visitorOf(request);
  // Another process than the one that has added it hears of it in a while.
  if (isBusy(draft.state) || isNew(deps, draft)) {
    // A browser asks again by itself; also one that runs no scripts.
    reply.header('refresh', String(refreshSeconds));
    const body = progress(draft, words);
    return sendAdminPage(deps, request, reply, { title: words.add, body, visitor, status: 202 });
  }
  const { found, trial, state } = draft;
  const all = wordsOf(request);
  const body = html`${state === 'failed' && failed(draft, words, language)}${state === 'saved' && html`<p>${words.isGone}</p>`}
${found && typed.trouble === undefined && state === 'tried' && trial && sampleTable(trial, words, all, language)}
${found && state !== 'saved' && choiceForm(deps, visitor, { draft, found, typed, language })}
${found ? html`<details><summary>${words.lookAgain}</summary>${again(deps, visitor, draft, words)}</details>` : again(deps, visitor, draft, words)}`;
  const status = typed.trouble === undefined ? 200 : 400;
  return sendAdminPage(deps, request, reply, { title: words.add, body, visitor, status });
}

/** `12 https://…`: as whoever looks writes it down. */
function progress({ address, state, found, message }: Draft, words: KeptWords): Markup {
  const [, count, url] = /^(\d+) (.+)$/s.exec(message ?? '') ?? [];
  if (state === 'saved') return html`<p role="status">${words.isAdded}</p>`;
  const what = state === 'trying' && found ? words.isTrying(found.url) : words.isLooking(address);
  return html`<p class="any" role="status">${what}</p>${count !== undefined && url !== undefined && html`<p class="soft any">${words.asked(count, url)}</p>`}`;
}

function failed({ code = 'internal', message = '' }: Draft, words: KeptWords, language: Language): Markup {
  const text = code === 'interrupted' ? html`${words.died}` : told(message, language);
  return html`<section class="card" role="alert"><h2>${words.failed}</h2><p class="any lines">${text} <span class="soft mono">${code}</span></p><p>${withCode(words.advice[code] ?? words.advice.other)}</p></section>`;
}

interface ChoiceView {
  readonly draft: Draft;
  readonly found: DraftFound;
  readonly typed: Typed;
  readonly language: Language;
}

function choiceForm(
  deps: AdminServer,
  visitor: Visitor,
  { draft, found, typed: { choices = draft.choices, trouble }, language }: ChoiceView,
): Markup {
  const words = keptWords[language];
  const isTried = draft.state === 'tried';
  const { repository, protocol, url, sentences } = found;
  return html`<h2>${words.found}</h2>
<dl><dt>${words.repository}</dt><dd><bdi class="any">${repository}</bdi></dd><dt>${words.protocol}</dt><dd>${protocol}</dd><dt>${words.at}</dt><dd class="any">${linkTo(url)}</dd></dl>
${sentences.length > 0 && html`<p class="any">${sentences.map((sentence) => html`${told(sentence, language)} `)}</p>`}
<h2>${words.choices}</h2>
${trouble !== undefined && html`<p class="bad s any" role="alert">${trouble}</p><p>${words.advice.usage}</p>`}
${isTried && html`<p class="note">${words.triedWith}</p>`}
<form method="post" action="${basePathOf(deps)}/admin${addPath}/${draft.id}">${formToken(visitor)}
${choiceFields(found, choices, words)}
<p class="actions">${isTried && html`<button name="act" value="save">${words.save}</button>`}<button name="act" value="try">${isTried ? words.tryAgain : words.try}</button></p></form>`;
}

function again(deps: AdminServer, visitor: Visitor, { address, choices }: Draft, words: KeptWords): Markup {
  return addressForm(deps, visitor, words, { address, adapter: choices.adapter, group: choices.group });
}
