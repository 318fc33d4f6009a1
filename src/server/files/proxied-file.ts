import type { FastifyReply, FastifyRequest } from 'fastify';
import { countOf } from '../../core/count-of.ts';
import { earlier, toHttpDate, toIso } from '../../core/datetime.ts';
import type {
  UpstreamContent,
  UpstreamFile,
  UpstreamFileRequest,
  UpstreamFiles,
} from '../../core/files/upstream-files.ts';
import type { StoredResource } from '../../store/reading/resources.ts';
import type { ServerDeps } from '../deps.ts';
import { matches } from '../http/conditions.ts';
import { Refusal } from '../http/errors.ts';
import { goneSignal } from '../http/gone.ts';
import { lookAt } from './asked-first.ts';
import { contentTypeOf, fileHeaders, fileName } from './file-headers.ts';
import { reprDigest } from './kept-content.ts';
import { decideProxied, fromUpstreamTag, type ProxiedQuestion } from './proxied-conditions.ts';

export interface ProxiedFile {
  readonly resource: Described;
  readonly url: string;
  readonly link: string | undefined;
  /** Bytes of another length are something else, and not handed out; default: they are, as what they are. */
  readonly onlyAsStated?: boolean | undefined;
}

type Described = Pick<StoredResource, 'source' | 'path' | 'mediaType' | 'length' | 'hash' | 'lastmod'>;

const cacheControl = 'no-cache, no-transform';

/**
 * A file of ours whose bytes are upstream: streamed through, never kept. The lists' validators are those that are
 * stored; the bytes, and all that is said of them alone, are upstream's. Nothing is said of a file, not even that it
 * is the same, before upstream has shown that it hands it out.
 * @throws UpstreamFileError, Refusal
 */
export async function sendProxiedFile(
  deps: Pick<ServerDeps, 'clock' | 'clientOf'>,
  upstream: UpstreamFiles,
  request: FastifyRequest,
  reply: FastifyReply,
  file: ProxiedFile,
): Promise<FastifyReply> {
  const now = toIso(deps.clock.now());
  const { method, headers } = request;
  const { resource } = file;
  const lastModified = earlier(resource.lastmod, now);
  const gone = goneSignal(reply.raw);
  const asked = { ...addressed(file), client: deps.clientOf?.(request.raw) };
  try {
    let decision = decideProxied({ method, headers, now }, { etag: statedTag(resource), lastModified });
    if (decision.kind !== 'ask' && contradicts(await lookAt(upstream, asked, gone), resource)) {
      if (file.onlyAsStated) throw otherVersion();
      decision = decideProxied({ method, headers, now }, { etag: undefined, lastModified: now });
    }
    if (decision.kind === 'precondition-failed') throw new Refusal('precondition-failed', notMeant);
    if (decision.kind === 'not-modified') return sendNotModified(reply, decision.etag);
    const question = { ...asked, method: method === 'HEAD' ? 'HEAD' : 'GET' } as const;
    const found = await ask(upstream, question, file, decision, gone);
    if (found.kind === 'not-modified') return sendNotModified(reply, fromUpstreamTag(found.etag));
    if (found.kind === 'range-not-satisfiable') throw unsatisfiable(found.length ?? resource.length);
    return send(request, reply, file, decision, found, lastModified);
  } catch (error) {
    if (!gone.aborted) throw error;
    // Whoever asked is not there any more.
    return reply.hijack();
  }
}

const notMeant =
  'the current version does not meet the condition of the request (If-Match, If-Unmodified-Since)';

/** Sound as long as the bytes have the stated length, which is held against what comes. */
function statedTag({ hash, length }: Described): string | undefined {
  if (hash === undefined || length === undefined) return undefined;
  const [, algorithm, hex] = /^([a-z0-9-]+):([0-9a-f]+)$/.exec(hash) ?? [];
  if (hex === undefined) return undefined;
  return algorithm === 'sha-256' ? `"${hex}"` : `"${algorithm}-${hex}"`;
}

