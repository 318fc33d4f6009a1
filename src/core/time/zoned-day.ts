import { inZone, offsetAt } from './local-time.ts';

/** A day by the clock on the wall of a time zone. All in milliseconds. */
export interface ZonedDay {
  /** Its midnight, as if the clock on the wall were UTC. */
  readonly wall: number;
  /** By which the clocks are ahead of UTC when it begins. */
  readonly offset: number;
  /** When they are put forward or back, and by how much they are ahead from then on; undefined: not on this day. */
  readonly change: { readonly at: number; readonly offset: number } | undefined;
}

const dayMs = 86_400_000;
/** The days of a few schedules are asked for again and again. */
const known = new Map<string, ZonedDay>();
const mostKnown = 2000;

/** The midnight of the day that it is there at a moment, as if the clock on the wall were UTC. */
export function wallDayOf(moment: number, timeZone: string): number {
  const offset = timeZone === 'UTC' ? 0 : offsetAt(moment, timeZone);
  return Math.floor((moment + offset) / dayMs) * dayMs;
}

/** @param wall its midnight, as if the clock on the wall were UTC */
export function zonedDay(wall: number, timeZone: string): ZonedDay {
  if (timeZone === 'UTC') return { wall, offset: 0, change: undefined };
  const key = `${timeZone} ${wall}`;
  const found = known.get(key);
  if (found) return found;
  if (known.size >= mostKnown) known.clear();
  const day = readDay(wall, timeZone);
  known.set(key, day);
  return day;
}

function readDay(wall: number, timeZone: string): ZonedDay {
  // The last second before it: clocks may be changed at midnight.
  const before = inZone(wall, timeZone) - 1000;
  const end = inZone(wall + dayMs, timeZone) - 1000;
  const [offset, after] = [offsetAt(before, timeZone), offsetAt(end, timeZone)];
  if (offset === after) return { wall, offset, change: undefined };
  let [low, high] = [before, end];
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000;
    if (offsetAt(middle, timeZone) === offset) low = middle;
    else high = middle;
  }
  return { wall, offset, change: { at: high, offset: after } };
}

/**
 * When the clock on the wall shows a time of the day. What it skips is taken as much later as it was put forward; of what it
 * shows twice the first counts.
 * @param byPassing whether what is skipped counts never, and what is shown twice both times
 */
export function momentsOf({ offset, change }: ZonedDay, wall: number, byPassing: boolean): readonly number[] {
  if (change === undefined) return [wall - offset];
  const first = wall - offset;
  const second = wall - change.offset;
  if (first < change.at) return byPassing && second >= change.at ? [first, second] : [first];
  if (second >= change.at) return [second];
  return byPassing ? [] : [first];
}
