import { expect, test } from 'vitest';
import { octetsOf } from '../../../src/core/files/octets-of.ts';

test.each([
  ['300', 300],
  ['0', 0],
  ['50k', 50_000],
  ['1.5G', 1_500_000_000],
  ['20 MB', 20_000_000],
  ['2t', 2_000_000_000_000],
  ['0.0001', undefined],
  ['0.001k', 1],
  ['1e3', undefined],
  ['-5', undefined],
  ['5 MiB', undefined],
  ['999999999999999T', undefined],
  ['', undefined],
  ['M', undefined],
])('%j is %j octets', (text, octets) => {
  expect(octetsOf(text)).toBe(octets);
});
