import { type Static, Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { countOf } from '../../core/count-of.ts';
import type { ServerDeps } from '../deps.ts';
import { html, type Markup, type Page, type PageDeps, pageHeaders, renderPage } from '../html/html.ts';
import { Refusal } from '../http/errors.ts';
import { preferredType, varyBy } from '../http/negotiation.ts';
import { readerFor } from '../http/page-reader.ts';
import { sendTagged, tagOf } from '../http/tagged-text.ts';
import { generalWords } from '../words/general.ts';
import type { Reader } from '../words/reader.ts';

/** `?format=json` for those who cannot set an Accept header. */
export const formatQuery = Type.Object({
  format: Type.Optional(Type.Union([Type.Literal('html'), Type.Literal('json')])),
  lang: Type.Optional(
    Type.String({
      maxLength: 35,
      description: 'The language of the page: en or ja; another one counts as none.',
    }),
  ),
});

export type FormatQuery = Static<typeof formatQuery>;

/** Of what may be too long for one page. */
export const pagedQuery = Type.Object({
  ...formatQuery.properties,
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
});

export type PagedQuery = Static<typeof pagedQuery>;

/** Which part of a long list a page has. */
export interface PageOf {
  /** From 1. */
  readonly page: number;
  readonly pages: number;
  readonly previous?: string;
  readonly next?: string;
}

/** @throws Refusal `not-found` behind the last page */
export function takePage<Entry>(
  entries: readonly Entry[],
  perPage: number,
  page: number,
  uri: string,
): { readonly shown: readonly Entry[]; readonly place: PageOf } {
  const pages = Math.max(1, Math.ceil(entries.length / perPage));
  if (page > pages) throw new Refusal('not-found', `there are only ${countOf(pages, 'page')}`);
  const from = perPage === Number.POSITIVE_INFINITY ? 0 : (page - 1) * perPage;
  return {
    shown: entries.slice(from, from + perPage),
    place: {
      page,
      pages,
      ...(page > 1 ? { previous: page === 2 ? uri : `${uri}?page=${page - 1}` } : {}),
      ...(page < pages ? { next: `${uri}?page=${page + 1}` } : {}),
    },
  };
}

export function pageLinks({ page, pages, previous, next }: PageOf, reader: Reader): Markup | undefined {
  if (pages === 1) return undefined;
  const words = generalWords[reader.language];
  return html`<p>${previous && html`<a rel="prev" href="${previous}">${words.previous}</a> `}<span class="soft">${words.page(reader.count(page), reader.count(pages))}</span>${next && html` <a rel="next" href="${next}">${words.next}</a>`}</p>`;
}

/** JSON and HTML are two views of one object: whatever a page shows is in its JSON too. */
export function sendView<View extends object>(
  deps: ServerDeps,
  request: FastifyRequest<{ Querystring: FormatQuery }> | FastifyRequest<{ Querystring: PagedQuery }>,
  reply: FastifyReply,
  view: View,
  toPage: (view: View, reader: Reader) => Page,
): FastifyReply {
  reply.header('cache-control', 'no-cache');
  varyBy(reply, 'Accept');
  const negotiated = preferredType(request.headers.accept, ['text/html', 'application/json']);
  const format = request.query.format ?? (negotiated === 'text/html' ? 'html' : 'json');
  if (format === 'json') {
    // The moment of the request is all that differs where nothing else does.
    const etag = tagOf(JSON.stringify({ ...view, at: undefined }), 'weak');
    reply.type('application/json; charset=utf-8');
    return sendTagged(request, reply, { etag, body: `${JSON.stringify(view, null, 2)}\n` });
  }
  return sendTaggedPage(deps, request, reply, (reader) => toPage(view, reader));
}

/** With a tag of all that it says: "3 minutes ago" is another page a minute later. */
export function sendTaggedPage(
  deps: PageDeps & Pick<ServerDeps, 'pages'>,
  request: FastifyRequest,
  reply: FastifyReply,
  toPage: (reader: Reader) => Page,
): FastifyReply {
  const reader = readerFor(deps, request, reply);
  const page = toPage(reader);
  const body = renderPage(deps, page, reader);
  return sendTagged(request, reply.headers(pageHeaders(page)), { etag: tagOf(body, 'weak'), body });
}
