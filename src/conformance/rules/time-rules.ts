import { parseDatestamp } from '../../core/datetime.ts';
import type { Attributes } from '../../resourcesync/documents/document-model.ts';
import type { Report } from '../documents/finding.ts';

const w3cDatetime = /^\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?)?)?$/;
const completeUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
// Most times of most lists are of this form, on a day that every month has.
const ordinary = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

const timeAttributes = ['at', 'completed', 'from', 'until', 'datetime', 'modified'] as const;

/** A W3C Datetime as our ISO string, to the second; undefined when it is none. */
export function toTime(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (ordinary.test(value)) return value;
  if (!w3cDatetime.test(value)) return undefined;
  if (value.length === 4) return parseDatestamp(`${value}-01-01`);
  return parseDatestamp(value.length === 7 ? `${value}-01` : value);
}

/** RS-TIME-01…03. */
export function checkTime(name: string, value: string, report: Report): void {
  if (ordinary.test(value)) return;
  if (toTime(value) === undefined) {
    report('RS-TIME-01', `${name} "${value}" is not a W3C Datetime`);
  } else if (!completeUtc.test(value)) {
    const rules = value.includes('T') || name === 'lastmod' ? 'RS-TIME-02' : 'RS-TIME-03 RS-TIME-02';
    report(rules, `${name} "${value}" is not a complete time in UTC`);
  }
}

export function checkTimes(attributes: Attributes, report: Report): void {
  for (const name of timeAttributes) {
    const value = attributes.get(name);
    if (value !== undefined) checkTime(name, value, report);
  }
}

/** RS-TIME-05 and RS-TIME-15. */
export function checkInterval(attributes: Attributes, report: Report): void {
  checkPair(attributes, 'at', 'completed', report);
  checkPair(attributes, 'from', 'until', report);
}

function checkPair(attributes: Attributes, start: string, end: string, report: Report): void {
  if (!attributes.has(end)) return;
  if (!attributes.has(start)) report('RS-TIME-15', `${end} stands without ${start}`);
  if (isAfter(attributes.get(start), attributes.get(end))) {
    report('RS-TIME-05', `${start} is later than ${end}`);
  }
}

/** False where one of them is missing or no time. */
export function isAfter(a: string | undefined, b: string | undefined): boolean {
  const [first, second] = [toTime(a), toTime(b)];
  return first !== undefined && second !== undefined && first > second;
}
