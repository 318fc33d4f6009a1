import type { Spread } from './spread.ts';

/** The turns of a schedule; moments in milliseconds since the epoch. */
export interface Schedule extends Spread {
  /** The first one after a moment. */
  after(moment: number): number | undefined;
}

/** Who failed again and again is asked no more rarely than this, unless its schedule has it so. */
export const longestBackoffMs = 6 * 3_600_000;
/** The last turn lies no further back than this, where it still matters: nothing is put off for longer. */
const lookBacks = [60_000, 3_600_000, 6 * 3_600_000 + 1000] as const;

/** When it is due next after a moment; undefined: never. What was missed before that is not made up for here. */
export function nextDue(schedule: Schedule, moment: number): number | undefined {
  for (let turn = lastTurn(schedule, moment); turn !== undefined; turn = schedule.after(turn)) {
    const due = turn + delayOf(schedule, turn);
    if (due > moment) return due;
  }
  return undefined;
}

/** The same with so many turns left out. */
export function nextDueAfterRest(schedule: Schedule, moment: number, turns: number): number | undefined {
  let due = nextDue(schedule, moment);
  for (let left = turns; left > 0 && due !== undefined; left -= 1) due = nextDue(schedule, due) ?? due;
  return due;
}

/**
 * When it is due again after it failed: at its next turn; then it lets turns pass, twice as many each time, so that what
 * is meant for the night stays there.
 * @param attempts that failed in a row, this one included
 * @param chance 0 and more and less than 1: those who failed together do not all come back together
 */
export function nextAttempt(
  schedule: Schedule,
  moment: number,
  attempts: number,
  chance: number,
): number | undefined {
  const next = nextDue(schedule, moment);
  if (next === undefined || attempts < 2) return next;
  const following = nextDue(schedule, next);
  const period = following === undefined ? longestBackoffMs : following - next;
  const pause = Math.min(longestBackoffMs, period * 2 ** Math.min(attempts - 1, 30));
  return nextDue(schedule, moment + Math.floor(pause * (0.5 + chance / 2)));
}

/** The latest one that is not after the moment; else the first after it. */
function lastTurn({ after, place }: Schedule, moment: number): number | undefined {
  if (place === 0) return after(moment);
  for (const back of lookBacks) {
    let turn = after(moment - back);
    if (turn === undefined || turn > moment) continue;
    for (let next = after(turn); next !== undefined && next <= moment; next = after(turn)) turn = next;
    return turn;
  }
  return after(moment);
}

function delayOf({ after, place, atMostMs }: Schedule, turn: number): number {
  if (place === 0) return 0;
  const until = Math.min((after(turn) ?? turn + atMostMs) - turn, atMostMs);
  return Math.floor((place * until) / 1000) * 1000;
}
