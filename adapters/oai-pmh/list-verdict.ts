import type { PageRequest } from '../../src/core/adapter.ts';
import { BridgeError } from '../../src/core/errors.ts';
import { describeErrors, hasError, toBridgeError } from './oai-errors.ts';
import type { Step } from './page-trail.ts';
import type { OaiError } from './record-parser.ts';

/** What is known when a response to ListRecords has been read; nothing here does anything about it. */
export interface Situation {
  readonly url: string;
  readonly mode: PageRequest['mode'];
  readonly format: string;
  /** The pass, for messages. */
  readonly list: string;
  /** The token of the request; undefined for the first one of a pass. */
  readonly token: string | undefined;
  readonly from: string | undefined;
  /** Another form of `from` can be tried. */
  readonly otherFrom: boolean;
  readonly offered: readonly string[];
  /** Whether a token of this run was understood, and whether they are sent raw already. */
  readonly tokenAccepted: boolean;
  readonly rawToken: boolean;
  /** Started again already because the list had gaps or ended early. */
  readonly restarted: boolean;
  /** A refused token may start the pass again. */
  readonly mayRestart: boolean;
  /** Records of the pass, those of this response included, those of pages that came again not. */
  readonly delivered: number;
  readonly listSize: number | undefined;
}

/** The list is over, but proves nothing about what was not in it. */
export interface DoubtfulEnd {
  readonly doubt: string;
}

export interface Restart {
  readonly restart: string;
}

export type ErrorVerdict = 'end' | 'other-from' | 'raw-token' | Restart | DoubtfulEnd | BridgeError;

/** What `<error>` elements mean at this point of the list. */
export function judgeErrors(errors: readonly OaiError[], situation: Situation): ErrorVerdict {
  const { token, format, url } = situation;
  const enough = situation.listSize !== undefined && situation.delivered >= situation.listSize;
  if (hasError(errors, 'noRecordsMatch')) {
    if (token === undefined) return emptyEnd(situation);
    // A page of which every record is hidden (quirk 19).
    return enough ? 'end' : incomplete(situation, `a page of it was refused (${describeErrors(errors)})`);
  }
  if (token !== undefined && hasError(errors, 'badResumptionToken')) {
    if (enough) return 'end';
    const encoded = encodeURIComponent(token) !== token;
    if (encoded && !situation.tokenAccepted && !situation.rawToken) return 'raw-token';
    return situation.mayRestart ? { restart: describeErrors(errors) } : toBridgeError(errors);
  }
  if (token === undefined && hasError(errors, 'cannotDisseminateFormat')) {
    const offered = situation.offered;
    // Some say this instead of noRecordsMatch (quirk 25).
    if (offered.includes(format)) return { doubt: `${format} is offered, but no record has it` };
    const list = offered.length > 0 ? `; it offers ${offered.join(', ')}` : '';
    return new BridgeError('oai-unknown-format', `${url} does not know the format ${format}${list}`);
  }
  const mayBeFrom = token === undefined && situation.from !== undefined && situation.otherFrom;
  if (mayBeFrom && hasError(errors, 'badArgument')) return 'other-from';
  return toBridgeError(errors);
}

export interface PageSituation extends Situation, Step {
  /** Records of this response. */
  readonly count: number;
  /** Records of the pass before this response. */
  readonly before: number;
  readonly next: string;
  readonly cursor: number | undefined;
  /** Cursors count from 0. */
  readonly offsets: boolean;
  /** Some token request of this pass had been sent before. */
  readonly uncertain: boolean;
}

export type PageVerdict = 'next' | 'end' | Restart | DoubtfulEnd | BridgeError;

const maximumEmptyPages = 3;
/** The third time that a page comes, or the second page of a circle that was walked already. */
const maximumRepeats = 2;

/** Whether the list goes on, and whether its end is one. */
export function judgePage(situation: PageSituation): PageVerdict {
  const { token, count, before, delivered, listSize, cursor, next } = situation;
  const enough = listSize !== undefined && delivered >= listSize;
  // A token on the last page leads to nothing new (quirks 4, 5).
  const nothingNew = count === 0 || situation.nextSeen || situation.repeats > 0;
  const ends = next === '' || (enough && token !== undefined && nothingNew);
  if (!ends && isLoop(situation)) {
    const message = `${situation.url} repeats itself in its list of ${situation.list}`;
    return new BridgeError('oai-token-loop', message);
  }
  // A token may name "the next page" rather than a page (quirk 2): then asking twice has skipped one. Asking
  // twice is also what the HTTP port does, unseen. A cursor that counts pages (quirk 15) never gets so far.
  const skipped = token !== undefined && situation.offsets && cursor !== undefined && cursor > before;
  if (skipped && !situation.restarted) return { restart: 'records were missing' };
  return ends ? judgeEnd(situation) : 'next';
}

/** A cursor that stands still proves nothing by itself: some servers always state 0. */
function isLoop({ nextSeen, emptyPages, repeats, offsets, cursorStuck }: PageSituation): boolean {
  if (nextSeen || emptyPages >= maximumEmptyPages || repeats >= maximumRepeats) return true;
  return repeats > 0 && offsets && cursorStuck;
}

function judgeEnd(situation: PageSituation): PageVerdict {
  const { list, mode, token, count, delivered, listSize } = situation;
  if (listSize !== undefined && delivered < listSize) {
    const what = `ended after ${delivered} of ${listSize} records`;
    // A full pass is not walked twice for a number that may be an estimate (quirk 17), unless something else
    // hints at a page that was skipped.
    const hopeful = mode === 'incremental' || (token !== undefined && (situation.uncertain || count === 0));
    if (hopeful && !situation.restarted) return { restart: `it ${what}` };
    return { doubt: `The list of ${list} ${what}` };
  }
  if (situation.repeats > 0) return { doubt: `The list of ${list} ended with a page that had come before` };
  return delivered === 0 ? emptyEnd(situation) : 'end';
}

/** An empty repository proves nothing about what was there; that nothing has changed is ordinary. */
function emptyEnd({ mode, list }: Situation): 'end' | DoubtfulEnd {
  return mode === 'full' ? { doubt: `The list of ${list} is empty` } : 'end';
}

function incomplete(situation: Situation, what: string): BridgeError {
  const { delivered, listSize = 'an unknown number of', list, url } = situation;
  const message = `the list of ${list} from ${url} broke off after ${delivered} of ${listSize} records: ${what}`;
  return new BridgeError('oai-list-incomplete', message);
}
