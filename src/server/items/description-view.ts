import type { Description, JournalPlace, Licence } from '../../core/descriptions/description.ts';
import { html, linkTo, type Markup } from '../html/html.ts';
import { itemWords } from '../words/items.ts';
import type { Reader } from '../words/reader.ts';

const creatorsShown = 20;

/** The name of an item: its title, in its language; else its identifier. */
export function itemHeading(identifier: string, description: Description | undefined): Markup {
  const title = description?.title;
  if (!title) return html`<h1>${identifier}</h1>`;
  return html`<h1${languageOf(title)} dir="auto">${title.text}</h1>${description.otherTitles.map(
    (other) => html`
<p class="soft"${languageOf(other)} dir="auto">${other.text}</p>`,
  )}`;
}

/** Rows of the list of facts. */
export function descriptionRows(
  identifier: string,
  description: Description | undefined,
  citeAs: string | undefined,
  reader: Reader,
): Markup {
  const words = itemWords[reader.language];
  const { title, creators = [], date, type, journal, publisher, licence } = description ?? {};
  return html`${creators.length > 0 && html`<dt>${words.by}</dt><dd dir="auto">${creatorList(creators, reader)}</dd>`}${
    date !== undefined && html`<dt>${words.published}</dt><dd>${date}</dd>`
  }${type !== undefined && html`<dt>${words.kind}</dt><dd dir="auto">${type}</dd>`}${
    journal?.title !== undefined &&
    html`<dt>${words.journal}</dt><dd dir="auto">${journalPlace(journal, reader)}</dd>`
  }${publisher !== undefined && html`<dt>${words.publisher}</dt><dd dir="auto">${publisher}</dd>`}${
    licence && html`<dt>${words.licence}</dt><dd dir="auto">${licenceLink(licence)}</dd>`
  }${citeAs !== undefined && html`<dt>${words.cite}</dt><dd>${linkTo(citeAs)}</dd>`}${
    title && html`<dt>${words.identifier}</dt><dd class="mono">${identifier}</dd>`
  }`;
}

export function abstractSection(
  description: Description | undefined,
  { language }: Reader,
): Markup | undefined {
  const abstract = description?.abstract;
  return (
    abstract &&
    html`<h2>${itemWords[language].abstract}</h2>
<p${languageOf(abstract)} dir="auto">${abstract.text}</p>`
  );
}

/** For the tag of an element that has a text in a language of its own. */
export function languageOf({ language }: { readonly language?: string | undefined }): Markup | undefined {
  return language === undefined ? undefined : html` lang="${language}"`;
}

export function creatorList(
  creators: readonly string[],
  { language, count }: Reader,
  shown = creatorsShown,
): Markup {
  const more = creators.length - shown;
  return html`${creators.slice(0, shown).join('; ')}${more > 0 && ` ${itemWords[language].others(count(more))}`}`;
}

function journalPlace(
  { title, volume, issue, firstPage, lastPage }: JournalPlace,
  { language }: Reader,
): string {
  const words = itemWords[language];
  const parts = [
    title,
    volume === undefined ? undefined : words.volume(volume, issue),
    firstPage === undefined ? undefined : words.pages(firstPage, lastPage),
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

function licenceLink({ text, uri }: Licence): Markup {
  return uri === undefined
    ? html`${text}`
    : html`<a rel="license" href="${uri}">${text ?? shortName(uri)}</a>`;
}

/** `CC BY 4.0` of its address. */
function shortName(uri: string): string {
  const [, kind, version] = /creativecommons\.org\/licenses\/([a-z-]+)\/([\d.]+)/i.exec(uri) ?? [];
  if (kind !== undefined) return `CC ${kind.toUpperCase()} ${version}`;
  return /creativecommons\.org\/publicdomain\/zero\//i.test(uri) ? 'CC0' : uri;
}
