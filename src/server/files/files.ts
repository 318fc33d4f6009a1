import type { FastifyReply, FastifyRequest } from 'fastify';
import { toIso } from '../../core/datetime.ts';
import { UpstreamFileError } from '../../core/files/upstream-files.ts';
import { findRefusal } from '../../store/files/withheld-files.ts';
import { isKept } from '../../store/payloads/blobs.ts';
import { findWithMetadata, type StoredResource } from '../../store/reading/resources.ts';
import type { ServerDeps } from '../deps.ts';
import { Refusal } from '../http/errors.ts';
import { sendRepresentation } from '../http/representation.ts';
import { untilWithheld } from '../until-withheld.ts';
import { refuseUnlessShown } from './asked-first.ts';
import { contentTypeOf, fileHeaders } from './file-headers.ts';
import { keptRepresentation } from './kept-content.ts';
import { addressInBucket } from './kept-object.ts';
import { sendProxiedFile } from './proxied-file.ts';

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
  await refuseWithheld(deps, resource);
  untilWithheld(deps, request, reply, { length, source, look: () => refuseGone(deps, resource) });
  if (await shouldBeKept(deps, mode, hash)) {
    await refuseUnlessShown(deps, request, reply, resource);
    const mediaType = contentTypeOf(undefined, resource.mediaType);
    const others = fileHeaders(path, mediaType);
    const content = { path, hash, length, mediaType, lastModified: lastmod };
    const representation = {
      ...keptRepresentation(deps, content, { cacheControl: 'no-cache', link, others }),
      redirect: () => addressInBucket(deps, hash, mediaType),
    };
    return sendRepresentation(request, reply, representation, toIso(deps.clock.now()));
  }
  if (mode === undefined || mode === 'none' || upstreamUrl === undefined || !deps.upstreamFiles) {
    throw new Refusal('not-found', 'this file is not served');
  }
  const file = { resource, url: upstreamUrl, link };
  try {
    return await sendProxiedFile(deps, deps.upstreamFiles, request, reply, file);
  } catch (error) {
    if (error instanceof UpstreamFileError && error.refusal)
      await deps.noteRefusal?.(source, upstreamUrl, error.refusal);
    throw error;
  }
}

/** @throws Refusal, UpstreamFileError: it is not there any more, or withheld */
export async function refuseGone(deps: Pick<ServerDeps, 'database'>, resource: Named): Promise<void> {
  const found = await findWithMetadata(deps.database.reader, resource.path);
  if (!found || found.resource.deletedAt !== undefined) throw new Refusal('gone', 'this file was deleted');
  await refuseWithheld(deps, resource);
}

type Named = Pick<StoredResource, 'source' | 'path' | 'upstreamUrl'>;

/**
 * Nothing is handed out on the word of an older answer: not of a copy, and not through us.
 * @throws UpstreamFileError `file-withheld`
 */
export async function refuseWithheld(
  { database }: Pick<ServerDeps, 'database'>,
  { source, upstreamUrl }: Pick<StoredResource, 'source' | 'upstreamUrl'>,
): Promise<void> {
  const said =
    upstreamUrl === undefined ? undefined : await findRefusal(database.reader, source, upstreamUrl);
  if (!said) return;
  if (said === 'doubted') {
    const why = 'it was refused to another source, and is asked for at this moment';
    throw new UpstreamFileError('file-withheld', why, { retryAfterSeconds: 60 });
  }
  const why = said === 'gone' ? 'its repository does not have it' : 'it is not public in its repository';
  throw new UpstreamFileError('file-withheld', `${why}, as it last said`, { retryAfterSeconds: 60 });
}

/** In mode `mirror` a digest is ours, of what was downloaded; else it may be what the upstream states. */
async function shouldBeKept({ database }: ServerDeps, mode: string | undefined, hash = ''): Promise<boolean> {
  return hash.startsWith('sha-256:') && (mode === 'mirror' || (await isKept(database.reader, hash)));
}
