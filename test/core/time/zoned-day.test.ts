import { expect, test } from 'vitest';
import { momentsOf, wallDayOf, zonedDay } from '../../../src/core/time/zoned-day.ts';

const utc = (iso: string) => Date.parse(`${iso}Z`);
const iso = (moment: number) => new Date(moment).toISOString().slice(0, 16);

test('a day is that of the clock on the wall', () => {
  expect(iso(wallDayOf(utc('2026-11-22T14:59'), 'Asia/Tokyo'))).toBe('2026-11-22T00:00');
  expect(iso(wallDayOf(utc('2026-11-22T15:00'), 'Asia/Tokyo'))).toBe('2026-11-23T00:00');
  expect(iso(wallDayOf(utc('2026-11-22T04:59'), 'America/New_York'))).toBe('2026-11-21T00:00');
});

test.each([
  ['Europe/Berlin', '2026-03-29', '2026-03-29T01:00'],
  ['Europe/Berlin', '2026-10-25', '2026-10-25T01:00'],
  ['America/New_York', '2026-03-08', '2026-03-08T07:00'],
  // At midnight.
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00'],
  ['America/Santiago', '2026-04-04', '2026-04-05T03:00'],
  // By half an hour.
  ['Australia/Lord_Howe', '2026-10-04', '2026-10-03T15:30'],
])('in %s the clocks are changed on %s at %s', (zone, day, at) => {
  const { change } = zonedDay(utc(`${day}T00:00`), zone);
  expect(change && iso(change.at)).toBe(at);
});

test.each(['Asia/Tokyo', 'UTC', 'Europe/Berlin', 'Pacific/Apia'])(
  'on other days they are not, in %s',
  (zone) => {
    for (const day of ['2026-01-15', '2026-07-15', '2026-11-22'])
      expect(zonedDay(utc(`${day}T00:00`), zone).change).toBeUndefined();
  },
);

test('what the clock skips is later, what it shows twice is the first, unless passing time counts', () => {
  const forward = zonedDay(utc('2026-03-29T00:00'), 'Europe/Berlin');
  const back = zonedDay(utc('2026-10-25T00:00'), 'Europe/Berlin');
  const moments = (day: typeof forward, wall: string, byPassing: boolean) =>
    momentsOf(day, utc(wall), byPassing).map(iso);
  expect(moments(forward, '2026-03-29T02:30', false)).toEqual(['2026-03-29T01:30']);
  expect(moments(forward, '2026-03-29T02:30', true)).toEqual([]);
  expect(moments(forward, '2026-03-29T03:00', true)).toEqual(['2026-03-29T01:00']);
  expect(moments(back, '2026-10-25T02:30', false)).toEqual(['2026-10-25T00:30']);
  expect(moments(back, '2026-10-25T02:30', true)).toEqual(['2026-10-25T00:30', '2026-10-25T01:30']);
});
