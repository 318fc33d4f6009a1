import ipaddr from 'ipaddr.js';
import { bare, isAddress, isLoopback, isPublic } from '../addresses/public-address.ts';
import { longestCallback } from './limits.ts';

/** Beyond those below 1024, ports that other protocols have, as browsers know them. */
const foreignPorts = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679,
  6697, 10080, 11211,
]);

/**
 * Why an address cannot be called back, by its form; undefined: it can. Whether it is a public one is asked when it is
 * connected to.
 * @param ourBase addresses below it are ours
 */
export function callbackFault(callback: string, ourBase: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(callback)) return 'it has characters that no address has';
  if (callback.length > longestCallback) return `it is longer than ${longestCallback} characters`;
  if (!/^https?:\/\//i.test(callback)) return 'it does not begin with http:// or https://';
  let url: URL;
  try {
    url = new URL(callback);
  } catch {
    return 'it is no web address';
  }
  if (url.username !== '' || url.password !== '' || /^[a-z]+:\/\/[^/?#]*@/i.test(callback))
    return 'it has a name or password in it';
  if (callback.includes('#')) return 'it has a fragment (#)';
  if (callback.includes('\\')) return 'it has a \\ in it';
  if (!isUsual(url)) return `port ${url.port} is not one of the web`;
  return url.href.startsWith(`${ourBase}/`) ? 'it is an address of this hub itself' : undefined;
}

function isUsual({ port }: URL): boolean {
  if (port === '' || port === '80' || port === '443') return true;
  return Number(port) >= 1024 && !foreignPorts.has(Number(port));
}

/**
 * As limits count them: a machine of the internet is one, whatever listens there at any port. At an address that only `push.allow`
 * opens, which is the operator's own, each port is one.
 */
export function hostOf(callback: string): string {
  const { host, hostname } = new URL(callback);
  const address = bare(hostname);
  const isInside = isLoopback(hostname) || (isAddress(address) && !isPublic(ipaddr.process(address)));
  return isInside ? host : hostname;
}

/** WS-08: what the callback has of its own stays in front. */
export function withParameters(callback: string, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters).toString();
  if (!callback.includes('?')) return `${callback}?${query}`;
  return callback.endsWith('?') || callback.endsWith('&') ? `${callback}${query}` : `${callback}&${query}`;
}
