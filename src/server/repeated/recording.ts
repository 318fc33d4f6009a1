import type { ServerResponse } from 'node:http';
import type { GivenAnswer } from './answer-memory.ts';
import { groundsOf } from './grounds.ts';

/** What it is worth to be told again: errors are made anew each time. */
const repeatedStatuses: ReadonlySet<number> = new Set([200, 302, 304]);

/**
 * Writes down what goes out, if whoever makes it says that it may be repeated.
 * @param keep is given the answer when its last byte has been handed over
 */
export function record(response: ServerResponse, keep: (answer: GivenAnswer) => void): void {
  const { writeHead, end } = response;
  let said: { readonly status: number; readonly headers: string[] } | undefined;
  response.writeHead = ((status: number, ...rest: readonly unknown[]) => {
    const headers = groundsOf(response) && repeatedStatuses.has(status) ? toPairs(rest) : undefined;
    said = headers && { status, headers };
    return Reflect.apply(writeHead, response, [status, ...rest]);
  }) as typeof writeHead;
  response.end = ((...given: readonly unknown[]) => {
    const [body] = given;
    const grounds = groundsOf(response);
    // A stream writes before it ends.
    const isWhole = (Buffer.isBuffer(body) || body == null) && !response.headersSent === !said;
    if (said && grounds && isWhole)
      keep({ ...said, grounds, body: Buffer.isBuffer(body) ? body : undefined });
    return Reflect.apply(end, response, isWhole && body != null ? [atOnce(body), 'latin1'] : given);
  }) as typeof end;
}

/** What is longer is not worth the copy. */
const mostAtOnce = 65_536;

/**
 * Octets as the characters that they are in Latin-1, to be sent with that as their encoding: Node puts such a text behind the
 * headers and writes both at once; of octets it makes two writes, which take a tenth of a short request.
 */
export function atOnce(body: Buffer | undefined): Buffer | string | undefined;
export function atOnce(body: unknown): unknown;
export function atOnce(body: unknown): unknown {
  return Buffer.isBuffer(body) && body.byteLength <= mostAtOnce ? body.toString('latin1') : body;
}

function toPairs(given: readonly unknown[]): string[] | undefined {
  const headers = given.length === 1 ? given[0] : undefined;
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) return undefined;
  const pairs = Object.entries(headers).flat();
  return pairs.every((one): one is string => typeof one === 'string') ? pairs : undefined;
}
