import ipaddr from 'ipaddr.js';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/core/config/config.ts';
import { allowsAddress, allowsHost, parseAllowedPlace } from '../../../src/core/config/network-allow.ts';

const places = (...entries: string[]) => entries.flatMap((entry) => parseAllowedPlace(entry) ?? []);
const address = (text: string) => ipaddr.process(text);

describe('an entry of network.allow', () => {
  test('may be a host, with or without a port, however it is written', () => {
    const allow = places('Files.Example.org', 'intranet:8080', 'bücher.example');
    expect(allowsHost(allow, 'files.example.org.', 443)).toBe(true);
    expect(allowsHost(allow, 'www.files.example.org', 443)).toBe(false);
    expect(allowsHost(allow, 'intranet', 8080)).toBe(true);
    expect(allowsHost(allow, 'intranet', 80)).toBe(false);
    expect(allowsHost(allow, 'xn--bcher-kva.example', 80)).toBe(true);
  });

  test('may be an address, with or without a port', () => {
    const allow = places('10.1.2.3', '10.1.2.4:8080', 'fd00::1', '[fd00::2]:8080', '[fd00::3]');
    expect(allowsAddress(allow, address('10.1.2.3'), 1)).toBe(true);
    expect(allowsAddress(allow, address('::ffff:10.1.2.3'), 1)).toBe(true);
    expect(allowsAddress(allow, address('10.1.2.4'), 8080)).toBe(true);
    expect(allowsAddress(allow, address('10.1.2.4'), 80)).toBe(false);
    expect(allowsAddress(allow, address('fd00:0::1'), 80)).toBe(true);
    expect(allowsAddress(allow, address('fd00::2'), 8080)).toBe(true);
    expect(allowsAddress(allow, address('fd00::2'), 80)).toBe(false);
    expect(allowsAddress(allow, address('fd00::3'), 80)).toBe(true);
  });

  test('may be a range', () => {
    const allow = places('10.0.0.0/8', 'fd00:1::/32');
    expect(allowsAddress(allow, address('10.255.0.1'), 80)).toBe(true);
    expect(allowsAddress(allow, address('11.0.0.1'), 80)).toBe(false);
    expect(allowsAddress(allow, address('fd00:1:2::3'), 80)).toBe(true);
    expect(allowsAddress(allow, address('fd00:2::3'), 80)).toBe(false);
  });

  test('may be a range of IPv4 in the clothes of IPv6', () => {
    const allow = places('::ffff:127.0.0.0/104', '::ffff:10.1.2.3/128');
    expect(allowsAddress(allow, address('127.0.0.1'), 80)).toBe(true);
    expect(allowsAddress(allow, address('::ffff:127.0.0.1'), 80)).toBe(true);
    expect(allowsAddress(allow, address('128.0.0.1'), 80)).toBe(false);
    expect(allowsAddress(allow, address('10.1.2.3'), 80)).toBe(true);
    expect(allowsAddress(allow, address('10.1.2.4'), 80)).toBe(false);
  });

  test.each([
    // Meant as a /104: it would be a good part of IPv6, and nothing of IPv4.
    '::ffff:127.0.0.0/8',
    'http://intranet/',
    'intranet/path',
    'intranet:0',
    'intranet:99999',
    'intranet:http',
    '*.example.org',
    'example.*',
    'intranet!',
    'user@intranet',
    'in tranet',
    '10.0.0.0/33',
    '10.0.0/8',
    '127.1',
    '0x7f000001',
    '[10.0.0.1',
    '[intranet]:80',
    ':80',
    '..',
    ' ',
  ])('is not %j', (entry) => {
    expect(parseAllowedPlace(entry)).toBeUndefined();
    expect(() => parseConfig({ network: { allow: ['intranet', entry] } })).toThrow(
      /network\.allow\.1: .* cannot be allowed; write a host name, host:port, .* or a range/,
    );
  });

  test('that is good passes the configuration', () => {
    expect(parseConfig({ network: { allow: ['10.0.0.0/8'] } }).network.allow).toEqual(['10.0.0.0/8']);
  });
});
