import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { request } from 'undici';
import type { AdapterContext, Http, HttpOptions, HttpResponse } from '../../../src/core/adapter.ts';
import { BridgeError } from '../../../src/core/errors.ts';
import { createLessonBook } from '../../../src/harvest/lessons.ts';

/** As little of the outgoing HTTP port as an adapter needs. */
export const http: Http = {
  get: (url, options) => exchange('GET', url, options),
  head: (url, options) => exchange('HEAD', url, options),
  post: (url, form, options) => exchange('POST', url, options, form),
};

async function exchange(
  method: 'GET' | 'HEAD' | 'POST',
  url: string,
  options: HttpOptions,
  form?: URLSearchParams,
): Promise<HttpResponse> {
  {
    const response = await request(url, {
      method,
      // A connection that was kept alive is closed by the server after some seconds, on a busy machine just when it
      // is used again. The real port tries once more then; here each request has its own.
      reset: true,
      signal: options.signal,
      headers: {
        ...options.headers,
        ...options.credentials,
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form && { body: form.toString() }),
    });
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
        // A body that nobody has read complains of being left.
        raw.on('error', () => undefined);
        raw.destroy();
        body.destroy();
      },
    };
  }
}

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
    lessons: createLessonBook({ now: () => new Date(now) }),
    log: { debug: note, info: note, warn: note, error: note },
    clock: {
      now: () => new Date(now),
      sleep: async (milliseconds) => {
        sleeps.push(milliseconds);
      },
    },
  };
}
