import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createScheduler, type Scheduler } from '../../src/harvest/scheduler.ts';

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
let scheduler: Scheduler;
let began: string[];

beforeEach(() => {
  vi.useFakeTimers();
  began = [];
  scheduler = createScheduler(log);
});

afterEach(async () => {
  await scheduler.stop();
  vi.useRealTimers();
});

function add(name: string, cron: string, place?: number, work: () => Promise<void> = async () => undefined) {
  scheduler.add({
    ...{ name, cron, place },
    run: () => {
      began.push(`${name} ${new Date().toISOString()}`);
      return work();
    },
  });
}

test('jobs of one schedule begin at their own places in it, and say so beforehand', async () => {
  vi.setSystemTime('2026-11-22T10:16:00Z');
  add('first', '*/15 * * * *');
  add('middle', '*/15 * * * *', 0.5);
  scheduler.start();
  expect(scheduler.nextRun('first')?.toISOString()).toBe('2026-11-22T10:30:00.000Z');
  expect(scheduler.nextRun('middle')?.toISOString()).toBe('2026-11-22T10:22:30.000Z');
  expect(scheduler.nextRun('nobody')).toBeUndefined();
  await vi.advanceTimersByTimeAsync(30 * 60_000);
  expect(began.map((line) => line.slice(0, -5))).toEqual([
    'middle 2026-11-22T10:22:30',
    'first 2026-11-22T10:30:00',
    'middle 2026-11-22T10:37:30',
    'first 2026-11-22T10:45:00',
  ]);
});

test('what is meant for the night is not spread over a week, and a restart in it costs nobody its turn', async () => {
  // A Sunday.
  vi.setSystemTime('2026-11-22T04:00:00Z');
  add('early', '0 3 * * 0', 0.1);
  add('late', '0 3 * * 0', 0.9);
  scheduler.start();
  expect(scheduler.nextRun('early')?.toISOString()).toBe('2026-11-29T03:36:00.000Z');
  expect(scheduler.nextRun('late')?.toISOString()).toBe('2026-11-22T08:24:00.000Z');
  await vi.advanceTimersByTimeAsync(5 * 3_600_000);
  expect(began).toEqual(['late 2026-11-22T08:24:00.000Z']);
});

test('a job that is still running is not begun again, and stopping waits for it', async () => {
  vi.setSystemTime('2026-11-22T10:00:30Z');
  let finish = () => {};
  add('slow', '* * * * *', 0, () => new Promise((resolve) => (finish = resolve)));
  scheduler.start();
  await vi.advanceTimersByTimeAsync(3 * 60_000);
  expect(began.length).toBe(1);
  let stopped = false;
  const stopping = scheduler.stop().then(() => {
    stopped = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(stopped).toBe(false);
  finish();
  await stopping;
});
