import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import { type AllowedPlace, allowsAddress, parseAllowedPlace } from '../../core/config/network-allow.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** One who has an IPv6 address has 2^64 of them. */
const bitsOfOne = 64;

/**
 * Whose request it is, as far as that can be told: the other side of the connection, or, where that is a proxy we
 * trust, the last in `X-Forwarded-For` that is not one.
 * @param trustedProxies addresses and ranges
 * @returns an address, of IPv6 its /64
 */
export function createClientAddress(trustedProxies: readonly string[]) {
  const clientOf = createClient(trustedProxies);
  return (request: Pick<IncomingMessage, 'socket' | 'headers'>): string => {
    const client = clientOf(request);
    return client ? nameOf(client) : '';
  };
}

/** Whether a request, whichever proxies passed it on, comes from one of these addresses or ranges. */
export function createIsClientFrom(trustedProxies: readonly string[]) {
  const clientOf = createClient(trustedProxies);
  return (request: Pick<IncomingMessage, 'socket' | 'headers'>, places: readonly AllowedPlace[]): boolean => {
    const client = clientOf(request);
    return client !== undefined && allowsAddress(places, client, 0);
  };
}

function createClient(trustedProxies: readonly string[]) {
  const trusted: readonly AllowedPlace[] = trustedProxies.flatMap((entry) => parseAllowedPlace(entry) ?? []);
  return ({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): Address | undefined => {
    let client = read(socket.remoteAddress ?? '');
    const named = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
    while (client && allowsAddress(trusted, client, 0)) {
      const before = read(named.pop() ?? '');
      if (!before) break;
      client = before;
    }
    return client;
  };
}

/** Whether the other side of a connection is one of these addresses or in one of these ranges. */
export function createIsFrom(ranges: readonly string[]) {
  const places: readonly AllowedPlace[] = ranges.flatMap((entry) => parseAllowedPlace(entry) ?? []);
  return ({ socket }: Pick<IncomingMessage, 'socket'>): boolean => {
    const peer = read(socket.remoteAddress ?? '');
    return peer !== undefined && allowsAddress(places, peer, 0);
  };
}

/** With a port, or a zone, as some write it. */
function read(text: string): Address | undefined {
  const [, bracketed, plain = ''] = /^\s*(?:\[([^\]]*)\](?::\d+)?|(\S*?))\s*$/.exec(text) ?? [];
  const address = (bracketed ?? plain.replace(/^([\d.]+):\d+$/, '$1')).replace(/%.*$/, '');
  return ipaddr.isValid(address) ? ipaddr.process(address) : undefined;
}

function nameOf(address: Address): string {
  if (address.kind() === 'ipv4') return address.toString();
  const octets = address.toByteArray().map((octet, index) => (index < bitsOfOne / 8 ? octet : 0));
  return ipaddr.fromByteArray(octets).toString();
}
