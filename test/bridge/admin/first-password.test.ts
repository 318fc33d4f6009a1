import { expect, test } from 'vitest';
import { linkOnThisMachine } from '../../../src/bridge/admin/first-password.ts';
import { parseConfig } from '../../../src/core/config/config.ts';

/** A session of 127.0.0.1 is none of localhost: the link has the name under which people go on. */
test.each([
  ['http://localhost:8080', '127.0.0.1', 'http://localhost:8080/admin/link?key=secret'],
  ['http://localhost:8080/rs', '0.0.0.0', 'http://localhost:8080/rs/admin/link?key=secret'],
  ['http://[::1]:8080', '::', 'http://[::1]:8080/admin/link?key=secret'],
  ['http://127.0.0.1:8080', 'localhost', 'http://127.0.0.1:8080/admin/link?key=secret'],
  ['http://localhost:8080', '192.0.2.7', 'http://192.0.2.7:8080/admin/link?key=secret'],
  ['https://localhost', '127.0.0.1', 'http://127.0.0.1:8080/admin/link?key=secret'],
  ['https://bridge.example.org/rs', '0.0.0.0', 'http://127.0.0.1:8080/rs/admin/link?key=secret'],
])('the first link of %s at %s', (baseUrl, host, link) => {
  expect(linkOnThisMachine(parseConfig({ baseUrl, listen: { host } }), 'secret')).toBe(link);
});
