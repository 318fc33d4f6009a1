import { toMilliseconds } from '../datetime.ts';

/** Clocks of machines differ by so much where nothing is wrong. */
const differenceMs = 300_000;

/** Whether a moment lies so clearly in the future that the clock was ahead when it was written down. */
export function isDatedAhead(at: string, now: number): boolean {
  return toMilliseconds(at) - now > differenceMs;
}
