import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import { allows } from '../../../store/admin/scope.ts';
import { listUnderWay, type UnderWay } from '../../../store/presence/under-way.ts';
import { listRecentRuns } from '../../../store/runs/recent-runs.ts';
import type { Run, RunKind } from '../../../store/runs/runs.ts';
import { sourceWords } from '../../deps.ts';
import { html, type Markup } from '../../html/html.ts';
import type { Reader } from '../../words/reader.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { type Visitor, visitorOf } from '../guard/visitor.ts';
import { formToken, sendAdminPage, withCode } from '../page/admin-page.ts';
import { readerOf, wordsOf } from '../page/language.ts';
import { liveSpan } from '../page/live-part.ts';
import { when } from '../page/when.ts';
import type { AdminWords } from '../page/words.ts';
import { runPicture, runsInPicture } from '../runs/run-picture.ts';
import { bulkActs } from './source-forms.ts';
import {
  pageAfter,
  readRows,
  readSelection,
  type Selection,
  type SourceRow,
  select,
  sortings,
} from './source-rows.ts';
import { stateOf } from './sources-live.ts';
import { stateMark } from './state-mark.ts';

const perPage = 50;

/** All sources as a table, those with problems first. */
export function sourcesPageRoutes(app: FastifyInstance, deps: AdminServer): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/admin',
    config: { operationId: 'getAdminPage', needs: 'read' },
    handler: (request, reply) => sendSources(deps, request, reply),
  });
  app.route({
    method: ['GET', 'HEAD'],
    url: '/admin/',
    config: { operationId: 'getAdminPageBySlash', needs: 'read' },
    handler: (_request, reply) => reply.redirect(`${basePathOf(deps)}/admin`, 308),
  });
}

async function sendSources(
  deps: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const visitor = visitorOf(request);
  const words = wordsOf(request);
  const query = request.query as Readonly<Record<string, unknown>>;
  const selection = readSelection(query);
  const all = await readRows(deps);
  const found = select(all, selection);
  const after = typeof query.after === 'string' ? query.after : undefined;
  const { shown, next } = pageAfter(found, after, perPage);
  const runs = await listRecentRuns(
    deps.database.reader,
    shown.map(({ name }) => name),
    runsInPicture,
  );
  const works = await listUnderWay(primaryOf(deps.database));
  const base = `${basePathOf(deps)}/admin`;
  const { sources } = words;
  const counts = sourceWords.map((word) => ({
    word,
    count: all.filter((row) => row.word === word).length,
  }));
  const summary = html`<p>${counts
    .filter(({ count }) => count > 0)
    .map(
      ({ word, count }) =>
        html`<a href="${base}?${queryOf({ ...selection, state: word })}">${stateMark(word, words)}</a> ${count} `,
    )} <a href="${base}">${sources.all}</a> ${all.length}</p>`;
  const add = allows(visitor.scope, 'admin') && html`<p><a href="${base}/sources/add">${sources.add}</a></p>`;
  const body = html`${summary}${add}${filterForm(base, selection, words)}
${
  shown.length === 0
    ? html`<p>${all.length === 0 ? withCode(sources.none) : sources.noneFound}</p>`
    : html`<form method="post" action="${base}/sources/act">${formToken(visitor)}
<input type="hidden" name="filter" value="${queryOf(selection)}">
${table(shown, runs, { base, words, works, reader: readerOf(deps, request), now: toIso(deps.clock.now()), visitor })}
${allows(visitor.scope, 'run') && bulkActs(words, found.length)}</form>`
}
${next !== undefined && html`<p><a rel="next" href="${base}?${queryOf(selection)}&amp;after=${encodeURIComponent(next)}">${sources.more}</a></p>`}`;
  return sendAdminPage(deps, request, reply, {
    ...{ title: sources.title, body, visitor },
    live: { view: 'sources', names: shown.map(({ name }) => name).join(',') },
  });
}

/** As a part of an address. */
export function queryOf({ state, q, sort }: Selection): string {
  const params = new URLSearchParams({ sort });
  if (state !== undefined) params.set('state', state);
  if (q !== undefined) params.set('q', q);
  return params.toString();
}

function filterForm(
  base: string,
  { state, q = '', sort }: Selection,
  { sources, states }: AdminWords,
): Markup {
  return html`<form method="get" action="${base}" class="actions" role="search">
<label class="inline" for="q">${sources.find}</label><input id="q" name="q" type="search" value="${q}">
<label class="inline" for="state">${sources.state}</label><select id="state" name="state"><option value="">${sources.all}</option>${sourceWords.map((word) => html`<option value="${word}"${word === state && html` selected`}>${states[word]}</option>`)}</select>
<label class="inline" for="sort">${sources.sort}</label><select id="sort" name="sort">${sortings.map((one) => html`<option value="${one}"${one === sort && html` selected`}>${sources.sortings[one]}</option>`)}</select>
<button>${sources.show}</button></form>`;
}

interface TableView {
  readonly base: string;
  readonly words: AdminWords;
  readonly reader: Reader;
  readonly works: readonly UnderWay[];
  readonly now: string;
  readonly visitor: Visitor;
}

function table(
  rows: readonly SourceRow[],
  runs: ReadonlyMap<string, readonly Run<RunKind>[]>,
  { base, words, works, reader, now, visitor }: TableView,
): Markup {
  const { sources } = words;
  const mayRun = allows(visitor.scope, 'run');
  const lines = rows.map(
    (row) =>
      html`<tr>${mayRun && html`<td><input type="checkbox" name="source" value="${row.name}" aria-label="${row.title}"></td>`}<td><a href="${base}/sources/${row.name}">${row.title}</a> <span class="soft mono">${row.name}</span></td><td>${liveSpan(`state ${row.name}`, stateOf(row, works, reader, words))}</td><td>${runPicture(runs.get(row.name) ?? [], sources)}</td><td>${when(reader, row.lastSuccessAt, now)}</td><td>${when(reader, row.nextRunAt, now)}</td><td class="n">${words.number(row.items)}</td><td class="n">${words.number(row.recentChanges)}</td></tr>
`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${sources.title}"><table><thead><tr>${mayRun && html`<th scope="col">${sources.choose}</th>`}<th scope="col">${sources.source}</th><th scope="col">${sources.state}</th><th scope="col">${sources.runs}</th><th scope="col">${sources.lastSuccess}</th><th scope="col">${sources.nextRun}</th><th scope="col" class="n">${sources.items}</th><th scope="col" class="n">${sources.changes}</th></tr></thead><tbody>
${lines}</tbody></table></div>`;
}
