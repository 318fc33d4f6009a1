import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { countOf } from '../../core/count-of.ts';
import { earlier, toHttpDate } from '../../core/datetime.ts';
import { type ConditionalRequest, decide, type Validators } from './conditions.ts';
import { Refusal } from './errors.ts';
import { isGone } from './gone.ts';
import { varyBy } from './negotiation.ts';

/** Bytes with validators: a published document or a resource. Validators, caching and ranges are here alone. */
export interface ServedRepresentation extends Validators {
  readonly mediaType: string;
  readonly cacheControl: string;
  /** Absent where there is nothing to negotiate. */
  readonly coding?: 'gzip' | 'identity';
  /** Sent with the representation and its parts, not with a 304. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where whoever asks for bytes is sent instead, for a while; undefined: they come from here. */
  redirect?(): Promise<string | undefined>;
  /** Throws what `open` would: HEAD has the headers of GET (HC-07), those of a failure, too. */
  check?(): Promise<void>;
  /** Bytes from `start` up to, not including, `end`. */
  open(start: number, end: number): Readable | Promise<Uint8Array | Readable>;
}

export async function sendRepresentation(
  request: FastifyRequest,
  reply: FastifyReply,
  given: ServedRepresentation,
  now: string,
): Promise<FastifyReply> {
  // HC-01: never later than Date, even while the machine's clock is behind what it was.
  const representation = { ...given, lastModified: earlier(given.lastModified, now) };
  const { length, coding } = representation;
  if (coding !== undefined) varyBy(reply, 'Accept-Encoding');
  const decision = decide({ method: request.method, headers: request.headers, now }, representation);
  switch (decision.kind) {
    case 'precondition-failed':
      throw new Refusal(
        'precondition-failed',
        'the current version does not meet the condition of the request (If-Match, If-Unmodified-Since)',
      );
    case 'range-not-satisfiable':
      throw new Refusal('range-not-satisfiable', `the representation has ${countOf(length, 'byte')}`, {
        'content-range': `bytes */${length}`,
      });
    case 'not-modified':
      // HC-02: nothing but what a cache needs to go on using what it has.
      return reply.code(304).headers(cacheHeaders(representation)).send();
    case 'whole': {
      const elsewhere = await elsewhereOf(request, representation);
      if (elsewhere !== undefined) return sendElsewhere(reply, representation, elsewhere);
      reply.headers(entityHeaders(representation, length));
      return sendBytes(request, reply, representation, 0, length);
    }
    case 'part': {
      const { start, end } = decision;
      const elsewhere = await elsewhereOf(request, representation);
      if (elsewhere !== undefined) return sendElsewhere(reply, representation, elsewhere);
      reply.code(206).headers(entityHeaders(representation, end - start));
      reply.header('content-range', `bytes ${start}-${end - 1}/${length}`);
      return sendBytes(request, reply, representation, start, end);
    }
  }
}

/** HEAD is answered here: that its headers are ours is what it is asked for. */
function elsewhereOf(
  { method }: FastifyRequest,
  representation: ServedRepresentation,
): Promise<string | undefined> | undefined {
  return method === 'HEAD' ? undefined : representation.redirect?.();
}

/** The address is a secret that whoever may have the bytes is told: no cache keeps it. */
function sendElsewhere(
  reply: FastifyReply,
  { headers }: ServedRepresentation,
  location: string,
): FastifyReply {
  return reply
    .code(307)
    .headers({ ...headers, location, 'cache-control': 'private, no-store' })
    .send();
}

/**
 * Status and headers of the whole representation, or of what says that it is as it was: what `sendRepresentation` sends
 * of a request that asks for no part of it. Undefined: a condition is not met.
 */
export function wholeHeaders(
  request: ConditionalRequest,
  given: ServedRepresentation,
): { readonly status: 200 | 304; readonly headers: Record<string, string> } | undefined {
  const representation = { ...given, lastModified: earlier(given.lastModified, request.now) };
  switch (decide(request, representation).kind) {
    case 'not-modified':
      return { status: 304, headers: cacheHeaders(representation) };
    case 'whole':
      return { status: 200, headers: entityHeaders(representation, representation.length) };
    default:
      return undefined;
  }
}

function cacheHeaders({ etag, cacheControl, headers }: ServedRepresentation): Record<string, string> {
  const policy = headers?.['content-security-policy'];
  const said: Record<string, string> = { etag, 'cache-control': cacheControl };
  // A cache takes over what a 304 says: without its own policy, that would be the one of everything.
  if (policy !== undefined) said['content-security-policy'] = policy;
  return said;
}

function entityHeaders(representation: ServedRepresentation, length: number): Record<string, string> {
  const { mediaType, lastModified, coding, headers = {} } = representation;
  const said = cacheHeaders(representation);
  said['content-type'] = mediaType;
  said['content-length'] = String(length);
  said['last-modified'] = toHttpDate(lastModified);
  said['accept-ranges'] = 'bytes';
  if (coding === 'gzip') said['content-encoding'] = 'gzip';
  for (const name in headers) said[name] = headers[name] ?? '';
  return said;
}

/** HEAD opens nothing that stays open. */
async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  representation: ServedRepresentation,
  start: number,
  end: number,
): Promise<FastifyReply> {
  if (request.method === 'HEAD') {
    await representation.check?.();
    return reply.send();
  }
  // Whoever asked may go while we look for it, and while we open it.
  if (isGone(reply.raw)) return reply.hijack();
  const bytes = await representation.open(start, end);
  if (isGone(reply.raw)) {
    if ('destroy' in bytes) bytes.destroy();
    return reply.hijack();
  }
  return reply.send(
    bytes instanceof Uint8Array ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : bytes,
  );
}
