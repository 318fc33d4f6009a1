import { expect, test } from 'vitest';
import { keptFresh } from '../../../src/bridge/state/survey.ts';

/** What is asked for in the background has been answered. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

function staged(takesMs: number) {
  const state = { now: 0, asked: 0, failing: false };
  const ask = keptFresh({ now: () => new Date(state.now) }, 5000, async () => {
    state.asked += 1;
    const number = state.asked;
    await Promise.resolve();
    if (state.failing) throw new Error('the database is away');
    state.now += takesMs;
    return number;
  });
  return { state, ask };
}

test('an answer is good for a while, however often it is asked for', async () => {
  const { state, ask } = staged(1);
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1]);
  state.now += 4000;
  expect(await ask()).toBe(1);
  state.now += 2000;
  expect(await ask()).toBe(2);
});

test('while one that takes long is made anew, the last one is given; a very old one is not', async () => {
  const { state, ask } = staged(200);
  expect(await ask()).toBe(1);
  state.now += 9000;
  expect(await ask()).toBe(1);
  state.now += 2000;
  expect(await ask()).toBe(1);
  expect(state.asked).toBe(2);
  await settled();
  expect(await ask()).toBe(2);
  state.now += 61_000;
  expect(await ask()).toBe(3);
});

test('a failure is told, and what was true before it is not told any more', async () => {
  const { state, ask } = staged(200);
  expect(await ask()).toBe(1);
  state.failing = true;
  state.now += 11_000;
  expect(await ask()).toBe(1);
  await settled();
  await expect(ask()).rejects.toThrow('the database is away');
  state.failing = false;
  expect(await ask()).toBe(4);
});
