import type { FastifyInstance, FastifyRequest } from 'fastify';
import { toIso } from '../core/datetime.ts';
import { collectionPath, toUri } from '../core/uris.ts';
import type { StoredResource } from '../store/resources.ts';
import type { ServerDeps } from './deps.ts';
import { capabilityListsFor } from './discovery.ts';
import { fileName } from './file-headers.ts';
import { html, linkTo, type Markup, type Page, timeAndAge } from './html.ts';
import { formatLinks, type HeaderLink } from './link-header.ts';
import {
  findLivingItem,
  type ItemParams,
  itemParams,
  type LivingItem,
  landingPagesOf,
} from './living-item.ts';
import { preferredType, varyBy } from './negotiation.ts';
import { landingPageLinks, linksetLinks, type SignpostedItem, toLink } from './signposting.ts';
import { type FormatQuery, formatQuery, sendView } from './views.ts';
import { count, countOf, size } from './wording.ts';

/** Files that a page shows; the link set has all of them. */
const filesShown = 1000;

interface ItemView {
  readonly uri: string;
  readonly source: string;
  readonly identifier: string;
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
  /** Everything that is here, and how it is linked (RFC 9264). */
  readonly linkset: string;
  readonly capabilityLists: readonly string[];
  readonly about: string;
}

interface ItemResource {
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
}

/** The generic URI of an item, which `canonical` leads to (RS-LN-09): a page, or on demand its metadata. */
export function itemRoutes(app: FastifyInstance, deps: ServerDeps): void {
  app.route<{ Params: ItemParams; Querystring: FormatQuery }>({
    method: ['GET', 'HEAD'],
    url: '/:source/items/:item',
    schema: { params: itemParams, querystring: formatQuery },
    config: { operationId: 'getItem', open: true },
    handler: async (request, reply) => {
      const found = await findLivingItem(deps, request);
      reply.header('link', formatLinks(linksOf(found.signposted)));
      const metadata = found.signposted.metadata.find(({ mediaType }) => isXml(mediaType));
      if (!metadata || !wantsXml(request)) {
        return sendView(deps, request, reply, await toView(deps, found), toPage);
      }
      varyBy(reply, 'Accept');
      return reply.header('cache-control', 'no-cache').redirect(metadata.uri, 303);
    },
  });
}

/** Only who prefers XML to a page of ours. */
function wantsXml({ headers, query }: FastifyRequest<{ Querystring: FormatQuery }>): boolean {
  const offers = ['text/html', 'application/json', 'application/xml', 'text/xml'] as const;
  return query.format === undefined && preferredType(headers.accept, offers).endsWith('/xml');
}

function isXml(mediaType = ''): boolean {
  return /^(?:application|text)\/(?:[^;]+\+)?xml$/.test(mediaType);
}

/** What is few comes first. */
function linksOf(item: SignpostedItem): readonly HeaderLink[] {
  const few = landingPageLinks({ ...item, files: [], collections: [] });
  return [
    ...item.metadata.map((target) => ({ ...toLink('alternate', target), profile: undefined })),
    ...few,
    ...linksetLinks(item.uri),
    ...landingPageLinks({ ...item, citeAs: undefined, metadata: [] }).filter(({ rel }) => rel !== 'type'),
  ];
}

async function toView(
  deps: ServerDeps,
  { item, metadata, files, signposted }: LivingItem,
): Promise<ItemView> {
  const { baseUrl } = deps;
  const { source, identifier, datestamp, collections } = item;
  const shown = [...metadata, ...files.slice(0, filesShown)];
  return {
    uri: signposted.uri,
    source,
    identifier,
    ...(datestamp !== undefined && { datestamp }),
    at: toIso(deps.clock.now()),
    collections: collections.map(({ spec, name }) => ({
      uri: `${baseUrl}/${collectionPath(source, spec)}`,
      spec,
      name,
    })),
    landingPages: landingPagesOf(metadata, files),
    resources: shown.map((resource) => toItemResource(baseUrl, resource)),
    files: files.length,
    linkset: `${signposted.uri}/linkset.json`,
    capabilityLists: await capabilityListsFor(deps, source, [...metadata, ...files.slice(0, 1)]),
    about: `${baseUrl}/${source}/about`,
  };
}

function toItemResource(baseUrl: string, resource: StoredResource): ItemResource {
  const { path, kind, format, mediaType, length, hash, lastmod, links } = resource;
  const upstream = links.find(({ rel }) => rel === 'via')?.href;
  return {
    uri: toUri(baseUrl, path),
    kind,
    format,
    ...(kind === 'file' && { name: fileName(path) }),
    mediaType,
    length,
    hash,
    lastmod,
    upstream,
  };
}

function toPage(view: ItemView): Page {
  const { identifier, datestamp, collections, landingPages, resources, source, about, at, files } = view;
  const metadata = resources.filter(({ kind }) => kind === 'metadata');
  const shown = resources.filter(({ kind }) => kind === 'file');
  const body = html`<h1>${identifier}</h1>
<dl><dt>Of</dt><dd><a href="${about}">${source}</a></dd>${
    landingPages.length > 0 &&
    html`<dt>Page</dt><dd>${landingPages.map((uri) => html`<div>${linkTo(uri)}</div>`)}</dd>`
  }<dt>Changed upstream</dt><dd>${timeAndAge(datestamp, at, 'it does not say')}</dd>${
    collections.length > 0 &&
    html`<dt>In</dt><dd>${collections.map(({ uri, name }) => html`<div><a href="${uri}">${name}</a></div>`)}</dd>`
  }</dl>
${
  metadata.length > 0 &&
  html`<h2>Metadata</h2>
${table('Format', metadata, at)}`
}
${
  shown.length > 0 &&
  html`<h2>${countOf(files, 'file')}</h2>
${table('Name', shown, at)}${files > shown.length && html`<p class="soft">and ${count(files - shown.length)} more, which are in the Resource List.</p>`}`
}`;
  return { title: identifier, body, capabilityLists: view.capabilityLists };
}

function table(first: string, resources: readonly ItemResource[], now: string): Markup {
  return html`<table><tr><th>${first}</th><th class="wide">Type</th><th class="n">Size</th><th>Modified</th><th class="wide">Comes from</th></tr>
${resources.map((resource) => row(resource, now))}</table>`;
}

function row({ uri, name, format, mediaType, length, lastmod, upstream }: ItemResource, now: string): Markup {
  return html`<tr><td><a href="${uri}">${name ?? format}</a></td><td class="wide soft">${mediaType}</td><td class="n">${length === undefined ? undefined : size(length)}</td><td>${timeAndAge(lastmod, now)}</td><td class="wide">${upstream === undefined ? undefined : linkTo(upstream, 'upstream')}</td></tr>
`;
}
