import { BridgeError } from '../../../src/core/errors.ts';
import type { JsonObject } from './json-value.ts';

/** An answer that is an HTTP error, in the server's own words: code `upstream-status`. */
export class RestError extends BridgeError {
  readonly status: number;
  /** The service itself has spoken, not something that stands before it. */
  readonly isSpoken: boolean;

  /** @param words of the service, for people; undefined: it said nothing legible */
  constructor(status: number, address: string, words: string | undefined) {
    const said = words === undefined ? '' : `: ${words}`;
    super('upstream-status', `${address} answered ${status}${said}`, { retryable: status >= 500 });
    this.name = 'RestError';
    this.status = status;
    this.isSpoken = words !== undefined;
  }
}

/** @param statuses any, if none is given */
export function isRestError(error: unknown, ...statuses: readonly number[]): error is RestError {
  return error instanceof RestError && (statuses.length === 0 || statuses.includes(error.status));
}

/** The service says that it is not for us: 401, or 403 for those who are logged in. */
export function isRefused(error: unknown): boolean {
  return isRestError(error, 401, 403) && error.isSpoken;
}

/** The service says that there is no such thing, or none any more. */
export function isNotFound(error: unknown): boolean {
  return isRestError(error, 404, 410) && error.isSpoken;
}

/** What an error's body says: Spring's `message`, else `error`; on one line, bounded. */
export function wordsOf(body: JsonObject): string | undefined {
  const words = [body.message, body.error].find((value) => typeof value === 'string' && value.trim() !== '');
  if (typeof words !== 'string') return undefined;
  // What is no letter to read must not reach a terminal.
  return words
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 200);
}