function addressed({ resource, url }: ProxiedFile): Pick<UpstreamFileRequest, 'source' | 'url' | 'stated'> {
  const { source, path, mediaType, length } = resource;
  return { source, url, stated: { name: fileName(path), mediaType, length } };
}

async function ask(
  upstream: UpstreamFiles,
  asked: UpstreamFileRequest,
  { resource }: ProxiedFile,
  { range, ifRange, ifNoneMatch, onlyAsStated }: ProxiedQuestion,
  signal: AbortSignal,
): Promise<UpstreamFile> {
  const whole = { ...asked, ifNoneMatch };
  const found = await upstream.open({ ...whole, range, ifRange }, signal);
  const isOther = onlyAsStated && found.kind === 'content' && contradicts(found, resource);
  if (!isOther || found.part === undefined) return found;
  found.body.destroy();
  return upstream.open(whole, signal);
}

/** The file has changed since it was last described. */
function contradicts(found: UpstreamFile, resource: Described): boolean {
  const length = found.kind === 'not-modified' ? undefined : found.length;
  return length !== undefined && resource.length !== undefined && length !== resource.length;
}

function otherVersion(): Refusal {
  return new Refusal('not-found', 'the repository now has another version of this file');
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { resource, link, onlyAsStated }: ProxiedFile,
  { ifMatch }: ProxiedQuestion,
  found: UpstreamContent,
  lastModified: string,
): FastifyReply {
  const asStated = !contradicts(found, resource);
  if (onlyAsStated && !asStated) {
    found.body.destroy();
    throw otherVersion();
  }
  const etag = (asStated ? statedTag(resource) : undefined) ?? fromUpstreamTag(found.etag);
  if (ifMatch !== undefined && (etag === undefined || !matches(ifMatch, etag, 'strong'))) {
    found.body.destroy();
    throw new Refusal('precondition-failed', notMeant);
  }
  const modified = asStated ? lastModified : laterThan(lastModified, found.lastModified);
  const length = found.length ?? resource.length;
  const contentType = contentTypeOf(found.contentType, resource.mediaType);
  const digest = asStated ? /^sha-256:([0-9a-f]{64})$/.exec(resource.hash ?? '')?.[1] : undefined;
  reply.headers({
    'cache-control': cacheControl,
    'content-type': contentType,
    ...fileHeaders(resource.path, contentType),
    ...(etag !== undefined && { etag }),
    ...(modified !== undefined && { 'last-modified': toHttpDate(modified) }),
    ...(found.ranges && { 'accept-ranges': 'bytes' }),
    ...(digest !== undefined && { 'repr-digest': reprDigest(digest) }),
    ...(link !== undefined && { link }),
  });
  const { part } = found;
  if (part) {
    reply.code(206).header('content-range', `bytes ${part.start}-${part.end - 1}/${length ?? '*'}`);
    reply.header('content-length', String(part.end - part.start));
  } else if (length !== undefined) {
    reply.header('content-length', String(length));
  }
  if (request.method !== 'HEAD') return reply.send(found.body);
  found.body.destroy();
  return reply.send();
}

/** Of what has changed since only the upstream knows when. */
function laterThan(lastmod: string, upstream: string | undefined): string | undefined {
  return upstream !== undefined && upstream > lastmod ? upstream : undefined;
}

function sendNotModified(reply: FastifyReply, etag: string | undefined): FastifyReply {
  return reply
    .code(304)
    .headers({ 'cache-control': cacheControl, ...(etag !== undefined && { etag }) })
    .send();
}

function unsatisfiable(length: number | undefined): Refusal {
  const detail =
    length === undefined ? 'the file is shorter than that' : `the file has ${countOf(length, 'byte')}`;
  return new Refusal('range-not-satisfiable', detail, {
    ...(length !== undefined && { 'content-range': `bytes */${length}` }),
  });
}
