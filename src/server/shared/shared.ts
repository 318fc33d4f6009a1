import type { FastifyInstance } from 'fastify';
import { toIso } from '../../core/datetime.ts';
import type { ServerDeps, SharedSource } from '../deps.ts';
import { html, type Page } from '../html/html.ts';
import { Refusal } from '../http/errors.ts';
import { formatQuery, sendTaggedPage } from '../pages/views.ts';
import { digestWords } from '../words/digest.ts';
import type { Reader } from '../words/reader.ts';

/** Where a link leads that was sent to whoever looks after a repository: how their source is, and nothing else. It changes nothing. */
export function sharedRoutes(app: FastifyInstance, deps: ServerDeps): void {
  const { shared } = deps;
  if (!shared) return;
  app.route<{ Params: { key: string }; Querystring: { lang?: string } }>({
    method: ['GET', 'HEAD'],
    url: '/share/:key',
    schema: { querystring: formatQuery },
    config: { operationId: 'getShared' },
    handler: async (request, reply) => {
      // Whoever is led on from here is not to be told the address.
      reply.headers({
        'cache-control': 'private, no-store',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex, nofollow',
      });
      const source = await shared(request.params.key);
      if (!source)
        throw new Refusal('not-found', 'this link has ended: the latest mail of the week has one that works');
      const now = toIso(deps.clock.now());
      return sendTaggedPage(deps, request, reply, (reader) => toPage(deps, source, now, reader));
    },
  });
}

function toPage({ baseUrl }: ServerDeps, source: SharedSource, now: string, reader: Reader): Page {
  const words = digestWords[reader.language];
  const { count, time, age } = reader;
  const { name, title, word, reason, lastSuccessAt, nextRunAt, unreadable, vanished, refusedSince } = source;
  const lines = [
    reason === undefined ? undefined : words.reason(reason),
    lastSuccessAt === undefined ? words.never : words.last(time(lastSuccessAt), age(lastSuccessAt, now)),
    nextRunAt === undefined ? undefined : words.next(time(nextRunAt)),
    words.holdings(words.items(source.items), words.resources(source.resources)),
    words.changes(count(source.changes)),
    vanished === 0 ? undefined : words.vanished(count(vanished)),
    refusedSince === undefined ? undefined : words.refused(time(refusedSince)),
  ].filter((line) => line !== undefined);
  const more = unreadable - source.problems.length;
  const problems = source.problems.map(
    ({ identifier = words.noIdentifier, message }) => html`<li><code>${identifier}</code>: ${message}</li>`,
  );
  return {
    title,
    head: html`<meta name="robots" content="noindex,nofollow">`,
    body: html`<h1>${title}</h1>
<p><strong>${words.state[word]}</strong></p>
<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>
${
  unreadable > 0 &&
  html`<p>${words.unreadable(count(unreadable))}</p>
<ul>${problems}${more > 0 && html`<li>${words.more(count(more))}</li>`}</ul>`
}
${word !== 'new' && html`<p><a href="${baseUrl}/${name}/about">${words.publishedHere}</a></p>`}
<p class="soft">${words.private}</p>`,
  };
}
