import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { BridgeError } from '../core/errors.ts';

/**
 * Remote URLs are hostile: a redirect or a link must not make us talk to the inside of our own network. The
 * host that the operator configured is meant, wherever it is; every other host has to be public, by the
 * addresses it really resolves to at the moment of connecting (a name may change between check and use).
 */
export interface AddressGuard {
  /** @throws BridgeError `address-refused` for literal addresses and foreign schemes */
  check(url: URL): void;
  /** Resolves like `dns.lookup`, and refuses what may not be connected to. */
  readonly lookup: LookupFunction;
}

/** @param allow `loopback`: where the trusted host is on loopback, its other addresses and names are trusted, too */
export function createAddressGuard(
  trustedHost: string,
  allowPrivate: boolean,
  { loopback = false }: { readonly loopback?: boolean } = {},
): AddressGuard {
  const anyLoopback = loopback && isLoopback(trustedHost);
  const isTrusted = (host: string) =>
    allowPrivate || host.toLowerCase() === trustedHost.toLowerCase() || (anyLoopback && isLoopback(host));
  return {
    check(url) {
      if (url.protocol !== 'http:' && url.protocol !== 'https:') {
        throw new BridgeError('address-refused', `${url.href} is no address of the web`);
      }
      const host = url.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) !== 0 && !isTrusted(url.hostname) && !isPublic(host)) throw refused(host);
    },
    lookup: (hostname, options, callback) => {
      dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, '', 0);
        const allowed = isTrusted(hostname)
          ? addresses
          : addresses.filter(({ address }) => isPublic(address));
        const [first] = allowed;
        if (!first) return callback(refused(hostname), '', 0);
        if (options.all) (callback as unknown as AllCallback)(null, allowed);
        else callback(null, first.address, first.family);
      });
    },
  };
}

type AllCallback = (error: Error | null, addresses: LookupAddress[]) => void;

/** By its form alone: a name is not resolved. */
function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0) return ipaddr.process(address).range() === 'loopback';
  return /^(.+\.)?localhost\.?$/i.test(host);
}

function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast';
}

function refused(host: string): BridgeError {
  return new BridgeError('address-refused', `${host} is not a public address`);
}
