import { expect, it } from 'vitest';
import { nextPause } from '../../../src/sync/choice/pause.ts';

const pauses = { shortestMs: 60_000, longestMs: 3_600_000 };

it('begins with the shortest pause', () => {
  expect(nextPause(undefined, 'unchanged', pauses)).toBe(60_000);
  expect(nextPause(undefined, 'failed', pauses)).toBe(60_000);
});

it.each([
  [600_000, 'changed', 300_000],
  [60_000, 'changed', 60_000],
  [60_000, 'unchanged', 90_000],
  [3_000_000, 'unchanged', 3_600_000],
  [60_000, 'failed', 120_000],
  [3_600_000, 'failed', 3_600_000],
] as const)('after %i ms, where it %s, waits %i', (before, outcome, expected) => {
  expect(nextPause(before, outcome, pauses)).toBe(expected);
});
