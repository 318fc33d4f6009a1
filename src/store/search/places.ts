import { toMilliseconds } from '../../core/datetime.ts';

/** Items of a minute that have places of their own. */
const perMinute = 2 ** 27;
const msPerMinute = 60_000;
/** The last minute whose places are exact numbers. */
const lastMinute = 2 ** 26 - 1;

/** Where an item stands in lists: by the minute in which it changed, then by its id. */
export function placeOf(lastmod: string, itemId: number): number {
  return placeAt(lastmod) + (itemId % perMinute);
}

/** The first place of a minute; nothing that changed then or later is before it. */
export function placeAt(moment: string): number {
  const minute = Math.floor(toMilliseconds(moment) / msPerMinute);
  return Math.min(Math.max(0, minute), lastMinute) * perMinute;
}
