import { addSeconds, parseDatestamp, toMilliseconds } from '../../../src/core/datetime.ts';
import type { Envelope } from '../wire/record-parser.ts';

/**
 * When a token expires (quirk 1): its life is told by the repository's clock, and measured by ours.
 * @returns ISO UTC by our clock; undefined where it is not said, or a token would have been born dead
 */
export function tokenExpiry({ token, responseDate = '' }: Envelope, now: string): string | undefined {
  const end = parseDatestamp(token?.expirationDate ?? '');
  if (end === undefined) return undefined;
  const seconds = (toMilliseconds(end) - toMilliseconds(parseDatestamp(responseDate) ?? now)) / 1000;
  return seconds <= 0 ? undefined : addSeconds(now, seconds);
}
