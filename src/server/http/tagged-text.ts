import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { matches } from './conditions.ts';
import { Refusal } from './errors.ts';

/** Of what is made anew for each request: the same tag as long as it says the same. */
export function tagOf(text: string | Uint8Array, kind: 'strong' | 'weak'): string {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 32);
  return `${kind === 'weak' ? 'W/' : ''}"${digest}"`;
}

/**
 * Sends such a text, unless whoever asks has it already.
 * @throws Refusal `precondition-failed`
 */
export function sendTagged(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { etag, body }: { readonly etag: string; readonly body: string | Buffer },
): FastifyReply {
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined && !matches(ifMatch, etag, 'strong')) {
    throw new Refusal(
      'precondition-failed',
      'the current version does not meet the condition of the request (If-Match, If-Unmodified-Since)',
    );
  }
  reply.header('etag', etag);
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, etag, 'weak')) {
    return reply.removeHeader('content-type').code(304).send();
  }
  return reply.send(body);
}
