import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../src/core/adapter.ts';
import { toIso } from '../../src/core/datetime.ts';

/** A clock that nobody has to wait for: whoever sleeps moves it on. */
export interface VirtualClock extends Clock {
  iso(): string;
  milliseconds(): number;
  advance(seconds: number): void;
}

export function createVirtualClock(start = '2026-03-01T12:00:00Z'): VirtualClock {
  let milliseconds = Date.parse(start);
  return {
    now: () => new Date(milliseconds),
    iso: () => toIso(new Date(milliseconds)),
    milliseconds: () => milliseconds,
    advance: (seconds) => {
      milliseconds += seconds * 1000;
    },
    sleep: async (duration, signal) => {
      signal?.throwIfAborted();
      milliseconds += duration;
      // What else is under way comes first, as if time had passed.
      await new Promise<void>((resolve) => setImmediate(resolve));
    },
  };
}

/** A clock that runs so many times as fast as the real one: for what has to happen at the same time. */
export function createFastClock(factor: number, start = '2026-03-01T12:00:00Z'): VirtualClock {
  const began = performance.now();
  let offset = Date.parse(start);
  const milliseconds = () => offset + (performance.now() - began) * factor;
  return {
    now: () => new Date(milliseconds()),
    iso: () => toIso(new Date(milliseconds())),
    milliseconds,
    advance: (seconds) => {
      offset += seconds * 1000;
    },
    sleep: async (duration, signal) => {
      await setTimeout(duration / factor, undefined, signal ? { signal } : {});
    },
  };
}
