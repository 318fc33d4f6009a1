import { expect, test } from 'vitest';
import { asCount, asObject, asText, objectsOf } from '../../src/core/json-value.ts';

/** Whatever a repository may answer with where something else is expected. */
const anything = [undefined, null, true, 0, 7, -1, 1.5, 2 ** 53, '', 'text', [], ['text'], {}, { a: 1 }];

test('of what a repository answers, only what is of the expected kind is taken', () => {
  expect(anything.filter((value) => asText(value) !== undefined)).toEqual(['text']);
  expect(anything.filter((value) => asCount(value) !== undefined)).toEqual([0, 7]);
  expect(anything.filter((value) => asObject(value) !== undefined)).toEqual([{}, { a: 1 }]);
  expect(objectsOf(anything)).toEqual([{}, { a: 1 }]);
  for (const value of anything) expect(objectsOf([value])).toEqual(asObject(value) ? [value] : []);
  for (const value of [undefined, null, 'text', 7, {}, { length: 1, 0: {} }])
    expect(objectsOf(value)).toEqual([]);
});
