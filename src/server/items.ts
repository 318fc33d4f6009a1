import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { toIso } from '../core/datetime.ts';
import type { Link } from '../core/resource.ts';
import { fromSegment } from '../core/segment.ts';
import { collectionPath, itemPath, toUri } from '../core/uris.ts';
import { findItem, findShortenedIdentifier, type StoredItem } from '../store/items.ts';
import type { StoredResource } from '../store/resources.ts';
import { findSource } from '../store/sources.ts';
import { servedPath } from './base-path.ts';
import type { ServerDeps } from './deps.ts';
import { capabilityListsFor } from './discovery.ts';
import { Refusal } from './errors.ts';
import { html, linkTo, type Markup, type Page, timeAndAge } from './html.ts';
import { formatLinks } from './link-header.ts';
import { preferredType, varyBy } from './negotiation.ts';
import { type FormatQuery, formatQuery, sendView } from './views.ts';
import { size } from './wording.ts';

const params = Type.Object({ source: Type.String(), item: Type.String() });

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
  readonly resources: readonly ItemResource[];
  readonly capabilityLists: readonly string[];
  readonly about: string;
}

interface ItemResource {
  readonly uri: string;
  readonly kind: string;
  readonly format: string;
  readonly mediaType?: string | undefined;
  readonly length?: number | undefined;
  readonly hash?: string | undefined;
  readonly lastmod: string;
  /** What it was made from. */
  readonly upstream?: string | undefined;
}

/** The generic URI of an item, which `canonical` leads to (RS-LN-09): a page, or on demand its metadata. */
export function itemRoutes(app: FastifyInstance, deps: ServerDeps): void {
  app.route<{ Params: Static<typeof params>; Querystring: FormatQuery }>({
    method: ['GET', 'HEAD'],
    url: '/:source/items/:item',
    schema: { params, querystring: formatQuery },
    config: { operationId: 'getItem', open: true },
    handler: async (request, reply) => {
      const item = await lookUp(deps, request);
      if (!item || item.resources.length === 0) throw new Refusal('not-found', 'there is no such item');
      const living = item.resources.filter(({ deletedAt }) => deletedAt === undefined);
      if (living.length === 0) throw new Refusal('gone', 'everything of this item was deleted');
      const view = await toView(deps, item, living);
      reply.header('link', formatLinks(linksOf(view)));
      const metadata = view.resources.find(({ kind }) => kind === 'metadata');
      if (!metadata || !wantsXml(request)) return sendView(deps, request, reply, view, toPage);
      varyBy(reply, 'Accept');
      return reply.header('cache-control', 'no-cache').redirect(metadata.uri, 303);
    },
  });
}

async function lookUp(
  deps: ServerDeps,
  request: FastifyRequest<{ Params: Static<typeof params> }>,
): Promise<StoredItem | undefined> {
  const { reader } = deps.database;
  if (servedPath(request) === undefined) return undefined;
  const { source, item: segment } = request.params;
  let identifier = fromSegment(segment);
  if (identifier === undefined && /~\.[0-9a-f]{64}$/.test(segment)) {
    const formats = (await findSource(reader, source))?.info?.formats ?? [];
    const names = formats.map(({ name }) => name);
    identifier = await findShortenedIdentifier(reader, source, segment, names);
  }
  return identifier === undefined || identifier.includes('\0')
    ? undefined
    : findItem(reader, source, identifier);
}

/** Only who prefers XML to a page of ours. */
function wantsXml({ headers, query }: FastifyRequest<{ Querystring: FormatQuery }>): boolean {
  const offers = ['text/html', 'application/json', 'application/xml', 'text/xml'] as const;
  return query.format === undefined && preferredType(headers.accept, offers).endsWith('/xml');
}

async function toView(
  deps: ServerDeps,
  item: StoredItem,
  living: readonly StoredResource[],
): Promise<ItemView> {
  const { baseUrl } = deps;
  const { source, identifier, datestamp } = item;
  const described = living.flatMap(({ links }) => links).filter(({ rel }) => rel === 'describes');
  const ours = new Set(living.map(({ path }) => path));
  return {
    uri: `${baseUrl}/${itemPath(source, identifier)}`,
    source,
    identifier,
    ...(datestamp !== undefined && { datestamp }),
    at: toIso(deps.clock.now()),
    collections: item.collections.map(({ spec, name }) => ({
      uri: `${baseUrl}/${collectionPath(source, spec)}`,
      spec,
      name,
    })),
    landingPages: [...new Set(described.map(({ href }) => href).filter((href) => !ours.has(href)))].map(
      (href) => toUri(baseUrl, href),
    ),
    resources: living.map((resource) => toItemResource(baseUrl, resource)),
    capabilityLists: await capabilityListsFor(deps, source, living),
    about: `${baseUrl}/${source}/about`,
  };
}

function toItemResource(baseUrl: string, resource: StoredResource): ItemResource {
  const { path, kind, format, mediaType, length, hash, lastmod, links } = resource;
  const upstream = links.find(({ rel }) => rel === 'via')?.href;
  return { uri: `${baseUrl}/${path}`, kind, format, mediaType, length, hash, lastmod, upstream };
}

function linksOf({ resources, collections }: ItemView): readonly Link[] {
  const metadata = resources.filter(({ kind }) => kind === 'metadata');
  const files = resources.filter(({ kind }) => kind === 'file');
  const links = (rel: string, targets: readonly ItemResource[]) =>
    targets.map(({ uri, mediaType }) => ({
      rel,
      href: uri,
      ...(mediaType === undefined ? {} : { type: mediaType }),
    }));
  return [
    ...links('alternate', metadata),
    ...links('describedby', metadata),
    ...links('item', files),
    ...collections.map(({ uri }) => ({ rel: 'collection', href: uri })),
  ];
}

function toPage(view: ItemView): Page {
  const { identifier, datestamp, collections, landingPages, resources, source, about, at } = view;
  const body = html`<h1>${identifier}</h1>
<dl><dt>Of</dt><dd><a href="${about}">${source}</a></dd>${
    landingPages.length > 0 &&
    html`<dt>Page</dt><dd>${landingPages.map((uri) => html`<div>${linkTo(uri)}</div>`)}</dd>`
  }<dt>Changed upstream</dt><dd>${timeAndAge(datestamp, at, 'it does not say')}</dd>${
    collections.length > 0 &&
    html`<dt>In</dt><dd>${collections.map(({ uri, name }) => html`<div><a href="${uri}">${name}</a></div>`)}</dd>`
  }</dl>
<h2>Resources</h2>
<table><tr><th>Format</th><th class="wide">Type</th><th class="n">Size</th><th>Modified</th><th class="wide">Made from</th></tr>
${resources.map((resource) => row(resource, at))}</table>`;
  return { title: identifier, body, capabilityLists: view.capabilityLists };
}

function row({ uri, kind, format, mediaType, length, lastmod, upstream }: ItemResource, now: string): Markup {
  const name = kind === 'file' ? uri.slice(uri.lastIndexOf('/') + 1) : format;
  return html`<tr><td><a href="${uri}">${name}</a></td><td class="wide soft">${mediaType}</td><td class="n">${length === undefined ? undefined : size(length)}</td><td>${timeAndAge(lastmod, now)}</td><td class="wide">${upstream === undefined ? undefined : linkTo(upstream, 'upstream')}</td></tr>
`;
}
