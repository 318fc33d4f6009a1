import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { beatEvery } from '../../../src/store/runs/held.ts';

test('a heartbeat that waits is not joined by the next, and its end is waited for', async () => {
  let [beats, beating, most] = [0, 0, 0];
  const heartbeat = beatEvery(1, async () => {
    beating += 1;
    most = Math.max(most, beating);
    await setTimeout(20);
    beating -= 1;
    beats += 1;
  });
  await expect.poll(() => beats).toBeGreaterThan(2);
  await heartbeat.end();
  expect([beating, most]).toEqual([0, 1]);
  const before = beats;
  await setTimeout(50);
  expect(beats).toBe(before);
});
