import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { countOf } from '../../core/count-of.ts';
import { isBridgeError, refusal } from '../../core/errors.ts';

/** Whenever so many seconds were spent waiting, so many bytes have to have come for each of them. */
export interface SlowestRate {
  readonly graceSeconds: number;
  readonly bytesPerSecond: number;
}

export interface BodyLimits {
  readonly maxBytes: number;
  /** False: it is taken as it comes. */
  readonly mayBeGzip: boolean;
  readonly slowestRate: SlowestRate | undefined;
}

/**
 * A response's body with its gzip coding removed, recognised by its magic number: some servers compress
 * without saying so, others say so and do not (quirk 35).
 */
export async function* decodedBody(
  raw: Readable,
  url: string,
  { maxBytes, mayBeGzip, slowestRate }: BodyLimits,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    let length = 0;
    const paced = slowestRate === undefined ? raw : paceOf(raw, url, slowestRate);
    for await (const chunk of mayBeGzip ? gunzipped(paced) : paced) {
      length += chunk.byteLength;
      if (length > maxBytes) {
        throw refusal('response-too-large', 'larger-than-allowed', { url, bytes: maxBytes });
      }
      yield chunk;
    }
  } catch (error) {
    if (isBridgeError(error) || (error instanceof Error && error.name === 'AbortError')) throw error;
    // A coding that breaks midway (quirk 35) is no wire that broke: asking for identity may help.
    const what = isCodingError(error) ? 'coding-broken' : 'ended-early';
    throw refusal('upstream-cut-off', what, { url }, { cause: error, retryable: true });
  } finally {
    raw.on('error', () => undefined);
    raw.destroy();
  }
}

function isCodingError(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && code.startsWith('Z_');
}

/**
 * A server that sends a byte now and then would hold us for ever; one that sends nothing is left by its timeout. What
 * counts is the time that we wait for it, not what we do in between; and a single pause, in which it may be
 * computing, counts for no more than a quarter of the time after which it is judged.
 */
export async function* paceOf(
  raw: AsyncIterable<Uint8Array>,
  url: string,
  { graceSeconds, bytesPerSecond }: SlowestRate,
): AsyncGenerator<Uint8Array, void, undefined> {
  let waited = 0;
  let length = 0;
  let since = performance.now();
  for await (const chunk of raw) {
    waited += Math.min((performance.now() - since) / 1000, graceSeconds / 4);
    length += chunk.byteLength;
    if (waited >= graceSeconds) {
      if (length < waited * bytesPerSecond) {
        const pace = `${countOf(length, 'byte')} in ${countOf(Math.round(waited), 'second')}`;
        throw refusal('upstream-too-slow', 'came-too-slowly', { url, pace }, { retryable: true });
      }
      waited = 0;
      length = 0;
    }
    yield chunk;
    since = performance.now();
  }
}

async function* gunzipped(raw: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = raw[Symbol.asyncIterator]();
  const [head, ended] = await readHead(chunks);
  const all = rejoin(head, ended, chunks);
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    yield* all;
    return;
  }
  const gunzip = createGunzip();
  const pumping = pipeline(all, gunzip);
  pumping.catch(() => undefined);
  yield* gunzip as AsyncIterable<Uint8Array>;
  await pumping;
}

/** The first two bytes may come one by one. */
async function readHead(chunks: AsyncIterator<Uint8Array>): Promise<[Uint8Array, boolean]> {
  let head: Uint8Array = new Uint8Array();
  while (head.byteLength < 2) {
    const next = await chunks.next();
    if (next.done) return [head, true];
    head = head.byteLength === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  return [head, false];
}

async function* rejoin(
  head: Uint8Array,
  ended: boolean,
  chunks: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (head.byteLength > 0) yield head;
  while (!ended) {
    const next = await chunks.next();
    if (next.done) return;
    yield next.value;
  }
}
