import { expect, test } from 'vitest';
import { spreadSources } from '../../../src/core/time/spread.ts';

const byDefault = '*/15 * * * *';
const schedules = (count: number, cron: string) =>
  new Map(Array.from({ length: count }, (_, index) => [`source-${index}`, cron]));

test('three hundred sources with the default are spread evenly, each at a place that its name decides', () => {
  const places = spreadSources(schedules(300, byDefault), byDefault);
  const minutes = Array(15).fill(0);
  for (const { place } of places.values()) minutes[Math.floor(place * 15)] += 1;
  for (const sources of minutes) expect(sources).toBeGreaterThan(5);
  expect(Math.max(...minutes)).toBeLessThan(40);
  const others = spreadSources(schedules(301, byDefault), byDefault);
  for (const [name, place] of places) expect(others.get(name)).toEqual(place);
});

test('one source keeps to its schedule, and so do a few with one that somebody wrote', () => {
  const asWritten = { place: 0, atMostMs: 0 };
  expect([...spreadSources(schedules(1, byDefault), byDefault).values()]).toEqual([asWritten]);
  const few = spreadSources(schedules(8, '7 3 * * *'), byDefault);
  for (const spread of few.values()) expect(spread).toEqual(asWritten);
  const mixed = new Map([...schedules(20, byDefault), ['odd', '7 3 * * *']]);
  expect(spreadSources(mixed, byDefault).get('odd')).toEqual(asWritten);
});

test('what somebody wrote for many is kept to the minute', () => {
  const many = [...spreadSources(schedules(9, '7 3 * * *'), byDefault).values()];
  expect(new Set(many.map(({ place }) => place)).size).toBe(9);
  expect(new Set(many.map(({ atMostMs }) => atMostMs))).toEqual(new Set([60_000]));
});
