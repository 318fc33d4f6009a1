import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { atomEntry } from '../../oai/ore/atom-entry.ts';
import { resourceMapJson } from '../../oai/ore/json-ld.ts';
import { type MapForm, mapTypes, oreTerms } from '../../oai/ore/resource-map.ts';
import { lastChangesOf } from '../../store/oai/last-changes.ts';
import type { ServerDeps } from '../deps.ts';
import { formatLinks } from '../http/link-header.ts';
import { preferredType, varyBy } from '../http/negotiation.ts';
import { aggregationUri, backLink, linksetLinks, mapNames, toLink } from '../http/signposting.ts';
import { sendTagged, tagOf } from '../http/tagged-text.ts';
import { toResourceMap } from './item-map.ts';
import { findLivingItem, type ItemParams, itemParams } from './living-item.ts';

/** OAI-ORE 1.0: an item as an Aggregation, and the Resource Maps that describe it (HTTP Implementation, §2). */
export function resourceMapRoutes(app: FastifyInstance, deps: ServerDeps): void {
  app.route<{ Params: ItemParams }>({
    method: ['GET', 'HEAD'],
    url: '/:source/items/:item/aggregation',
    schema: { params: itemParams },
    config: { operationId: 'getAggregation', open: true },
    handler: async (request, reply) => {
      const { uri, maps } = (await findLivingItem(deps, request, '/aggregation')).signposted;
      varyBy(reply, 'Accept');
      reply.header('link', formatLinks(maps.map((target) => toLink('describedby', target))));
      return reply.header('cache-control', 'no-cache').redirect(`${uri}${preferredBelow(request)}`, 303);
    },
  });
  for (const { form, operationId, type } of forms) {
    app.route<{ Params: ItemParams }>({
      method: ['GET', 'HEAD'],
      url: `/:source/items/:item/${mapNames[form]}`,
      schema: { params: itemParams },
      config: { operationId, open: true },
      handler: async (request, reply) => {
        // As octets: a text would be given a charset, which JSON-LD has not.
        const body = Buffer.from(await writeMap(deps, request, reply, form));
        reply.header('content-type', type).header('cache-control', 'no-cache');
        return sendTagged(request, reply, { etag: tagOf(body, 'strong'), body });
      },
    });
  }
}

const forms = [
  { form: 'atom', operationId: 'getResourceMap', type: `${mapTypes.atom};type=entry` },
  { form: 'json', operationId: 'getResourceMapJson', type: mapTypes.json },
] as const;

/** Of an Aggregation there is nothing but what describes it. Who prefers nothing gets what DSpace reads. */
function preferredBelow({ headers }: FastifyRequest): string {
  const type = preferredType(headers.accept, [
    mapTypes.atom,
    mapTypes.json,
    'application/json',
    'text/html',
    'application/xhtml+xml',
  ]);
  if (type === mapTypes.atom) return `/${mapNames.atom}`;
  return type === mapTypes.json || type === 'application/json' ? `/${mapNames.json}` : '';
}

async function writeMap(
  deps: ServerDeps,
  request: FastifyRequest<{ Params: ItemParams }>,
  reply: FastifyReply,
  form: MapForm,
): Promise<string> {
  const living = await findLivingItem(deps, request, `/${mapNames[form]}`);
  const { source, identifier } = living.item;
  const { uri, maps } = living.signposted;
  const changed = await lastChangesOf(deps.database.reader, source, [identifier]);
  const map = toResourceMap(deps, living, changed.get(identifier));
  const others = maps.filter((target) => target.uri !== map.maps[form]);
  const links = [
    backLink({ kind: 'metadata' }, uri),
    { rel: `${oreTerms}describes`, href: aggregationUri(uri) },
    ...others.map((target) => toLink('alternate', target)),
    ...linksetLinks(uri),
  ];
  reply.header('link', formatLinks(links));
  if (form === 'json') return `${JSON.stringify(resourceMapJson(map), null, 2)}\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n${atomEntry(map)}`;
}
