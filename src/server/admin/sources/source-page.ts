import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import { allows } from '../../../store/admin/scope.ts';
import { listUnderWay } from '../../../store/presence/under-way.ts';
import { html, linkTo, type Markup } from '../../html/html.ts';
import { told } from '../../html/told.ts';
import type { Reader } from '../../words/reader.ts';
import { activityWords } from '../activity/activity-words.ts';
import { workList } from '../activity/work-list.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { type Visitor, visitorOf } from '../guard/visitor.ts';
import { formToken, sendAdminPage } from '../page/admin-page.ts';
import { readerOf, wordsOf } from '../page/language.ts';
import { livePart, liveSpan } from '../page/live-part.ts';
import { when } from '../page/when.ts';
import type { AdminWords } from '../page/words.ts';
import { countSection } from '../runs/count-section.ts';
import { countWords } from '../runs/count-words.ts';
import { runTable } from '../runs/run-table.ts';
import { fileFacts } from './file-facts.ts';
import { harvesterTable, harvesterWords } from './harvester-table.ts';
import { settingsTable } from './settings-table.ts';
import { readSourceFacts, runsPerPage, type SourceFactsView } from './source-facts.ts';
import { pauseFields, sourceActs } from './source-forms.ts';
import { sourceFigures, sourceState } from './sources-live.ts';

/** One source: what it is, what it does, what went wrong, and what can be done about it. */
export function sourcePageRoutes(app: FastifyInstance, deps: AdminServer): void {
  app.route<{ Params: { source: string } }>({
    method: ['GET', 'HEAD'],
    url: '/admin/sources/:source',
    config: { operationId: 'getSourcePage', needs: 'read' },
    handler: (request, reply) => sendSource(deps, request, reply, request.params.source),
  });
}

async function sendSource(
  deps: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
): Promise<FastifyReply> {
  const { before } = request.query as { before?: unknown };
  const from = /^\d{1,9}$/.test(String(before)) ? Number(before) : undefined;
  const view = await readSourceFacts(deps, name, from);
  const words = wordsOf(request);
  const visitor = visitorOf(request);
  const reader = readerOf(deps, request);
  const base = `${basePathOf(deps)}/admin/sources`;
  const shown = view.runs.slice(0, runsPerPage);
  const older =
    view.runs.length > runsPerPage &&
    html`<p><a rel="next" href="${base}/${name}?before=${shown.at(-1)?.id}">${words.source.older}</a></p>`;
  // Whoever read it before `oai` was switched off is told of, too.
  const offers = view.harvesters.length > 0 || deps.oai?.(name) !== undefined;
  const works = await listUnderWay(primaryOf(deps.database), name);
  const admin = `${basePathOf(deps)}/admin`;
  const body = html`${livePart('state', sourceState(view.row, words, reader))}
${livePart('works', workList(works, { base: admin, reader, now: view.now }))}
<p><a href="${admin}/log?source=${name}">${words.source.log}</a></p>
${allows(visitor.scope, 'run') && buttons(name, visitor, base, words)}
${attention(view, visitor, base, words, reader)}
<h2>${words.source.facts}</h2>
${facts(view, words, reader)}
<h2>${words.source.runs}</h2>
${livePart('runs', shown.length > 0 ? runTable(shown, words, reader, view.now, `${base}/${name}`) : html`<p>${words.source.noRuns}</p>`)}${older}
<h2>${countWords[reader.language].title}</h2>
${countSection(view.counts, reader)}
${offers && html`<h2>${harvesterWords[reader.language].title}</h2>${harvesterTable(view.harvesters, reader, view.now)}`}
<h2>${words.source.learnt}</h2>
${lessons(view, words, reader)}
<h2>${words.source.settings}</h2>
${allows(visitor.scope, 'admin') && view.configured.from === 'database' && html`<p class="actions"><a href="${base}/${name}/change">${words.source.change}</a> <a href="${base}/${name}/remove">${words.source.remove}</a></p>`}
${settingsTable(view.settings, words)}`;
  return sendAdminPage(deps, request, reply, {
    ...{ title: view.row.title, body, visitor },
    live: { view: 'source', source: name, ...(from === undefined ? {} : { before: String(from) }) },
  });
}

