import type { Description } from '../../core/descriptions/description.ts';
import { exactTimeAndAge, html, linkTo, type Markup, type Page, timeAndAge } from '../html/html.ts';
import { generalWords } from '../words/general.ts';
import { historyWords } from '../words/history.ts';
import { itemWords } from '../words/items.ts';
import type { Reader } from '../words/reader.ts';
import { citationHead } from './citation.ts';
import { abstractSection, descriptionRows, itemHeading } from './description-view.ts';
import type { ItemTimeline } from './item-timeline.ts';
import { momentList, type VersionsView, versionsSummary } from './timeline-view.ts';

/** What is told of an item, to people and programs. */
export interface ItemView {
  readonly uri: string;
  readonly source: string;
  readonly identifier: string;
  /** What the metadata that says most says of it; absent where none says anything. */
  readonly description?: Description | undefined;
  /** Its DOI or Handle, as an address (RFC 8574). */
  readonly citeAs?: string | undefined;
  /** When the upstream says it last changed. */
  readonly datestamp?: string;
  readonly at: string;
  readonly collections: readonly { readonly uri: string; readonly spec: string; readonly name: string }[];
  /** Its page upstream. */
  readonly landingPages: readonly string[];
  /** Metadata, then the first files. */
  readonly resources: readonly ItemResource[];
  /** How many files there are. */
  readonly files: number;
  /** When anything of what is shown, or of its deleted metadata, changed. */
  readonly timeline?: ItemTimeline | undefined;
  /** Everything that is here, and how it is linked (RFC 9264). */
  readonly linkset: string;
  /** What the item is by OAI-ORE, and what describes it so; absent where nobody answers there. */
  readonly aggregation?: string;
  readonly resourceMaps?: readonly { readonly uri: string; readonly mediaType?: string | undefined }[];
  readonly capabilityLists: readonly string[];
  readonly about: string;
}

export interface ItemResource {
  readonly uri: string;
  readonly kind: string;
  readonly format: string;
  /** Of a file. */
  readonly name?: string;
  readonly mediaType?: string | undefined;
  readonly length?: number | undefined;
  readonly hash?: string | undefined;
  readonly lastmod: string;
  /** Where it comes from. */
  readonly upstream?: string | undefined;
  /** What it was, as far as that is handed out. */
  readonly versions?: VersionsView | undefined;
}

export function toItemPage(view: ItemView, reader: Reader): Page {
  const { language, count } = reader;
  const words = itemWords[language];
  const { identifier, datestamp, collections, landingPages, resources, source, about, at, files, timeline } =
    view;
  const { uri: ownUri, description, citeAs } = view;
  const metadata = resources.filter(({ kind }) => kind === 'metadata');
  const shown = resources.filter(({ kind }) => kind === 'file');
  const body = html`${itemHeading(identifier, description)}
<dl>${descriptionRows(identifier, description, citeAs, reader)}<dt>${words.of}</dt><dd><a href="${about}">${source}</a></dd>${
    landingPages.length > 0 &&
    html`<dt>${words.page}</dt><dd>${landingPages.map((uri) => html`<div>${linkTo(uri)}</div>`)}</dd>`
  }<dt>${words.changedUpstream}</dt><dd>${timeAndAge(reader, datestamp, at, words.notStated)}</dd>${
    collections.length > 0 &&
    html`<dt>${words.in}</dt><dd>${collections.map(({ uri, name }) => html`<div><a href="${uri}">${name}</a></div>`)}</dd>`
  }</dl>
${abstractSection(description, reader)}
${
  metadata.length > 0 &&
  html`<h2>${words.metadata}</h2>
${table(words.format, metadata, at, reader)}`
}
${
  shown.length > 0 &&
  html`<h2>${generalWords[language].files(files)}</h2>
${table(words.name, shown, at, reader)}${files > shown.length && html`<p class="soft">${words.moreFiles(count(files - shown.length))}</p>`}`
}${timeline && timelineSection(timeline, at, reader)}`;
  const title = description?.title;
  return {
    title: title?.text ?? identifier,
    titleLanguage: title?.language,
    head: html`${citeAs !== undefined && html`<link rel="cite-as" href="${citeAs}">`}${oreHead(view)}${
      description && citationHead({ uri: ownUri, description, citeAs, landingPages, files: shown })
    }`,
    body,
    capabilityLists: view.capabilityLists,
  };
}

/** As ORE's Resource Map Discovery (§4) has it. */
function oreHead({ aggregation, resourceMaps = [] }: ItemView): Markup {
  return html`${aggregation !== undefined && html`<link rel="aggregation" href="${aggregation}">`}${resourceMaps.map(
    ({ uri, mediaType }) => html`<link rel="resourcemap" type="${mediaType}" href="${uri}">`,
  )}`;
}

function timelineSection({ count: all, first, moments }: ItemTimeline, now: string, reader: Reader): Markup {
  const words = historyWords[reader.language];
  const earlier = all - moments.length;
  return html`
<h2>${words.timeline}</h2>
<p class="soft">${words.newestFirst(generalWords[reader.language].changes(all))}</p>
${momentList(moments, now, reader)}${earlier > 0 && html`<p class="soft">${words.earlier.before(reader.count(earlier))}${exactTimeAndAge(reader, first, now)}${words.earlier.after}</p>`}`;
}

function table(first: string, resources: readonly ItemResource[], now: string, reader: Reader): Markup {
  const words = itemWords[reader.language];
  const withPast = resources.some(({ versions }) => versions !== undefined);
  return html`<div class="scroll"><table><tr><th>${first}</th><th class="wide">${words.type}</th><th class="n">${words.size}</th><th>${words.modified}</th>${withPast && html`<th>${words.versions}</th>`}<th class="wide">${words.comesFrom}</th></tr>
${resources.map((resource) => row(resource, withPast, now, reader))}</table></div>`;
}

function row(resource: ItemResource, withPast: boolean, now: string, reader: Reader): Markup {
  const { uri, name, format, mediaType, length, lastmod, upstream, versions } = resource;
  return html`<tr><td class="any"><a href="${uri}">${name ?? format}</a></td><td class="wide soft">${mediaType}</td><td class="n">${length === undefined ? undefined : reader.size(length)}</td><td>${timeAndAge(reader, lastmod, now)}</td>${withPast && html`<td>${versionsSummary(versions, reader)}</td>`}<td class="wide">${upstream === undefined ? undefined : linkTo(upstream, itemWords[reader.language].upstream)}</td></tr>
`;
}
