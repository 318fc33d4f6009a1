import { createHash } from 'node:crypto';

/** So many sources are harvested side by side anyway; what is due at the same minute does not wait for its turn. */
const dueTogether = 8;
/** What is meant for the night is not spread over a week: nobody waits longer than this after the turn. */
const longestSpreadMs = 6 * 3_600_000;
const minuteMs = 60_000;

/** How long after a turn of its schedule a source is read. */
export interface Spread {
  /** A share of the time that it is spread over: 0 and more and less than 1. */
  readonly place: number;
  /** It is spread over no more than this, nor beyond the next turn. */
  readonly atMostMs: number;
}

const asWritten: Spread = { place: 0, atMostMs: 0 };

/**
 * Sources that share a schedule do not all begin in one second: each has a place of its own that its name alone decides.
 * The default is nobody's word: from the second source on it is spread over the time until it comes again. What somebody
 * wrote is kept to the minute, and where more than a few share it, spread within that minute.
 * @param schedules of each source, by its name
 */
export function spreadSources(
  schedules: ReadonlyMap<string, string>,
  byDefault: string,
): ReadonlyMap<string, Spread> {
  const sharers = new Map<string, number>();
  for (const cron of schedules.values()) sharers.set(cron, (sharers.get(cron) ?? 0) + 1);
  return new Map(
    [...schedules].map(([name, cron]) => {
      const isDefault = cron === byDefault;
      if ((sharers.get(cron) ?? 0) <= (isDefault ? 1 : dueTogether)) return [name, asWritten];
      return [name, { place: placeOf(name), atMostMs: isDefault ? longestSpreadMs : minuteMs }];
    }),
  );
}

function placeOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE() / 2 ** 32;
}
