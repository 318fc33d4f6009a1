/** A bound of selective harvesting as it was written, and as seconds. */
export interface DateArgument {
  readonly granularity: 'day' | 'second';
  /** The first and the last second that it means, ISO UTC: of a day its whole length (OAI-PMH §2.7.1). */
  readonly first: string;
  readonly last: string;
}

const written = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2}):(\d{2})Z)?$/;

/** @returns undefined for what is no date in one of the two forms of OAI-PMH, 31 February among it */
export function parseDateArgument(text: string): DateArgument | undefined {
  const match = written.exec(text);
  if (!match || match[1] === '0000') return undefined;
  const isDay = match[4] === undefined;
  const first = isDay ? `${text}T00:00:00Z` : text;
  const time = new Date(first);
  // `Date` moves 31 February to March, and 24:00:00 to the next day.
  if (Number.isNaN(time.getTime()) || time.toISOString().slice(0, 19) !== first.slice(0, 19))
    return undefined;
  return isDay
    ? { granularity: 'day', first, last: `${text}T23:59:59Z` }
    : { granularity: 'second', first, last: first };
}
