import type { IncomingHttpHeaders } from 'node:http';
import { addSeconds, parseHttpDate } from '../../core/datetime.ts';

/** What is known of the selected representation before any of it is read. */
export interface Validators {
  /** Strong, in quotes. */
  readonly etag: string;
  /** ISO UTC seconds. */
  readonly lastModified: string;
  /** It had other bytes in the same second: `If-Modified-Since` of that second proves nothing. */
  readonly unsettled?: boolean | undefined;
  readonly length: number;
  /** Whether parts of it are given out. */
  readonly ranges: boolean;
}

export interface ConditionalRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** ISO UTC seconds. */
  readonly now: string;
}

export type Decision =
  | { readonly kind: 'whole' | 'not-modified' | 'precondition-failed' | 'range-not-satisfiable' }
  /** Bytes from `start` up to, not including, `end`. */
  | { readonly kind: 'part'; readonly start: number; readonly end: number };

/** RFC 9110 §13.2.2: the preconditions in their order, for GET and HEAD. */
export function decide(request: ConditionalRequest, selected: Validators): Decision {
  const { headers } = request;
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined) {
    if (!matches(ifMatch, selected.etag, 'strong')) return { kind: 'precondition-failed' };
  } else {
    const since = parseDate(headers['if-unmodified-since']);
    if (since !== undefined && selected.lastModified > since) return { kind: 'precondition-failed' };
  }
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) {
    if (matches(ifNoneMatch, selected.etag, 'weak')) return { kind: 'not-modified' };
  } else {
    const since = parseDate(headers['if-modified-since']);
    if (since !== undefined && isNotNewer(selected, since)) return { kind: 'not-modified' };
  }
  const { range } = headers;
  if (request.method !== 'GET' || range === undefined || !selected.ranges) return { kind: 'whole' };
  return rangeStillApplies(request, selected) ? selectRange(range, selected.length) : { kind: 'whole' };
}

/** Whether nothing changed since. */
export function isNotNewer(
  { lastModified, unsettled }: Pick<Validators, 'lastModified' | 'unsettled'>,
  since: string,
): boolean {
  return lastModified < since || (lastModified === since && !unsettled);
}

/** RFC 9110 §8.8.3.2. @param etag strong, or weak, which nothing matches strongly */
export function matches(list: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  if (list.trim() === '*') return true;
  if (etag.startsWith('W/')) {
    return comparison === 'weak' && matches(list, etag.slice(2), comparison);
  }
  for (const [, weak, tag] of list.matchAll(/(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g)) {
    if (tag === etag && (comparison === 'weak' || weak === undefined)) return true;
  }
  return false;
}

/**
 * If-Range compares strongly (RFC 9110 §13.1.5). A date is a strong validator only when the second it names
 * is over: within it the representation may change again (HC-05).
 */
function rangeStillApplies({ headers, now }: ConditionalRequest, selected: Validators): boolean {
  const condition = headers['if-range'];
  if (typeof condition !== 'string') return true;
  if (condition.includes('"')) return condition.trim() === selected.etag;
  return isStrongDate(condition, selected.lastModified, now);
}

/** Whether an `If-Range` with a date names this moment, and it is over. */
export function isStrongDate(condition: string, lastModified: string, now: string): boolean {
  return parseDate(condition) === lastModified && addSeconds(lastModified, 1) <= now;
}

/** One range of bytes; anything we do not understand, several ranges included, is as if it were not there. */
function selectRange(range: string, length: number): Decision {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(range);
  if (!match) return { kind: 'whole' };
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return { kind: 'whole' };
  const start = first === '' ? Math.max(0, length - Number(last)) : Number(first);
  const end = first === '' || last === '' ? length : Math.min(length, Number(last) + 1);
  if (first !== '' && last !== '' && Number(first) > Number(last)) return { kind: 'whole' };
  return start < end ? { kind: 'part', start, end } : { kind: 'range-not-satisfiable' };
}

export function parseDate(value: string | undefined): string | undefined {
  return value === undefined ? undefined : parseHttpDate(value);
}
