import { STATUS_CODES } from 'node:http';

/** A request as nearly all are written: GET, nothing behind its head, each field once. */
export interface PlainRequest {
  /** A path, as it came, without a query. */
  readonly target: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface PlainAnswer {
  readonly status: number;
  /** Names and values in turns. One of them is `Content-Length`, but for 304. */
  readonly headers: readonly string[];
  /** A text has its octets as the characters that they are in Latin-1. */
  readonly body: string | Buffer | undefined;
}

const start = /^GET (\/[A-Za-z0-9\-._~:/%]*) HTTP\/1\.1$/;
const field = /^([A-Za-z0-9-]+): ?([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/;
/** Longer than what programs say. */
const longest = 4096;

/**
 * Of what came of a connection at once.
 * @returns undefined where it is not exactly one such request: whatever else it may be, Node's own parser says what it is
 */
export function readPlain(octets: Buffer): PlainRequest | undefined {
  if (octets.byteLength > longest) return undefined;
  const text = octets.toString('latin1');
  if (!text.endsWith('\r\n\r\n')) return undefined;
  let end = text.indexOf('\r\n');
  const target = start.exec(text.slice(0, end))?.[1];
  if (target === undefined) return undefined;
  const headers: Record<string, string> = {};
  while (end < text.length - 4) {
    const from = end + 2;
    end = text.indexOf('\r\n', from);
    // A line that is empty is none: behind it is another request, or a body.
    const [, name, value] = field.exec(text.slice(from, end)) ?? [];
    if (name === undefined || value === undefined) return undefined;
    const known = name.toLowerCase();
    if (known in headers) return undefined;
    headers[known] = value;
  }
  const { host, connection = 'keep-alive' } = headers;
  return host !== undefined && /^keep-alive$/i.test(connection) ? { target, headers } : undefined;
}

/** The head of an answer as Node writes it. @param keepAliveSeconds how long the connection is kept when nothing comes */
export function writeHead({ status, headers }: PlainAnswer, keepAliveSeconds: number): string {
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
  for (let at = 0; at < headers.length; at += 2) text += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return `${text}Date: ${httpDateNow()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`;
}

let lastDate = { second: Number.NaN, text: '' };

function httpDateNow(): string {
  const now = Date.now();
  const second = Math.floor(now / 1000);
  if (second !== lastDate.second) lastDate = { second, text: new Date(now).toUTCString() };
  return lastDate.text;
}
