import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { type BridgeError, isBridgeError } from '../../../core/errors.ts';
import type { FollowedSource } from '../../../core/following/followed-source.ts';
import { listFollowed } from '../../../store/following/followed-sources.ts';
import { readPushState } from '../../../store/push/state.ts';
import type { ToldSubscription } from '../../deps.ts';
import { html, type Markup } from '../../html/html.ts';
import { told } from '../../html/told.ts';
import type { Reader } from '../../words/reader.ts';
import { actorOf } from '../guard/actor.ts';
import { type AdminServer, basePathOf } from '../guard/admin-server.ts';
import { visitorOf } from '../guard/visitor.ts';
import { formToken, seeOther, sendAdminPage } from '../page/admin-page.ts';
import { formOf } from '../page/form-body.ts';
import { languageOf, readerOf } from '../page/language.ts';
import { numberCell, scrolledTable } from '../page/table.ts';
import { when } from '../page/when.ts';
import { subscriptionWords } from './subscription-words.ts';

/** Who is told of changes, how that goes, and forms that add, remove and try. */
export function subscriptionPageRoutes(app: FastifyInstance, deps: AdminServer): void {
  const { subscriptions } = deps.admin;
  app.route({
    method: ['GET', 'HEAD'],
    url: '/admin/subscriptions',
    config: { operationId: 'getSubscriptionsPage', needs: 'read' },
    handler: (request, reply) => {
      const { done } = request.query as Readonly<Record<string, unknown>>;
      const words = subscriptionWords[languageOf(request)];
      const sentences = { removed: words.removed, taken: words.taken, 'not-taken': words.notTaken };
      const said = Object.hasOwn(sentences, String(done))
        ? sentences[done as keyof typeof sentences]
        : undefined;
      return sendPage(deps, request, reply, { said });
    },
  });
  app.route({
    method: 'POST',
    url: '/admin/subscriptions',
    config: { operationId: 'addSubscriptionByForm', needs: 'admin', acts: true },
    handler: async (request, reply) => {
      const { url = '', set = '', label = '' } = formOf(request.body);
      try {
        const wanted = { url: url.trim(), set: set.trim(), label: label.trim() || undefined };
        const { secret } = await subscriptions.add(wanted, actorOf(deps, request));
        return await sendPage(deps, request, reply, { secret });
      } catch (error) {
        if (!isBridgeError(error, 'usage') && !isBridgeError(error, 'unknown-set')) throw error;
        return sendPage(deps, request, reply, { mistake: error, typed: { url, set, label } });
      }
    },
  });
  app.route({
    method: 'POST',
    url: '/admin/subscriptions/remove',
    config: { operationId: 'removeSubscriptionByForm', needs: 'admin', acts: true },
    handler: async (request, reply) => {
      await subscriptions.remove(numberIn(request), actorOf(deps, request));
      return seeOther(deps, reply, '/subscriptions?done=removed');
    },
  });
  app.route({
    method: 'POST',
    url: '/admin/subscriptions/test',
    config: { operationId: 'testSubscriptionByForm', needs: 'admin', acts: true },
    handler: async (request, reply) => {
      const { delivered } = await subscriptions.test(numberIn(request), actorOf(deps, request));
      return seeOther(deps, reply, `/subscriptions?done=${delivered ? 'taken' : 'not-taken'}`);
    },
  });
}

function numberIn(request: FastifyRequest): number {
  const { id = '' } = formOf(request.body);
  return /^[1-9]\d{0,8}$/.test(id) ? Number(id) : 0;
}

interface Shown {
  readonly said?: string | undefined;
  readonly secret?: string;
  readonly mistake?: BridgeError;
  readonly typed?: { readonly url: string; readonly set: string; readonly label: string };
}

