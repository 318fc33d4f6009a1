import type { ServerDeps } from '../deps.ts';
import { type FoundItem, foundItems } from '../html/found-items.ts';
import { html, type Markup, type Page } from '../html/html.ts';
import { type SearchFields, searchForm } from '../html/search-form.ts';
import type { Reader } from '../words/reader.ts';
import { searchWords } from '../words/search.ts';

export interface SearchView {
  readonly uri: string;
  readonly query: SearchFields;
  /** Newest first. */
  readonly items: readonly FoundItem[];
  /** The next page; there may be nothing on it. */
  readonly next?: string;
  /** How much of what is published can be found by now, in changes of the journals. */
  readonly index: { readonly done: number; readonly total: number };
  /** Those that can be chosen from; none where they are too many to choose. */
  readonly sources: readonly { readonly name: string; readonly title: string }[];
  readonly at: string;
}

export function toSearchPage(
  { baseUrl }: Pick<ServerDeps, 'baseUrl'>,
  view: SearchView,
  reader: Reader,
): Page {
  const words = searchWords[reader.language];
  const { query, items, next, sources } = view;
  const isBrowsing = Object.keys(query).length === 0;
  const body = html`<h1>${words.title}</h1>
${searchForm(baseUrl, query, sources, reader)}
${indexNote(view, reader)}
<h2>${isBrowsing ? words.newest : words.found}</h2>
${items.length > 0 ? foundItems(items, query.source === undefined && sources.length !== 1, reader) : html`<p>${isBrowsing ? words.nothingYet : words.nothing}</p>`}
${next !== undefined && html`<p><a rel="next" href="${next}">${words.next}</a></p>`}`;
  return { title: query.q === undefined ? words.title : words.titleOf(query.q), body, hasForm: true };
}

/** An item that came a moment ago is no reason to speak of it. */
const worthMention = 1000;

function indexNote({ index: { done, total } }: SearchView, { language, count }: Reader): Markup | undefined {
  if (total - done < worthMention) return undefined;
  return html`<p class="soft">${searchWords[language].indexing(count(Math.floor((100 * done) / total)))}</p>`;
}
