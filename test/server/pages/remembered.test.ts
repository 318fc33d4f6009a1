import { expect, test, vi } from 'vitest';
import { remembered } from '../../../src/server/pages/remembered.ts';

test('the last result stands as long as it is asked about the same objects', () => {
  const work = vi.fn((a: readonly number[], b: readonly number[]) => [...a, ...b]);
  const ask = remembered(work);
  const [one, two] = [[1], [2]];
  const first = ask(one, two);
  expect(first).toEqual([1, 2]);
  expect(ask(one, two)).toBe(first);
  expect(work).toHaveBeenCalledTimes(1);
  expect(ask(two, two)).toEqual([2, 2]);
  expect(ask(two, one)).toEqual([2, 1]);
  expect(ask([2], one)).not.toBe(ask(two, one));
});
