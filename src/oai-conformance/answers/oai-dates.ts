import { parseDateArgument } from '../../oai/dates.ts';

/** Whether a text is a date of one of the two forms, and exists. */
export type Granularity = 'day' | 'second';

/** @returns undefined for what is no date of OAI-PMH */
export function granularityOf(text: string): Granularity | undefined {
  return parseDateArgument(text)?.granularity;
}

export function isSecond(text: string): boolean {
  return granularityOf(text) === 'second';
}

export function dayOf(datestamp: string): string {
  return datestamp.slice(0, 10);
}

/** Of dates up to here there are none two years before: `0001-01-01` is what some repositories begin with. */
export const firstYears = '0003';

/** A date so many days before or after, in the same form. */
export function shiftDays(datestamp: string, days: number): string {
  const isDay = datestamp.length === 10;
  const time = new Date(isDay ? `${datestamp}T00:00:00Z` : datestamp);
  time.setUTCDate(time.getUTCDate() + days);
  const text = time.toISOString();
  return isDay ? text.slice(0, 10) : `${text.slice(0, 19)}Z`;
}
