import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServerDeps } from '../deps.ts';
import { encodeTarget, formatLink, type HeaderLink } from '../http/link-header.ts';
import { linkContexts, type SignpostedItem } from '../http/signposting.ts';
import { findLivingItem, type ItemParams, itemParams } from './living-item.ts';

/** The links of an item, its metadata and its files, in the two syntaxes of RFC 9264. */
export function linksetRoutes(app: FastifyInstance, deps: ServerDeps): void {
  for (const { name, operationId, type } of syntaxes) {
    app.route<{ Params: ItemParams }>({
      method: ['GET', 'HEAD'],
      url: `/:source/items/:item/${name}`,
      schema: { params: itemParams },
      config: { operationId, open: true },
      handler: async (request, reply) => {
        const { signposted } = await findLivingItem(deps, request, `/${name}`);
        return sendLinkset(request, reply, type, signposted);
      },
    });
  }
}

/** The media types of link sets, as who asks for an item may ask for them. */
export const linksetTypes = ['application/linkset+json', 'application/linkset'] as const;
export type LinksetType = (typeof linksetTypes)[number];

const syntaxes: readonly {
  readonly name: string;
  readonly operationId: string;
  readonly type: LinksetType;
}[] = [
  { name: 'linkset', operationId: 'getLinkset', type: 'application/linkset' },
  { name: 'linkset.json', operationId: 'getLinksetJson', type: 'application/linkset+json' },
];

export function isLinksetType(type: string): type is LinksetType {
  return linksetTypes.some((known) => known === type);
}

export function sendLinkset(
  { method }: FastifyRequest,
  reply: FastifyReply,
  type: LinksetType,
  item: SignpostedItem,
): FastifyReply {
  reply.header('cache-control', 'no-cache').header('content-type', type);
  if (method === 'HEAD') return reply.send();
  const write = type === 'application/linkset' ? writeText : writeJson;
  return reply.send(Readable.from(write(item), { objectMode: false }));
}

/** Where the link set of an item is by itself. */
export function linksetUri(item: SignpostedItem, type: LinksetType): string {
  return `${item.uri}/${syntaxes.find((syntax) => syntax.type === type)?.name}`;
}

function* writeText(item: SignpostedItem): Generator<string> {
  let separator = '';
  for (const { anchor, links } of linkContexts(item)) {
    for (const link of links) {
      const value = formatLink(link, anchor);
      if (value === undefined) continue;
      yield `${separator}${value}`;
      separator = ',\n';
    }
  }
  yield '\n';
}

function* writeJson(item: SignpostedItem): Generator<string> {
  let separator = '{"linkset":[\n';
  for (const { anchor, links } of linkContexts(item)) {
    yield `${separator}${JSON.stringify({ anchor: encodeTarget(anchor), ...groupByRelation(links) })}`;
    separator = ',\n';
  }
  yield '\n]}\n';
}

function groupByRelation(links: readonly HeaderLink[]): Readonly<Record<string, readonly object[]>> {
  const groups: Record<string, object[]> = {};
  for (const { rel, href, type, profile } of links) {
    const targets = groups[rel] ?? [];
    groups[rel] = targets;
    targets.push({
      href: encodeTarget(href),
      ...(type !== undefined && { type }),
      // RFC 9264 §4.2.4.3: an attribute that RFC 8288 does not know is a list.
      ...(profile !== undefined && { profile: [profile] }),
    });
  }
  return groups;
}
