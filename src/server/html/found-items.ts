import { itemPath } from '../../core/uris.ts';
import type { NamedItem } from '../../store/search/search.ts';
import type { Reader } from '../words/reader.ts';
import { searchWords } from '../words/search.ts';
import { html, type Markup } from './html.ts';

/** An item in a list, to people and programs. */
export interface FoundItem {
  readonly uri: string;
  readonly source: string;
  readonly identifier: string;
  readonly title?: { readonly text: string; readonly language?: string };
  readonly creators: readonly string[];
  /** Of publication. */
  readonly date?: string;
  readonly type?: string;
  /** Of what is published of it. */
  readonly lastmod: string;
}

const creatorsShown = 5;

export function toFoundItem(baseUrl: string, item: NamedItem): FoundItem {
  const { source, identifier, title, language, creators, date, type, lastmod } = item;
  return {
    uri: `${baseUrl}/${itemPath(source, identifier)}`,
    source,
    identifier,
    ...(title !== undefined && { title: { text: title, ...(language !== undefined && { language }) } }),
    creators,
    ...(date !== undefined && { date }),
    ...(type !== undefined && { type }),
    lastmod,
  };
}

/** @param withSource whether they are of several */
export function foundItems(items: readonly FoundItem[], withSource: boolean, reader: Reader): Markup {
  return html`<ul class="items">${items.map((item) => foundItem(item, withSource, reader))}</ul>`;
}

function foundItem(
  { uri, source, identifier, title, creators, date, lastmod }: FoundItem,
  withSource: boolean,
  { language: spoken, time }: Reader,
): Markup {
  const more = creators.length > creatorsShown ? ' …' : '';
  const said = [creators.slice(0, creatorsShown).join('; ') + more, date ?? ''].filter((one) => one !== '');
  const language = title?.language;
  return html`<li><a href="${uri}"${language !== undefined && html` lang="${language}"`} dir="auto">${title?.text ?? identifier}</a>${
    said.length > 0 && html`<div dir="auto">${said.join(', ')}</div>`
  }<div class="soft"><span class="mono">${identifier}</span>${withSource && html` · ${source}`} · <time datetime="${lastmod}">${searchWords[spoken].changed(time(lastmod))}</time></div></li>
`;
}
