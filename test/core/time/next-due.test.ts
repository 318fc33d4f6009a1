import { expect, test } from 'vitest';
import { longestBackoffMs, nextAttempt, nextDue, type Schedule } from '../../../src/core/time/next-due.ts';

const minute = 60_000;
const hour = 60 * minute;
const every = (period: number, place = 0, atMostMs = 6 * hour): Schedule => ({
  place,
  atMostMs,
  after: (moment) => (Math.floor(moment / period) + 1) * period,
});
const never: Schedule = { place: 0.5, atMostMs: hour, after: () => undefined };

test('each is due at its own place between two turns, whenever one asks', () => {
  expect(nextDue(every(15 * minute), 16 * minute)).toBe(30 * minute);
  expect(nextDue(every(15 * minute, 0.5), 16 * minute)).toBe(22.5 * minute);
  expect(nextDue(every(15 * minute, 0.5), 22.5 * minute)).toBe(37.5 * minute);
  expect(nextDue(every(15 * minute, 0.5), 29 * minute)).toBe(37.5 * minute);
  expect(nextDue(every(10_000, 0.5, minute), 12_000)).toBe(15_000);
  expect(nextDue(never, 0)).toBeUndefined();
});

test('what is meant for the night is not spread over a week, nor what somebody wrote over more than its minute', () => {
  const week = 168 * hour;
  expect(nextDue(every(week, 0.5), week)).toBe(week + 3 * hour);
  expect(nextDue(every(week, 0.9), week + 5 * hour)).toBe(week + 5.4 * hour);
  expect(nextDue(every(week, 0.5, minute), week + 5_000)).toBe(week + 30_000);
  expect(nextDue(every(week, 0.5, minute), week + 30_000)).toBe(2 * week + 30_000);
});

test('who fails comes back at the next turn, then ever more rarely, up to a ceiling', () => {
  const schedule = every(15 * minute);
  const pauses = (chance: number) =>
    [1, 2, 3, 4, 5, 6, 7, 40].map((attempts) => (nextAttempt(schedule, 0, attempts, chance) ?? 0) / minute);
  expect(pauses(0)).toEqual([15, 30, 45, 75, 135, 195, 195, 195]);
  expect(pauses(0.9999)).toEqual([15, 30, 60, 120, 240, 360, 360, 360]);
  expect(longestBackoffMs).toBe(6 * hour);
});

test('what is meant for the night stays in the night, however often it fails', () => {
  const day = 24 * hour;
  for (const attempts of [1, 2, 9]) expect(nextAttempt(every(day), day, attempts, 0.5)).toBe(2 * day);
  expect(nextAttempt(never, 0, 5, 0.5)).toBeUndefined();
});
