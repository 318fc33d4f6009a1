import { expect, test } from 'vitest';
import { isSameSite } from '../../../src/core/addresses/site.ts';

test.each([
  ['repo.example.ac.jp', 'api.example.ac.jp', true],
  ['repo.example.ac.jp', 'repo.other.ac.jp', false],
  ['Repo.Example.org.', 'repo.example.org', true],
  ['dspace.library.uu.nl', 'uu.nl', true],
  ['a.co.uk', 'b.co.uk', false],
  ['ac.jp', 'example.ac.jp', false],
  ['localhost', 'localhost', true],
  ['localhost', 'elsewhere', false],
  ['10.0.0.1', '11.0.0.1', false],
  ['10.0.0.1', '10.0.0.1', true],
  ['[2001:db8::1]', '[2001:db8::2]', false],
  ['', '', false],
])('%s and %s are of one site: %s', (one, other, same) => {
  expect(isSameSite(one, other)).toBe(same);
  expect(isSameSite(other, one)).toBe(same);
});
