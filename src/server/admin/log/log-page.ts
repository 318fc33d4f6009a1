import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import { findLogLine, type LogFilter, type LogLine, listLog } from '../../../store/presence/log-lines.ts';
import { exactTime, html, type Markup, timeAndAge } from '../../html/html.ts';
import { told } from '../../html/told.ts';
import { Refusal } from '../../http/errors.ts';
import type { Reader } from '../../words/reader.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { visitorOf } from '../guard/visitor.ts';
import { sendAdminPage } from '../page/admin-page.ts';
import { readerOf } from '../page/language.ts';
import { scrolledTable } from '../page/table.ts';
import { downloadLog } from './log-download.ts';
import { levelNames, logQuery, readLogFilter } from './log-filter.ts';
import { logWords } from './log-words.ts';
import { messageIn } from './messages.ts';

const perPage = 100;
const shownAround = 10;

/** What all processes logged, the newest first, and each line at an address of its own. */
export function logPageRoutes(app: FastifyInstance, deps: AdminServer): void {
  const method = ['GET', 'HEAD'];
  app.route({
    method,
    url: '/admin/log',
    config: { operationId: 'getLogPage', needs: 'read' },
    handler: (request, reply) => sendLog(deps, request, reply),
  });
  app.route({
    method,
    url: '/admin/log.ndjson',
    config: { operationId: 'downloadLog', needs: 'read' },
    handler: async (request, reply) => {
      const filter = readLogFilter(request.query as Readonly<Record<string, unknown>>);
      return reply
        .type('application/x-ndjson')
        .header('content-disposition', 'attachment; filename="rsbridge-log.ndjson"')
        .send(downloadLog(primaryOf(deps.database), filter));
    },
  });
  app.route<{ Params: { line: string } }>({
    method,
    url: '/admin/log/:line',
    config: { operationId: 'getLogLinePage', needs: 'read' },
    handler: (request, reply) => sendLine(deps, request, reply, request.params.line),
  });
}

async function sendLog(
  deps: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const query = request.query as Readonly<Record<string, unknown>>;
  const reader = readerOf(deps, request);
  const words = logWords[reader.language];
  const filter = readLogFilter(query);
  const before = /^\d{1,9}$/.test(String(query.before)) ? Number(query.before) : undefined;
  const some = await listLog(primaryOf(deps.database), filter, { before, limit: perPage + 1 });
  const shown = some.slice(0, perPage);
  const base = `${basePathOf(deps)}/admin`;
  const own = logQuery(filter);
  const ways = [
    before !== undefined && html`<a href="${base}/log?${own}">${words.newest}</a> `,
    some.length > perPage &&
      html`<a rel="next" href="${base}/log?${own}${own !== '' && '&'}before=${shown.at(-1)?.id}">${words.older}</a> `,
    shown.length > 0 && html`<a href="${base}/log.ndjson?${own}" download>${words.download}</a>`,
  ];
  const body = html`<p>${words.intro}</p>
${filterForm(base, filter, reader)}
${shown.length === 0 ? html`<p>${words.none}</p>` : logTable(shown, { base, reader, now: toIso(deps.clock.now()) })}
<p>${ways}</p>`;
  return sendAdminPage(deps, request, reply, { title: words.title, body, visitor: visitorOf(request) });
}

function filterForm(base: string, { source, level, run, words: text }: LogFilter, reader: Reader): Markup {
  const words = logWords[reader.language];
  return html`<form method="get" action="${base}/log" class="actions" role="search">
<label class="inline" for="q">${words.words}</label><input id="q" name="q" type="search" value="${text ?? ''}">
<label class="inline" for="source">${words.source}</label><input id="source" name="source" size="12" value="${source ?? ''}">
<label class="inline" for="level">${words.atLeast}</label><select id="level" name="level"><option value="">${words.all}</option>${levelNames.map((one) => html`<option value="${one}"${one === level && html` selected`}>${words.levels[one]}</option>`)}</select>
<label class="inline" for="run">${words.run}</label><input id="run" name="run" size="6" inputmode="numeric" pattern="[0-9]*" value="${run ?? ''}">
<button>${words.show}</button></form>`;
}

