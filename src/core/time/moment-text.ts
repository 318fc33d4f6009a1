import { parseDatestamp, parseDigits, parseHttpDate } from '../datetime.ts';

/** What a person writes for a moment: a date or a time, an HTTP date, the 14 digits of a memento's URI. */
export function parseMoment(text: string): string | undefined {
  return parseDigits(text.trim()) ?? parseHttpDate(text) ?? parseDatestamp(text);
}
