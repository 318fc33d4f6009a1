import { expect, test } from 'vitest';
import { generalWords } from '../../../src/server/words/general.ts';
import { createReader } from '../../../src/server/words/reader.ts';

const now = '2026-11-21T12:00:00Z';

test('times are in the zone of the pages, and UTC beside it', () => {
  const [en, ja] = [createReader('en', 'Asia/Tokyo'), createReader('ja', 'Asia/Tokyo')];
  expect(en.time('2026-11-21T04:38:07Z')).toBe('2026-11-21 13:38 JST (04:38 UTC)');
  expect(ja.time('2026-11-21T04:38:07Z')).toBe('2026年11月21日 13:38 JST (04:38 UTC)');
  // In Tokyo it is the next day already, and midnight is 00, not 24.
  expect(ja.exactTime('2026-11-20T15:00:07Z')).toBe(
    '2026年11月21日 00:00:07 JST (2026年11月20日 15:00:07 UTC)',
  );
  expect(createReader('en', 'Europe/Berlin').time('2026-07-01T10:00:00Z')).toMatch(
    /^2026-07-01 12:00 \S+ \(10:00 UTC\)$/,
  );
  expect(createReader('ja').time('2026-11-21T04:38:07Z')).toBe('2026年11月21日 04:38 UTC');
});

test.each([
  [0, '0 バイト'],
  [999, '999 バイト'],
  [1000, '1.0 kB'],
  [31_400_000, '31 MB'],
])('%i is %s', (bytes, text) => {
  expect(createReader('ja').size(bytes)).toBe(text);
});

test.each([
  [now, 'たった今'],
  ['2026-11-21T11:57:00Z', '3分前'],
  ['2026-11-21T13:00:00Z', '1時間後'],
  ['2026-11-20T11:00:00Z', '昨日'],
  ['2026-11-21T12:00:30Z', 'まもなく'],
])('%s is %s', (iso, text) => {
  expect(createReader('ja').age(iso, now)).toBe(text);
});

test('a number and its noun agree', () => {
  expect([0, 1, 2, 1200].map(generalWords.en.items)).toEqual(['0 items', '1 item', '2 items', '1,200 items']);
  expect([1, 1200].map(generalWords.ja.items)).toEqual(['アイテム1件', 'アイテム1,200件']);
});
