import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import { allows } from '../../../store/admin/scope.ts';
import { listUnreadable } from '../../../store/runs/unreadable.ts';
import { type Cause, causeId, listCauses } from '../../../store/runs/unreadable-causes.ts';
import { findSource } from '../../../store/sources/sources.ts';
import { html, type Markup } from '../../html/html.ts';
import { told } from '../../html/told.ts';
import type { Reader } from '../../words/reader.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { type Visitor, visitorOf } from '../guard/visitor.ts';
import { formToken, seeOther, sendAdminPage } from '../page/admin-page.ts';
import { formOf } from '../page/form-body.ts';
import { readerOf } from '../page/language.ts';
import { scrolledTable } from '../page/table.ts';
import { when } from '../page/when.ts';
import { findRow } from '../sources/source-facts.ts';
import { problemPageRoute } from './problem-page.ts';
import { problemWords } from './problem-words.ts';
import { problemsCsv } from './problems-csv.ts';
import { recordCard } from './record-card.ts';
import { causeOf, retry } from './retry.ts';

const causesShown = 50;
const perPage = 20;

/** Records of a source that could not be read, by their causes, each with the place that is wrong. */
export function problemsPageRoutes(app: FastifyInstance, deps: AdminServer): void {
  const method = ['GET', 'HEAD'];
  app.route<{ Params: { source: string } }>({
    method,
    url: '/admin/sources/:source/problems',
    config: { operationId: 'getProblemsPage', needs: 'read' },
    handler: (request, reply) => sendProblems(deps, request, reply, request.params.source),
  });
  app.route<{ Params: { source: string } }>({
    method,
    url: '/admin/sources/:source/problems.csv',
    config: { operationId: 'downloadProblems', needs: 'read' },
    handler: (request, reply) => sendCsv(deps, request, reply, request.params.source),
  });
  problemPageRoute(app, deps);
  app.route<{ Params: { source: string } }>({
    method: 'POST',
    url: '/admin/sources/:source/problems',
    config: { operationId: 'retryByForm', needs: 'run', acts: true },
    handler: async (request, reply) => {
      const { source } = request.params;
      const { item, cause } = formOf(request.body);
      const again = item !== undefined ? { item } : cause !== undefined ? { cause } : 'all';
      const task = await retry(deps, request, source, again);
      return seeOther(deps, reply, task === undefined ? `/sources/${source}` : `/tasks/${task}`);
    },
  });
}

/** As a file for spreadsheets, of one cause where `?cause=` names it. @throws Refusal */
export async function sendCsv(
  deps: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
  source: string,
): Promise<FastifyReply> {
  await findRow(deps, source);
  const { cause: id } = request.query as { cause?: unknown };
  const cause = typeof id === 'string' ? await causeOf(deps, source, id) : undefined;
  const db = primaryOf(deps.database);
  const stored = await findSource(db, source);
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', 'attachment; filename="rsbridge-problems.csv"')
    .send(problemsCsv(db, stored?.id, cause));
}

interface ProblemsView {
  readonly reader: Reader;
  readonly now: string;
  /** The address of this page. */
  readonly place: string;
  readonly visitor: Visitor;
}

async function sendProblems(
  deps: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
): Promise<FastifyReply> {
  await findRow(deps, name);
  const reader = readerOf(deps, request);
  const words = problemWords[reader.language];
  const visitor = visitorOf(request);
  const db = primaryOf(deps.database);
  const { after, cause: id } = request.query as { after?: unknown; cause?: unknown };
  const from = /^\d{1,9}$/.test(String(after)) ? Number(after) : 0;
  const cause = typeof id === 'string' ? await causeOf(deps, name, id) : undefined;
  const stored = await findSource(db, name);
  const causes = stored ? await listCauses(db, stored.id, causesShown) : [];
  const page = { after: from, limit: perPage + 1, raw: true, cause };
  const some = stored ? await listUnreadable(db, stored.id, page) : [];
  const shown = some.slice(0, perPage);
  const source = `${basePathOf(deps)}/admin/sources/${name}`;
  const view = { reader, now: toIso(deps.clock.now()), place: `${source}/problems`, visitor };
  const own = cause === undefined ? '' : `cause=${causeId(cause)}`;
  const body = html`<p><a href="${source}">${name}</a></p>
${
  causes.length === 0
    ? html`<p>${words.none}</p>`
    : html`${causeTable(causes, view)}
<p>${causes.some(({ count, named }) => named < count) && html`${words.nameless} `}<a href="${view.place}.csv?${own}" download>${words.download}</a></p>
${allows(visitor.scope, 'run') && retryAll(causes, view)}
${cause !== undefined && html`<p class="note">${words.ofCause} ${cause} <a href="${view.place}">${words.all}</a></p>`}
${shown.map((one) => recordCard(one, view))}`
}${some.length > perPage && html`<p><a rel="next" href="${view.place}?${own}${own !== '' && '&'}after=${shown.at(-1)?.id}">${words.more}</a></p>`}`;
  return sendAdminPage(deps, request, reply, { title: words.title(name), body, visitor });
}

function causeTable(causes: readonly Cause[], { reader, now, place, visitor }: ProblemsView): Markup {
  const words = problemWords[reader.language];
  const mayRun = allows(visitor.scope, 'run');
  const rows = causes.map(({ id, code, message, count, named, lastSeenAt }) => {
    const number = reader.count(named);
    const button =
      mayRun &&
      named > 0 &&
      html`<form method="post" action="${place}">${formToken(visitor)}<button name="cause" value="${id}" aria-label="${words.retryLabel(number, message)}">${words.retryAll(number)}</button></form>`;
    return html`<tr><td class="any"><a href="${place}?cause=${id}"><bdi>${told(message, reader.language)}</bdi></a> <span class="soft mono">${code}</span></td><td class="n">${reader.count(count)}</td><td>${when(reader, lastSeenAt, now)}</td>${mayRun && html`<td>${button}</td>`}</tr>
`;
  });
  const columns = [words.cause, { name: words.count, isNumber: true }, words.lastSeen];
  return scrolledTable(words.causes, mayRun ? [...columns, words.retry] : columns, rows);
}

function retryAll(causes: readonly Cause[], { reader, place, visitor }: ProblemsView): Markup | false {
  const named = causes.reduce((sum, cause) => sum + cause.named, 0);
  // Of more causes than are shown the number is not known.
  if (named === 0 || causes.length < 2 || causes.length >= causesShown) return false;
  return html`<form method="post" action="${place}">${formToken(visitor)}<p><button>${problemWords[reader.language].retryAll(reader.count(named))}</button></p></form>`;
}
