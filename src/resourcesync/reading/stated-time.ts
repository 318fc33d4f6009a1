import { addSeconds, parseDatestamp } from '../../core/datetime.ts';
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

/**
 * What is known at a moment in the future would hide what changes until then: it is known at the time of the answer.
 * @param at of a list
 * @param clock the server's when it answered, or ours where it has none
 */
export function notAhead(at: string, clock: string, report: Report): string {
  if (at <= clock) return at;
  if (at > addSeconds(clock, skewSeconds))
    report('RS-TIME-06', `its time is ${at}, which lies in the future: ${clock} is taken for it`);
  return clock;
}
