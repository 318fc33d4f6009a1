import { countOf as agreeing } from '../../core/count-of.ts';
import { toMilliseconds } from '../../core/datetime.ts';

/** Numbers and times as people read them, worded once, here. */

const grouped = new Intl.NumberFormat('en');
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export function count(value: number): string {
  return grouped.format(value);
}

/** `1 resource`, `1,200 resources`. */
export function countOf(value: number, noun: string): string {
  return agreeing(value, noun, count(value));
}

const units = ['kB', 'MB', 'GB', 'TB'] as const;

export function size(bytes: number): string {
  let value = bytes;
  let chosen: string = value === 1 ? 'byte' : 'bytes';
  for (const unit of units) {
    // What would be shown as 1000 is better shown as 1 of the next.
    if (value < 999.5) break;
    value /= 1000;
    chosen = unit;
  }
  return `${value < 9.95 && chosen.length === 2 ? value.toFixed(1) : Math.round(value)} ${chosen}`;
}

const spans = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** `3 minutes ago`, `in 2 hours`, `just now`. */
export function relativeTime(iso: string, now: string): string {
  const seconds = Math.round((toMilliseconds(iso) - toMilliseconds(now)) / 1000);
  for (const [unit, length] of spans) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return seconds > 0 ? 'in a moment' : 'just now';
}

/** `2026-11-21 04:38:07 UTC`. */
export function exactTime(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

/** `2026-11-21 04:38 UTC`. */
export function utcTime(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}
