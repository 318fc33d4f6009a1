import { expect, test } from 'vitest';
import { plansOf } from '../../../src/bridge/work/due-plans.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { nextDue } from '../../../src/core/time/next-due.ts';

const source = { url: 'https://repo.example.org/oai' };
const noon = Date.parse('2026-11-21T03:00:00Z');

function turns(timeZone: string | undefined): Record<string, string> {
  const config = parseConfig({ ...(timeZone && { timeZone }), sources: { repo: source } });
  return Object.fromEntries(
    plansOf(config)
      .filter(({ kind }) => kind !== 'publication' && kind !== 'alerts')
      .map(({ kind, schedule }) => {
        const due = schedule && nextDue(schedule, noon);
        return [kind, due === undefined ? 'never' : new Date(due).toISOString().slice(0, 16)];
      }),
  );
}

test('what is done at night by default is done in the nights of the time zone', () => {
  expect(turns(undefined)).toMatchObject({
    harvest: '2026-11-21T03:15',
    full: '2026-11-22T03:00',
    identifiers: '2026-11-22T01:00',
    retention: '2026-11-22T01:10',
    lists: '2026-11-22T02:30',
    dumps: '2026-11-22T04:00',
  });
  expect(turns('Asia/Tokyo')).toMatchObject({
    harvest: '2026-11-21T03:15',
    full: '2026-11-21T18:00',
    identifiers: '2026-11-21T16:00',
    retention: '2026-11-21T16:10',
    lists: '2026-11-21T17:30',
    dumps: '2026-11-21T19:00',
  });
});

test('another time zone is another schedule: what is due is reckoned anew', () => {
  const texts = (timeZone: string) =>
    plansOf(parseConfig({ timeZone, sources: { repo: source } })).map(({ text }) => text);
  const [utc, tokyo] = [texts('UTC'), texts('Asia/Tokyo')];
  expect(utc[0]).toBe('*/15 * * * *');
  expect(tokyo[0]).toBe('*/15 * * * * in Asia/Tokyo');
  expect(utc.filter((text, index) => text === tokyo[index])).toEqual(['never', 'always']);
});
