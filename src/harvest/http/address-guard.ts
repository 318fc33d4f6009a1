import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { notPublic } from '../../core/addresses/private-address.ts';
import { bare, isLoopback, isPublic } from '../../core/addresses/public-address.ts';
import { type AllowedPlace, allowsAddress, allowsHost, plainName } from '../../core/config/network-allow.ts';
import { BridgeError } from '../../core/errors.ts';

/**
 * Remote URLs are hostile: a redirect or a link must not make us talk to the inside of our own network. What
 * the operator configured is meant, wherever it is; everything else has to be public, by the address that is
 * really connected to (a name may lead elsewhere between a check and its use).
 */
export interface AddressGuard {
  /** @throws BridgeError `address-refused` for foreign schemes and literal addresses that are not public */
  check(url: URL): void;
  /** The same for where a connection is about to go. */
  checkHost(host: string, port: number): void;
  /**
   * Resolves for a connection to this port, like `dns.lookup`, and leaves only what may be connected to. It is
   * for `net.connect`, which connects to the very addresses that it is given.
   */
  lookup(port: number): LookupFunction;
  /** Whether a connection there would be let through, now; false, too, where nobody knows the name. */
  mayReach(host: string, port: number): Promise<boolean>;
}

export interface GuardSettings {
  readonly endpoint: URL;
  /** False: it has to be public, or allowed, as any other; default true. */
  readonly trusted?: boolean | undefined;
  /**
   * `endpoint`: the configured host is meant at every port. `found`, for URLs found in records: only at the
   * configured port, and at 80 and 443.
   */
  readonly scope: 'endpoint' | 'found';
  readonly allow: readonly AllowedPlace[];
  /** Everything is meant. */
  readonly allowPrivate: boolean;
  /** Where the endpoint is on loopback, its other addresses and names are meant, too. */
  readonly loopback?: boolean;
  /** Instead of the system's resolver. */
  readonly resolve?: Resolve | undefined;
}

/** Every address of a name. */
export type Resolve = (
  host: string,
  options: { readonly family?: number | 'IPv4' | 'IPv6' | undefined; readonly hints?: number | undefined },
  callback: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

const resolveBySystem: Resolve = (host, options, callback) =>
  systemLookup(
    host,
    { family: options.family ?? 0, hints: options.hints ?? 0, all: true },
    (error, addresses) => callback(error, addresses ?? []),
  );

export function createAddressGuard(settings: GuardSettings): AddressGuard {
  const { endpoint, trusted = true, scope, allow, allowPrivate, resolve = resolveBySystem } = settings;
  const configured = plainName(endpoint.hostname);
  const ports = [portOf(endpoint), 80, 443];
  const anyLoopback = settings.loopback === true && isLoopback(endpoint.hostname);

  function isMeant(host: string, port: number): boolean {
    if (allowPrivate || (anyLoopback && isLoopback(host))) return true;
    if (
      trusted &&
      plainName(bare(host)) === bare(configured) &&
      (scope === 'endpoint' || ports.includes(port))
    )
      return true;
    return allowsHost(allow, host, port);
  }

  /** What was let through last: nearly every request goes where the one before it went. */
  let passed: { readonly host: string; readonly port: number } | undefined;

  function checkHost(host: string, port: number): void {
    if (passed?.host === host && passed.port === port) return;
    const address = bare(host);
    if (isIP(address) !== 0 && !isMeant(host, port) && !mayConnect(address, port)) throw refused(address);
    passed = { host, port };
  }

  function mayConnect(text: string, port: number): boolean {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return isPublic(address) || allowsAddress(allow, address, port);
  }

  const lookup =
    (port: number): LookupFunction =>
    (host, options, callback) => {
      resolve(host, options, (error, addresses) => {
        if (error) return callback(error, '', 0);
        const allowed = isMeant(host, port)
          ? addresses
          : addresses.filter(({ address }) => mayConnect(address, port));
        const [first] = allowed;
        if (!first) return callback(refused(host), '', 0);
        if (options.all) (callback as unknown as AllCallback)(null, allowed);
        else callback(null, first.address, first.family);
      });
    };

  return {
    check(url) {
      if (url.protocol !== 'http:' && url.protocol !== 'https:') {
        throw new BridgeError('address-refused', `${url.href} is no address of the web`);
      }
      checkHost(url.hostname, portOf(url));
    },
    checkHost,
    lookup,
    mayReach: async (host, port) => {
      const address = bare(host);
      if (isIP(address) !== 0) return isMeant(host, port) || mayConnect(address, port);
      return new Promise((resolved) =>
        lookup(port)(address, { all: true }, (error) => resolved(error === null)),
      );
    },
  };
}

type AllCallback = (error: Error | null, addresses: readonly LookupAddress[]) => void;

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

function refused(host: string): BridgeError {
  return new BridgeError('address-refused', notPublic(host));
}
