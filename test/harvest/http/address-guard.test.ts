import type { LookupAddress } from 'node:dns';
import { describe, expect, test } from 'vitest';
import { type AllowedPlace, parseAllowedPlace } from '../../../src/core/config/network-allow.ts';
import {
  createAddressGuard,
  type GuardSettings,
  type Resolve,
} from '../../../src/harvest/http/address-guard.ts';

const allow = (...entries: string[]): AllowedPlace[] =>
  entries.flatMap((entry) => parseAllowedPlace(entry) ?? []);

function guard(settings: Partial<GuardSettings> = {}) {
  return createAddressGuard({
    endpoint: new URL('http://repo.example.org:8080/oai'),
    scope: 'found',
    allow: [],
    allowPrivate: false,
    ...settings,
  });
}

const refused = expect.objectContaining({ code: 'address-refused' });

function resolver(...addresses: string[]): Resolve {
  return (_host, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
}

/** What a connection to this host would be given. */
function resolved(settings: Partial<GuardSettings>, host: string, port = 80): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    guard(settings).lookup(port)(host, { all: true }, (error, found) => {
      if (error) reject(error);
      else resolve((found as unknown as LookupAddress[]).map(({ address }) => address));
    });
  });
}

describe('literal addresses', () => {
  test.each([
    'http://127.0.0.1/',
    'http://127.255.255.254/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://①②⑦.⓪.⓪.①/',
    'http://0.0.0.0/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://100.100.100.200/',
    'http://169.254.169.254/latest/meta-data/',
    'http://168.63.129.16/',
    'http://192.0.0.192/',
    'http://192.0.2.1/',
    'http://198.18.0.1/',
    'http://203.0.113.1/',
    'http://224.0.0.1/',
    'http://240.0.0.1/',
    'http://255.255.255.255/',
    'http://[::]/',
    'http://[::1]/',
    'http://[::127.0.0.1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[::ffff:0:127.0.0.1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[64:ff9b::a00:1]/',
    'http://[64:ff9b:1::5db8:d822]/',
    'http://[2002:7f00:1::]/',
    'http://[2002:5db8:d822::]/',
    'http://[2001::7f00:1]/',
    'http://[2001:db8::1]/',
    'http://[3fff::1]/',
    'http://[fe80::1]/',
    'http://[fec0::1]/',
    'http://[fc00::1]/',
    'http://[fd00:ec2::254]/',
    'http://[ff02::1]/',
    'http://[100::1]/',
    'http://[5f00::1]/',
    'http://[4000::1]/',
    'file:///etc/passwd',
    'gopher://93.184.216.34/',
  ])('%s is refused', (url) => {
    expect(() => guard().check(new URL(url))).toThrow(refused);
    expect(() => guard({ scope: 'endpoint' }).check(new URL(url))).toThrow(refused);
  });

  test.each([
    'http://93.184.216.34/',
    'https://[2606:2800:220:1:248:1893:25c8:1946]/',
    'http://[::ffff:93.184.216.34]/',
    'http://[64:ff9b::93.184.216.34]/',
  ])('%s is public', (url) => {
    guard().check(new URL(url));
  });

  test('that are allowed pass, at the port that is allowed', () => {
    const some = guard({ allow: allow('10.0.0.0/8', '192.168.1.1:8080', '[fd00::1]:81') });
    some.check(new URL('http://10.9.8.7:1234/'));
    some.check(new URL('http://[::ffff:10.9.8.7]/'));
    some.check(new URL('http://192.168.1.1:8080/'));
    some.check(new URL('http://[fd00::1]:81/'));
    expect(() => some.check(new URL('http://192.168.1.1/'))).toThrow(refused);
    expect(() => some.check(new URL('http://[fd00::1]/'))).toThrow(refused);
    guard({ allowPrivate: true }).check(new URL('http://127.0.0.1/'));
  });

  test('no setting opens another scheme', () => {
    expect(() => guard({ allowPrivate: true }).check(new URL('ftp://repo.example.org/'))).toThrow(refused);
  });
});

describe('names', () => {
  test('are what they resolve to: of mixed answers only the public ones are connected to', async () => {
    const resolve = resolver('127.0.0.1', '93.184.216.34', 'fe80::1%eth0', '::ffff:10.0.0.1');
    expect(await resolved({ resolve }, 'files.example.org')).toEqual(['93.184.216.34']);
    await expect(resolved({ resolve: resolver('fe80::1%eth0') }, 'files.example.org')).rejects.toThrow(
      refused,
    );
    await expect(resolved({ resolve: resolver('10.0.0.1', 'nonsense') }, 'x.example.org')).rejects.toThrow(
      refused,
    );
  });

  test('that are allowed may resolve to anything', async () => {
    const resolve = resolver('10.0.0.1');
    expect(await resolved({ resolve, allow: allow('files.intra:8080') }, 'Files.Intra.', 8080)).toEqual([
      '10.0.0.1',
    ]);
    await expect(resolved({ resolve, allow: allow('files.intra:8080') }, 'files.intra', 80)).rejects.toThrow(
      refused,
    );
    expect(await resolved({ resolve, allow: allow('10.0.0.1') }, 'files.intra', 80)).toEqual(['10.0.0.1']);
  });
});

