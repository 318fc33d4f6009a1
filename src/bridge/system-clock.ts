import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../core/adapter.ts';

export const systemClock: Clock = {
  now: () => new Date(),
  sleep: async (milliseconds, signal) => {
    await sleep(milliseconds, undefined, signal ? { signal } : {});
  },
};
