import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { beatEvery } from '../../../src/store/runs/held.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a heartbeat that waits is not joined by the next, and its end is waited for', async () => {
  const waiting: (() => void)[] = [];
  let beats = 0;
  const heartbeat = beatEvery(10, () => {
    beats += 1;
    return new Promise((resolve) => waiting.push(resolve));
  });
  await vi.advanceTimersByTimeAsync(100);
  expect(beats).toBe(1);
  waiting.pop()?.();
  await vi.advanceTimersByTimeAsync(10);
  expect(beats).toBe(2);
  let isOver = false;
  const end = heartbeat.end().then(() => {
    isOver = true;
  });
  await vi.advanceTimersByTimeAsync(100);
  expect(isOver).toBe(false);
  waiting.pop()?.();
  await end;
  await vi.advanceTimersByTimeAsync(100);
  expect(beats).toBe(2);
});
