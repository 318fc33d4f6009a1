import { addSeconds } from '../../core/datetime.ts';

/** What we promise; a token is good for longer, as long as its journal is the same. */
const promisedSeconds = 48 * 3600;

/** The `expirationDate` of a token that is handed out at a moment (ISO). */
export function expiryOf(at: string): string {
  return addSeconds(at, promisedSeconds);
}
