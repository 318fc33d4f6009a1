import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { longest } from './longest-first.ts';

test('the longest files are where they are said to be', () => {
  expect(longest.filter((file) => !existsSync(file))).toEqual([]);
});
