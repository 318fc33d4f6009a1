/** The only file that handles `Date` and date strings. Everywhere else a time is `YYYY-MM-DDThh:mm:ssZ`. */

/** Before anything that ever happened here: of a decision, not counted among what was decided of late; of what is due, before all others. */
export const longAgo = '1970-01-01T00:00:00Z';

/** Within a second whoever asks for the time gets the same text. */
let last = { second: Number.NaN, iso: '' };

/** `2026-11-21T04:38:00Z`: UTC, seconds, no fraction (RS-TIME-02; every client we know reads this form). */
export function toIso(date: Date): string {
  const second = Math.floor(date.getTime() / 1000);
  if (second !== last.second) last = { second, iso: `${date.toISOString().slice(0, 19)}Z` };
  return last.iso;
}

/** Milliseconds since the epoch of one of our own ISO strings. */
export function toMilliseconds(iso: string): number {
  return Date.parse(iso);
}

const lenient =
  /^(\d{4})-?(\d{2})-?(\d{2})(?:[T ](\d{2}):?(\d{2})(?::?(\d{2})(?:[.,]\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** What nearly all of them write, on days that every month has: a list has millions. */
const usual = /^(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/**
 * Reads what repositories write as datestamps: W3C Datetime, day granularity, fractions, a missing zone
 * (taken as UTC), compact dates (quirk 54). Fractions are cut, not rounded.
 * @returns ISO UTC seconds, or undefined for anything that is not a date
 */
export function parseDatestamp(text: string): string | undefined {
  if (usual.test(text)) return text;
  const match = lenient.exec(text.trim());
  if (!match) return undefined;
  const [, year, month, day, hour = '00', minute = '00', second = '00', zone = 'Z'] = match;
  const offset = /^z$/i.test(zone) ? 'Z' : zone.includes(':') ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`;
  const parsed = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`);
  if (Number.isNaN(parsed.getTime())) return undefined;
  // Date.parse turns 31 February into 3 March; such a datestamp is no date.
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(day) > lastDay ? undefined : toIso(parsed);
}

/** `Sat, 21 Nov 2026 04:38:00 GMT` (RFC 9110 IMF-fixdate). */
export function toHttpDate(iso: string): string {
  const known = httpDatesOf.get(iso);
  if (known !== undefined) return known;
  const text = new Date(iso).toUTCString();
  if (httpDatesOf.size >= keptDates) httpDatesOf.clear();
  httpDatesOf.set(iso, text);
  return text;
}

/** An answer says the same one several times, and so do answers about what was harvested together. */
const httpDatesOf = new Map<string, string>();
const keptDates = 200;

const httpDates = [
  // IMF-fixdate, RFC 850, asctime: RFC 9110 §5.6.7 has all three accepted.
  /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]+day, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Reads an HTTP date to ISO UTC seconds; undefined when it is none. */
export function parseHttpDate(text: string): string | undefined {
  const groups = httpDates.map((form) => form.exec(text.trim())?.groups).find((match) => match !== undefined);
  if (!groups) return undefined;
  const { day = '', month = '', year = '', time = '' } = groups;
  // Two digits are of this century unless that lies far ahead (RFC 9110: more than 50 years).
  const fullYear = year.length === 4 ? year : String(Number(year) + (Number(year) > 76 ? 1900 : 2000));
  const number = String(months.indexOf(month) + 1).padStart(2, '0');
  return parseDatestamp(`${fullYear}-${number}-${day.trim().padStart(2, '0')}T${time}Z`);
}

/**
 * Reads an `Accept-Datetime` as strictly as RFC 7089 §2.1.1.1 asks for: IMF-fixdate in its exact case. A weekday that
 * is not that of the date is in the grammar (its own figures have some); a date that does not exist is none.
 * @returns ISO UTC seconds, or undefined
 */
export function parseAcceptDatetime(text: string): string | undefined {
  if (!acceptDatetime.test(text)) return undefined;
  // Each part is where the form has it: what an expression finds is an array more for each request.
  const number = String(months.indexOf(text.slice(8, 11)) + 1).padStart(2, '0');
  return parseDatestamp(`${text.slice(12, 16)}-${number}-${text.slice(5, 7)}T${text.slice(17, 25)}Z`);
}

const acceptDatetime =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d GMT$/;

/** `20261121043800`: the moment in the URI of a memento. */
export function toDigits(iso: string): string {
  if (!stamped.test(iso)) return iso.replace(/\D/g, '');
  // Each entry of a list has one, and this is quicker.
  const time = iso.slice(11, 13) + iso.slice(14, 16) + iso.slice(17, 19);
  return iso.slice(0, 4) + iso.slice(5, 7) + iso.slice(8, 10) + time;
}

const stamped = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** The inverse of `toDigits`; undefined for anything else. */
export function parseDigits(digits: string): string | undefined {
  const iso = /^\d{14}$/.test(digits) ? parseStamp(`${digits.slice(0, 8)}T${digits.slice(8)}Z`) : undefined;
  // Each moment has one name: not that of the day before, at 24 o'clock.
  return iso !== undefined && toDigits(iso) === digits ? iso : undefined;
}

/** The later of two ISO strings; our form sorts as text. */
export function later(a: string, b: string): string {
  return a > b ? a : b;
}

export function earlier(a: string, b: string): string {
  return a < b ? a : b;
}

export function addSeconds(iso: string, seconds: number): string {
  return toIso(new Date(Date.parse(iso) + seconds * 1000));
}

/** `2026-11-21` of a time, in UTC. */
export function utcDay(iso: string): string {
  return iso.slice(0, 10);
}

/** Midnight (UTC) that ends the day of `iso`: the first moment of the next day. */
export function endOfUtcDay(iso: string): string {
  return addSeconds(`${utcDay(iso)}T00:00:00Z`, 86_400);
}

/** The first moment behind the slot of the day that `iso` is in; slots are counted from midnight (UTC). */
export function endOfSlot(iso: string, minutes: number): string {
  const midnight = Date.parse(`${utcDay(iso)}T00:00:00Z`);
  const slot = Math.floor((Date.parse(iso) - midnight) / (minutes * 60_000));
  return earlier(toIso(new Date(midnight + (slot + 1) * minutes * 60_000)), endOfUtcDay(iso));
}

/** `20261121T043800Z`: a time as a URI segment. */
export function toStamp(iso: string): string {
  return iso.replace(/[-:]/g, '');
}

/** The inverse of `toStamp`; undefined for anything else. */
export function parseStamp(stamp: string): string | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(stamp);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second] = match;
  return parseDatestamp(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
