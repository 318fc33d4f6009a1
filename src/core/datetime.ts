/** The only file that handles `Date` and date strings. Everywhere else a time is `YYYY-MM-DDThh:mm:ssZ`. */

/** `2026-11-21T04:38:00Z`: UTC, seconds, no fraction (RS-TIME-02; every client we know reads this form). */
export function toIso(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** Milliseconds since the epoch of one of our own ISO strings. */
export function toMilliseconds(iso: string): number {
  return Date.parse(iso);
}

const lenient =
  /^(\d{4})-?(\d{2})-?(\d{2})(?:[T ](\d{2}):?(\d{2})(?::?(\d{2})(?:[.,]\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * Reads what repositories write as datestamps: W3C Datetime, day granularity, fractions, a missing zone
 * (taken as UTC), compact dates (quirk 54). Fractions are cut, not rounded.
 * @returns ISO UTC seconds, or undefined for anything that is not a date
 */
export function parseDatestamp(text: string): string | undefined {
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
  return new Date(iso).toUTCString();
}

/** Reads an HTTP date to ISO UTC seconds; undefined when it is none. */
export function parseHttpDate(text: string): string | undefined {
  if (!/^[A-Za-z]{3},? /.test(text)) return undefined;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : toIso(new Date(milliseconds));
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
