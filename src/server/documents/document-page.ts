import { exactTime, html, linkTo, type Markup, type Page } from '../html/html.ts';
import { documentWords } from '../words/documents.ts';
import type { Reader } from '../words/reader.ts';
import { setWords } from '../words/sets.ts';
import type { DocumentHead } from './document-entries.ts';
import type { DocumentQuery, DocumentView } from './document-view.ts';
import { entryList } from './entry-list.ts';

/** A document as a page: what it is, and a part of its entries, with everything that can be followed. */
export function toDocumentPage(baseUrl: string, view: DocumentView, reader: Reader): Page {
  const { head, path, query, isNewestFirst, entries } = view;
  const words = documentWords[reader.language];
  const set = setOf(baseUrl, path, head);
  const name = nameOf(head, reader);
  const shown = isNewestFirst ? [...entries].reverse() : entries;
  const body = html`<h1>${name}</h1>
${facts(baseUrl, view, set, reader)}
${oneAddress(baseUrl, head, set, reader)}${searchForm(query, reader)}
<h2>${headingOf(view, reader)}</h2>
${entryList(baseUrl, shown, reader)}
${query.q === undefined ? ways(view, reader) : searchWays(view, reader)}`;
  return {
    title: set === undefined ? name : words.titleOf(name, set),
    body,
    hasForm: true,
    capabilityLists: set === undefined ? [] : [`${baseUrl}/${set}/capabilitylist.xml`],
  };
}

function nameOf({ md, isIndex }: DocumentHead, { language }: Reader): string {
  const words = setWords[language];
  const name = words.names[md.capability ?? ''] ?? md.capability ?? '';
  return isIndex ? words.index(name) : name;
}

/** The set that a document belongs to: where its Capability List is. */
function setOf(baseUrl: string, path: string, { md, links }: DocumentHead): string | undefined {
  const up = links.find(({ rel }) => rel === 'up')?.href;
  const list = md.capability === 'capabilitylist' ? path : up?.slice(baseUrl.length + 1);
  if (up !== undefined && !up.startsWith(`${baseUrl}/`) && md.capability !== 'capabilitylist')
    return undefined;
  const [, set] = /^(.*?)(?:\/lists)?\/capabilitylist\.xml$/.exec(list ?? '') ?? [];
  return set;
}

/** An index is for those who keep all lists; others poll one address. */
function oneAddress(
  baseUrl: string,
  { isIndex, md }: DocumentHead,
  set: string | undefined,
  { language }: Reader,
): Markup | undefined {
  if (!isIndex || md.capability !== 'changelist' || set === undefined) return undefined;
  const words = documentWords[language];
  return html`<p>${words.oneAddress} <a href="${baseUrl}/${set}/changelist.xml">changelist.xml</a></p>
`;
}

function facts(
  baseUrl: string,
  { head, path, bytes }: DocumentView,
  set: string | undefined,
  reader: Reader,
): Markup {
  const words = documentWords[reader.language];
  const { at, completed, from, until } = head.md;
  const time = (name: string, iso: string | undefined) =>
    iso !== undefined && html`<dt>${name}</dt><dd>${exactTime(reader, iso)}</dd>`;
  return html`<dl>${set !== undefined && html`<dt>${words.set}</dt><dd><a href="${baseUrl}/${set}/about">${set}</a></dd>`}${time(words.state, at)}${time(words.completed, completed)}${time(words.from, from)}${time(words.until, until)}${
    from !== undefined && until === undefined && html`<dt>${words.until}</dt><dd>${words.stillOpen}</dd>`
  }${head.links.map(
    ({ rel = '', href = '' }) => html`<dt>${words.relations[rel] ?? rel}</dt><dd>${linkTo(href)}</dd>`,
  )}<dt>${words.size}</dt><dd>${reader.size(bytes)}</dd><dt>${words.document}</dt><dd><a href="${baseUrl}/${path}?format=xml" type="application/xml">${words.asXml}</a></dd></dl>`;
}

/** Without an address of its own it is sent to the one that the page was read from. */
function searchForm({ q }: DocumentQuery, { language }: Reader): Markup {
  const words = documentWords[language];
  return html`<form class="search" role="search"><label for="q">${words.find}</label> <input id="q" name="q" type="search" maxlength="200" value="${q ?? ''}"> <button>${words.button}</button></form>`;
}

function headingOf({ query, isNewestFirst, head }: DocumentView, { language }: Reader): string {
  const words = documentWords[language];
  if (query.q !== undefined) return words.found(query.q);
  if (isNewestFirst) return words.newestFirst;
  return head.isIndex ? words.parts : words.entries;
}

/** Places in a document are bytes: a page costs the same at its beginning and at its end. */
function ways({ before, behind, bytes, isNewestFirst, entries }: DocumentView, { language }: Reader): Markup {
  const words = documentWords[language];
  const earlier = before !== undefined && `?before=${before}`;
  const later = behind !== undefined && `?from=${behind}`;
  const link = (rel: string, href: string | false, name: string) =>
    href !== false && html`<a rel="${rel}" href="${href}">${name}</a>`;
  const links = isNewestFirst
    ? [
        link('first', later && '?', words.newest),
        link('prev', later, words.newer),
        link('next', earlier, words.older),
        link('last', earlier && '?from=0', words.oldest),
      ]
    : [
        link('first', earlier && '?', words.first),
        link('prev', earlier, words.previous),
        link('next', later, words.next),
        link('last', later && `?before=${bytes}`, words.last),
      ];
  const shown = links.filter((one) => one !== false);
  if (shown.length > 0) return html`<p class="ways">${shown.map((one) => html`${one} `)}</p>`;
  return html`${entries.length === 0 && html`<p>${words.empty}</p>`}`;
}

function searchWays(
  { query: { q = '' }, behind, bytes, entries }: DocumentView,
  { language, count }: Reader,
): Markup {
  const words = documentWords[language];
  const further = behind !== undefined && `?${new URLSearchParams({ q, from: String(behind) })}`;
  const nothing = further ? words.nothingFound : words.nothingFoundAtAll;
  return html`${entries.length === 0 && html`<p>${nothing}</p>`}<p class="ways">${
    further &&
    html`<a rel="next" href="${further}">${words.goOn}</a> <span class="soft">${words.searched(count(Math.floor((100 * (behind ?? 0)) / bytes)))}</span> `
  }<a href="?">${words.allEntries}</a></p>`;
}
