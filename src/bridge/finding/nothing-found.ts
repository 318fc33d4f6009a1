import { countOf } from '../../core/count-of.ts';

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
  const all = others.map(({ url, reason }) => `\n  ${url}: ${reason}`).join('');
  const rest =
    others.length === 0
      ? ''
      : telling === 'all'
        ? `Then tried, where such interfaces usually are:${all}\n`
        : `${places}, where such interfaces usually are, ${others.length === 1 ? 'was' : 'were'} tried as well (--verbose lists them)${look === '' ? '' : `; ${look}: it may be the one, and not well at present`}. `;
  const advice =
    'find the base URL of its OAI-PMH or, of a DSpace, REST interface, or the Capability List of its ResourceSync (in its documentation, or ask its managers)';
  return `${itself}Nothing to harvest by ${wanted} was found at ${address}. ${rest}What helps: ${look === '' ? '' : 'try again later, or '}${advice}`;
}

/** Most reasons name the address, or at least its host. */
function said({ url, reason }: Failure): string {
  return reason.includes(url) ? reason : `${url} answered: ${reason}`;
}

/** Other than what is simply not there. */
export function isAiling(reason: string): boolean {
  return /HTTP status (?:5\d\d|429|401|403)|took longer|cannot be reached|did not answer/.test(reason);
}
