import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { HttpResponse } from '../../core/adapter.ts';
import { parseHttpDate } from '../../core/datetime.ts';
import type { SourcePort } from '../source-port.ts';

/** A document as it was answered, to be read once more while its server says that it is the same. */
export interface RememberedDocument {
  /** Where it came from, after redirects. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Raw deflate. */
  readonly packed: Uint8Array;
}

/** Where documents are remembered, by the address that was asked for. */
export interface DocumentMemory {
  find(uri: string): RememberedDocument | undefined;
  keep(uri: string, document: RememberedDocument): void;
  forget(uri: string): void;
}

/** Longer ones are lists, which are read once and not again and again; octets. */
const longestDocument = 4 * 1024 * 1024;
/** A `Last-Modified` this close to the moment of the answer may hide a second change in its second (RFC 9110, 8.8.2.2). */
const settledSeconds = 2;

/**
 * The same way out, by which a document that was read to its end is asked for only if it is another (`If-None-Match`,
 * else `If-Modified-Since`). Whoever has conditions of its own has them answered.
 */
export function rememberingPort(port: SourcePort, memory: DocumentMemory): SourcePort {
  return {
    get: async (uri, purpose, headers = {}) => {
      if (purpose !== 'document' || isConditional(headers)) return port.get(uri, purpose, headers);
      const known = memory.find(uri);
      const response = await port.get(uri, purpose, { ...headers, ...conditionsOf(known) });
      if (known !== undefined && response.status === 304) {
        await response.discard();
        return remembered(known, response);
      }
      if (known !== undefined) memory.forget(uri);
      const isKept = response.status === 200 && conditionsOf(response) !== undefined;
      return isKept ? { ...response, body: keeping(uri, response, memory) } : response;
    },
  };
}

function isConditional(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => /^if-/i.test(name));
}

/** What asks whether it is the same; undefined: nothing does. */
export function conditionsOf(
  answer: Pick<RememberedDocument, 'headers'> | undefined,
): Readonly<Record<string, string>> | undefined {
  const { etag, 'last-modified': modified, date } = answer?.headers ?? {};
  if (etag !== undefined) return { 'if-none-match': etag };
  const [modifiedAt, servedAt] = [modified, date].map((time) =>
    time === undefined ? undefined : parseHttpDate(time),
  );
  if (modified === undefined || modifiedAt === undefined || servedAt === undefined) return undefined;
  const age = (Date.parse(servedAt) - Date.parse(modifiedAt)) / 1000;
  return age < settledSeconds ? undefined : { 'if-modified-since': modified };
}

function remembered({ url, headers, packed }: RememberedDocument, response: HttpResponse): HttpResponse {
  // The clock is that of now, or none.
  const { date: _then, ...lasting } = headers;
  const { date } = response.headers;
  return {
    ...{ status: 200, url },
    headers: date === undefined ? lasting : { ...lasting, date },
    body: unpacked(packed),
    discard: async () => undefined,
  };
}

async function* unpacked(packed: Uint8Array): AsyncGenerator<Uint8Array> {
  yield inflateRawSync(packed);
}

/** Kept once its end has come. */
async function* keeping(
  uri: string,
  { body, url, headers }: HttpResponse,
  memory: DocumentMemory,
): AsyncGenerator<Uint8Array> {
  let chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length <= longestDocument) chunks.push(chunk);
    else chunks = [];
    yield chunk;
  }
  if (length <= longestDocument)
    memory.keep(uri, { url, headers, packed: deflateRawSync(Buffer.concat(chunks), { level: 1 }) });
}
