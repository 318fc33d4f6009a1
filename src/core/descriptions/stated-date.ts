/** A date as precise as it is stated: `2024`, `2024-05`, `2024-05-31`; of free text, the year in it. */
export function readDate(text: string): string | undefined {
  const stated = text.trim().slice(0, 100);
  const [, year, month, day] =
    /^(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?:[T ].*)?$/.exec(stated) ??
    /^(\d{4})(\d{2})(\d{2})$/.exec(stated) ??
    [];
  if (year !== undefined && isYear(year)) return partsOf(year, month, day);
  const found = /(?<!\d)(1[0-9]{3}|20[0-9]{2})(?!\d)/.exec(stated)?.[1];
  return found;
}

/** System times have seconds; what a person states as a date of publication has none. */
export function isClockTime(text: string): boolean {
  return /\dT\d/.test(text);
}

function isYear(year: string): boolean {
  return year >= '1000' && year <= '2999';
}

function partsOf(year: string, month: string | undefined, day: string | undefined): string {
  const two = (part: string | undefined, most: number) => {
    const number = Number(part ?? 0);
    return number >= 1 && number <= most ? String(number).padStart(2, '0') : undefined;
  };
  const [ofYear, ofMonth] = [two(month, 12), two(day, 31)];
  if (ofYear === undefined) return year;
  return ofMonth === undefined ? `${year}-${ofYear}` : `${year}-${ofYear}-${ofMonth}`;
}
