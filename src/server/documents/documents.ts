import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseStamp, toIso, toMilliseconds, toStamp } from '../../core/datetime.ts';
import { toUri } from '../../core/uris.ts';
import type {
  Publication,
  PublishedDocument,
  PublishedFacts,
  PublishedSet,
} from '../../publish/published/publication.ts';
import { findSource } from '../../store/sources/sources.ts';
import type { ServerDeps } from '../deps.ts';
import { servedPath } from '../http/base-path.ts';
import { documentRepresentation } from '../http/document-representation.ts';
import { documentPolicy } from '../http/document-stylesheet.ts';
import { forgetRepresentation, isReplaced, Refusal, refuse } from '../http/errors.ts';
import { goneSignal } from '../http/gone.ts';
import { formatLinks } from '../http/link-header.ts';
import { asksForHtml, varyBy } from '../http/negotiation.ts';
import { sendRepresentation } from '../http/representation.ts';
import { sourceOfDocument } from '../http/served-sources.ts';
import { sendTaggedPage } from '../pages/views.ts';
import { mayHavePast } from '../past/document-past.ts';
import { originalLinks } from '../past/memento-links.ts';
import { isServed, repeatable } from '../repeated/grounds.ts';
import { untilWithheld } from '../until-withheld.ts';
import { toDocumentPage } from './document-page.ts';
import { asksForPage, isXml, viewDocument } from './document-view.ts';
import { mayBeOutdated, refuseArchived, refuseOfPrivate, refuseOutdated } from './outdated-lists.ts';
import { refuseUnwritten } from './unwritten-lists.ts';
import { refuseWithheld } from './withheld-packages.ts';

