import { refusal } from '../../core/errors.ts';

/** What is asked of a URL. */
export interface Exchange {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly url: URL;
  /** POST: the encoded form. */
  readonly form?: string | undefined;
}

/**
 * The exchange that a redirect asks for; undefined when the answer is none.
 * @param location the header as it came
 * @param keepsQuery a redirect to the same path without its query has forgotten it (quirk 32), also on one host
 */
export function redirected(
  { method, url, form }: Exchange,
  status: number,
  location: unknown,
  keepsQuery: boolean,
): Exchange | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || typeof location !== 'string') return undefined;
  let target: URL;
  try {
    // Some servers put spaces and the like into Location (quirk 34); URL escapes them.
    target = new URL(location.trim(), url);
  } catch {
    return undefined;
  }
  target.hash = '';
  const samePlace = target.pathname === url.pathname && target.origin !== url.origin;
  const forgotten = target.search === '' && (keepsQuery || samePlace);
  if (forgotten) target.search = url.search;
  if (method !== 'POST' || status === 307 || status === 308) return { method, url: target, form };
  // As browsers do; but the arguments in the form are the request, and are not lost with it (quirk 33).
  if (target.search === '' && form !== undefined) target.search = form;
  return { method: 'GET', url: target };
}

/** It asks for the address itself to be replaced (RFC 9110, 15.4.2 and 15.4.9). */
export function isForGood(status: number): boolean {
  return status === 301 || status === 308;
}

/**
 * What only a name and a password open is not there for everybody.
 * @throws BridgeError `address-refused` for a URL with credentials in it; the message does not repeat them
 */
export function refuseCredentials({ username, password, host }: URL): void {
  if (username !== '' || password !== '')
    throw refusal('address-refused', 'address-with-credentials', { host });
}
