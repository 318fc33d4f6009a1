import { createTask } from 'node-cron';
import { expect, test } from 'vitest';
import { turnsOf } from '../../src/harvest/turns.ts';

const at = (iso: string) => Date.parse(iso);
const iso = (moment: number | undefined) => moment && new Date(moment).toISOString().slice(0, -5);

test.each([
  ['*/15 * * * *', '2026-11-22T10:16:00Z', '2026-11-22T10:30:00'],
  ['*/15 * * * *', '2026-11-22T10:30:00Z', '2026-11-22T10:45:00'],
  ['*/15 * * * *', '2026-11-22T23:50:00.500Z', '2026-11-23T00:00:00'],
  ['*/10 * * * * *', '2026-11-22T10:16:09.999Z', '2026-11-22T10:16:10'],
  ['0 3 * * 0', '2026-11-22T03:00:00Z', '2026-11-29T03:00:00'],
  ['0 3 * * 7', '2026-11-20T03:00:00Z', '2026-11-22T03:00:00'],
  ['30 2 1,15 jan,dec *', '2026-11-22T03:00:00Z', '2026-12-01T02:30:00'],
  ['0 0 29 2 *', '2026-11-22T03:00:00Z', '2028-02-29T00:00:00'],
  ['0 3 L * *', '2026-11-22T03:00:00Z', '2026-11-30T03:00:00'],
])('the turn of "%s" after %s is at %s', (cron, moment, turn) => {
  expect(iso(turnsOf(cron).after(at(moment)))).toBe(turn);
  const task = createTask(cron, () => undefined, { timezone: 'UTC' });
  expect(task.match(new Date(`${turn}Z`))).toBe(true);
  void task.destroy();
});
