import { expect, test } from 'vitest';
import { followGrowth, type Growth, hasGrown } from '../../../src/core/alerts/growth.ts';

const hour = 3_600_000;

/** Counts, one an hour. */
function follow(counts: readonly number[], before?: Growth): Growth[] {
  const states: Growth[] = [];
  for (const [index, count] of counts.entries())
    states.push(followGrowth(states.at(-1) ?? before, count, index * hour));
  return states;
}

test('what was there before it was watched has not grown', () => {
  expect(follow([500, 500, 505]).map((growth) => hasGrown(growth, 10))).toEqual([false, false, false]);
});

test('what grows has grown until it rests for a day', () => {
  const counts = [0, 3, 6, 12, ...Array.from({ length: 30 }, () => 12)];
  const grown = follow(counts).map((growth) => hasGrown(growth, 10));
  expect(grown.indexOf(true)).toBe(3);
  expect(grown.lastIndexOf(true)).toBe(3 + 23);
  expect(follow(counts).at(-1)).toEqual({ base: 12, last: 12, grewAt: undefined });
});

test('what was mended counts as what there was', () => {
  const states = follow([20, 31, 2, 11, 12]);
  expect(states.map((growth) => hasGrown(growth, 10))).toEqual([false, true, false, false, true]);
  const [first] = follow([4, 4]).slice(1);
  expect(first && followGrowth(first, 4, 5 * hour)).toBe(first);
});
