import { addSeconds, earlier, longAgo, parseDatestamp } from '../../core/datetime.ts';
import type { Report } from '../documents/report.ts';

const partial = /^(\d{4})(?:-(\d{2}))?$/;
const usual = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const zoned = /(?:z|[+-]\d{2}:?\d{2})$/i;

/**
 * A time of a document, in any of the six forms of W3C Datetime and what is near them: small letters, offsets, fractions
 * of any length (cut), a missing zone (UTC).
 * @param rules reported where it is a time that only we understand, or none
 * @returns ISO UTC seconds; undefined where nothing is stated, or nothing that is a time
 */
export function statedTime(
  text: string | undefined,
  name: string,
  rules: string,
  report: Report,
): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (usual.test(text)) {
    const parsed = parseDatestamp(text);
    if (parsed !== undefined) return parsed;
  }
  const [, year, month = '01'] = partial.exec(text.trim()) ?? [];
  const parsed = parseDatestamp(year === undefined ? text : `${year}-${month}-01`);
  if (parsed === undefined) report(rules, `${name} is ${text}, which is no time`);
  else if (/\d:?\d/.test(text.slice(10)) && !zoned.test(text.trim()))
    report(rules, `${name} is ${text}, without a zone: it is taken as UTC`);
  return parsed;
}

/** Clocks differ by so much without anybody being to blame. */
export const skewSeconds = 300;
/** The widest that local time is ahead of UTC. */
const widestZoneSeconds = 14 * 3_600;

export interface Moment {
  /** Up to when everything is known: nobody knows what is yet to come, and it would hide what changes until then. */
  readonly known: string;
  /** When the list was made, at the earliest: changes since then may be newer. */
  readonly since: string;
}

/**
 * The moment that a list is of.
 * @param stated local time that calls itself UTC lies in the future
 * @param clock the server's when it answered, or ours where it has none
 */
export function momentOf(stated: string | undefined, clock: string, report: Report): Moment {
  if (stated === undefined || stated <= clock) return { known: stated ?? clock, since: stated ?? clock };
  if (stated <= addSeconds(clock, skewSeconds)) return { known: clock, since: clock };
  report('RS-TIME-06', `its time is ${stated}, which lies in the future: ${clock} is taken for it`);
  const isLocal = stated <= addSeconds(clock, widestZoneSeconds);
  return { known: clock, since: isLocal ? addSeconds(stated, -widestZoneSeconds) : longAgo };
}

export function earlierMoment(one: Moment | undefined, other: Moment): Moment {
  if (one === undefined) return other;
  return { known: earlier(one.known, other.known), since: earlier(one.since, other.since) };
}
