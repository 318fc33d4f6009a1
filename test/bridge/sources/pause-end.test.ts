import { expect, test } from 'vitest';
import { pauseEnd } from '../../../src/bridge/sources/pause-end.ts';

const now = new Date('2026-11-26T12:00:00Z');

test.each([
  ['monday', '2026-11-30T00:00:00Z'],
  [' Thursday ', '2026-12-03T00:00:00Z'],
  ['月曜', '2026-11-30T00:00:00Z'],
  ['日曜日', '2026-11-29T00:00:00Z'],
  ['2026-12-01', '2026-12-01T00:00:00Z'],
])('a pause until %s', (text, end) => {
  expect(pauseEnd(text, now)).toBe(end);
});

test.each(['someday', '休曜', '曜日', '2020-01-01', ''])('no pause until "%s"', (text) => {
  expect(() => pauseEnd(text, now)).toThrow(/is no time|has passed/);
});
