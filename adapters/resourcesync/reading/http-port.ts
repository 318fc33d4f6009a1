import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createDeflateRaw, createInflateRaw } from 'node:zlib';
import type { Http, HttpResponse } from '../../../src/core/adapter.ts';
import type { SourcePort } from '../../../src/resourcesync/source-port.ts';

/** A list has 50 MB at most, and Sources write longer ones. */
const maximumDocumentBytes = 68 * 1024 * 1024;
/** XML and JSON that is longer is a file (`items/role.ts`). */
export const maximumPayloadBytes = 64 * 1024 * 1024;

/** The polite way out as the reader of Sources knows it. */
export function sourcePort(http: Http, signal: AbortSignal): SourcePort {
  return {
    get: (uri, purpose, headers = {}) =>
      http.get(uri, {
        signal,
        headers: { 'accept-encoding': purpose === 'document' ? 'gzip' : 'identity', ...headers },
        decode: purpose === 'document' ? 'sniffed' : 'declared',
        maxBytes: purpose === 'document' ? maximumDocumentBytes : maximumPayloadBytes,
      }),
  };
}

/**
 * The same, with each document taken whole, packed in memory, before it is read: whoever fetches what a list names
 * between two of its entries would keep its server waiting, and the place at the host that the list has.
 */
export function spoolingPort(port: SourcePort): SourcePort {
  return {
    get: async (uri, purpose, headers) => {
      const response = await port.get(uri, purpose, headers);
      return purpose === 'document' && response.status === 200 ? spooled(response) : response;
    },
  };
}

async function spooled(response: HttpResponse): Promise<HttpResponse> {
  const packed: Uint8Array[] = [];
  await pipeline(response.body, createDeflateRaw({ level: 1 }), async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) packed.push(chunk);
  });
  return {
    ...response,
    body: Readable.from(packed).pipe(createInflateRaw()),
    discard: async () => undefined,
  };
}
