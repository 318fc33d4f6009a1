import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createClientAddress } from '../../../src/server/connections/client-address.ts';

const clientOf = createClientAddress(['127.0.0.0/8', '::1', '10.1.0.0/16']);

function from(remoteAddress: string | undefined, forwarded?: string): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return clientOf({ socket: { remoteAddress }, headers } as unknown as IncomingMessage);
}

describe('whose request it is', () => {
  it.each([
    ['198.51.100.7', undefined, '198.51.100.7'],
    ['::ffff:198.51.100.7', undefined, '198.51.100.7'],
    // One who has an IPv6 address has a whole network of them.
    ['2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::'],
    ['2001:db8:1:2::9', undefined, '2001:db8:1:2::'],
    ['fe80::1%eth0', undefined, 'fe80::'],
    // Nobody else is believed.
    ['198.51.100.7', '203.0.113.1', '198.51.100.7'],
    ['127.0.0.1', '203.0.113.1', '203.0.113.1'],
    ['127.0.0.1', '203.0.113.1, 198.51.100.9', '198.51.100.9'],
    ['::ffff:127.0.0.1', '203.0.113.1, 10.1.2.3', '203.0.113.1'],
    ['::1', '203.0.113.1:4711', '203.0.113.1'],
    ['::1', '[2001:db8:1:2::9]:4711', '2001:db8:1:2::'],
    ['::1', '203.0.113.1, unknown', '::'],
    ['127.0.0.1', undefined, '127.0.0.1'],
    ['127.0.0.1', '', '127.0.0.1'],
    ['127.0.0.1', '127.0.0.2, 10.1.0.1', '127.0.0.2'],
    [undefined, '203.0.113.1', ''],
  ])('from %s with %s is %s', (address, forwarded, expected) => {
    expect(from(address, forwarded)).toBe(expected);
  });
});
