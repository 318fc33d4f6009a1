import type { Description } from '../../core/descriptions/description.ts';
import { html, linkTo, type Markup, type Page, timeAndAge } from '../html/html.ts';
import { count, countOf, size } from '../html/wording.ts';
import { citationHead } from './citation.ts';
import { abstractSection, descriptionRows, itemHeading } from './description-view.ts';
import type { ItemTimeline } from './item-timeline.ts';
import { exactTimeAndAge, momentList, type VersionsView, versionsSummary } from './timeline-view.ts';

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

export function toItemPage(view: ItemView): Page {
  const { identifier, datestamp, collections, landingPages, resources, source, about, at, files, timeline } =
    view;
  const { uri: ownUri, description, citeAs } = view;
  const metadata = resources.filter(({ kind }) => kind === 'metadata');
  const shown = resources.filter(({ kind }) => kind === 'file');
  const body = html`${itemHeading(identifier, description)}
<dl>${descriptionRows(identifier, description, citeAs)}<dt>Of</dt><dd><a href="${about}">${source}</a></dd>${
    landingPages.length > 0 &&
    html`<dt>Page</dt><dd>${landingPages.map((uri) => html`<div>${linkTo(uri)}</div>`)}</dd>`
  }<dt>Changed upstream</dt><dd>${timeAndAge(datestamp, at, 'not stated')}</dd>${
    collections.length > 0 &&
    html`<dt>In</dt><dd>${collections.map(({ uri, name }) => html`<div><a href="${uri}">${name}</a></div>`)}</dd>`
  }</dl>
${abstractSection(description)}
${
  metadata.length > 0 &&
  html`<h2>Metadata</h2>
${table('Format', metadata, at)}`
}
${
  shown.length > 0 &&
  html`<h2>${countOf(files, 'file')}</h2>
${table('Name', shown, at)}${files > shown.length && html`<p class="soft">and ${count(files - shown.length)} more, which are in the Resource List.</p>`}`
}${timeline && timelineSection(timeline, at)}`;
  const title = description?.title;
  return {
    title: title?.text ?? identifier,
    titleLanguage: title?.language,
    head: html`${citeAs !== undefined && html`<link rel="cite-as" href="${citeAs}">`}${
      description && citationHead({ uri: ownUri, description, citeAs, landingPages, files: shown })
    }`,
    body,
    capabilityLists: view.capabilityLists,
  };
}

function timelineSection({ count: all, first, moments }: ItemTimeline, now: string): Markup {
  const earlier = all - moments.length;
  return html`
<h2>Timeline</h2>
<p class="soft">${countOf(all, 'change')}, newest first.</p>
${momentList(moments, now)}${earlier > 0 && html`<p class="soft">and ${count(earlier)} earlier, the first ${exactTimeAndAge(first, now)}; the links above lead to all versions.</p>`}`;
}

function table(first: string, resources: readonly ItemResource[], now: string): Markup {
  const withPast = resources.some(({ versions }) => versions !== undefined);
  return html`<table><tr><th>${first}</th><th class="wide">Type</th><th class="n">Size</th><th>Modified</th>${withPast && html`<th>Versions</th>`}<th class="wide">Comes from</th></tr>
${resources.map((resource) => row(resource, withPast, now))}</table>`;
}

function row(resource: ItemResource, withPast: boolean, now: string): Markup {
  const { uri, name, format, mediaType, length, lastmod, upstream, versions } = resource;
  return html`<tr><td><a href="${uri}">${name ?? format}</a></td><td class="wide soft">${mediaType}</td><td class="n">${length === undefined ? undefined : size(length)}</td><td>${timeAndAge(lastmod, now)}</td>${withPast && html`<td>${versionsSummary(versions)}</td>`}<td class="wide">${upstream === undefined ? undefined : linkTo(upstream, 'upstream')}</td></tr>
`;
}
