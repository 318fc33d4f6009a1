import { expect, test } from 'vitest';
import { areCountOf, countOf } from '../../src/core/count-of.ts';

test.each([
  [0, 'item', '0 items'],
  [1, 'item', '1 item'],
  [2, 'item', '2 items'],
  [1, 'entry', '1 entry'],
  [3, 'entry', '3 entries'],
  [2, 'address', '2 addresses'],
  [2, 'day', '2 days'],
  [2, 'published file', '2 published files'],
])('%i and "%s" are %s', (count, noun, said) => {
  expect(countOf(count, noun)).toBe(said);
});

test('the verb agrees, too', () => {
  expect([areCountOf(1, 'file'), areCountOf(2, 'file')]).toEqual(['1 file is', '2 files are']);
});

test('the number may be written as its reader is used to it', () => {
  expect(countOf(1200, 'resource', '1,200')).toBe('1,200 resources');
});
