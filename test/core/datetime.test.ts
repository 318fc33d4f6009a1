import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addSeconds,
  endOfUtcDay,
  parseDatestamp,
  parseHttpDate,
  parseStamp,
  toHttpDate,
  toIso,
  toStamp,
} from '../../src/core/datetime.ts';

const dates = fc.date({
  min: new Date('1000-01-01'),
  max: new Date('9999-12-31T23:59:59Z'),
  noInvalidDate: true,
});

describe('parseDatestamp', () => {
  test.each([
    ['2026-11-21T04:38:00Z', '2026-11-21T04:38:00Z'],
    ['2026-11-21', '2026-11-21T00:00:00Z'],
    ['20170214', '2017-02-14T00:00:00Z'],
    ['2017-09-04T10:18:05.000Z', '2017-09-04T10:18:05Z'],
    ['2017-09-04T10:18:05', '2017-09-04T10:18:05Z'],
    ['2017-09-04 10:18:05', '2017-09-04T10:18:05Z'],
    ['2017-09-04T10:18:05+09:00', '2017-09-04T01:18:05Z'],
    ['2017-09-04T10:18:05+0900', '2017-09-04T01:18:05Z'],
    ['  2017-09-04T10:18Z\n', '2017-09-04T10:18:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
  ])('quirk 54: reads %j as %s', (text, iso) => {
    expect(parseDatestamp(text)).toBe(iso);
  });

  test.each([
    '',
    'aaaa-bb-cc',
    '2026-13-01',
    '2026-02-30',
    '2023-02-29',
    '2026-11-21T25:00:00Z',
    'yesterday',
  ])('does not invent a time for %j', (text) => {
    expect(parseDatestamp(text)).toBeUndefined();
  });

  test('reads whatever toIso writes', () => {
    fc.assert(
      fc.property(dates, (date) => {
        expect(parseDatestamp(toIso(date))).toBe(toIso(date));
      }),
    );
  });
});

test('RS-TIME-02: toIso writes seconds and Z, without fractions', () => {
  expect(toIso(new Date('2026-11-21T04:38:00.999Z'))).toBe('2026-11-21T04:38:00Z');
});

test('HTTP dates and stamps are read back as they were written', () => {
  fc.assert(
    fc.property(dates, (date) => {
      const iso = toIso(date);
      expect(parseHttpDate(toHttpDate(iso))).toBe(iso);
      expect(parseStamp(toStamp(iso))).toBe(iso);
    }),
  );
  for (const form of [
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
  ]) {
    expect(parseHttpDate(form)).toBe('1994-11-06T08:49:37Z');
  }
  for (const none of ['120', '', 'Sun, 06 Foo 1994 08:49:37 GMT', 'Sun, 31 Feb 1994 08:49:37 GMT']) {
    expect(parseHttpDate(none)).toBeUndefined();
  }
  expect(parseStamp('2026-11-21')).toBeUndefined();
});

test('a day ends at the midnight after it', () => {
  expect(endOfUtcDay('2026-12-31T23:59:59Z')).toBe('2027-01-01T00:00:00Z');
  expect(endOfUtcDay('2026-11-21T00:00:00Z')).toBe('2026-11-22T00:00:00Z');
  expect(addSeconds('2026-11-21T00:00:00Z', -1)).toBe('2026-11-20T23:59:59Z');
});
