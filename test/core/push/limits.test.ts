import { expect, test } from 'vitest';
import { retryDelay, verificationDelay } from '../../../src/core/push/limits.ts';

test('what fails is tried again more and more rarely, at no moment that others choose, too', () => {
  const longest = [1, 2, 3, 8, 9, 50].map((failures) => retryDelay(failures, () => 1));
  expect(longest).toEqual([15_000, 30_000, 60_000, 1_920_000, 3_600_000, 3_600_000]);
  expect(retryDelay(1, () => 0)).toBe(1000);
  expect(retryDelay(3, () => 0.5)).toBe(30_000);
});

test('a callback is asked three times within ten minutes', () => {
  expect([1, 2, 3].map(verificationDelay)).toEqual([60_000, 300_000, undefined]);
});
