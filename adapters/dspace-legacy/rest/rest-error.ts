import { BridgeError, isBridgeError } from '../../../src/core/errors.ts';

/** An answer that is an HTTP error: code `upstream-status`. */
export class RestError extends BridgeError {
  readonly status: number;
  /** DSpace itself has spoken, or the server that it runs in, not something that stands before it. */
  readonly isSpoken: boolean;

  /** @param body as far as it was read */
  constructor(status: number, address: string, body: string) {
    super('upstream-status', `${address} answered ${status}`, { retryable: status >= 500 });
    this.name = 'RestError';
    this.status = status;
    // Tomcat's HTML page; Jersey's own answers come as plain text or without a body.
    this.isSpoken = /HTTP Status \d{3}|Apache Tomcat/i.test(body) || !/<(?:!doctype|html)/i.test(body);
  }
}

/**
 * It is there, but not for everybody. Whoever asks for a login means it, on a page of whatever looks; with 403 what stands before a
 * server also sends away those that it takes for robots.
 */
export function isRefused(error: unknown): boolean {
  return error instanceof RestError && (error.status === 401 || (error.isSpoken && error.status === 403));
}

export function isNotFound(error: unknown): boolean {
  return error instanceof RestError && error.isSpoken && [404, 410].includes(error.status);
}

/** Something that stands before the server has answered in its place: that says nothing about what was asked for. */
export function isForeign(error: unknown): boolean {
  return error instanceof RestError && !error.isSpoken && [403, 404, 410].includes(error.status);
}

/** The server broke off over it: asked for less, or for something else, it may answer. */
export function isBroken(error: unknown): boolean {
  return (error instanceof RestError && error.status >= 500) || isBridgeError(error, 'upstream-not-json');
}

/** It took too long, or became too much. */
export function isSlow(error: unknown): boolean {
  if (error instanceof RestError) return [408, 413, 502, 504].includes(error.status);
  return (
    isBridgeError(error) &&
    ['upstream-unreachable', 'upstream-cut-off', 'response-too-large'].includes(error.code)
  );
}
