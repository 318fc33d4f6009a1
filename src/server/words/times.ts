import { toMilliseconds } from '../../core/datetime.ts';
import type { Language } from './language.ts';

/** `2026-11-21 20:57 JST (11:57 UTC)`; in UTC, once. */
export function timeIn(language: Language, timeZone: string, iso: string): string {
  return worded(language, timeZone, iso, 5);
}

/** `2026-11-21 20:57:07 JST (11:57:07 UTC)`. */
export function exactTimeIn(language: Language, timeZone: string, iso: string): string {
  return worded(language, timeZone, iso, 8);
}

function worded(language: Language, timeZone: string, iso: string, digits: number): string {
  const [date, clock] = [iso.slice(0, 10), iso.slice(11, 11 + digits)];
  if (timeZone === 'UTC') return `${dateForms[language](date)} ${clock} UTC`;
  const local = localTime(language, timeZone, iso);
  const beside = local.date === date ? `${clock} UTC` : `${dateForms[language](date)} ${clock} UTC`;
  return `${dateForms[language](local.date)} ${local.clock.slice(0, digits)} ${local.zone} (${beside})`;
}

const dateForms = {
  en: (date: string) => date,
  ja: (date: string) => {
    const [year, month, day] = date.split('-').map(Number);
    return `${year}年${month}月${day}日`;
  },
};

/** The day alone, as it is in that zone. */
export function dayIn(language: Language, timeZone: string, iso: string): string {
  const date = timeZone === 'UTC' ? iso.slice(0, 10) : localTime(language, timeZone, iso).date;
  return dateForms[language](date);
}

interface LocalTime {
  readonly date: string;
  /** To the second. */
  readonly clock: string;
  /** What the zone is called: `JST`, `GMT+9`. */
  readonly zone: string;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function localTime(language: Language, timeZone: string, iso: string): LocalTime {
  const key = `${language} ${timeZone}`;
  const format = formats.get(key) ?? formatOf(language, timeZone);
  formats.set(key, format);
  const parts = new Map(format.formatToParts(toMilliseconds(iso)).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes) => (parts.get(type) ?? '').padStart(2, '0');
  return {
    date: `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`,
    clock: `${part('hour')}:${part('minute')}:${part('second')}`,
    zone: timeZone === 'Asia/Tokyo' ? 'JST' : part('timeZoneName'),
  };
}

function formatOf(language: Language, timeZone: string): Intl.DateTimeFormat {
  const number = '2-digit';
  return new Intl.DateTimeFormat(language, {
    ...{ timeZone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23', year: 'numeric' },
    ...{ month: number, day: number, hour: number, minute: number, second: number },
    timeZoneName: 'short',
  });
}
