import ipaddr from 'ipaddr.js';

/** @param host as a URL has it; @returns an IPv6 address without brackets */
export function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}

/**
 * Whether it is an address, without brackets, and no name. Only the usual spelling: `127.1` and `0x7f.1` are read in different ways
 * by different programs.
 */
export function isAddress(host: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(host) || (host.includes(':') && ipaddr.IPv6.isValid(host));
}

/** By its form alone: a name is not resolved. */
export function isLoopback(host: string): boolean {
  const address = bare(host);
  if (isAddress(address)) return ipaddr.process(address).range() === 'loopback';
  return /^(.+\.)?localhost\.?$/i.test(host);
}

/** Inside Azure, this address of the public range is the machine's own: credentials are had from it. */
const machineAddress = '168.63.129.16';

/** Addresses of our neighbours hide in IPv6 ones: 6to4, Teredo and the like are refused as a whole. */
export function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.kind() === 'ipv4')
    return address.range() === 'unicast' && address.toString() !== machineAddress;
  const bytes = address.toByteArray();
  // NAT64 (RFC 6052) is how networks without IPv4 reach everything: the address inside it decides.
  if (address.match(ipaddr.IPv6.parse('64:ff9b::'), 96)) return isPublic(new ipaddr.IPv4(bytes.slice(12)));
  // What is global lies in 2000::/3 (RFC 4291 §2.4).
  return address.range() === 'unicast' && ((bytes[0] ?? 0) & 0xe0) === 0x20;
}
