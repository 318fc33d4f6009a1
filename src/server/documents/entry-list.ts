import { exactTime, html, linkTo, type Markup } from '../html/html.ts';
import { documentWords } from '../words/documents.ts';
import type { Reader } from '../words/reader.ts';
import { setWords } from '../words/sets.ts';
import type { Attributes, DocumentEntry } from './document-entries.ts';

/** More links of one entry are in the document. */
const linksShown = 40;

export function entryList(
  baseUrl: string,
  entries: readonly DocumentEntry[],
  reader: Reader,
): Markup | undefined {
  if (entries.length === 0) return undefined;
  return html`<ul class="items">${entries.map((entry) => entryMarkup(baseUrl, entry, reader))}</ul>`;
}

function entryMarkup(baseUrl: string, { loc, lastmod, md, links }: DocumentEntry, reader: Reader): Markup {
  const words = documentWords[reader.language];
  const { capability, change, datetime } = md;
  const name = capability !== undefined && (setWords[reader.language].names[capability] ?? capability);
  const facts = [
    ...(change === undefined ? [] : [html`<strong>${words.changes[change] ?? change}</strong>`]),
    ...(datetime === undefined ? [] : [exactTime(reader, datetime)]),
    ...covered(md, reader),
    ...(lastmod === undefined || change !== undefined ? [] : [modified(lastmod, reader)]),
    ...(md.type === undefined ? [] : [html`${md.type}`]),
    ...(md.length === undefined ? [] : [html`${reader.size(Number(md.length))}`]),
    ...(md.path === undefined ? [] : [html`<span class="mono">${md.path}</span>`]),
  ];
  const item = itemOf(baseUrl, loc);
  const ways = [
    ...(item === undefined ? [] : [html`<a href="${item}">${words.item}</a>`]),
    ...links.slice(0, linksShown).map((link) => linkMarkup(link, reader)),
  ];
  return html`<li>${name && html`<div>${name}</div>`}${linkTo(loc)}${line(facts)}${line(ways)}</li>
`;
}

function line(parts: readonly Markup[]): Markup | undefined {
  if (parts.length === 0) return undefined;
  return html`<div class="soft">${parts.map((part, index) => html`${index > 0 && ' · '}${part}`)}</div>`;
}

function covered({ at, from, until }: Attributes, { language, exactTime: told }: Reader): readonly Markup[] {
  const words = documentWords[language];
  if (at !== undefined) return [html`${words.at(told(at))}`];
  if (from === undefined) return [];
  return [html`${until === undefined ? words.since(told(from)) : words.between(told(from), told(until))}`];
}

function modified(lastmod: string, { language, exactTime: told }: Reader): Markup {
  return html`<time datetime="${lastmod}">${documentWords[language].hasChanged(told(lastmod))}</time>`;
}

function linkMarkup({ rel = '', href = '' }: Attributes, { language }: Reader): Markup {
  const name = documentWords[language].relations[rel] ?? rel.replace(/^.*\//, '');
  return /^https?:\/\//i.test(href)
    ? html`<a href="${href}">${name}</a>`
    : html`${name} <span class="mono">${href}</span>`;
}

/** What is ours, and of an item, has a page that says more. */
function itemOf(baseUrl: string, loc: string): string | undefined {
  if (!loc.startsWith(`${baseUrl}/`)) return undefined;
  const [item] = /^[^/]+\/items\/[^/]+(?=\/)/.exec(loc.slice(baseUrl.length + 1)) ?? [];
  return item === undefined ? undefined : `${baseUrl}/${item}`;
}
