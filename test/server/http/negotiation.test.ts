import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { preferredType, wantsGzip } from '../../../src/server/http/negotiation.ts';

describe('gzip goes out only when asked for (RFC 9110 §12.5.3)', () => {
  it.each([
    [undefined, false],
    ['', false],
    ['identity', false],
    ['gzip', true],
    ['x-gzip', true],
    ['GZIP', true],
    ['gzip, deflate, br', true],
    ['deflate, br', false],
    ['gzip;q=0', false],
    ['gzip;q=0.0, *', false],
    ['gzip; q=0.5', true],
    ['gzip;q=0.5, identity;q=1', false],
    ['gzip;q=1, identity;q=0.5', true],
    ['gzip;q=0.001', true],
    ['*', false],
    ['*, identity;q=0', true],
    ['*;q=0', false],
    ['gzip;q=high', false],
    ['gzip;q=2', false],
    [',,,;;;q', false],
  ])('%s → %s', (header, expected) => {
    expect(wantsGzip(header)).toBe(expected);
  });
});

describe('the preferred media type (RFC 9110 §12.5.1)', () => {
  const offers = ['text/html', 'application/json'] as const;
  it.each([
    [undefined, 'text/html'],
    ['*/*', 'text/html'],
    ['application/json', 'application/json'],
    ['application/*', 'application/json'],
    ['text/html;q=0.5, application/json', 'application/json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
    ['*/*, text/html;q=0', 'application/json'],
    ['image/png', 'text/html'],
    ['', 'text/html'],
  ])('%s → %s', (header, expected) => {
    expect(preferredType(header, offers)).toBe(expected);
  });

  it('is one of the offers, whatever the client writes', () => {
    fc.assert(fc.property(fc.string(), (header) => offers.includes(preferredType(header, offers))));
  });
});
