import { toHttpDate } from '../../core/datetime.ts';
import type { Gap } from '../../core/time/timeline.ts';
import { linkFormat, mementoUri, type TimeMapForm, timeGateUri, timeMapUri } from '../../core/uris.ts';
import { html, linkTo, type Markup, type Page } from '../html/html.ts';
import { formatLink } from '../http/link-header.ts';

/** A TimeMap, or one of its pages. Times are ISO. */
export interface TimeMapPage {
  readonly baseUrl: string;
  /** URI-R. */
  readonly uri: string;
  /** From 1. */
  readonly page: number;
  readonly pages: number;
  /** Of the mementos on this page, oldest first. */
  readonly datetimes: readonly string[];
  /** Of all mementos. */
  readonly first: string;
  readonly last: string;
  /** The end of each page but the last, and the beginning of the next; empty where there are too many. */
  readonly bounds: readonly { readonly until: string | undefined; readonly from: string | undefined }[];
  readonly gaps: readonly Gap[];
}

interface PageLink {
  readonly page: number;
  readonly uri: string;
  readonly from: string | undefined;
  readonly until: string | undefined;
}

function pageLinks(
  { baseUrl, uri, pages, first, last, bounds }: TimeMapPage,
  form: TimeMapForm,
): readonly PageLink[] {
  const isKnown = bounds.length === pages - 1;
  return Array.from({ length: pages }, (_, index) => ({
    page: index + 1,
    uri: timeMapUri(baseUrl, uri, form, index + 1),
    from: index === 0 ? first : bounds[index - 1]?.from,
    until: isKnown && index === pages - 1 ? last : bounds[index]?.until,
  }));
}

function relationOf({ first, last }: TimeMapPage, datetime: string): string {
  return `${datetime === first ? 'first ' : ''}${datetime === last ? 'last ' : ''}memento`;
}

/** TM-01…07. */
export function toLinkFormat(map: TimeMapPage): string {
  const { baseUrl, uri, page, datetimes } = map;
  const [from, until] = [datetimes[0], datetimes.at(-1)];
  const lines = [
    formatLink({ rel: 'original', href: uri }),
    formatLink({ rel: 'timegate', href: timeGateUri(baseUrl, uri) }),
    formatLink({ rel: 'self', href: timeMapUri(baseUrl, uri, 'link', page), type: linkFormat, from, until }),
    ...pageLinks(map, 'link')
      .filter((other) => other.page !== page)
      .map((other) =>
        formatLink({
          rel: 'timemap',
          href: other.uri,
          type: linkFormat,
          from: other.from,
          until: other.until,
        }),
      ),
    ...datetimes.map(
      (datetime) =>
        `<${mementoUri(baseUrl, uri, datetime)}>; rel="${relationOf(map, datetime)}"; datetime="${toHttpDate(datetime)}"`,
    ),
  ];
  return `${lines.join(',\n')}\n`;
}

/** In the shape that MemGator gave the world. */
export function toTimeMapJson(map: TimeMapPage): string {
  const { baseUrl, uri, page, pages, datetimes, first, last } = map;
  const entry = (datetime: string) => ({ datetime, uri: mementoUri(baseUrl, uri, datetime) });
  const view = {
    original_uri: uri,
    self: timeMapUri(baseUrl, uri, 'json', page),
    mementos: { list: datetimes.map(entry), first: entry(first), last: entry(last) },
    ...(pages > 1 && { pages: pageLinks(map, 'json') }),
    timemap_uri: {
      link_format: timeMapUri(baseUrl, uri, 'link', page),
      json_format: timeMapUri(baseUrl, uri, 'json', page),
      html: timeMapUri(baseUrl, uri, 'html', page),
    },
    timegate_uri: timeGateUri(baseUrl, uri),
  };
  return `${JSON.stringify(view, null, 1)}\n`;
}

export function toTimeMapHtml(map: TimeMapPage): Page {
  const { baseUrl, uri, page, pages } = map;
  const forms = ['link', 'json'] as const;
  const body = html`<h1>Version history</h1>
<dl><dt>Resource</dt><dd>${linkTo(uri)}</dd><dt>Known from</dt><dd>${time(map.first)} until ${time(map.last)}</dd><dt>At a given time</dt><dd>${linkTo(timeGateUri(baseUrl, uri), 'TimeGate')} (Memento, RFC 7089)</dd><dt>For programs</dt><dd>${forms.map((form) => html`${linkTo(timeMapUri(baseUrl, uri, form, page), form)} `)}</dd></dl>
<h2>Mementos</h2>
<table><tr><th>From</th><th>What</th></tr>
${rowsOf(map)}</table>
${
  pages > 1 &&
  html`<p>Pages: ${pageLinks(map, 'html').map((other) =>
    other.page === page ? html`<b>${other.page}</b> ` : html`${linkTo(other.uri, String(other.page))} `,
  )}</p>`
}`;
  return { title: `What ${uri} was`, body };
}

/** Mementos and deletions in one order; of deletions those that begin on this page. */
function rowsOf(map: TimeMapPage): readonly Markup[] {
  const { baseUrl, uri, page, pages, datetimes, gaps } = map;
  const begin = page === 1 ? '' : (datetimes[0] ?? '');
  const end = page === pages ? undefined : map.bounds[page - 1]?.from;
  const shown = gaps.filter(({ from }) => from >= begin && (end === undefined || from < end));
  const rows = [
    ...datetimes.map((datetime) => ({
      at: datetime,
      // What was deleted in the second of its creation comes before its deletion.
      order: 0,
      row: html`<tr><td>${time(datetime)}</td><td><a href="${mementoUri(baseUrl, uri, datetime)}">${relationOf(map, datetime)}</a></td></tr>
`,
    })),
    ...shown.map(({ from }) => ({
      at: from,
      order: 1,
      row: html`<tr><td>${time(from)}</td><td class="soft">deleted</td></tr>
`,
    })),
  ];
  return rows
    .sort((a, b) => Number(a.at > b.at) - Number(a.at < b.at) || a.order - b.order)
    .map(({ row }) => row);
}

/** To the second: that is what tells mementos apart. */
function time(iso: string): Markup {
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`;
}