describe('the host of the endpoint', () => {
  const resolve = resolver('10.0.0.1');

  test.each([8080, 80, 443])('is meant at port %i by URLs found in records', async (port) => {
    expect(await resolved({ resolve }, 'repo.example.org', port)).toEqual(['10.0.0.1']);
  });

  test('is not meant at other ports, nor are its other names and addresses', async () => {
    await expect(resolved({ resolve }, 'repo.example.org', 5432)).rejects.toThrow(refused);
    await expect(resolved({ resolve }, 'db.repo.example.org', 80)).rejects.toThrow(refused);
    expect(() => guard().check(new URL('http://10.0.0.1:8080/'))).toThrow(refused);
  });

  test('is meant at every port by its own redirects', async () => {
    expect(await resolved({ resolve, scope: 'endpoint' }, 'repo.example.org', 5432)).toEqual(['10.0.0.1']);
  });

  test('may be an address', () => {
    const endpoint = new URL('http://[::1]:8080/oai');
    guard({ endpoint }).check(new URL('http://[0:0::1]:8080/file'));
    expect(() => guard({ endpoint }).check(new URL('http://[::1]:5432/'))).toThrow(refused);
    expect(() => guard({ endpoint }).check(new URL('http://127.0.0.1:8080/'))).toThrow(refused);
  });
});

describe('an endpoint that is not trusted', () => {
  const stranger = { trusted: false, scope: 'endpoint' as const };

  test('has to be public, by its name and as an address', async () => {
    const own = { ...stranger, endpoint: new URL('http://10.0.0.1:8080/oai') };
    expect(() => guard(own).check(new URL('http://10.0.0.1:8080/oai'))).toThrow(refused);
    await expect(
      resolved({ ...stranger, resolve: resolver('10.0.0.1') }, 'repo.example.org', 8080),
    ).rejects.toThrow(refused);
    expect(
      await resolved(
        { ...stranger, resolve: resolver('10.0.0.1', '93.184.215.14') },
        'repo.example.org',
        8080,
      ),
    ).toEqual(['93.184.215.14']);
  });

  test('may be what the installation allows', async () => {
    const own = { ...stranger, endpoint: new URL('http://10.0.0.1:8080/oai'), allow: allow('10.0.0.1:8080') };
    expect(() => guard(own).check(new URL('http://10.0.0.1:8080/oai'))).not.toThrow();
    expect(() => guard(own).check(new URL('http://10.0.0.1:81/'))).toThrow(refused);
  });
});

test('says beforehand where a connection would be let through', async () => {
  const inside = { resolve: resolver('10.0.0.7') };
  expect(await guard().mayReach('10.0.0.7', 80)).toBe(false);
  expect(await guard({ allow: allow('10.0.0.7:8080') }).mayReach('10.0.0.7', 80)).toBe(false);
  expect(await guard({ allow: allow('10.0.0.7:8080') }).mayReach('10.0.0.7', 8080)).toBe(true);
  expect(await guard().mayReach('[fd00::7]', 80)).toBe(false);
  expect(await guard({ allow: allow('fd00::/8') }).mayReach('fd00::7', 80)).toBe(true);
  expect(await guard(inside).mayReach('files.example.org', 80)).toBe(false);
  expect(await guard({ ...inside, allow: allow('10.0.0.0/8') }).mayReach('files.example.org', 80)).toBe(true);
  expect(await guard({ ...inside, allowPrivate: true }).mayReach('files.example.org', 80)).toBe(true);
  expect(await guard({ resolve: resolver('93.184.216.34') }).mayReach('files.example.org', 80)).toBe(true);
  const unknown: Resolve = (_host, _options, callback) => callback(new Error('ENOTFOUND'), []);
  expect(await guard({ resolve: unknown }).mayReach('files.example.org', 80)).toBe(false);
});

test('what was let through lets nothing else through', () => {
  const one = guard({ endpoint: new URL('http://127.0.0.1:8080/oai') });
  for (let asked = 0; asked < 2; asked += 1) {
    one.check(new URL('http://127.0.0.1:8080/a'));
    one.check(new URL('http://127.0.0.1:8080/b'));
    expect(() => one.check(new URL('http://127.0.0.1:8081/a'))).toThrow(refused);
    expect(() => one.check(new URL('http://127.0.0.2:8080/a'))).toThrow(refused);
  }
});
