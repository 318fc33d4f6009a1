import type { ResourceSet } from '../../core/resource-set.ts';
import type { PublishedFacts, PublishedSet } from '../../publish/published/publication.ts';
import type { ServerDeps, SourceOverview } from '../deps.ts';
import { html, type Markup, timeAndAge } from '../html/html.ts';
import type { Language } from '../words/language.ts';
import type { Reader } from '../words/reader.ts';
import { setWords } from '../words/sets.ts';

/** What people and programs are told of one set and its current documents. */
export interface SetView {
  readonly path: string;
  readonly title: string;
  readonly source: string;
  readonly about: string;
  readonly documents: readonly DocumentView[];
}

export interface DocumentView extends Omit<PublishedFacts, 'path'> {
  readonly uri: string;
  readonly name: string;
}

/** Everything that is published, as far as a page or a monitor needs to know. */
export function publishedSets(deps: ServerDeps): Promise<readonly PublishedSet[]> {
  return deps.published?.() ?? deps.publication.sets();
}

export type NamedSet = Pick<ResourceSet, 'path' | 'title' | 'source' | 'members'>;

/** Every set of every source, published or about to be, and whatever else is published. */
export function namedSets(
  deps: ServerDeps,
  sources: readonly SourceOverview[],
  published: readonly PublishedSet[],
): readonly NamedSet[] {
  const known = sources.flatMap((source) => deps.setsOf(source.name, source.title));
  const joint = jointSetsIn(deps, published);
  const paths = new Set([...joint, ...known].map(({ path }) => path));
  const others = published.filter(({ path }) => !paths.has(path)).map(toSet);
  // What was removed is served for those who follow it, and shown to nobody else.
  return [...joint, ...known, ...others.filter(({ source }) => deps.fileMode(source) !== undefined)];
}

/** Sets across sources are named where they are published: they belong to no source that could be shown without them. */
function jointSetsIn(deps: ServerDeps, published: readonly PublishedSet[]): readonly NamedSet[] {
  const paths = new Set(published.map(({ path }) => path));
  return (deps.jointSets?.() ?? []).filter(({ path }) => paths.has(path));
}

/** What is to be seen of these sets. @param published by path */
export function viewSets(
  deps: ServerDeps,
  sets: readonly NamedSet[],
  published: ReadonlyMap<string, PublishedSet>,
): readonly SetView[] {
  return sets.map(({ path, title, source }) => {
    const set = published.get(path);
    return {
      path,
      title,
      source,
      about: `${deps.baseUrl}/${path}/about`,
      documents: set ? currentDocuments(set).map((document) => toDocumentView(deps, document)) : [],
    };
  });
}

/** Of a set that is published: its Capability List, for the head of a page (RS-DISC-04). */
export function capabilityLists({ documents }: SetView): readonly string[] {
  return documents.flatMap(({ capability, uri }) => (capability === 'capabilitylist' ? [uri] : []));
}

/** Those at addresses that stay, directly below the set: their number does not grow with time. */
export function currentDocuments(set: PublishedSet): PublishedSet['documents'] {
  return set.documents.filter(({ path }) => !path.slice(set.path.length + 1).includes('/'));
}

function toSet({ path }: PublishedSet): NamedSet {
  return { path, title: path, source: path.split('/', 1)[0] ?? path };
}

function toDocumentView(deps: ServerDeps, document: PublishedSet['documents'][number]): DocumentView {
  const { path, ...facts } = document;
  return { uri: `${deps.baseUrl}/${path}`, name: nameOf(path, document.capability, 'en'), ...facts };
}

/** What a document is called. @param path or its address */
function nameOf(path: string, capability: string, language: Language): string {
  const words = setWords[language];
  const name = words.names[capability] ?? capability;
  return path.endsWith('-index.xml') ? words.index(name) : name;
}

/** The documents of a set as a table. */
export function documentTable(documents: readonly DocumentView[], now: string, reader: Reader): Markup {
  const { language, count, size } = reader;
  const words = setWords[language];
  return html`<div class="scroll"><table><tr><th>${words.document}</th><th class="wide">${words.covers}</th><th class="n">${words.entries}</th><th class="n">${words.size}</th><th>${words.updated}</th></tr>
${documents.map(
  (
    document,
  ) => html`<tr><td><a href="${document.uri}">${nameOf(document.uri, document.capability, language)}</a></td><td class="wide soft">${covers(document, reader)}</td><td class="n">${count(document.entries)}</td><td class="n">${size(document.bytes)}</td><td>${timeAndAge(reader, document.lastModified, now)}</td></tr>
`,
)}</table></div>`;
}

function covers({ at, from, until }: DocumentView, { language, time }: Reader): string {
  const words = setWords[language];
  if (at !== undefined) return words.at(time(at));
  if (from === undefined) return '';
  return until === undefined ? words.since(time(from)) : words.between(time(from), time(until));
}
