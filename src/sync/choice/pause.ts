export interface Pauses {
  readonly shortestMs: number;
  readonly longestMs: number;
}

/** What came of the last look at a Source. */
export type LookOutcome = 'changed' | 'unchanged' | 'failed';

/**
 * How long to wait before a Source is looked at again: half as long where it changed, longer and longer where it did not,
 * and longer still where it does not answer.
 * @param before the pause before this look; undefined: it was the first
 */
export function nextPause(before: number | undefined, outcome: LookOutcome, pauses: Pauses): number {
  const { shortestMs, longestMs } = pauses;
  if (before === undefined) return shortestMs;
  const factor = { changed: 0.5, unchanged: 1.5, failed: 2 }[outcome];
  return Math.min(longestMs, Math.max(shortestMs, Math.round(before * factor)));
}
