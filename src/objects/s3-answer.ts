import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { BridgeError } from '../core/errors.ts';

/** What the object storage answered, when it is no object: XML from outside, of which little is believed. */
export interface Refused {
  readonly status: number;
  /** Its own word, such as `NoSuchKey`; undefined where it says none. */
  readonly code: string | undefined;
  /** Its own sentence, for people. */
  readonly message: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

const parser = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  trimValues: false,
  isArray: (name) => name === 'Contents',
});

/** @returns undefined for what is not XML, or carries a DOCTYPE */
export function parseAnswer(text: string): Record<string, unknown> | undefined {
  if (text.includes('<!DOCTYPE') || XMLValidator.validate(text) !== true) return undefined;
  return parser.parse(text) as Record<string, unknown>;
}

/** A text below these elements. */
export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return typeof found === 'string' ? found : undefined;
}

/** At most so many octets of a body; the rest is not waited for. */
export async function readSome(body: Readable, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length > limit) break;
    }
  } catch (error) {
    if (length === 0) throw error;
  }
  return Buffer.concat(chunks).subarray(0, limit).toString('utf8');
}

export async function readRefusal(
  status: number,
  headers: IncomingHttpHeaders,
  body: Readable,
): Promise<Refused> {
  const answer = parseAnswer(await readSome(body, 65_536).catch(() => ''));
  const code = textAt(answer, 'Error', 'Code')?.trim();
  const message = textAt(answer, 'Error', 'Message')
    ?.replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 300);
  return { status, code: /^[A-Za-z0-9.]{1,64}$/.test(code ?? '') ? code : undefined, message, headers };
}

/** Asking again may help. */
export function isPassing({ status, code }: Refused): boolean {
  if (status === 429 || (status >= 500 && status !== 501)) return true;
  return code === 'RequestTimeout' || code === 'SlowDown' || code === 'OperationAborted';
}

const wrongCredentials = new Set([
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'InvalidToken',
  'TokenRefreshRequired',
]);

/** @param what was to be done, for people: `to write blobs/…` */
export function refusalError(refused: Refused, what: string, place: string, now: Date): BridgeError {
  const { status, code, message, headers } = refused;
  const said = [code ?? `HTTP ${status}`, message].filter(Boolean).join(': ');
  if (isPassing(refused)) {
    return new BridgeError('objects-unavailable', `${place} is not able ${what} now (${said})`, {
      retryable: true,
    });
  }
  if (code === 'RequestTimeTooSkewed') {
    const theirs = Date.parse(headers.date ?? '');
    const seconds = Math.round((now.getTime() - theirs) / 1000);
    const by = Number.isFinite(seconds)
      ? ` by ${Math.abs(seconds)} seconds (it is ${now.toISOString()} here)`
      : '';
    return new BridgeError(
      'objects-refused',
      `the clock of this machine differs${by} from that of ${place}, which refuses ${what}; set it right (NTP)`,
    );
  }
  if (code === 'NoSuchBucket')
    return new BridgeError('objects-refused', `there is no bucket for ${place} (${said})`);
  if (wrongCredentials.has(code ?? ''))
    return new BridgeError('objects-refused', `${place} does not accept the credentials (${said})`);
  if (status === 401 || status === 403)
    return new BridgeError('objects-refused', `${place} does not allow ${what} (${said})`);
  if (status >= 300 && status < 400) {
    const other = 'it belongs to another region or address';
    return new BridgeError('objects-refused', `${place} sends us elsewhere ${what}: ${other} (${said})`);
  }
  return new BridgeError('objects-refused', `${place} refuses ${what} (${said})`);
}