interface LogView {
  readonly base: string;
  readonly reader: Reader;
  readonly now: string;
}

export function logTable(lines: readonly LogLine[], { base, reader, now }: LogView): Markup {
  const words = logWords[reader.language];
  const rows = lines.map(
    ({ id, at, level, source, run, message, fields }) =>
      html`<tr id="line-${id}"><td><a href="${base}/log/${id}">${timeAndAge(reader, seconds(at), now)}</a></td><td>${levelMark(level, reader)}</td><td>${source !== undefined && html`<a class="mono" href="${base}/log?${logQuery({ source })}">${source}</a>`}</td><td class="n">${run !== undefined && html`<a href="${base}/log?${logQuery({ run })}">${run}</a>`}</td><td>${messageMark(message, reader)} <span class="soft">${gist(fields, reader)}</span></td></tr>
`,
  );
  const run = { name: words.run, isNumber: true };
  return scrolledTable(words.title, [words.when, words.level, words.source, run, words.message], rows);
}

function levelMark(level: LogLine['level'], { language }: Reader): Markup {
  const kind = level === 'info' ? 'soft' : level === 'warn' ? 's warn' : 's bad';
  return html`<span class="${kind}">${logWords[language].levels[level]}</span>`;
}

function messageMark(message: string, { language }: Reader): Markup {
  const own = messageIn(language, message);
  return own === undefined ? html`<span lang="en">${message}</span>` : html`<span>${own}</span>`;
}

/** What says most of it. */
function gist(fields: LogLine['fields'] = {}, { language }: Reader): Markup {
  const { reason, code, url, item, identifier } = fields;
  const parts = [url, item ?? identifier, code].filter((part) => typeof part === 'string');
  const rest = parts.join(' · ').slice(0, 500);
  if (typeof reason !== 'string') return html`${rest}`;
  return html`${told(reason.slice(0, 500), language)}${parts.length > 0 && ` · ${rest}`}`;
}

function seconds(at: string): string {
  return at.replace(/\.\d+Z$/, 'Z');
}

async function sendLine(
  deps: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
  line: string,
): Promise<FastifyReply> {
  const reader = readerOf(deps, request);
  const words = logWords[reader.language];
  const db = primaryOf(deps.database);
  const found = /^\d{1,9}$/.test(line) ? await findLogLine(db, Number(line)) : undefined;
  if (!found) throw new Refusal('not-found', words.gone);
  const { id, at, level, source, run, process, message, fields } = found;
  const base = `${basePathOf(deps)}/admin`;
  const after = await listLog(db, {}, { after: id, limit: shownAround });
  const before = await listLog(db, {}, { before: id, limit: shownAround });
  const body = html`<p><a href="${base}/log">${words.title}</a></p>
<p>${levelMark(level, reader)} ${messageMark(message, reader)}</p>
<dl><dt>${words.when}</dt><dd>${exactTime(reader, seconds(at))}</dd>${source !== undefined && html`<dt>${words.source}</dt><dd><a href="${base}/sources/${encodeURIComponent(source)}">${source}</a></dd>`}${run !== undefined && html`<dt>${words.run}</dt><dd><a href="${base}/log?${logQuery({ run })}">${run}</a></dd>`}<dt>${words.process}</dt><dd class="mono">${process}</dd></dl>
${fields && html`<h2>${words.details}</h2><pre class="raw" dir="ltr" tabindex="0">${JSON.stringify(fields, null, 2)}</pre>`}
<h2>${words.around}</h2>
${logTable([...after].reverse().concat(found, before), { base, reader, now: toIso(deps.clock.now()) })}`;
  return sendAdminPage(deps, request, reply, { title: words.line(id), body, visitor: visitorOf(request) });
}
