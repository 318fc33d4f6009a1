import { createTask, parse, type ScheduledTask, validate } from 'node-cron';
import { BridgeError } from '../core/errors.ts';
import { say } from '../core/reasons/reason.ts';
import { momentsOf, wallDayOf, type ZonedDay, zonedDay } from '../core/time/zoned-day.ts';

/** The turns of an expression of cron in a time zone; moments in milliseconds since the epoch. */
export interface Turns {
  /** The first one after a moment; undefined: there is none within eight years. */
  after(moment: number): number | undefined;
}

const mute = () => undefined;

/** node-cron would write its own lines among ours. */
const quiet = { debug: mute, info: mute, warn: mute, error: mute };
const dayMs = 86_400_000;
/** From a 29th of February to the next one, at most. */
const mostDays = 8 * 366;
/** A thousand sources share a few. */
const known = new Map<string, Turns>();
const mostKnown = 500;

/** @param timeZone of the IANA database */
export function turnsOf(cron: string, timeZone = 'UTC'): Turns {
  const key = `${timeZone} ${cron}`;
  const found = known.get(key);
  if (found) return found;
  if (known.size >= mostKnown) known.clear();
  const turns = readTurns(cron, timeZone);
  known.set(key, turns);
  return turns;
}

/** Days are told apart as if the clock on the wall were UTC; what it shows becomes a moment by `zoned-day.ts`. */
function readTurns(cron: string, timeZone: string): Turns {
  const { hour, minute, second } = parse(cron);
  const times = { hours: sorted(hour), minutes: sorted(minute), seconds: sorted(second) };
  const task: ScheduledTask = createTask(cron, mute, { timezone: 'UTC', logger: quiet });
  // It keeps no time, and still knows the days.
  void task.destroy();
  const first = timeAfter(times, -1) ?? 0;
  // What is due in every hour goes by what has passed, and not by what the clock on the wall shows.
  const isHourly = times.hours.length === 24;
  let last: { readonly from: number; readonly turn: number | undefined } | undefined;

  function after(moment: number): number | undefined {
    if (last && last.from <= moment && (last.turn === undefined || moment < last.turn)) return last.turn;
    last = { from: moment, turn: find(wallDayOf(moment, timeZone), moment) };
    return last.turn;
  }

  function find(midnight: number, moment: number): number | undefined {
    for (let day = midnight; day < midnight + mostDays * dayMs; day += dayMs) {
      if (!task.match(new Date(day + first))) continue;
      const turn = turnOn(zonedDay(day, timeZone), moment);
      if (turn !== undefined) return turn;
    }
    return undefined;
  }

  function turnOn(day: ZonedDay, moment: number): number | undefined {
    if (day.change === undefined) {
      const time = timeAfter(times, Math.max(-1, moment + day.offset - day.wall));
      return time === undefined ? undefined : day.wall + time - day.offset;
    }
    let next: number | undefined;
    for (let time = timeAfter(times, -1); time !== undefined; time = timeAfter(times, time))
      for (const turn of momentsOf(day, day.wall + time, isHourly))
        if (turn > moment && (next === undefined || turn < next)) next = turn;
    return next;
  }

  return { after };
}

interface Times {
  readonly hours: readonly number[];
  readonly minutes: readonly number[];
  readonly seconds: readonly number[];
}

/** The first time of a day after so many milliseconds of it. */
function timeAfter({ hours, minutes, seconds }: Times, past: number): number | undefined {
  const from = Math.floor(past / 1000) + 1;
  for (const hour of hours) {
    if ((hour + 1) * 3600 <= from) continue;
    for (const minute of minutes) {
      const begins = hour * 3600 + minute * 60;
      if (begins + 60 <= from) continue;
      const second = seconds.find((one) => begins + one >= from);
      if (second !== undefined) return (begins + second) * 1000;
    }
  }
  return undefined;
}

function sorted(values: readonly number[]): readonly number[] {
  return [...values].sort((a, b) => a - b);
}

/** Expressions that have been looked at: a thousand sources share a few. */
const wellFormed = new Set<string>();

/** @throws BridgeError `config-invalid` naming the place */
export function checkCron(place: string, cron: string | false): void {
  if (cron === false || wellFormed.has(cron)) return;
  if (!validate(cron)) {
    throw new BridgeError('config-invalid', `${place}: ${say('no-schedule', { text: String(cron) })}`);
  }
  wellFormed.add(cron);
}
