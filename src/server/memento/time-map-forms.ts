import { toHttpDate } from '../../core/datetime.ts';
import type { Gap } from '../../core/time/timeline.ts';
import { linkFormat, mementoUri, type TimeMapForm, timeGateUri, timeMapUri } from '../../core/uris.ts';
import { exactTime, html, linkTo, type Markup, type Page } from '../html/html.ts';
import { formatLink } from '../http/link-header.ts';
import { historyWords } from '../words/history.ts';
import type { Reader } from '../words/reader.ts';

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

export function toTimeMapHtml(map: TimeMapPage, reader: Reader): Page {
  const words = historyWords[reader.language];
  const { baseUrl, uri, page, pages } = map;
  const forms = ['link', 'json'] as const;
  const body = html`<h1>${words.versionHistory}</h1>
<dl><dt>${words.resource}</dt><dd>${linkTo(uri)}</dd><dt>${words.knownFrom}</dt><dd>${exactTime(reader, map.first)} – ${exactTime(reader, map.last)}</dd><dt>${words.atTime}</dt><dd>${linkTo(timeGateUri(baseUrl, uri), 'TimeGate')} ${words.timeGate}</dd><dt>${words.forPrograms}</dt><dd>${forms.map((form) => html`${linkTo(timeMapUri(baseUrl, uri, form, page), form)} `)}</dd></dl>
<h2>${words.mementos}</h2>
<div class="scroll"><table><tr><th>${words.from}</th><th>${words.what}</th></tr>
${rowsOf(map, reader)}</table></div>
${
  pages > 1 &&
  html`<p>${words.pages} ${pageLinks(map, 'html').map((other) =>
    other.page === page ? html`<b>${other.page}</b> ` : html`${linkTo(other.uri, String(other.page))} `,
  )}</p>`
}`;
  return { title: words.timeMapTitle(uri), body };
}

/** Mementos and deletions in one order; of deletions those that begin on this page. */
function rowsOf(map: TimeMapPage, reader: Reader): readonly Markup[] {
  const words = historyWords[reader.language];
  const time = (iso: string) => exactTime(reader, iso);
  const { baseUrl, uri, page, pages, datetimes, gaps } = map;
  const begin = page === 1 ? '' : (datetimes[0] ?? '');
  const end = page === pages ? undefined : map.bounds[page - 1]?.from;
  const shown = gaps.filter(({ from }) => from >= begin && (end === undefined || from < end));
  const rows = [
    ...datetimes.map((datetime) => ({
      at: datetime,
      // What was deleted in the second of its creation comes before its deletion.
      order: 0,
      row: html`<tr><td>${time(datetime)}</td><td><a href="${mementoUri(baseUrl, uri, datetime)}">${words.relation(datetime === map.first, datetime === map.last)}</a></td></tr>
`,
    })),
    ...shown.map(({ from }) => ({
      at: from,
      order: 1,
      row: html`<tr><td>${time(from)}</td><td class="soft">${words.changes.deleted}</td></tr>
`,
    })),
  ];
  return rows
    .sort((a, b) => Number(a.at > b.at) - Number(a.at < b.at) || a.order - b.order)
    .map(({ row }) => row);
}