/** Everything the publication has: lists, indexes, dumps, Source Descriptions. */
export function documentRoutes(app: FastifyInstance, deps: ServerDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/*',
    config: { operationId: 'getDocument', open: true },
    handler: async (request, reply) => {
      for (let look = 1; ; look += 1) {
        try {
          return await answer(deps, request, reply);
        } catch (error) {
          // Between look-up and open it gave way to the next: that is the answer.
          if (look === looks || !isReplaced(error)) throw error;
          reply.code(200);
          forgetRepresentation(reply);
        }
      }
    },
  });
}

/** More than once is no race. */
const looks = 3;

async function answer(deps: ServerDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const path = servedPath(request);
  const now = toIso(deps.clock.now());
  const document = path === undefined ? undefined : await deps.publication.find(path);
  if (!document) {
    const about = await aboutOfSet(deps, request.url);
    if (about !== undefined) return reply.header('cache-control', 'no-cache').redirect(about, 302);
    await refuseUnwritten(deps, path ?? '');
    throw await explainAbsence(deps, path ?? '', now);
  }
  refuseOfPrivate(deps, document);
  await refuseArchived(deps, document);
  await refuseOutdated(deps, document.path);
  const { packed } = document;
  if (packed) {
    const look = () => refuseWithheld(deps, document.path, packed);
    await look();
    const { length } = document.plain;
    untilWithheld(deps, request, reply, { length, source: packed.set.split('/', 1)[0] ?? '', look });
  }
  if (isXml(document)) {
    varyBy(reply, 'Accept');
    if (asksForHtml(request.headers.accept)) varyBy(reply, 'User-Agent');
    if (asksForPage(request)) return answerPage(deps, request, reply, document);
  }
  reply.header('content-security-policy', documentPolicy(deps.baseUrl));
  const link = deps.documentPasts && mayHavePast(document.path) && linksOf(deps, document.path);
  const representation = documentRepresentation(document, request.headers['accept-encoding']);
  const headers = link ? { link } : {};
  // Two browsers that ask alike may be a person and a crawler.
  if (!asksForHtml(request.headers.accept)) repeatDocument(deps, reply, document, now);
  return sendRepresentation(request, reply, { ...representation, headers }, now);
}

/** For a person: what is for programs is at the same address, for whoever does not ask for HTML first. */
async function answerPage(
  deps: ServerDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  document: PublishedDocument,
): Promise<FastifyReply> {
  const view = await viewDocument(document, request.url, goneSignal(reply.raw));
  reply.header('cache-control', 'no-cache');
  return sendTaggedPage(deps, request, reply, (reader) => toDocumentPage(deps.baseUrl, view, reader));
}

/** What is read from memory is the same as long as it is the one that is published. */
function repeatDocument(
  deps: ServerDeps,
  reply: FastifyReply,
  document: PublishedDocument,
  now: string,
): void {
  const { path, packed, plain, isPublished, lastModified, archivedAt } = document;
  if (
    packed ||
    archivedAt !== undefined ||
    !isPublished ||
    !plain.whole ||
    lastModified > now ||
    mayBeOutdated(deps, path)
  )
    return;
  const source = sourceOfDocument(path);
  const since = toMilliseconds(lastModified);
  // By another configuration it may be outdated.
  const [hidden, divided] = [deps.privacy?.names(), deps.privacy?.divided?.()];
  repeatable(reply, {
    operationId: 'getDocument',
    hold: () =>
      (source === undefined || isServed(deps, source)) &&
      deps.privacy?.names() === hidden &&
      deps.privacy?.divided?.() === divided &&
      since <= deps.clock.now().getTime() &&
      isPublished(),
  });
}

/** What somebody types who knows the name of a set: it leads to the page that says what there is. */
async function aboutOfSet(deps: ServerDeps, url: string): Promise<string | undefined> {
  const [target = '', query] = url.split(/\?(.*)/s, 2);
  const [, path = '', source = ''] = setName.exec(target) ?? [];
  if (path !== '' && deps.jointSets?.().some((set) => set.path === path))
    return `${deps.baseUrl}/${path}/about${query ? `?${query}` : ''}`;
  if (path === '' || (await findSource(deps.database.reader, source)) === undefined) return undefined;
  if (!deps.setsOf(source).some((set) => set.path === path)) return undefined;
  return `${deps.baseUrl}/${path}/about${query ? `?${query}` : ''}`;
}

const setName = /^\/(([a-z0-9-]+)(?:\/[a-z0-9-]+){0,2})\/?$/;

/** RFC 7089 §4.2: an Original leads to what it was. */
function linksOf({ baseUrl }: ServerDeps, path: string): string | undefined {
  return formatLinks(originalLinks(baseUrl, toUri(baseUrl, path)));
}

const withoutWithheld =
  'this package held something that is not public any more, and was built again without it at another address';
const mayBeOurs = /\/(?:resource|change)(?:list|dump)[/.-]/;
const dated = /^((?:resource|change)(?:list|dump))\/([^/.-]+)[/.-][^/]*$/;
const current = /^((?:resource|change)(?:list|dump))(?:-index|-archive)?\.xml$/;

/** A document that has had its time leads to the one in its place. */
async function explainAbsence(
  { publication, baseUrl }: ServerDeps,
  path: string,
  now: string,
): Promise<Refusal> {
  // Most of what is not there never was: no need to look through what is published.
  const set = mayBeOurs.test(path) ? await mostSpecialSet(publication, path) : undefined;
  const rest = set ? path.slice(set.path.length + 1) : '';
  const [matched, kind = '', stamp = ''] = dated.exec(rest) ?? current.exec(rest) ?? [];
  if (!set || matched === undefined) return refuse('not-found', 'nothing-here', {});
  const successor = findSuccessor(set, kind);
  if (!successor) return refuse('not-found', 'nothing-here', {});
  const href = `${baseUrl}/${successor.path}`;
  const link = formatLinks([{ rel: 'latest-version', href }]) ?? '';
  if (await publication.isFormerPackage?.(path)) {
    return new Refusal('gone', `${withoutWithheld}; the current list of packages is ${href}`, { link });
  }
  const moment = parseStamp(stamp);
  // Of the current snapshot only the name of the part is wrong.
  const isPast = kind.startsWith('resource')
    ? moment !== undefined && moment <= now && stamp !== toStamp(successor.at ?? '')
    : moment !== undefined && moment < (successor.from ?? now);
  return isPast
    ? new Refusal('gone', `this document is no longer kept; the current one is ${href}`, { link })
    : new Refusal('not-found', `there is no such document; the current one is ${href}`, { link });
}

/**
 * The index has the history; what is flat may reach back less far. What a set no longer offers at all is
 * explained by its Capability List.
 */
function findSuccessor(set: PublishedSet, kind: string): PublishedFacts | undefined {
  const find = (name: string) => set.documents.find(({ path }) => path === `${set.path}/${name}.xml`);
  return find(`${kind}-index`) ?? find(kind) ?? find('capabilitylist');
}

/** Of the sets that a path may belong to the one with the longest path. */
async function mostSpecialSet(publication: Publication, path: string): Promise<PublishedSet | undefined> {
  const segments = path.split('/');
  // SOURCE, SOURCE/metadata, SOURCE/sets/NAME.
  for (let length = Math.min(3, segments.length - 1); length > 0; length -= 1) {
    const set = await publication.set(segments.slice(0, length).join('/'));
    if (set) return set;
  }
  return undefined;
}