function buttons(name: string, visitor: Visitor, base: string, words: AdminWords): Markup {
  const hidden = html`${formToken(visitor)}<input type="hidden" name="source" value="${name}"><input type="hidden" name="confirmed" value="1"><input type="hidden" name="back" value="source">`;
  return html`<form method="post" action="${base}/act" class="actions">${hidden}${sourceActs.filter((act) => act !== 'pause').map((act) => html`<button name="act" value="${act}">${words.acts[act]}</button>`)}</form>
<details><summary>${words.acts.pause}</summary><form method="post" action="${base}/act">${hidden}${pauseFields(words)}<p><button name="act" value="pause">${words.acts.pause}</button></p></form></details>`;
}

function attention(
  { row, details, vanished }: SourceFactsView,
  visitor: Visitor,
  base: string,
  words: AdminWords,
  reader: Reader,
): Markup {
  const { source } = words;
  const { unreadable = 0, vanished: missing } = details ?? {};
  const records =
    unreadable > 0 &&
    html`<p><a href="${base}/${row.name}/problems">${source.unreadable(unreadable)}</a></p>`;
  const decide =
    allows(visitor.scope, 'admin') &&
    html`<form method="post" action="${base}/${row.name}/vanished" class="actions">${formToken(visitor)}<input type="hidden" name="run" value="${missing?.runId}"><button name="decision" value="approve">${source.approve}</button><button name="decision" value="reject">${source.reject}</button></form>`;
  const gone =
    missing !== undefined &&
    missing.items > 0 &&
    html`<h2>${source.vanished}</h2><p>${source.vanishedIntro(missing.items, missing.runId ?? 0)}</p>
<ul>${vanished.map((item) => html`<li><span class="mono">${item.identifier}</span> <span class="soft">${item.formats.join(', ')} · ${source.since(reader.time(item.since))}</span></li>`)}${missing.items > vanished.length && html`<li>… ${words.number(missing.items - vanished.length)}</li>`}</ul>
${decide}`;
  return html`${records}${gone}`;
}

function facts(
  { row, stored, details, due, settings, now }: SourceFactsView,
  words: AdminWords,
  reader: Reader,
): Markup {
  const { source, sources } = words;
  const url = settings.find(({ key }) => key === 'url')?.value;
  const info = stored?.info;
  const figures = sourceFigures(row, words, reader, now);
  const planned = due.filter(({ dueAt, isHeld }) => dueAt !== undefined || isHeld);
  const waits = html`<span class="soft">${source.waitsWhilePaused}</span>`;
  const paused = row.pause && [
    row.pause.until === undefined
      ? html`<dt>${source.pausedSince}</dt><dd>${when(reader, row.pause.since, now)} ${waits}</dd>`
      : html`<dt>${source.pausedUntil}</dt><dd>${when(reader, row.pause.until, now)} ${waits}</dd>`,
    row.pause.reason !== undefined && html`<dt>${words.acts.reason}</dt><dd>${row.pause.reason}</dd>`,
  ];
  return html`<dl><dt>${source.address}</dt><dd>${linkTo(String(url))}</dd>${info && html`<dt>${source.protocol}</dt><dd>${info.protocol} ${info.protocolVersion}</dd>`}${paused}<dt>${sources.lastSuccess}</dt><dd>${liveSpan('lastSuccess', figures.lastSuccess)}</dd>${planned.map(
    ({ kind, dueAt, isHeld, attempts, reason }) =>
      html`<dt>${source.due}: ${activityWords[reader.language].queueKinds[kind] ?? kind}</dt><dd>${isHeld ? words.states.running : when(reader, dueAt === undefined ? undefined : toIso(new Date(dueAt)), now)}${attempts > 0 && html` <span class="warn">${source.attempts(attempts)}</span>`} <span class="soft">${told(reason ?? '', reader.language)}</span></dd>`,
  )}<dt>${sources.items}</dt><dd>${liveSpan('items', figures.items)}</dd><dt>${sources.resources}</dt><dd>${liveSpan('resources', figures.resources)}</dd><dt>${sources.changes}</dt><dd>${liveSpan('changes', figures.changes)}</dd>${fileFacts(details, words)}</dl>`;
}

function lessons({ details }: SourceFactsView, { source }: AdminWords, reader: Reader): Markup {
  const known = details?.lessons ?? [];
  if (known.length === 0) return html`<p>${source.nothingLearnt}</p>`;
  return html`<ul>${known.map(({ sentence, learnedAt }) => html`<li>${told(sentence, reader.language)} <span class="soft">${reader.time(learnedAt)}</span></li>`)}</ul>`;
}
