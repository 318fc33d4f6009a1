import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { request } from 'undici';
import type { AdapterContext, Http, HttpResponse } from '../../src/core/adapter.ts';
import { BridgeError } from '../../src/core/errors.ts';

/** As little of the outgoing HTTP port as an adapter needs. */
export const http: Http = {
  async get(url, options): Promise<HttpResponse> {
    const response = await request(url, { signal: options.signal, headers: { ...options.headers } });
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(response.headers)) headers[name] = String(value);
    const raw: Readable = response.body;
    const body = headers['content-encoding'] === 'gzip' ? raw.pipe(createGunzip()) : raw;
    if (body !== raw) raw.on('error', (error) => body.destroy(error));
    return {
      status: response.statusCode,
      url,
      headers,
      body: cutOff(body),
      discard: async () => {
        raw.destroy();
        body.destroy();
      },
    };
  },
};

async function* cutOff(body: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    throw new BridgeError('upstream-cut-off', 'The connection ended early.', { cause, retryable: true });
  }
}

export interface ContextDouble extends AdapterContext {
  readonly sleeps: number[];
  /** The fields of every line that was logged, with its message. */
  readonly logged: object[];
}

/** A clock that stands still and remembers how long it was asked to sleep. */
export function createContext(now = '2026-11-21T12:00:00Z'): ContextDouble {
  const sleeps: number[] = [];
  const logged: object[] = [];
  const note = (fields: object, message: string) => {
    logged.push({ ...fields, message });
  };
  return {
    http,
    sleeps,
    logged,
    log: { debug: note, info: note, warn: note, error: note },
    clock: {
      now: () => new Date(now),
      sleep: async (milliseconds) => {
        sleeps.push(milliseconds);
      },
    },
  };
}
