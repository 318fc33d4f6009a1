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

const hour = 3_600_000;

test.each([
  // Three in the night of Tokyo is six in the evening before, UTC.
  ['0 3 * * 0', 'Asia/Tokyo', '2026-11-20T00:00:00Z', '2026-11-21T18:00:00'],
  ['0 3 * * *', 'Asia/Tokyo', '2026-11-21T18:00:00Z', '2026-11-22T18:00:00'],
  ['0 0 1 * *', 'Asia/Tokyo', '2026-11-30T14:59:59Z', '2026-11-30T15:00:00'],
  ['*/15 * * * *', 'Asia/Kolkata', '2026-11-22T10:16:00Z', '2026-11-22T10:30:00'],
  ['0 * * * *', 'Asia/Kolkata', '2026-11-22T10:16:00Z', '2026-11-22T10:30:00'],
  ['0 3 * * *', 'America/New_York', '2026-11-22T00:00:00Z', '2026-11-22T08:00:00'],
  // The clock skips from two to three.
  ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T01:30:00'],
  ['0 3 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00'],
  // It shows the hour from two to three twice.
  ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', '2026-10-25T00:30:00'],
  ['30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00'],
  // Midnight itself is skipped.
  ['0 0 * * *', 'America/Santiago', '2026-09-05T12:00:00Z', '2026-09-06T04:00:00'],
])('"%s" in %s: the turn after %s is at %s', (cron, timeZone, moment, turn) => {
  expect(iso(turnsOf(cron, timeZone).after(at(moment)))).toBe(turn);
});

function allTurns(cron: string, timeZone: string, from: string, until: string): number[] {
  const found: number[] = [];
  const turns = turnsOf(cron, timeZone);
  for (let turn = turns.after(at(from)); turn !== undefined && turn < at(until); turn = turns.after(turn))
    found.push(turn);
  return found;
}

test.each(['2026-03-28', '2026-10-24'])(
  'what is due in every hour stays so where clocks are changed, from %s',
  (day) => {
    const from = `${day}T00:00:00Z`;
    const until = new Date(at(from) + 72 * hour).toISOString();
    const turns = allTurns('*/15 * * * *', 'Europe/Berlin', from, until);
    expect(turns.length).toBe(72 * 4 - 1);
    expect(new Set(turns.slice(1).map((turn, index) => turn - (turns[index] ?? 0)))).toEqual(
      new Set([hour / 4]),
    );
  },
);

test.each(['Europe/Berlin', 'America/Santiago', 'Australia/Lord_Howe', 'Asia/Tokyo', 'Africa/Casablanca'])(
  'what is due once a night is due once on each day of a year, in %s',
  (timeZone) => {
    const turns = allTurns('30 2 * * *', timeZone, '2026-01-01T12:00:00Z', '2027-01-01T12:00:00Z');
    const days = turns.map((turn) => new Intl.DateTimeFormat('en-CA', { timeZone }).format(turn));
    expect(days.length).toBe(365);
    expect(new Set(days).size).toBe(365);
  },
);
