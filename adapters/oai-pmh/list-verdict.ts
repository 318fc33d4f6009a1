import { BridgeError } from '../../src/core/errors.ts';
import { describeErrors, hasError, toBridgeError } from './oai-errors.ts';
import type { OaiError } from './record-parser.ts';

/** What is known when a response to ListRecords has been read; nothing here does anything about it. */
export interface Situation {
  readonly url: string;
  readonly format: string;
  /** The token of the request; undefined for the first one of a pass. */
  readonly token: string | undefined;
  readonly from: string | undefined;
  /** Another form of `from` can be tried. */
  readonly otherFrom: boolean;
  readonly offered: readonly string[];
  /** Whether a token of this run was understood, and whether they are sent raw already. */
  readonly tokenAccepted: boolean;
  readonly rawToken: boolean;
  readonly restarted: boolean;
  /** Records of the pass, those of this response included. */
  readonly delivered: number;
  readonly listSize: number | undefined;
}

export type ErrorVerdict = 'end' | 'empty-format' | 'other-from' | 'raw-token' | 'restart' | BridgeError;

/** What `<error>` elements mean at this point of the list. */
export function judgeErrors(errors: readonly OaiError[], situation: Situation): ErrorVerdict {
  const { token, format, url } = situation;
  const enough = situation.listSize !== undefined && situation.delivered >= situation.listSize;
  if (hasError(errors, 'noRecordsMatch')) {
    if (token === undefined || enough) return 'end';
    // A page of which every record is hidden (quirk 19).
    return incomplete(situation, `a page of it was refused (${describeErrors(errors)})`);
  }
  if (token !== undefined && hasError(errors, 'badResumptionToken')) {
    if (enough) return 'end';
    const encoded = encodeURIComponent(token) !== token;
    if (encoded && !situation.tokenAccepted && !situation.rawToken) return 'raw-token';
    return situation.restarted ? toBridgeError(errors) : 'restart';
  }
  if (token === undefined && hasError(errors, 'cannotDisseminateFormat')) {
    const offered = situation.offered;
    // Some say this instead of noRecordsMatch (quirk 25).
    if (offered.includes(format)) return 'empty-format';
    const list = offered.length > 0 ? ` It offers ${offered.join(', ')}.` : '';
    return new BridgeError('oai-unknown-format', `${url} does not know the format ${format}.${list}`);
  }
  const mayBeFrom = token === undefined && situation.from !== undefined && situation.otherFrom;
  if (mayBeFrom && hasError(errors, 'badArgument')) return 'other-from';
  return toBridgeError(errors);
}

export interface PageSituation extends Situation {
  /** Records of this response. */
  readonly count: number;
  /** Pages without records up to this one, itself included. */
  readonly emptyPages: number;
  readonly next: string;
  readonly nextSeen: boolean;
  readonly cursor: number | undefined;
  /** Cursors count from 0. */
  readonly offsets: boolean;
  /** Some token request of this pass had been sent before. */
  readonly uncertain: boolean;
}

export type PageVerdict = 'next' | 'end' | 'restart' | BridgeError;

const maximumEmptyPages = 3;

/** Whether the list goes on, and whether its end is one. */
export function judgePage(situation: PageSituation): PageVerdict {
  const { token, count, delivered, listSize, cursor } = situation;
  const enough = listSize !== undefined && delivered >= listSize;
  // A token may name "the next page" rather than a page (quirk 2): then asking twice has skipped one. Asking
  // twice is also what the HTTP port does, unseen. A cursor that counts pages (quirk 15) never gets so far.
  const skipped =
    token !== undefined && situation.offsets && cursor !== undefined && cursor > delivered - count;
  if (skipped && !situation.restarted) return 'restart';
  // A token on the last page leads to nothing new (quirks 4, 5).
  if (situation.next === '' || (enough && token !== undefined && (count === 0 || situation.nextSeen))) {
    const early = listSize !== undefined && delivered < listSize;
    if (early && token !== undefined && (situation.uncertain || count === 0)) {
      return situation.restarted ? incomplete(situation, 'it ended early') : 'restart';
    }
    return 'end';
  }
  if (situation.nextSeen || situation.emptyPages >= maximumEmptyPages) {
    return new BridgeError(
      'oai-token-loop',
      `${situation.url} repeats itself in its list of ${situation.format}.`,
    );
  }
  return 'next';
}

function incomplete(situation: Situation, what: string): BridgeError {
  const { delivered, listSize = 'an unknown number of', format, url } = situation;
  const message = `The list of ${format} from ${url} broke off after ${delivered} of ${listSize} records: ${what}.`;
  return new BridgeError('oai-list-incomplete', message);
}
