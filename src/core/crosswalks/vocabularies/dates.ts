/**
 * A stated date as W3CDTF has it, no more precise than it is stated: `2020`, `2020-01`, `2020-01-31`, or with a time to
 * the second and its zone. Fractions of seconds are cut off, which JPCOAR's schema refuses.
 * @returns undefined for anything else, and for days that the calendar does not have
 */
export function w3cDate(stated: string): string | undefined {
  const [, date, time = '', zone = ''] =
    /^(\d{4}(?:-\d{2}(?:-\d{2})?)?)(?:T(\d{2}:\d{2}(?::\d{2})?)(?:[.,]\d+)?(Z|[+-]\d{2}:\d{2}))?$/.exec(
      stated.trim(),
    ) ?? [];
  if (date === undefined || !isDay(date)) return undefined;
  if (time === '') return date;
  if (date.length < 10 || !isTime(time) || !isZone(zone)) return undefined;
  return `${date}T${time}${zone}`;
}

/** Of a date with its time the day alone. */
export function dayOf(date: string): string {
  return date.slice(0, 10);
}

const daysOf = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDay(date: string): boolean {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  if (year === 0 || month < 1 || month > 12) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const last = month === 2 && !isLeap ? 28 : (daysOf[month - 1] ?? 0);
  return day >= 1 && day <= last;
}

function isTime(time: string): boolean {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  return hours < 24 && minutes < 60 && seconds < 60;
}

function isZone(zone: string): boolean {
  return zone === 'Z' || isTime(zone.slice(1));
}
