import { expect, test } from 'vitest';
import { callbackFault, hostOf, withParameters } from '../../../src/core/push/callback.ts';

const ours = 'https://repo.example.org/rs';

test.each([
  'https://a.example/cb',
  'http://a.example:8080/cb?x=1',
  'https://[2001:db8::1]:8443/',
  'https://repo.example.org/other',
  'HTTPS://A.example/cb',
])('%s can be called', (callback) => expect(callbackFault(callback, ours)).toBeUndefined());

test.each([
  ['', 'no address has'],
  ['cb', 'does not begin with'],
  ['ftp://a.example/', 'does not begin with'],
  ['file:///etc/passwd', 'does not begin with'],
  ['javascript:alert(1)', 'does not begin with'],
  ['https://user@a.example/', 'name or password'],
  ['https://user:pw@a.example/', 'name or password'],
  ['https://@a.example/', 'name or password'],
  ['https://a.example/#x', 'fragment'],
  ['https://a.example\\@b.example/', 'name or password'],
  ['https://a.example/x\\y', 'has a'],
  ['https://a.example/ x', 'characters'],
  ['https://a.example/\r\nHost: b', 'characters'],
  ['https://ä.example/', 'characters'],
  ['https://a.example:22/', 'port 22'],
  ['http://a.example:25/', 'port 25'],
  ['http://a.example:6379/', 'port 6379'],
  ['http://a.example:6000/', 'port 6000'],
  ['http://a.example:99999/', 'no web address'],
  [`https://a.example/${'x'.repeat(2000)}`, 'longer than 2000'],
  ['https://repo.example.org/rs/hub', 'this hub itself'],
])('%j cannot, and it is said why', (callback, why) =>
  expect(callbackFault(callback, ours)).toMatch(new RegExp(why)),
);

test('what is asked comes behind what the callback has of its own', () => {
  const asked = { 'hub.mode': 'subscribe', 'hub.topic': 'https://x/y?z' };
  const query = 'hub.mode=subscribe&hub.topic=https%3A%2F%2Fx%2Fy%3Fz';
  expect(withParameters('https://a.example/cb', asked)).toBe(`https://a.example/cb?${query}`);
  expect(withParameters('https://a.example/cb?a=%20b', asked)).toBe(`https://a.example/cb?a=%20b&${query}`);
  expect(withParameters('https://a.example/cb?', asked)).toBe(`https://a.example/cb?${query}`);
  expect(withParameters('https://a.example/cb?a&', asked)).toBe(`https://a.example/cb?a&${query}`);
});

test.each([
  ['https://a.example/cb', 'a.example'],
  ['https://a.example:8443/cb', 'a.example'],
  ['http://198.51.101.7:8080/cb', '198.51.101.7'],
  ['http://[2001:4860::1]:8080/', '[2001:4860::1]'],
  ['http://127.0.0.1:8080/cb', '127.0.0.1:8080'],
  ['http://localhost:8080/cb', 'localhost:8080'],
  ['http://10.1.2.3/cb', '10.1.2.3'],
  ['http://[::ffff:10.1.2.3]:8080/cb', '[::ffff:a01:203]:8080'],
  ['http://0x7f.1:8080/cb', '127.0.0.1:8080'],
])('limits count %s as %s', (callback, host) => expect(hostOf(callback)).toBe(host));
