import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Clock } from '../core/adapter.ts';
import { BridgeError, describeError, isBridgeError } from '../core/errors.ts';
import type { Connections, Response } from './connections.ts';
import type { CredentialSource } from './credentials.ts';
import { isPassing, type Refused, readRefusal, refusalError } from './s3-answer.ts';
import { type Credentials, signedHeaders } from './signature.ts';

/** One request to the object storage, signed, sent until it is answered. */
export interface Exchange {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Made anew for each attempt. */
  readonly body?: { readonly length: number; open(): AsyncIterable<Uint8Array> } | undefined;
  /** SHA-256 of the body in hex. */
  readonly payloadHash: string;
  /** What is to be done, for people: `to write blobs/…`. */
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
  /** Whether an answer that is no success is one all the same; others are errors. */
  accepts?(refused: Refused): boolean;
}

export type Answer =
  | {
      readonly kind: 'ok';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: Readable;
      /** Attempts before this one: they may have been carried out without our being told. */
      readonly failures: number;
    }
  | { readonly kind: 'refused'; readonly refused: Refused; readonly failures: number };

export interface ExchangeDeps {
  readonly connections: Connections;
  readonly credentials: CredentialSource;
  readonly region: string;
  readonly place: string;
  readonly clock: Clock;
  readonly attempts: number;
}

/** SHA-256 of nothing. */
export const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const firstWaitMs = 200;
const longestWaitMs = 10_000;

/**
 * @throws BridgeError `objects-unavailable` when all attempts have failed, `objects-refused` when a person has to do
 * something; what aborted the signal
 */
export async function exchange(deps: ExchangeDeps, asked: Exchange): Promise<Answer> {
  const { signal } = asked;
  let renewed = false;
  for (let failures = 0; ; failures += 1) {
    signal?.throwIfAborted();
    const used = deps.credentials.current();
    const outcome = await attempt(deps, asked, used).catch((error: unknown) => ({ error }));
    signal?.throwIfAborted();
    if ('body' in outcome) return { kind: 'ok', ...outcome, failures };
    if ('error' in outcome) {
      const { error } = outcome;
      if (isBridgeError(error) && !error.retryable) throw error;
      if (failures + 1 >= deps.attempts) throw unreachable(deps, asked, error);
    } else {
      const { refused } = outcome;
      // An error that is temporary is asked about again, whatever the request would make of it.
      const passing = isPassing(refused);
      if (!passing && asked.accepts?.(refused)) return { kind: 'refused', refused, failures };
      // Others may have replaced them while this was under way.
      const mayBeRenewed = refused.status === 403 && !renewed && deps.credentials.current() !== used;
      if (mayBeRenewed) {
        renewed = true;
        continue;
      }
      if (!passing || failures + 1 >= deps.attempts)
        throw refusalError(refused, asked.what, deps.place, deps.clock.now());
    }
    const milliseconds = waitAfter(failures, 'refused' in outcome ? outcome.refused : undefined);
    await deps.clock.sleep(milliseconds, signal);
  }
}

async function attempt(
  deps: ExchangeDeps,
  { method, url, headers = {}, body, payloadHash, signal }: Exchange,
  credentials: Credentials,
): Promise<Response | { refused: Refused }> {
  const signing = { credentials, region: deps.region, now: deps.clock.now() };
  const signed = signedHeaders({ method, url, headers, payloadHash }, signing);
  const response = await deps.connections.send({
    method,
    url,
    headers: { ...signed, ...(body ? { 'content-length': String(body.length) } : {}) },
    body: body?.open(),
    signal,
  });
  const { status } = response;
  if (status >= 200 && status < 300) return response;
  try {
    return { refused: await readRefusal(status, response.headers, response.body) };
  } finally {
    response.body.destroy();
  }
}

/** Longer each time, by a share that differs from process to process; or as long as we are asked to. */
function waitAfter(failures: number, refused: Refused | undefined): number {
  const asked = Number(refused?.headers['retry-after']);
  if (Number.isFinite(asked) && asked > 0) return Math.min(asked * 1000, longestWaitMs);
  const longest = Math.min(firstWaitMs * 2 ** failures, longestWaitMs);
  return Math.round(longest * (0.5 + Math.random() / 2));
}

function unreachable({ place }: ExchangeDeps, { what }: Exchange, cause: unknown): BridgeError {
  const message = `${place} does not answer ${what}: ${describeError(cause)}`;
  return new BridgeError('objects-unavailable', message, { cause, retryable: true });
}
