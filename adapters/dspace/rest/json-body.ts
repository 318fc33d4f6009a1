import type { HttpResponse } from '../../../src/core/adapter.ts';
import { BridgeError, refusal } from '../../../src/core/errors.ts';
import { asObject, type JsonObject } from './json-value.ts';
import { RestError, wordsOf } from './rest-error.ts';

/** Octets. Of larger pages (a hundred items of a thousand files each come to twenty million) fewer items are asked for. */
export const largestBody = 16 * 1024 * 1024;

/** Texts, numbers, arrays, objects: read, each takes some hundred octets, however short it is written. */
const mostValues = 200_000;

/** Levels of arrays and objects; embedded answers have been seen with twenty. */
const deepest = 100;

/** Without query: those are long, and the path says what was asked. */
export function shown(url: string): string {
  return url.replace(/[?#].*$/s, '').slice(0, 300);
}

/**
 * The object that a response holds; undefined: 204.
 * @throws RestError for HTTP errors that the service itself, or a gateway before it, reports; BridgeError
 *   `upstream-html`, `upstream-not-json`, `upstream-cut-off`, `response-too-large`
 */
export async function readJsonBody(response: HttpResponse): Promise<JsonObject | undefined> {
  const { status, headers } = response;
  const address = shown(response.url);
  try {
    if (status === 204) return undefined;
    const isHtml = /\bhtml\b/i.test(headers['content-type'] ?? '');
    if (status >= 200 && status < 300) {
      // A bot check answers 200 with a page.
      if (isHtml) throw htmlError(address, '');
      return parseObject(await readBytes(response), address);
    }
    if (!isHtml) throw await toRestError(response, address);
    // What a proxy refuses in its own name says nothing about the object that was asked for.
    if ([401, 403, 404].includes(status)) throw htmlError(address, ` (${status})`);
    throw new RestError(status, address, undefined);
  } finally {
    await response.discard();
  }
}

async function toRestError(response: HttpResponse, address: string): Promise<RestError> {
  let words: string | undefined;
  try {
    words = wordsOf(parseObject(await readBytes(response, 65_536), address));
  } catch {
    // The status says enough, whatever came with it.
  }
  return new RestError(response.status, address, words);
}

function htmlError(address: string, status: string): BridgeError {
  return refusal(
    'upstream-html',
    'answered-html',
    { url: address, wanted: `JSON${status}` },
    { retryable: true },
  );
}

async function readBytes({ body }: HttpResponse, limit = largestBody): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > limit)
      throw new BridgeError('response-too-large', `an answer has more than ${limit} octets`);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length);
}

function parseObject(bytes: Uint8Array, address: string): JsonObject {
  const { depth, values } = measure(bytes);
  if (values > mostValues) {
    throw new BridgeError('response-too-large', `${address} answered with more than ${mostValues} values`);
  }
  if (depth > deepest) {
    throw new BridgeError(
      'upstream-not-json',
      `${address} answered with JSON of more than ${deepest} levels`,
    );
  }
  const text = new TextDecoder().decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    if (/^\s*<(?:!doctype|html)/i.test(text)) throw htmlError(address, '');
    throw refusal('upstream-not-json', 'answered-no-json', { url: address }, { cause, retryable: true });
  }
  const object = asObject(value);
  if (object !== undefined) return object;
  throw refusal('upstream-not-json', 'answered-no-object', { url: address });
}

const [quote, backslash, comma, array, arrayEnd, object, objectEnd] = Buffer.from('"\\,[]{}');

/**
 * Before it is read: how many values it has, and how deep arrays and objects lie in one another. Whoever walks through
 * them later does so by recursion.
 */
function measure(bytes: Uint8Array): { readonly depth: number; readonly values: number } {
  let [depth, most, values] = [0, 0, 1];
  let inText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const octet = bytes[at];
    if (inText) {
      if (octet === backslash) at += 1;
      else if (octet === quote) inText = false;
    } else if (octet === quote) {
      inText = true;
    } else if (octet === comma) {
      values += 1;
    } else if (octet === object || octet === array) {
      depth += 1;
      values += 1;
      if (depth > most) most = depth;
    } else if (octet === objectEnd || octet === arrayEnd) {
      depth -= 1;
    }
  }
  return { depth: most, values };
}
