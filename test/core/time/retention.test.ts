import { expect, test } from 'vitest';
import {
  beginOfDays,
  isSameKeep,
  type Keep,
  type Step,
  surplusVersions,
} from '../../../src/core/time/retention.ts';

const day = (number: number) => `2026-11-${String(number).padStart(2, '0')}T00:00:00Z`;
const now = day(20);

/** A resource's life, a step each day; `-` is a deletion. */
function life(text: string): readonly (Step & { readonly name: string })[] {
  return [...text].map((name, index) => ({
    name,
    seq: index + 1,
    at: day(index + 1),
    lastmod: day(index + 1),
    gone: name === '-',
  }));
}

function givenUp(text: string, keep: Keep): string {
  return surplusVersions(life(text), keep, now)
    .map(({ version }) => version.name)
    .join('');
}

test('`all` gives up nothing', () => {
  expect(givenUp('abcdef', 'all')).toBe('');
});

test.each([
  [1, 'abcdef', 'bcde'],
  [2, 'abcdef', 'bcd'],
  [5, 'abcdef', ''],
  [6, 'abcdef', ''],
  [99, 'abcdef', ''],
  [1, 'a', ''],
  [1, 'ab', ''],
  [1, 'abc', 'b'],
])(
  '`last: %i` of %s gives up %s: the first and the current stay, the newest before it',
  (last, text, lost) => {
    expect(givenUp(text, { last })).toBe(lost);
  },
);

test('a deletion is no version, and what was there last stays', () => {
  expect(givenUp('abc-', { last: 1 })).toBe('b');
  expect(givenUp('a-b-c-', { last: 2 })).toBe('');
  expect(givenUp('a-b-c-', { last: 1 })).toBe('b');
  expect(givenUp('abc-', { days: 1 })).toBe('b');
});

test('`days` counts from when the next version came; until then even what was deleted is the latest there is', () => {
  // b ended on the 3rd, c on the 4th; what ended exactly so many days ago stays.
  expect(givenUp('abcd', { days: 17 })).toBe('');
  expect(givenUp('abcd', { days: 16 })).toBe('b');
  expect(givenUp('abcd', { days: 15 })).toBe('bc');
  expect(givenUp('ab-c', { days: 16 })).toBe('');
  expect(givenUp('ab-c', { days: 15 })).toBe('b');
});

test('versions of one second stay or go together: only the last of them was ever to be seen', () => {
  const sameSecond = (text: string) =>
    life(text).map((step) => (step.name === 'c' ? { ...step, lastmod: day(2) } : step));
  const given = (text: string, keep: Keep) =>
    surplusVersions(sameSecond(text), keep, now).map(({ version, endSeq }) => `${version.name} ${endSeq}`);
  expect(given('abcd', { last: 1 })).toEqual(['b 4', 'c 4']);
  expect(given('abcd', { last: 2 })).toEqual([]);
  // The current one is not alone in its second.
  expect(given('abc', { last: 1 })).toEqual([]);
});

test('more days than there are years on record are no date, and give up nothing', () => {
  expect(beginOfDays(1e12, now) < '1950').toBe(true);
  expect(givenUp('abcdef', { days: 1e12 })).toBe('');
});

test('two ways of keeping versions are told apart by what they keep', () => {
  expect(isSameKeep('all', 'all')).toBe(true);
  expect(isSameKeep({ last: 2 }, { last: 2 })).toBe(true);
  for (const other of ['all', { last: 3 }, { days: 2 }] as const)
    expect(isSameKeep({ last: 2 }, other)).toBe(false);
});
