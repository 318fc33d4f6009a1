import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { itemPath, toUri } from '../../../core/uris.ts';
import { primaryOf } from '../../../store/admin/primary.ts';
import {
  countNotifications,
  type KeptNotification,
  listNotifications,
  type NotificationCounts,
} from '../../../store/notifications/inbox.ts';
import { html, type Markup } from '../../html/html.ts';
import type { Reader } from '../../words/reader.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { visitorOf } from '../guard/visitor.ts';
import { sendAdminPage } from '../page/admin-page.ts';
import { readerOf } from '../page/language.ts';
import { numberCell, scrolledTable } from '../page/table.ts';
import { when } from '../page/when.ts';
import { notificationWords } from './notification-words.ts';

const perPage = 100;

/** What other services told us by COAR Notify, and what came of it. */
export function notificationsPageRoutes(app: FastifyInstance, deps: AdminServer): void {
  if (!deps.inbox) return;
  app.route({
    method: ['GET', 'HEAD'],
    url: '/admin/notifications',
    config: { operationId: 'getNotificationsPage', needs: 'read' },
    handler: (request, reply) => sendPage(deps, request, reply),
  });
}

interface View {
  readonly reader: Reader;
  readonly baseUrl: string;
  /** Of the dashboard. */
  readonly base: string;
  readonly now: string;
}

async function sendPage(
  deps: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const database = primaryOf(deps.database);
  const { before } = request.query as Readonly<Record<string, unknown>>;
  const from = /^\d{1,9}$/.test(String(before)) ? Number(before) : undefined;
  const reader = readerOf(deps, request);
  const words = notificationWords[reader.language];
  const view = {
    ...{ reader, baseUrl: deps.baseUrl, base: `${basePathOf(deps)}/admin` },
    now: toIso(deps.clock.now()),
  };
  const some = await listNotifications(database, { before: from, limit: perPage + 1 });
  const shown = some.slice(0, perPage);
  const counts = from === undefined ? await countNotifications(database) : [];
  const body = html`<p>${words.intro}</p>
${counts.length > 0 && html`<h2>${words.services}</h2>${countsTable(counts, view)}`}
<h2>${words.received}</h2>
${shown.length === 0 ? html`<p>${words.none}</p>` : receivedTable(shown, view)}
${some.length > shown.length && html`<p><a rel="next" href="${view.base}/notifications?before=${shown.at(-1)?.number}">${words.older}</a></p>`}`;
  return sendAdminPage(deps, request, reply, { title: words.title, body, visitor: visitorOf(request) });
}

function countsTable(counts: readonly NotificationCounts[], { reader, now }: View): Markup {
  const words = notificationWords[reader.language];
  const rows = counts.map(
    ({ partner, outcome, count, last }) =>
      html`<tr><td class="mono">${partner}</td><td>${words.outcomes[outcome]}</td>${numberCell(reader.count(count))}<td>${when(reader, last, now)}</td></tr>
`,
  );
  const number = { name: words.number, isNumber: true };
  return scrolledTable(words.services, [words.service, words.outcome, number, words.last], rows);
}

function receivedTable(shown: readonly KeptNotification[], { reader, now, base, baseUrl }: View): Markup {
  const words = notificationWords[reader.language];
  const patterns: Readonly<Record<string, string>> = words.patterns;
  const itemOf = ({ source, item }: KeptNotification) =>
    source !== undefined &&
    item !== undefined &&
    html`<a class="any" href="${toUri(baseUrl, itemPath(source, item))}">${item}</a> <a class="mono soft" href="${base}/sources/${source}">${source}</a>`;
  const rows = shown.map(
    (one) =>
      html`<tr><td>${when(reader, one.at, now)}</td><td class="mono">${one.partner}</td><td>${patterns[one.pattern] ?? one.pattern}</td><td>${one.asked === undefined ? words.outcomes[one.outcome] : html`<a href="${base}/tasks/${one.asked}">${words.outcomes[one.outcome]}</a>`}</td><td>${itemOf(one)}</td></tr>
`,
  );
  return scrolledTable(
    words.received,
    [words.at, words.service, words.kind, words.outcome, words.item],
    rows,
  );
}
