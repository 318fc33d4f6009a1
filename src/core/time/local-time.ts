import { parseDatestamp, toIso } from '../datetime.ts';

const sqlForm = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2}):(\d{2})(?:[.,]\d+)?$/;
/** Java's `Date.toString()`. */
const javaForm =
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) (?<zone>[A-Za-z0-9:+-]+) (?<year>\d{4})$/;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const day = 86_400_000;

/**
 * Reads times of servers that do not say where they are: `2015-01-12 15:44:12.978`, `Thu Sep 02 14:57:55 CEST 2021`;
 * with a zone that is known (`Z`, `+02:00`, `UTC`) that one counts. Fractions are cut, not rounded. A time that the
 * clocks were put forward over is taken as Java takes it, as much later; of the two times that a clock shows twice
 * the first is meant.
 * @param timeZone of the IANA database
 * @returns ISO UTC seconds, or undefined for anything that is no time
 */
export function parseLocalTime(text: string, timeZone: string): string | undefined {
  const java = javaForm.exec(text.trim())?.groups;
  if (java !== undefined) {
    const { month = '', day: ofMonth = '', time = '', zone = '', year = '' } = java;
    const number = String(months.indexOf(month) + 1).padStart(2, '0');
    const local = `${year}-${number}-${ofMonth} ${time}`;
    // Other abbreviations mean several zones each; the server's own is the one that is configured.
    return /^(?:UTC|GMT|Z)$/.test(zone) ? parseDatestamp(`${local}Z`) : parseLocalTime(local, timeZone);
  }
  const local = sqlForm.exec(text.trim());
  if (local === null) return /\d[T ]\d/.test(text) ? parseDatestamp(text) : undefined;
  // As if it were UTC: that tells 31 February from a day.
  const wall = parseDatestamp(text);
  if (wall === undefined) return undefined;
  return toIso(new Date(inZone(Date.parse(wall), timeZone)));
}

/** @param wall milliseconds of what the clock on the wall shows, as if that were UTC */
export function inZone(wall: number, timeZone: string): number {
  const before = offsetAt(wall - day, timeZone);
  const candidates = [...new Set([before, offsetAt(wall + day, timeZone)])];
  const times = candidates.map((offset) => ({ offset, time: wall - offset }));
  const valid = times.filter(({ offset, time }) => offsetAt(time, timeZone) === offset);
  return valid.length === 0 ? wall - before : Math.min(...valid.map(({ time }) => time));
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Milliseconds by which the zone's clocks are ahead of UTC. */
export function offsetAt(time: number, timeZone: string): number {
  const format = formats.get(timeZone) ?? clockOf(timeZone);
  formats.set(timeZone, format);
  const parts = Object.fromEntries(
    format.formatToParts(new Date(time)).map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day: ofMonth = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, ofMonth, hour, minute, second) - time;
}

function clockOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
}
