import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers';

/** So long statements may follow one another before whoever waits for the network or a timer has a turn. */
const sliceMs = 10;

let began = 0;
let isRunning = false;

/**
 * To be awaited before a statement that is answered at once, as SQLite's are: a chain of those never leaves the
 * queue of microtasks by itself, and a thousand sources looked at one after the other would hold up the whole process
 * for as long as that takes.
 * @returns undefined while there is time left
 */
export function giveWay(): Promise<void> | undefined {
  const now = performance.now();
  if (!isRunning) {
    isRunning = true;
    began = now;
    setImmediate(() => {
      isRunning = false;
    });
    return undefined;
  }
  if (now - began < sliceMs) return undefined;
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
