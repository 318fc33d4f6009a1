import type { Clock } from '../../../src/core/adapter.ts';
import { toIso } from '../../../src/core/datetime.ts';

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

export interface StandingClock extends VirtualClock {
  /** How often the time went on. */
  readonly rests: number;
  /**
   * From now on the time goes on whenever somebody sleeps and nothing has happened for a while.
   * @returns what ends that
   */
  keepGoing(isQuiet: () => boolean): () => void;
}

/**
 * A clock that stands still while anything is done, and goes on to the first moment that somebody sleeps for: whoever
 * does not sleep meanwhile is seen at a moment at which nobody should be there, however slow the machine is.
 */
export function createStandingClock(start?: string): StandingClock {
  const clock = createVirtualClock(start);
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  let rests = 0;

  function goOn(): void {
    const next = Math.min(...[...sleepers].map(({ until }) => until));
    clock.advance((next - clock.milliseconds()) / 1000);
    rests += 1;
    for (const sleeper of sleepers) {
      if (sleeper.until > next) continue;
      sleepers.delete(sleeper);
      sleeper.wake();
    }
  }

  return {
    ...clock,
    get rests() {
      return rests;
    },
    sleep: (duration, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        const sleeper = { until: clock.milliseconds() + duration, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          reject(signal.reason);
        });
      }),
    keepGoing: (isQuiet) => {
      let quietTurns = 0;
      const timer = setInterval(() => {
        quietTurns = isQuiet() && sleepers.size > 0 ? quietTurns + 1 : 0;
        if (quietTurns < 5) return;
        quietTurns = 0;
        goOn();
      }, 5);
      return () => clearInterval(timer);
    },
  };
}
