import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type UpstreamFile,
  UpstreamFileError,
  type UpstreamFileRequest,
  type UpstreamFiles,
} from '../../core/files/upstream-files.ts';
import type { StoredResource } from '../../store/reading/resources.ts';
import type { ServerDeps } from '../deps.ts';
import { Refusal } from '../http/errors.ts';
import { goneSignal } from '../http/gone.ts';
import { fileName } from './file-headers.ts';

type Asked = Pick<StoredResource, 'source' | 'path' | 'upstreamUrl' | 'mediaType' | 'length'>;

/**
 * In mode `proxy` a repository is asked whenever somebody wants a file: bytes of it that are still here, from another mode, are
 * handed out while it hands out the file, and a refusal counts as any other.
 * @throws Refusal, UpstreamFileError: it does not, or nobody knows
 */
export async function refuseUnlessShown(
  deps: Pick<ServerDeps, 'fileMode' | 'upstreamFiles' | 'clientOf' | 'noteRefusal'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { source, path, upstreamUrl: url, mediaType, length }: Asked,
): Promise<void> {
  if (deps.fileMode(source) !== 'proxy') return;
  if (url === undefined || !deps.upstreamFiles) throw new Refusal('not-found', 'this file is not served');
  const stated = { name: fileName(path), mediaType, length };
  const client = deps.clientOf?.(request.raw);
  try {
    await lookAt(deps.upstreamFiles, { source, url, client, stated }, goneSignal(reply.raw));
  } catch (error) {
    if (error instanceof UpstreamFileError && error.refusal)
      await deps.noteRefusal?.(source, url, error.refusal);
    throw error;
  }
}

/**
 * As much as shows that it is handed out.
 * @throws UpstreamFileError: it is not, or nobody knows
 */
export async function lookAt(
  upstream: UpstreamFiles,
  file: Pick<UpstreamFileRequest, 'source' | 'url' | 'client' | 'stated'>,
  signal: AbortSignal,
): Promise<UpstreamFile> {
  const found = await upstream.open({ ...file, method: 'GET', range: 'bytes=0-0' }, signal);
  if (found.kind === 'content') found.body.destroy();
  return found;
}
