import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toIso } from '../../../core/datetime.ts';
import { failure } from '../../../core/errors.ts';
import {
  freeKey,
  holdKey,
  type KeptAnswer,
  keepAnswer,
  type RequestKey,
  takeKey,
} from '../../../store/admin/kept-answers.ts';
import { Refusal } from '../../http/errors.ts';
import type { AdminServer } from './admin-server.ts';
import { visitorOf } from './visitor.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its answer has a secret that is told once: it is not kept. */
    tellsSecret?: boolean;
  }
}

/** A longer answer is not kept, in UTF-16 units. */
const longestBody = 256 * 1024;
/** So often it is said that a request is still being answered. */
const holdMs = 20_000;

/**
 * What changes something can be sent again with its `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): it is
 * done once, and answered in the same way for 24 hours. What failed on our side (5xx) may be tried again.
 */
export function installIdempotency(app: FastifyInstance, deps: AdminServer): void {
  const { database } = deps;
  const held = new WeakMap<FastifyRequest, { readonly of: RequestKey; readonly sign: NodeJS.Timeout }>();
  const signs = new Set<NodeJS.Timeout>();
  const now = () => toIso(new Date(deps.clock.now().getTime() - database.aheadMs));

  // Behind the guard and the schema: what is refused there has done nothing, and takes no key.
  app.addHook('preHandler', async (request, reply) => {
    const given = request.headers['idempotency-key'];
    if (given === undefined || !request.routeOptions.config?.acts) return undefined;
    const of = { who: ownerOf(request), key: readKey(given) };
    const state = await takeKey(database, of, fingerprintOf(request), now());
    if (state === 'other') throw new Refusal('key-reused', 'another request had this Idempotency-Key');
    if (state === 'busy')
      throw new Refusal('key-busy', 'the first request with this Idempotency-Key is not answered yet', {
        'retry-after': '5',
      });
    if (state !== 'new') return sendAgain(reply, state);
    const sign = setInterval(() => {
      // Where it cannot be said, the key is free after a minute.
      holdKey(database, of, now()).catch((error: unknown) =>
        request.log.debug({ ...failure(error) }, 'not said that a request is being answered'),
      );
    }, holdMs).unref();
    signs.add(sign);
    held.set(request, { of, sign });
    return undefined;
  });

  app.addHook('onSend', async (request, reply, payload) => {
    const own = held.get(request);
    if (!own) return payload;
    held.delete(request);
    clearInterval(own.sign);
    signs.delete(own.sign);
    try {
      if (reply.statusCode >= 500) await freeKey(database, own.of);
      else await keepAnswer(database, own.of, answerOf(request, reply, payload), now());
    } catch (error) {
      // What was done is done, and this answer says so.
      request.log.warn(
        { ...failure(error) },
        'an answer could not be kept: sent again, its request is answered anew',
      );
    }
    return payload;
  });
  app.addHook('onClose', async () => {
    for (const sign of signs) clearInterval(sign);
  });
}

/** Tokens are known by their numbers: two may have one name. */
function ownerOf(request: FastifyRequest): string {
  const { token, account } = visitorOf(request);
  return token === undefined ? `account ${account}` : `token ${token}`;
}

/**
 * A string as RFC 9651 writes it, or one without quotes, as many clients send it.
 * @throws Refusal
 */
function readKey(given: string | string[]): string {
  const text = String(given).trim();
  const [, quoted] = /^"((?:[ !#-[\]-~]|\\["\\])+)"$/.exec(text) ?? [];
  const key = quoted?.replace(/\\(["\\])/g, '$1') ?? /^[\w.~:+/=-]+$/.exec(text)?.[0];
  if (key === undefined || key.length > 255)
    throw new Refusal(
      'bad-request',
      '`Idempotency-Key` takes one string of 1 to 255 characters, best a UUID: "8e03978e-40d5-43e8-bc93-6894a57f9324"',
    );
  return key;
}

/** Of what was asked for; how its JSON is spaced does not matter. */
function fingerprintOf({ method, url, headers, body }: FastifyRequest): string {
  const asked = [method, url, headers['if-match'] ?? '', JSON.stringify(body ?? null)];
  return createHash('sha256').update(asked.join('\n')).digest('base64url');
}

function answerOf(request: FastifyRequest, reply: FastifyReply, payload: unknown): KeptAnswer {
  const text = (name: string) => {
    const value = reply.getHeader(name);
    return value === undefined ? undefined : String(value);
  };
  const body = payload === undefined || payload === null ? '' : bodyOf(payload);
  const isSecret = request.routeOptions.config?.tellsSecret === true && reply.statusCode < 300;
  return {
    status: reply.statusCode,
    ...{ location: text('location'), etag: text('etag'), mediaType: text('content-type') },
    body: isSecret || body === undefined || body.length > longestBody ? undefined : body,
  };
}

function bodyOf(payload: unknown): string | undefined {
  if (typeof payload === 'string') return payload;
  return Buffer.isBuffer(payload) ? payload.toString('utf8') : undefined;
}

function sendAgain(reply: FastifyReply, answer: KeptAnswer): FastifyReply {
  const { status, location, etag, mediaType, body } = answer;
  if (body === undefined)
    throw new Refusal(
      'answer-not-kept',
      `this was done (${status}) when it was sent first; its answer is not told again, as it holds a secret or is long`,
    );
  reply.code(status).header('idempotent-replayed', 'true');
  if (location !== undefined) reply.header('location', location);
  if (etag !== undefined) reply.header('etag', etag);
  if (status === 204) return reply.send();
  if (mediaType !== undefined) reply.header('content-type', mediaType);
  // As bytes: nothing is added to its media type.
  return reply.send(Buffer.from(body));
}
