import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { allows } from '../../../store/admin/scope.ts';
import { listUnreadable, type Unreadable } from '../../../store/runs/unreadable.ts';
import { type Cause, listCauses } from '../../../store/runs/unreadable-causes.ts';
import { findSource } from '../../../store/sources/sources.ts';
import { html, type Markup } from '../../html/html.ts';
import type { Reader } from '../../words/reader.ts';
import { actorOf } from '../guard/actor.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { visitorOf } from '../guard/visitor.ts';
import { formToken, seeOther, sendAdminPage } from '../page/admin-page.ts';
import { formOf } from '../page/form-body.ts';
import { readerOf, wordsOf } from '../page/language.ts';
import { when } from '../page/when.ts';
import { findRow } from '../sources/source-facts.ts';

const causesShown = 50;
const perPage = 50;
const mostAtOnce = 500;

/** Records of a source that could not be read, by their causes, each as it came. */
export function problemsPageRoutes(app: FastifyInstance, deps: AdminServer): void {
  app.route<{ Params: { source: string } }>({
    method: ['GET', 'HEAD'],
    url: '/admin/sources/:source/problems',
    config: { operationId: 'getProblemsPage', needs: 'read' },
    handler: (request, reply) => sendProblems(deps, request, reply, request.params.source),
  });
  app.route<{ Params: { source: string } }>({
    method: 'POST',
    url: '/admin/sources/:source/problems',
    config: { operationId: 'retryByForm', needs: 'run', acts: true },
    handler: async (request, reply) => {
      const { source } = request.params;
      const { item } = formOf(request.body);
      const tasks = await retry(deps, request, source, item);
      return seeOther(deps, reply, tasks.length === 1 ? `/tasks/${tasks[0]}` : `/sources/${source}`);
    },
  });
}

/**
 * @param item undefined: all that have an identifier, some hundred at a time
 * @returns the numbers of what is now to be done
 */
export async function retry(
  deps: AdminServer,
  request: FastifyRequest,
  source: string,
  item: string | undefined,
): Promise<readonly number[]> {
  await findRow(deps, source);
  const stored = await findSource(deps.database.reader, source);
  const all = stored
    ? await listUnreadable(deps.database.reader, stored.id, { after: 0, limit: mostAtOnce })
    : [];
  const items = item === undefined ? [...new Set(all.flatMap(({ identifier }) => identifier ?? []))] : [item];
  if (items.length === 0) return [];
  return deps.admin.acts.ask([source], { kind: 'item', what: items }, actorOf(deps, request));
}

async function sendProblems(
  deps: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
): Promise<FastifyReply> {
  await findRow(deps, name);
  const words = wordsOf(request);
  const { problems } = words;
  const visitor = visitorOf(request);
  const { reader } = deps.database;
  const { after } = request.query as { after?: unknown };
  const from = /^\d{1,9}$/.test(String(after)) ? Number(after) : 0;
  const stored = await findSource(reader, name);
  const causes = stored ? await listCauses(reader, stored.id, causesShown) : [];
  const some = stored
    ? await listUnreadable(reader, stored.id, { after: from, limit: perPage + 1, raw: true })
    : [];
  const shown = some.slice(0, perPage);
  const total = causes.reduce((sum, { count }) => sum + count, 0);
  const place = `${basePathOf(deps)}/admin/sources/${name}`;
  const mayRun = allows(visitor.scope, 'run');
  const button = (item: string, label: string) =>
    html`<form method="post" action="${place}/problems">${formToken(visitor)}<button name="item" value="${item}" aria-label="${label}: ${item}">${label}</button></form>`;
  const all =
    mayRun &&
    html`<form method="post" action="${place}/problems">${formToken(visitor)}<p><button>${problems.retryAll(Math.min(total, mostAtOnce))}</button></p></form>`;
  const body = html`<p><a href="${place}">${name}</a></p>
${
  total === 0
    ? html`<p>${problems.none}</p>`
    : html`${causeTable(causes, words, readerOf(deps, request), toIso(deps.clock.now()))}${all}
${shown.map((one) => record(one, problems, mayRun && one.identifier !== undefined && button(one.identifier, problems.retry)))}`
}${some.length > perPage && html`<p><a rel="next" href="${place}/problems?after=${shown.at(-1)?.id}">${words.sources.more}</a></p>`}`;
  return sendAdminPage(deps, request, reply, { title: problems.title(name), body, visitor });
}

function causeTable(
  causes: readonly Cause[],
  words: ReturnType<typeof wordsOf>,
  reader: Reader,
  now: string,
): Markup {
  const { problems } = words;
  const rows = causes.map(
    ({ code, message, count, lastSeenAt }) =>
      html`<tr><td>${message} <span class="soft mono">${code}</span></td><td class="n">${words.number(count)}</td><td>${when(reader, lastSeenAt, now)}</td></tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${problems.cause}"><table><thead><tr><th scope="col">${problems.cause}</th><th scope="col" class="n">${problems.count}</th><th scope="col">${problems.lastSeen}</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function record(
  { identifier, format, message, raw }: Unreadable,
  words: { readonly hidden: string; readonly raw: string },
  button: Markup | false,
): Markup {
  return html`<section class="card"><h2><bdi class="mono">${identifier ?? words.hidden}</bdi></h2><p>${format !== undefined && html`<span class="mono">${format}</span> `}${message}</p>${button}${
    raw !== undefined &&
    html`<details><summary>${words.raw}</summary><pre class="raw" dir="ltr">${raw}</pre></details>`
  }</section>
`;
}
