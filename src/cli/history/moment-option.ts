import { InvalidArgumentError } from 'commander';
import { parseMoment } from '../../core/time/moment-text.ts';

/** @throws InvalidArgumentError */
export function momentOption(text: string): string {
  const moment = parseMoment(text);
  if (moment !== undefined) return moment;
  throw new InvalidArgumentError(
    'give a date or time such as 2026-04-01, 2026-04-01T12:00:00Z, 20260401120000 or "Wed, 01 Apr 2026 12:00:00 GMT"',
  );
}
