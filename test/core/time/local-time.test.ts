import { describe, expect, test } from 'vitest';
import { parseLocalTime } from '../../../src/core/time/local-time.ts';

describe('a local time', () => {
  test.each([
    ['2015-01-12 15:44:12.978', 'UTC', '2015-01-12T15:44:12Z'],
    ['2015-01-12 15:44:12.978', 'Europe/Berlin', '2015-01-12T14:44:12Z'],
    ['2015-07-12 15:44:12.9', 'Europe/Berlin', '2015-07-12T13:44:12Z'],
    ['2015-01-12 03:44:12', 'America/New_York', '2015-01-12T08:44:12Z'],
    ['2015-01-12 03:44:12', 'Asia/Kolkata', '2015-01-11T22:14:12Z'],
    ['2015-01-12 03:44:12', 'Asia/Tokyo', '2015-01-11T18:44:12Z'],
    [' 2015-01-12 15:44:12.978\n', 'Europe/Berlin', '2015-01-12T14:44:12Z'],
    ['2015-01-12T15:44:12,9', 'Europe/Berlin', '2015-01-12T14:44:12Z'],
  ])('%j in %s is %s', (text, zone, expected) => {
    expect(parseLocalTime(text, zone)).toBe(expected);
  });

  test('that the clocks were put forward over is as much later', () => {
    expect(parseLocalTime('2021-03-28 02:30:00', 'Europe/Berlin')).toBe('2021-03-28T01:30:00Z');
    expect(parseLocalTime('2021-03-28 01:59:59', 'Europe/Berlin')).toBe('2021-03-28T00:59:59Z');
    expect(parseLocalTime('2021-03-28 03:00:00', 'Europe/Berlin')).toBe('2021-03-28T01:00:00Z');
  });

  test('that the clocks show twice is the first of the two', () => {
    expect(parseLocalTime('2021-10-31 02:30:00', 'Europe/Berlin')).toBe('2021-10-31T00:30:00Z');
    expect(parseLocalTime('2021-10-31 03:00:00', 'Europe/Berlin')).toBe('2021-10-31T02:00:00Z');
  });

  test('may be as Java writes it', () => {
    expect(parseLocalTime('Thu Sep 02 14:57:55 UTC 2021', 'Asia/Tokyo')).toBe('2021-09-02T14:57:55Z');
    expect(parseLocalTime('Thu Sep 02 14:57:55 GMT 2021', 'Asia/Tokyo')).toBe('2021-09-02T14:57:55Z');
    expect(parseLocalTime(' Thu Sep 02 14:57:55 CEST 2021 ', 'Europe/Berlin')).toBe('2021-09-02T12:57:55Z');
    // EST is a zone of America and of Australia: the configured one counts.
    expect(parseLocalTime('Thu Dec 02 14:57:55 EST 2021', 'Australia/Sydney')).toBe('2021-12-02T03:57:55Z');
  });

  test('with its own zone goes by that', () => {
    expect(parseLocalTime('2021-09-07T08:15:40.391+02:00', 'Asia/Tokyo')).toBe('2021-09-07T06:15:40Z');
  });

  test.each([
    '',
    'yesterday',
    '2021-02-31 10:00:00',
    '2021-13-01 10:00:00',
    'Thu Foo 02 14:57:55 UTC 2021',
    '12',
  ])('is not what %j is', (text) => {
    expect(parseLocalTime(text, 'UTC')).toBeUndefined();
  });
});
