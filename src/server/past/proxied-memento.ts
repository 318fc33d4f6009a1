import type { FastifyReply, FastifyRequest } from 'fastify';
import { webUrl } from '../../core/addresses/web-url.ts';
import { UpstreamFileError } from '../../core/files/upstream-files.ts';
import type { Memento } from '../../core/time/timeline.ts';
import type { ResourceHistory } from '../../store/history/timelines.ts';
import type { ServerDeps } from '../deps.ts';
import { sendProxiedFile } from '../files/proxied-file.ts';
import { Refusal } from '../http/errors.ts';

/**
 * A version of a file that its repository has, handed through as the file itself is: the one that is current, or one
 * of the item's own history. What comes has to have the length of then; it is kept by nobody, because nobody here
 * answers for its staying the same.
 */
export async function sendProxiedMemento(
  deps: ServerDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { source, path, upstreamUrl }: ResourceHistory,
  { elsewhere = '', datetime, mediaType, length, hash }: Memento,
): Promise<FastifyReply> {
  const url = webUrl(elsewhere)?.href;
  if (url === undefined || !deps.upstreamFiles) throw new Refusal('not-found', 'this file is not served');
  const resource = { source, path, mediaType, length, hash, lastmod: datetime };
  const file = { resource, url, link: undefined, onlyAsStated: true };
  try {
    return await sendProxiedFile(deps, deps.upstreamFiles, request, reply, file);
  } catch (error) {
    if (!(error instanceof UpstreamFileError) || !error.refusal) throw error;
    if (elsewhere !== upstreamUrl)
      throw new Refusal('not-found', 'the repository does not serve this version any more');
    await deps.noteRefusal?.(source, elsewhere, error.refusal);
    throw error;
  }
}
