import type { FastifyReply, FastifyRequest } from 'fastify';
import { toIso } from '../../core/datetime.ts';
import type { PublishedDocument } from '../../publish/published/publication.ts';
import type { ServerDeps } from '../deps.ts';
import { documentRepresentation } from '../http/document-representation.ts';
import { documentPolicy } from '../http/document-stylesheet.ts';
import { sendRepresentation } from '../http/representation.ts';

/**
 * Sends a document as a memento.
 * @param headers of Memento, with what `Cache-Control` it may have
 */
export function sendDocument(
  { baseUrl, clock }: Pick<ServerDeps, 'baseUrl' | 'clock'>,
  document: PublishedDocument,
  request: FastifyRequest,
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
): Promise<FastifyReply> {
  reply.header('content-security-policy', documentPolicy(baseUrl));
  const representation = documentRepresentation(document, request.headers['accept-encoding']);
  const cacheControl = headers['cache-control'] ?? 'no-cache';
  return sendRepresentation(request, reply, { ...representation, cacheControl }, toIso(clock.now()));
}
