import { expect, test } from 'vitest';
import { isTooMuchFor } from '../../../src/core/files/fuse.ts';

test.each([
  [20, 100, false],
  [21, 100, true],
  // Few of few are no accident, and neither are many of very many.
  [20, 20, false],
  [21, 210, false],
  [22, 210, true],
  [999, 10_000, false],
  [0, 0, false],
])('%i of %i lost at once: too much is %s', (lost, total, isTooMuch) => {
  expect(isTooMuchFor({ share: 0.1, atLeast: 20 }, lost, total)).toBe(isTooMuch);
});
