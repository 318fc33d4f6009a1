import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { leaseOf, pauseAfter } from '../../../src/core/following/lease.ts';
import { checkSignature } from '../../../src/core/following/signature.ts';

const body = Buffer.from('<urlset/>');
const sign = (method: string, secret = 'secret') =>
  `${method}=${createHmac(method, secret).update(body).digest('hex')}`;

describe('a signature of a hub', () => {
  test.each([
    [sign('sha256'), 'right'],
    [sign('sha384'), 'right'],
    [sign('sha512').toUpperCase(), 'right'],
    [sign('sha1'), 'weak'],
    [sign('md5'), 'wrong'],
    [sign('sha256', 'other'), 'wrong'],
    [sign('sha256').slice(0, -2), 'wrong'],
    ['sha256=', 'wrong'],
    ['', 'missing'],
    [undefined, 'missing'],
  ])('%s is %s', (header, expected) => {
    expect(checkSignature(header, 'secret', body)).toBe(expected);
  });
});

describe('a lease', () => {
  test.each([
    ['864000', 864_000],
    ['1', 60],
    ['99999999999', 31 * 86_400],
    ['-5', 86_400],
    ['many', 86_400],
    [undefined, 86_400],
  ])('of %s seconds is kept for %i', (stated, seconds) => {
    expect(leaseOf(stated, 0)).toEqual({ endsIn: seconds * 1000, renewIn: seconds * 500 });
    expect(leaseOf(stated, 0.999).renewIn).toBeLessThan(seconds * 800);
  });

  test('pauses grow from half a minute to six hours', () => {
    expect(pauseAfter(1, 0)).toBe(30_000);
    expect(pauseAfter(100, 0.999)).toBeLessThanOrEqual(6 * 3_600_000);
    expect(pauseAfter(100, 0)).toBe(3 * 3_600_000);
  });
});
