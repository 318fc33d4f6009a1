import { nextDue, type Schedule } from '../time/next-due.ts';

/**
 * When a source has not been harvested for so many of its periods: those that begin with the first turn after it was well, for
 * turns may be as uneven as the days of a working week.
 * @param good when it was harvested well last
 * @returns undefined where it has no turns
 */
export function overdueAt(schedule: Schedule, good: number, periods: number): number | undefined {
  const first = nextDue(schedule, good);
  let turn = first;
  for (let period = 0; period < periods && turn !== undefined; period += 1) turn = nextDue(schedule, turn);
  return first === undefined || turn === undefined ? undefined : good + (turn - first);
}