async function sendPage(
  deps: AdminServer,
  request: FastifyRequest,
  reply: FastifyReply,
  { said, secret, mistake, typed }: Shown,
): Promise<FastifyReply> {
  const reader = readerOf(deps, request);
  const words = subscriptionWords[reader.language];
  const place = `${basePathOf(deps)}/admin/subscriptions`;
  const visitor = visitorOf(request);
  const mayAct = visitor?.scope === 'admin';
  const all = await deps.admin.subscriptions.list();
  const time = deps.clock.now().getTime() - deps.database.aheadMs;
  const state = await readPushState(deps.database.reader, time);
  const followed = await listFollowed(deps.database.reader);
  const now = toIso(deps.clock.now());
  const actions = (id: number) =>
    mayAct &&
    html`<form method="post" action="${place}/test">${formToken(visitor)}<input type="hidden" name="id" value="${id}"><button>${words.test}</button></form>
<form method="post" action="${place}/remove">${formToken(visitor)}<input type="hidden" name="id" value="${id}"><button>${words.remove}</button></form>`;
  const rows = all.map(
    (
      one,
    ) => html`<tr><td><span class="mono">${one.callback}</span>${one.label !== undefined && html` ${one.label}`}<br><span class="soft">${words.kinds[one.kind] ?? one.kind}</span> ${actions(one.id)}</td><td class="mono">${one.topic}</td><td>${stateOf(one, reader)}</td><td>${one.deliveredAt !== undefined && when(reader, iso(one.deliveredAt), now)}</td>${numberCell(reader.count(one.behind))}</tr>
`,
  );
  const counted = state.counted.map(
    ({ what, outcome, count }) =>
      html`<tr><td>${words.kinds[what] ?? what}</td><td class="mono">${outcome}</td>${numberCell(reader.count(count))}</tr>
`,
  );
  const body = html`<p>${words.intro}</p>
${said !== undefined && html`<p class="note" role="status">${said}</p>`}
${secret !== undefined && html`<p class="note" role="status">${words.added} <code>${secret}</code></p>`}
${mistake && html`<p class="bad s any" role="alert">${told(mistake, languageOf(request))}</p>`}
${state.pending > 0 && html`<p>${words.pending(reader.count(state.pending))}</p>`}
${rows.length > 0 ? scrolledTable(words.title, words.columns, rows) : html`<p>${words.none}</p>`}
${mayAct && addForm(visitor, place, words, typed)}
${followed.length > 0 && followedTable(followed, { reader, now, base: `${basePathOf(deps)}/admin` })}
${counted.length > 0 && html`<h2>${words.outcomes}</h2>${scrolledTable(words.outcomes, [words.columns[0] ?? '', words.outcome, { name: words.number, isNumber: true }], counted)}`}`;
  const status = mistake ? (isBridgeError(mistake, 'usage') ? 400 : 404) : 200;
  return sendAdminPage(deps, request, reply, { title: words.title, body, visitor, status });
}

/** The other side: who tells this bridge. */
function followedTable(
  followed: readonly FollowedSource[],
  { reader, now, base }: { readonly reader: Reader; readonly now: string; readonly base: string },
): Markup {
  const words = subscriptionWords[reader.language];
  const rows = followed.map(({ source, hub, state, reason, leaseUntil, receivedAt, received }) => {
    const until =
      leaseUntil !== undefined &&
      html` <span class="soft">${words.until(reader.time(iso(leaseUntil)))}</span>`;
    const why = reason !== undefined && html` <bdi class="soft any">${told(reason, reader.language)}</bdi>`;
    return html`<tr><td><a class="mono" href="${base}/sources/${source}">${source}</a></td><td class="mono">${hub !== undefined && new URL(hub).host}</td><td><span class="${state === 'active' ? 'good s any' : 'soft'}">${words.states[state]}</span>${until}${why}</td><td>${receivedAt !== undefined && when(reader, iso(receivedAt), now)}</td>${numberCell(reader.count(received))}</tr>
`;
  });
  return html`<h2>${words.followed}</h2>
<p>${words.followedIntro}</p>
${scrolledTable(words.followed, words.followedColumns, rows)}`;
}

function addForm(
  visitor: Parameters<typeof formToken>[0],
  place: string,
  words: (typeof subscriptionWords)['en'],
  typed = { url: '', set: '', label: '' },
): Markup {
  return html`<h2>${words.add}</h2>
<form method="post" action="${place}">${formToken(visitor)}
<label for="url">${words.url}</label><input id="url" name="url" type="url" required maxlength="2000" size="60" value="${typed.url}">
<label for="set">${words.set}</label><input id="set" name="set" required maxlength="500" size="30" value="${typed.set}">
<label for="label">${words.label}</label><input id="label" name="label" maxlength="200" size="30" value="${typed.label}">
<p class="actions"><button>${words.addIt}</button></p></form>`;
}

function stateOf(one: ToldSubscription, reader: Reader): Markup {
  const words = subscriptionWords[reader.language];
  const lease =
    one.leaseUntil !== undefined &&
    html` <span class="soft">${words.until(reader.time(iso(one.leaseUntil)))}</span>`;
  if (one.attempts > 0)
    return html`<span class="warn s any">${words.failing(reader.count(one.attempts), one.reason ?? '')}</span>${lease}`;
  return html`<span class="${one.deliveredAt === undefined ? 'soft' : 'good s any'}">${one.deliveredAt === undefined ? words.fresh : words.active}</span>${lease}`;
}

function iso(at: number): string {
  return toIso(new Date(at));
}
