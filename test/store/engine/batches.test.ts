import { expect, test } from 'vitest';
import { batches } from '../../../src/store/engine/batches.ts';

test('so many at a time, in order, the rest in the end', () => {
  expect([...batches([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]]);
  expect([...batches([1, 2], 2)]).toEqual([[1, 2]]);
  expect([...batches([], 2)]).toEqual([]);
});

test('as much as the limit allows; what is larger comes alone', () => {
  const sizes = [3, 4, 5, 20, 1, 10];
  expect([...batches(sizes, 10, (size) => size)]).toEqual([[3, 4], [5], [20], [1], [10]]);
});

test('what follows is not asked for before it is its turn', () => {
  const asked: number[] = [];
  function* all() {
    for (let one = 1; one <= 6; one += 1) {
      asked.push(one);
      yield one;
    }
  }
  const [first] = batches(all(), 2);
  expect(first).toEqual([1, 2]);
  expect(asked).toEqual([1, 2, 3]);
});
