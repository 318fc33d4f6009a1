import type { Reader } from '../words/reader.ts';
import { searchWords } from '../words/search.ts';
import { html, type Markup } from './html.ts';

/** What somebody typed, or chose; an absent one is of no account. */
export interface SearchFields {
  readonly q?: string | undefined;
  readonly source?: string | undefined;
  readonly collection?: string | undefined;
  readonly year?: string | undefined;
  readonly since?: string | undefined;
  readonly metadata?: string | undefined;
}

/** One field and a button, for pages about something else. */
export function shortSearchForm(baseUrl: string, { language }: Reader, source?: string): Markup {
  const words = searchWords[language];
  return html`<form class="search" role="search" action="${searchPath(baseUrl)}">${
    source !== undefined && html`<input type="hidden" name="source" value="${source}">`
  }<label for="q">${words.query}</label> <input id="q" name="q" type="search" maxlength="200"> <button>${words.button}</button></form>`;
}

export function searchForm(
  baseUrl: string,
  fields: SearchFields,
  sources: readonly { readonly name: string; readonly title: string }[],
  reader: Reader,
): Markup {
  const words = searchWords[reader.language];
  return html`<form class="search" role="search" action="${searchPath(baseUrl)}">
<p><label for="q">${words.query}</label> <input id="q" name="q" type="search" maxlength="200" value="${fields.q ?? ''}"></p>
<p>${sourceField(fields.source, sources, reader)} ${textField('year', words.year, fields.year, true)} <span class="field"><label for="since">${words.since}</label> <input id="since" name="since" type="date" value="${fields.since?.slice(0, 10) ?? ''}"></span>${
    fields.metadata !== undefined && html` ${textField('metadata', words.metadata, fields.metadata)}`
  }${
    fields.collection !== undefined && html` ${textField('collection', words.collection, fields.collection)}`
  } <button>${words.button}</button></p>
</form>`;
}

/** Where the page is read from may have another host than `baseUrl`; what is sent to is of the page's own. */
export function searchPath(baseUrl: string): string {
  return `${new URL(baseUrl).pathname.replace(/\/+$/, '')}/search`;
}

function sourceField(
  chosen: string | undefined,
  sources: readonly { readonly name: string; readonly title: string }[],
  { language }: Reader,
): Markup | undefined {
  const words = searchWords[language];
  // They are too many to choose from.
  if (sources.length === 0) return textField('source', words.source, chosen);
  if (sources.length < 2 && chosen === undefined) return undefined;
  const titles = sources.map(({ title }) => title);
  // Two may be called the same: then their names tell which is which.
  const isShared = (title: string) => titles.indexOf(title) !== titles.lastIndexOf(title);
  return html`<span class="field"><label for="source">${words.source}</label> <select id="source" name="source"><option value="">${words.anySource}</option>${sources.map(
    ({ name, title }) =>
      html`<option value="${name}"${name === chosen && html` selected`}>${title}${isShared(title) && ` (${name})`}</option>`,
  )}</select></span>`;
}

function textField(name: string, label: string, value: string | undefined, isYear = false): Markup {
  return html`<span class="field"><label for="${name}">${label}</label> <input id="${name}" name="${name}" value="${value ?? ''}"${
    isYear && html` inputmode="numeric" maxlength="4" size="5"`
  }></span>`;
}
