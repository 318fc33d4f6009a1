import { expect, test } from 'vitest';
import { spreadSources } from '../../../src/core/time/spread.ts';

const byDefault = '*/15 * * * *';
const schedules = (count: number, cron: string) =>
  new Map(Array.from({ length: count }, (_, index) => [`source-${index}`, cron]));

test('three hundred sources with the default are spread evenly, each at a place that its name decides', () => {
  const places = spreadSources(schedules(300, byDefault), byDefault);
  const minutes = Array(15).fill(0);
  for (const place of places.values()) minutes[Math.floor(place * 15)] += 1;
  for (const sources of minutes) expect(sources).toBeGreaterThan(5);
  expect(Math.max(...minutes)).toBeLessThan(40);
  const others = spreadSources(schedules(301, byDefault), byDefault);
  for (const [name, place] of places) expect(others.get(name)).toBe(place);
});

test('one source keeps to its schedule, and so do a few with one that somebody wrote', () => {
  expect([...spreadSources(schedules(1, byDefault), byDefault).values()]).toEqual([0]);
  expect(new Set(spreadSources(schedules(8, '7 3 * * *'), byDefault).values())).toEqual(new Set([0]));
  expect(new Set(spreadSources(schedules(9, '7 3 * * *'), byDefault).values()).size).toBe(9);
  const mixed = new Map([...schedules(20, byDefault), ['odd', '7 3 * * *']]);
  expect(spreadSources(mixed, byDefault).get('odd')).toBe(0);
});
