import { expect, test } from 'vitest';
import { overdueAt } from '../../../src/core/alerts/overdue.ts';
import { turnsOf } from '../../../src/harvest/turns.ts';

const at = (iso: string) => Date.parse(`${iso}:00Z`);
const schedule = (cron: string) => ({ place: 0, atMostMs: 0, after: turnsOf(cron).after });

test.each([
  ['*/15 * * * *', '2026-11-20T10:02', '2026-11-20T10:47'],
  ['0 3 * * *', '2026-11-20T03:10', '2026-11-23T03:10'],
  // Friday: until the third working day is over.
  ['0 3 * * 1-5', '2026-11-20T03:10', '2026-11-23T03:10'],
  ['0 3 * * 1-5', '2026-11-18T03:10', '2026-11-23T03:10'],
])('by "%s", what was well at %s is overdue at %s', (cron, good, overdue) => {
  expect(overdueAt(schedule(cron), at(good), 3)).toBe(at(overdue));
});

test('what has no turns is never overdue', () => {
  const never = { place: 0, atMostMs: 0, after: () => undefined };
  expect(overdueAt(never, 0, 3)).toBeUndefined();
});
