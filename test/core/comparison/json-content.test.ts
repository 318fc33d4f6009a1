import { expect, test } from 'vitest';
import { readJsonContent } from '../../../src/core/comparison/json-content.ts';

const read = (value: unknown) => readJsonContent(Buffer.from(JSON.stringify(value)));
const nested = (depth: number): unknown => (depth === 1 ? 1 : [nested(depth - 1)]);

test('what has more values than can be compared, or is too deep, is not', () => {
  expect(read(Array.from({ length: 99_999 }, () => 0))?.root.children).toHaveLength(99_999);
  expect(read(Array.from({ length: 100_000 }, () => 0))).toBeUndefined();
  expect(read(nested(256))).toBeDefined();
  expect(read(nested(257))).toBeUndefined();
});

test('what is no JSON in UTF-8 is not', () => {
  expect(readJsonContent(Buffer.from('{'))).toBeUndefined();
  expect(readJsonContent(Buffer.from([0x22, 0xff, 0x22]))).toBeUndefined();
});

test('members are told by their names, in one order', () => {
  const content = read({ b: [1], 'a b': { '@id': ' x  y ' }, $c: null });
  expect(content?.root.children.map(({ label, name, value, mark }) => [label, name, value, mark])).toEqual([
    ['.$c', '$c', 'null', undefined],
    ['["a b"]', 'a b{}', undefined, 'x y'],
    ['.b', 'b[]', undefined, undefined],
  ]);
});

test.each([
  [{ id: 'i', uuid: 'u', '@id': 'a' }, 'u'],
  [{ '@id': 'a', id: 'i' }, 'i'],
  [{ id: 7, '@id': 'a' }, 'a'],
  [{ id: 7 }, undefined],
  [{ name: 'x' }, undefined],
])('%j is marked by %j', (value, mark) => {
  expect(read(value)?.root.mark).toBe(mark);
});
