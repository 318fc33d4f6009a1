import type { FastifyReply, FastifyRequest } from 'fastify';
import { toIso } from '../core/datetime.ts';
import { isKept } from '../store/contents.ts';
import type { StoredResource } from '../store/resources.ts';
import type { ServerDeps } from './deps.ts';
import { Refusal } from './errors.ts';
import { contentTypeOf, fileHeaders } from './file-headers.ts';
import { keptRepresentation } from './kept-content.ts';
import { sendProxiedFile } from './proxied-file.ts';
import { sendRepresentation } from './representation.ts';

/** A file: what is kept of it, else what is upstream (design: file modes). */
export async function sendFile(
  deps: ServerDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  resource: StoredResource,
  link: string | undefined,
): Promise<FastifyReply> {
  const { source, path, hash, length, lastmod, upstreamUrl } = resource;
  const mode = deps.fileMode(source);
  if (await shouldBeKept(deps, mode, hash)) {
    const mediaType = contentTypeOf(undefined, resource.mediaType);
    const others = fileHeaders(path, mediaType);
    const content = { path, hash, length, mediaType, lastModified: lastmod };
    const representation = keptRepresentation(deps, content, { cacheControl: 'no-cache', link, others });
    return sendRepresentation(request, reply, representation, toIso(deps.clock.now()));
  }
  if (mode === undefined || mode === 'none' || upstreamUrl === undefined || !deps.upstreamFiles) {
    throw new Refusal('not-found', 'this file is not served');
  }
  return sendProxiedFile(deps, deps.upstreamFiles, request, reply, { resource, url: upstreamUrl, link });
}

/** In mode `mirror` a digest is ours, of what was downloaded; else it may be what the upstream states. */
async function shouldBeKept({ database }: ServerDeps, mode: string | undefined, hash = ''): Promise<boolean> {
  return hash.startsWith('sha-256:') && (mode === 'mirror' || (await isKept(database.reader, hash)));
}
