import type { FastifyInstance, FastifyRequest } from 'fastify';
import { toIso } from '../../core/datetime.ts';
import { collectionPath, toUri } from '../../core/uris.ts';
import type { StoredResource } from '../../store/reading/resources.ts';
import type { ServerDeps } from '../deps.ts';
import { fileName } from '../files/file-headers.ts';
import { formatLinks, type HeaderLink } from '../http/link-header.ts';
import { preferredType, varyBy } from '../http/negotiation.ts';
import {
  aggregationUri,
  landingPageLinks,
  linksetLinks,
  type SignpostedItem,
  toLink,
} from '../http/signposting.ts';
import { type FormatQuery, formatQuery, sendView } from '../pages/views.ts';
import { capabilityListsFor } from './discovery.ts';
import { type ItemResource, type ItemView, toItemPage } from './item-page.ts';
import { readItemPast } from './item-timeline.ts';
import { isLinksetType, linksetTypes, linksetUri, sendLinkset } from './linksets.ts';
import {
  findLivingItem,
  type ItemParams,
  itemParams,
  type LivingItem,
  landingPagesOf,
} from './living-item.ts';

/** Files that a page shows; the link set has all of them. */
const filesShown = 1000;

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
      const preferred = preferredForm(request);
      if (isLinksetType(preferred)) {
        varyBy(reply, 'Accept');
        reply.header('content-location', linksetUri(found.signposted, preferred));
        return sendLinkset(request, reply, preferred, found.signposted);
      }
      const metadata = found.signposted.metadata.find(({ mediaType }) => isXml(mediaType));
      if (!metadata || !preferred.endsWith('/xml')) {
        return sendView(deps, request, reply, await toItemView(deps, found), toItemPage);
      }
      varyBy(reply, 'Accept');
      return reply.header('cache-control', 'no-cache').redirect(metadata.uri, 303);
    },
  });
}

const forms = ['text/html', 'application/json', 'application/xml', 'text/xml', ...linksetTypes] as const;

/** XML and link sets only for those who prefer them to a page of ours. */
function preferredForm({ headers, query }: FastifyRequest<{ Querystring: FormatQuery }>) {
  return query.format === undefined ? preferredType(headers.accept, forms) : 'text/html';
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
    ...landingPageLinks({ ...item, citeAs: undefined, metadata: [], maps: [] }).filter(
      ({ rel }) => rel !== 'type',
    ),
  ];
}

export async function toItemView(
  deps: ServerDeps,
  { item, metadata, files, signposted, description }: LivingItem,
): Promise<ItemView> {
  const { baseUrl } = deps;
  const { source, identifier, datestamp, collections } = item;
  const shown = [...metadata, ...files.slice(0, filesShown)];
  const gone = item.resources.filter(({ kind, deletedAt }) => kind === 'metadata' && deletedAt !== undefined);
  const { versions, timeline } = await readItemPast(deps, [...shown, ...gone]);
  return {
    uri: signposted.uri,
    source,
    identifier,
    ...(description && { description }),
    ...(signposted.citeAs !== undefined && { citeAs: signposted.citeAs }),
    ...(datestamp !== undefined && { datestamp }),
    at: toIso(deps.clock.now()),
    collections: collections.map(({ spec, name }) => ({
      uri: `${baseUrl}/${collectionPath(source, spec)}`,
      spec,
      name,
    })),
    landingPages: landingPagesOf(metadata, files),
    resources: shown.map((resource) => ({
      ...toItemResource(baseUrl, resource),
      versions: versions.get(resource.path),
    })),
    files: files.length,
    timeline,
    linkset: `${signposted.uri}/linkset.json`,
    // Where pages are files nobody answers there.
    ...(deps.pages?.isAlone !== true && {
      aggregation: aggregationUri(signposted.uri),
      resourceMaps: signposted.maps.map(({ uri, mediaType }) => ({ uri, mediaType })),
    }),
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
