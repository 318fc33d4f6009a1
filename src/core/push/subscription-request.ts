import { callbackFault } from './callback.ts';
import { longestLease, longestSecret, shortestLease } from './limits.ts';

export interface SubscriptionRequest {
  readonly mode: 'subscribe' | 'unsubscribe';
  readonly callback: string;
  readonly topic: string;
  readonly secret: string | undefined;
  readonly leaseSeconds: number;
}

export interface RequestRules {
  /** The address of everything here. */
  readonly baseUrl: string;
  readonly defaultLease: number;
}

const known = ['hub.callback', 'hub.mode', 'hub.topic', 'hub.secret', 'hub.lease_seconds'] as const;

/** What a form asks for (WS-04); a text: what is wrong with it. Parameters that nobody knows are ignored. */
export function parseSubscriptionRequest(
  form: URLSearchParams,
  { baseUrl, defaultLease }: RequestRules,
): SubscriptionRequest | string {
  for (const name of known) if (form.getAll(name).length > 1) return `${name} is there twice`;
  const [mode, callback, topic] = [form.get('hub.mode'), form.get('hub.callback'), form.get('hub.topic')];
  if (mode === 'publish')
    return 'hub.mode is publish: this hub tells of its own sets alone, and knows itself when they change';
  if (mode !== 'subscribe' && mode !== 'unsubscribe') return 'hub.mode is to be subscribe or unsubscribe';
  if (!callback) return 'hub.callback is missing: the address that is to be told';
  if (!topic) return 'hub.topic is missing: the address of a channel, which the Capability List names';
  const fault = callbackFault(callback, baseUrl);
  if (fault !== undefined) return `hub.callback cannot be called: ${fault}`;
  const secret = form.get('hub.secret') || undefined;
  if (secret !== undefined && Buffer.byteLength(secret) > longestSecret)
    return `hub.secret is longer than ${longestSecret} bytes`;
  if (secret !== undefined && !keepsSecrets(baseUrl))
    return 'hub.secret is not taken over http, where others can read it; leave it out, or use https';
  const lease = form.get('hub.lease_seconds');
  if (lease && !/^\d{1,15}$/.test(lease)) return 'hub.lease_seconds is to be a number of seconds';
  const wanted = lease ? Number(lease) : defaultLease;
  const leaseSeconds = Math.min(longestLease, Math.max(shortestLease, wanted));
  return { mode, callback, topic, secret, leaseSeconds };
}

/** Nobody reads what goes from this machine to itself. */
function keepsSecrets(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/**
 * The channel that a topic names, letter by letter.
 * @returns its path below `baseUrl`; `instead`: what it was probably meant to be
 */
export function topicPath(
  topic: string,
  baseUrl: string,
): { readonly path: string } | { readonly instead: string } | undefined {
  if (topic.startsWith(`${baseUrl}/`) && !/[?#]|\/$/.test(topic))
    return { path: topic.slice(baseUrl.length + 1) };
  try {
    const meant = new URL(topic);
    const base = new URL(`${baseUrl}/`);
    const path = meant.pathname.replace(/\/+$/, '').slice(base.pathname.length);
    const isOurs = meant.hostname === base.hostname && meant.pathname.startsWith(base.pathname);
    return isOurs && path !== '' ? { instead: `${baseUrl}/${path}` } : undefined;
  } catch {
    return undefined;
  }
}
