import { toMilliseconds } from '../../core/datetime.ts';
import type { Language } from './language.ts';
import { perLanguage } from './per-language.ts';
import { exactTimeIn, timeIn } from './times.ts';

/** Whom a page is for: the language, and numbers and times as people who read it write them. */
export interface Reader {
  readonly language: Language;
  /** Of the IANA database. */
  readonly timeZone: string;
  /** The same page in the other languages: references relative to its own address. */
  readonly others: readonly { readonly language: Language; readonly href: string }[];
  /** `1,234`. */
  count(value: number): string;
  /** `1.2 kB`. */
  size(bytes: number): string;
  /** `3 minutes ago`, `in 2 hours`, `just now`. */
  age(iso: string, now: string): string;
  /** To the minute, in the zone of the pages, and UTC beside it. */
  time(iso: string): string;
  /** To the second. */
  exactTime(iso: string): string;
}

export function createReader(language: Language, timeZone = 'UTC', others: Reader['others'] = []): Reader {
  return {
    language,
    timeZone,
    others,
    count: (value) => grouped(language).format(value),
    size: (bytes) => sizeIn(language, bytes),
    age: (iso, now) => ageIn(language, iso, now),
    time: (iso) => timeIn(language, timeZone, iso),
    exactTime: (iso) => exactTimeIn(language, timeZone, iso),
  };
}

const grouped = perLanguage((language) => new Intl.NumberFormat(language));
const relative = perLanguage((language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }));

const units = ['kB', 'MB', 'GB', 'TB'] as const;

function sizeIn(language: Language, bytes: number): string {
  let value = bytes;
  let chosen: string = byteUnit[language](value);
  for (const unit of units) {
    // What would be shown as 1000 is better shown as 1 of the next.
    if (value < 999.5) break;
    value /= 1000;
    chosen = unit;
  }
  return `${value < 9.95 && chosen.length === 2 ? value.toFixed(1) : Math.round(value)} ${chosen}`;
}

const byteUnit = {
  en: (value: number) => (value === 1 ? 'byte' : 'bytes'),
  ja: () => 'バイト',
};

const spans = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

const now = { en: { soon: 'in a moment', just: 'just now' }, ja: { soon: 'まもなく', just: 'たった今' } };

function ageIn(language: Language, iso: string, at: string): string {
  const seconds = Math.round((toMilliseconds(iso) - toMilliseconds(at)) / 1000);
  for (const [unit, length] of spans) {
    if (Math.abs(seconds) < length) continue;
    const text = relative(language).format(Math.trunc(seconds / length), unit);
    return language === 'ja' ? text.replace(/ /g, '') : text;
  }
  return seconds > 0 ? now[language].soon : now[language].just;
}
