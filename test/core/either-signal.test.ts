import { expect, test, vi } from 'vitest';
import { eitherOf, forCrowd } from '../../src/core/either-signal.ts';

test.each([0, 1])('it is aborted as soon as one of them is, with its reason: %i', (which) => {
  const both = [new AbortController(), new AbortController()];
  const either = eitherOf(...both.map(({ signal }) => signal));
  expect(either.aborted).toBe(false);
  both[which]?.abort('stop');
  expect([either.aborted, either.reason]).toEqual([true, 'stop']);
});

test('more than ten may wait for it, and no one takes them for a leak', () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const wait = (signal: AbortSignal) => {
    for (let count = 0; count < 20; count += 1) signal.addEventListener('abort', () => count);
  };
  wait(eitherOf(new AbortController().signal));
  const { signal } = new AbortController();
  expect(forCrowd(signal)).toBe(signal);
  wait(signal);
  expect(warn).not.toHaveBeenCalled();
});
