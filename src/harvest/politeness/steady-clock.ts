/** Milliseconds that have passed, as a process sees it that may be stopped, put to sleep, or given another time of day. */
export interface SteadyClock {
  now(): number;
}

/** Counts what either clock counts: one stands still while a machine sleeps, the other is set back. */
export function createSteadyClock(
  monotonic: () => number = () => performance.now(),
  wall: () => number = Date.now,
): SteadyClock {
  let [ticks, time, elapsed] = [monotonic(), wall(), 0];
  return {
    now() {
      const [nextTicks, nextTime] = [monotonic(), wall()];
      elapsed += Math.max(0, nextTicks - ticks, nextTime - time);
      [ticks, time] = [nextTicks, nextTime];
      return elapsed;
    },
  };
}
