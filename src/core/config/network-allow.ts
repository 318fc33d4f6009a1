import ipaddr from 'ipaddr.js';
import { isAddress } from '../addresses/public-address.ts';

/** An entry of `network.allow`: where links and redirects may lead though the address is not public. */
export type AllowedPlace = AllowedHost | AllowedRange;

export interface AllowedHost {
  /** As a URL has it: lower case, ASCII. */
  readonly host: string;
  /** Undefined: any. */
  readonly port: number | undefined;
}

export interface AllowedRange {
  readonly range: readonly [ipaddr.IPv4 | ipaddr.IPv6, number];
  readonly port: number | undefined;
}

/** For people. */
export const acceptedPlaces =
  'a host name, host:port, an address, address:port, [IPv6 address]:port, or a range such as 10.0.0.0/8';

/** @returns undefined for what is none of `acceptedPlaces` */
export function parseAllowedPlace(entry: string): AllowedPlace | undefined {
  const text = entry.trim();
  if (text.includes('/')) return parseRange(text);
  if (isAddress(text)) return { range: single(text), port: undefined };
  const [, place, digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (!place || (port !== undefined && (port < 1 || port > 65_535))) return undefined;
  const address = place.startsWith('[') ? place.slice(1, -1) : place;
  if (isAddress(address)) return { range: single(address), port };
  const host = place.startsWith('[') ? undefined : hostName(place);
  return host === undefined ? undefined : { host, port };
}

/** Whether one of the places is this host (by its name as a URL has it) at this port. */
export function allowsHost(places: readonly AllowedPlace[], host: string, port: number): boolean {
  const name = plainName(host);
  return places.some((place) => 'host' in place && place.host === name && (place.port ?? port) === port);
}

/** Whether one of the places is, or contains, this address at this port. */
export function allowsAddress(
  places: readonly AllowedPlace[],
  address: ipaddr.IPv4 | ipaddr.IPv6,
  port: number,
): boolean {
  return places.some((place) => {
    if (!('range' in place) || (place.port ?? port) !== port) return false;
    const [base, bits] = place.range;
    return base.kind() === address.kind() && address.match(base, bits);
  });
}

/** A name in the form in which two are compared: `Repo.Example.org.` is `repo.example.org`. */
export function plainName(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}

function parseRange(text: string): AllowedRange | undefined {
  if (!ipaddr.isValidCIDR(text) || !isAddress(text.split('/')[0] ?? '')) return undefined;
  const [base, bits] = ipaddr.parseCIDR(text);
  if (base.kind() === 'ipv4' || !(base as ipaddr.IPv6).isIPv4MappedAddress())
    return { range: [base, bits], port: undefined };
  // Mapped addresses are judged as those of IPv4; what is wider holds others, and was meant otherwise.
  if (bits < 96) return undefined;
  return { range: [(base as ipaddr.IPv6).toIPv4Address(), bits - 96], port: undefined };
}

function single(address: string): AllowedRange['range'] {
  const parsed = ipaddr.process(address);
  return [parsed, parsed.kind() === 'ipv4' ? 32 : 128];
}

function hostName(text: string): string | undefined {
  try {
    const { hostname, href } = new URL(`http://${text}/`);
    // What a URL takes for something else than a name, or reads as an address, was not meant as a name.
    const name = plainName(hostname);
    const isName = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name) && href === `http://${hostname}/`;
    return isName && !ipaddr.IPv4.isValid(name) ? name : undefined;
  } catch {
    return undefined;
  }
}
