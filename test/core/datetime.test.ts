import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addSeconds,
  earlier,
  endOfSlot,
  endOfUtcDay,
  later,
  parseAcceptDatetime,
  parseDatestamp,
  parseDigits,
  parseHttpDate,
  parseStamp,
  toDigits,
  toHttpDate,
  toIso,
  toMilliseconds,
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

test('toIso writes each second anew, and nothing for what is no date', () => {
  const seconds = [0, 999, 1000, 1000, 0, -1].map((time) => toIso(new Date(time)).slice(-3));
  expect(seconds).toEqual(['00Z', '00Z', '01Z', '01Z', '00Z', '59Z']);
  for (let asked = 0; asked < 2; asked += 1) expect(() => toIso(new Date(Number.NaN))).toThrow(RangeError);
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

test.each([
  [60, '2026-11-21T00:00:00Z', '2026-11-21T01:00:00Z'],
  [60, '2026-11-21T04:59:59Z', '2026-11-21T05:00:00Z'],
  [60, '2026-11-21T05:00:00Z', '2026-11-21T06:00:00Z'],
  [60, '2026-12-31T23:00:01Z', '2027-01-01T00:00:00Z'],
  [1440, '2026-11-21T12:00:00Z', '2026-11-22T00:00:00Z'],
  [1, '2026-11-21T12:00:59Z', '2026-11-21T12:01:00Z'],
  // The last slot of a day is as long as the day has room.
  [1000, '2026-11-21T16:39:59Z', '2026-11-21T16:40:00Z'],
  [1000, '2026-11-21T16:40:00Z', '2026-11-22T00:00:00Z'],
])('of slots of %i minutes, that of %s ends at %s', (minutes, iso, end) => {
  expect(endOfSlot(iso, minutes)).toBe(end);
});

test('of two moments one is later, one is earlier', () => {
  const [a, b] = ['2026-11-21T00:00:00Z', '2026-11-21T00:00:01Z'];
  expect([later(a, b), later(b, a), later(a, a)]).toEqual([b, b, a]);
  expect([earlier(a, b), earlier(b, a), earlier(a, a)]).toEqual([a, a, a]);
  expect(toMilliseconds(b) - toMilliseconds(a)).toBe(1000);
});

test('the two digits of a year are of this century up to 76', () => {
  expect(parseHttpDate('Saturday, 21-Nov-76 00:00:00 GMT')).toBe('2076-11-21T00:00:00Z');
  expect(parseHttpDate('Saturday, 21-Nov-77 00:00:00 GMT')).toBe('1977-11-21T00:00:00Z');
});

describe('parseAcceptDatetime', () => {
  test.each([
    ['Tue, 20 Mar 2001 20:35:00 GMT', '2001-03-20T20:35:00Z'],
    ['Mon, 01 Jan 0001 00:00:00 GMT', '0001-01-01T00:00:00Z'],
    ['Fri, 31 Dec 9999 23:59:59 GMT', '9999-12-31T23:59:59Z'],
    // ME-03: a Saturday; the weekday is not held against the date.
    ['Thu, 10 Oct 2009 12:00:00 GMT', '2009-10-10T12:00:00Z'],
  ])('ME-01: reads %s', (text, iso) => {
    expect(parseAcceptDatetime(text)).toBe(iso);
  });

  test.each([
    'Tue, 20 Mar 2001 20:35:00 +0000',
    'Tue, 20 Mar 2001 20:35:00 gmt',
    'Tue, 20 Mar 2001 20:35:00 UTC',
    'tue, 20 Mar 2001 20:35:00 GMT',
    'Tue, 20 mar 2001 20:35:00 GMT',
    'Tue, 2 Mar 2001 20:35:00 GMT',
    'Tuesday, 20-Mar-01 20:35:00 GMT',
    'Tue Mar 20 20:35:00 2001',
    '2001-03-20T20:35:00Z',
    'Tue, 20 Mar 2001 20:35 GMT',
    'Tue, 20  Mar 2001 20:35:00 GMT',
    'Tue, 20 Xyz 2001 20:35:00 GMT',
    'Tue, 31 Feb 2001 20:35:00 GMT',
    'Tue, 20 Mar 2001 25:00:00 GMT',
    'Tue, 20 Mar 2001 20:35:00 GMT ',
    'Tue, 20 Mar 2001 20:35:00 GMT, Tue, 20 Mar 2001 20:35:00 GMT',
    ', Tue, 20 Mar 2001 20:35:00 GMT',
    '',
  ])('ME-02, ME-03: refuses %j', (text) => {
    expect(parseAcceptDatetime(text)).toBeUndefined();
  });

  test('reads whatever toHttpDate writes', () => {
    fc.assert(
      fc.property(dates, (date) => {
        expect(parseAcceptDatetime(toHttpDate(toIso(date)))).toBe(toIso(date));
      }),
    );
  });
});

describe('the digits of a memento', () => {
  test('name its moment', () => {
    fc.assert(
      fc.property(dates, (date) => {
        expect(parseDigits(toDigits(toIso(date)))).toBe(toIso(date));
      }),
    );
  });

  test.each([
    '20261301000000',
    '20260230000000',
    '20260101240000',
    '2026010100000',
    '202601010000000',
    '',
    'x',
  ])('are not %j', (digits) => {
    expect(parseDigits(digits)).toBeUndefined();
  });
});
