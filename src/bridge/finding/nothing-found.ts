import { hostNotPublic } from '../../core/addresses/private-address.ts';
import { countOf } from '../../core/count-of.ts';
import { say } from '../../core/reasons/reason.ts';

/** A place that was asked, and what came instead of an endpoint. */
export interface Failure {
  readonly url: string;
  readonly reason: string;
}

/** `all`: every place with what it said; `brief`: without advice, for a table of many. */
export type Telling = 'all' | 'usual' | 'brief';

/**
 * What the given address itself said comes first: it is what somebody expected to work. Of the others those that may be the one, and
 * do not work at present.
 * @param failures in the order in which they were met
 */
export function nothingFound(
  address: string,
  wanted: string,
  failures: readonly Failure[],
  telling: Telling,
): string {
  const [given, ...others] = failures;
  const itself = given === undefined ? '' : `${said(given)}. `;
  const ailing = others.filter(({ reason }) => isAiling(reason));
  const look = ailing.slice(0, 2).map(said).join('; ');
  const places = countOf(others.length, 'other place');
  if (telling === 'brief') {
    const rest =
      look || (others.length === 0 ? '' : `${places}, where interfaces usually are, tried as well`);
    return `${itself}Nothing to harvest was found${rest === '' ? '' : `; ${rest}`}`;
  }
  const later = look === '' ? '' : 'try again later, or ';
  const facts = { answer: given === undefined ? '' : said(given), wanted, address, later };
  return telling === 'all'
    ? say('nothing-found-at-all', {
        ...facts,
        others: others.map(({ url, reason }) => `\n  ${url}: ${reason}`).join(''),
      })
    : say('nothing-found', { ...facts, ailing: look, places: others.length || '' });
}

const whatAllows = '`allowPrivateAddresses: true` of the source allows it, and so does `network.allow`';

/** Most reasons name the address, or at least its host. */
function said({ url, reason }: Failure): string {
  const what = reason.includes(url) ? reason : say('place-answered', { url, why: reason });
  return hostNotPublic(reason) === undefined ? what : `${what} (${whatAllows})`;
}

/** Other than what is simply not there. */
export function isAiling(reason: string): boolean {
  return /HTTP status (?:5\d\d|429|401|403)|took longer|cannot be reached|did not answer/.test(reason);
}
