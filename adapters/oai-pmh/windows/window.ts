import { addSeconds, toMilliseconds, utcDay } from '../../../src/core/datetime.ts';

/** A range of datestamps, both ends included, in ISO UTC seconds; an end that is not there is open. */
export interface Window {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

export type Granularity = 'day' | 'second';

/** Between which datestamps records are expected: the guess that a list is cut by, never a bound. */
export interface Span {
  readonly low: string;
  readonly high: string;
}

/** Seconds in each. */
export const granules: Readonly<Record<Granularity, number>> = { day: 86_400, second: 1 };
/** Where nothing is known of a list's beginning. */
export const epoch = '1970-01-01T00:00:00Z';

/** The argument as the repository wants it: whole days, or seconds with a Z and no fraction (quirk 56). */
export function toArgument(iso: string, granularity: Granularity): string {
  return granularity === 'day' ? utcDay(iso) : iso;
}

/** The beginning of the granule. */
export function floor(iso: string, granularity: Granularity): string {
  return granularity === 'day' ? `${utcDay(iso)}T00:00:00Z` : iso;
}

/**
 * Cuts a window into so many of about the same length, which together are the window: they share a granule
 * with their neighbours, because some servers take `until` for exclusive, or a day for its midnight (quirk 49).
 * Open ends stay open (quirks 45, 50).
 * @returns fewer where there are not so many granules; a single one where it cannot be cut
 */
export function cutWindow(
  window: Window,
  parts: number,
  granularity: Granularity,
  span: Span,
): readonly Window[] {
  const step = granules[granularity];
  const last = granule(
    window.until !== undefined && window.until < span.high ? window.until : span.high,
    step,
  );
  const low = granule(window.from !== undefined && window.from > span.low ? window.from : span.low, step);
  // Where the hint is no help, there may still be older records (quirks 44, 45).
  const first = low + 1 < last ? low : granule(window.from ?? epoch, step);
  // A window of two neighbouring granules is the smallest that has any inside, however `until` is meant.
  const cuts = Array.from({ length: parts - 1 }, (_, index) => {
    const cut = first + Math.round(((last - first) * (index + 1)) / parts);
    return cut > first && cut < last ? addSeconds(epoch, cut * step) : '';
  });
  return cutAt(window, cuts, granularity);
}

/** Cuts a window at the given datestamps, as far as they lie inside of it. */
export function cutAt(
  window: Window,
  datestamps: readonly string[],
  granularity: Granularity,
): readonly Window[] {
  const cuts = new Set(datestamps.filter((cut) => cut !== '').map((cut) => floor(cut, granularity)));
  const inside = [...cuts].filter(
    (cut) => cut > (window.from ?? '') && (window.until === undefined || cut < window.until),
  );
  const bounds = [window.from, ...inside.sort(), window.until];
  return bounds.slice(1).map((until, index) => range(bounds[index], until));
}

/** One window over two that touch or overlap, the earlier one first. */
export function join(first: Window, second: Window): Window {
  return range(first.from, second.until);
}

/** Whether a window is another, or a part of it. */
export function isWithin(inner: Window, outer: Window): boolean {
  const after = outer.from === undefined || (inner.from !== undefined && inner.from >= outer.from);
  const before = outer.until === undefined || (inner.until !== undefined && inner.until <= outer.until);
  return after && before;
}

/** Whether a datestamp may lie in the window; a day more on either side, for servers with a clock of their own. */
export function mayHold({ from, until }: Window, datestamp: string): boolean {
  const day = 86_400;
  return (
    (from === undefined || datestamp >= addSeconds(from, -day)) &&
    (until === undefined || datestamp < addSeconds(until, 2 * day))
  );
}

/** Whether a datestamp, as the repository writes it, is on the day of one of the ends. */
export function isAtBound(datestamp: string, { from, until }: Window): boolean {
  const day = datestamp.slice(0, 10);
  return (from !== undefined && day === utcDay(from)) || (until !== undefined && day === utcDay(until));
}

/** For sentences; empty for everything. */
export function describeWindow({ from, until }: Window, granularity: Granularity): string {
  const start = from === undefined ? '' : ` from ${toArgument(from, granularity)}`;
  return until === undefined ? start : `${start} until ${toArgument(until, granularity)}`;
}

function range(from: string | undefined, until: string | undefined): Window {
  return { ...(from === undefined ? {} : { from }), ...(until === undefined ? {} : { until }) };
}

function granule(iso: string, step: number): number {
  return Math.floor(toMilliseconds(iso) / 1000 / step);
}
