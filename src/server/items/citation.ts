import type { Description, StatedText } from '../../core/descriptions/description.ts';
import { doiUri, handleUri } from '../../core/descriptions/persistent-identifiers.ts';
import { schemaType } from '../../core/descriptions/types-of-works.ts';
import { html, Markup } from '../html/html.ts';

/** What a citation is made from, beside what the metadata says. */
export interface Cited {
  /** Of the item's page. */
  readonly uri: string;
  readonly description: Description;
  readonly citeAs: string | undefined;
  readonly landingPages: readonly string[];
  readonly files: readonly { readonly uri: string; readonly mediaType?: string | undefined }[];
}

const filesNamed = 20;

/** For the head of a page: the fields that Google Scholar and Zotero read, and the same as schema.org has it. */
export function citationHead(cited: Cited): Markup {
  return html`${[...citationFields(cited)].map(
    ([name, value]) => html`
<meta name="${name}" content="${value}">`,
  )}
<script type="application/ld+json">${new Markup(inScript(citationJson(cited)))}</script>`;
}

function* citationFields({
  uri,
  description,
  files,
}: Cited): Generator<readonly [name: string, value: string]> {
  const { title, creators, date, journal, publisher, language, doi, isbn, abstract, subjects, type } =
    description;
  // Without a title they say nothing.
  if (!title) return;
  yield ['citation_title', title.text];
  for (const creator of creators) yield ['citation_author', creator];
  if (date !== undefined) yield ['citation_publication_date', date.replaceAll('-', '/')];
  yield* named('citation_journal_title', journal?.title);
  yield* named('citation_issn', journal?.issn);
  yield* named('citation_volume', journal?.volume);
  yield* named('citation_issue', journal?.issue);
  yield* named('citation_firstpage', journal?.firstPage);
  yield* named('citation_lastpage', journal?.lastPage);
  const isThesis = schemaType(type) === 'Thesis';
  yield* named(isThesis ? 'citation_dissertation_institution' : 'citation_publisher', publisher);
  yield* named('citation_doi', doi);
  yield* named('citation_isbn', isbn);
  yield* named('citation_language', language);
  for (const subject of subjects) yield ['citation_keywords', subject];
  yield* named('citation_abstract', abstract?.text);
  yield ['citation_abstract_html_url', uri];
  yield* named('citation_pdf_url', files.find(({ mediaType }) => mediaType === 'application/pdf')?.uri);
}

function* named(name: string, value: string | undefined): Generator<readonly [name: string, value: string]> {
  if (value !== undefined) yield [name, value];
}

function citationJson({ uri, description, citeAs, landingPages, files }: Cited): object {
  const { title, otherTitles, creators, date, type, abstract, licence, publisher, journal } = description;
  const { language, subjects, doi, handle, isbn } = description;
  return {
    '@context': 'https://schema.org',
    '@type': schemaType(type),
    '@id': citeAs ?? uri,
    url: uri,
    name: title && inLanguage(title),
    alternateName: someOf(otherTitles.map(inLanguage)),
    author: someOf(creators.map((name) => ({ '@type': 'Person', name }))),
    datePublished: date,
    genre: type,
    description: abstract && inLanguage(abstract),
    license: licence?.uri ?? licence?.text,
    publisher: publisher === undefined ? undefined : { '@type': 'Organization', name: publisher },
    isPartOf:
      journal?.title === undefined
        ? undefined
        : { '@type': 'Periodical', name: journal.title, issn: journal.issn },
    pagination: pagesOf(journal),
    inLanguage: language,
    keywords: someOf(subjects),
    isbn,
    identifier: someOf([
      ...(doi === undefined
        ? []
        : [{ '@type': 'PropertyValue', propertyID: 'doi', value: doi, url: doiUri(doi) }]),
      ...(handle === undefined
        ? []
        : [{ '@type': 'PropertyValue', propertyID: 'handle', value: handle, url: handleUri(handle) }]),
    ]),
    sameAs: someOf(landingPages.filter((page) => /^https?:/i.test(page))),
    encoding: someOf(
      files.slice(0, filesNamed).map(({ uri: contentUrl, mediaType }) => ({
        '@type': 'MediaObject',
        contentUrl,
        encodingFormat: mediaType,
      })),
    ),
  };
}

function inLanguage({ text, language }: StatedText): object | string {
  return language === undefined ? text : { '@value': text, '@language': language };
}

function someOf<Value>(values: readonly Value[]): readonly Value[] | undefined {
  return values.length === 0 ? undefined : values;
}

function pagesOf(journal: Description['journal']): string | undefined {
  const { firstPage, lastPage } = journal ?? {};
  return firstPage === undefined || lastPage === undefined ? firstPage : `${firstPage}-${lastPage}`;
}

/** No metadata can end the script, begin a comment, or mean markup in it. */
function inScript(value: object): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
