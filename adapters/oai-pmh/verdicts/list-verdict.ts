import type { PageRequest } from '../../../src/core/adapter.ts';
import { BridgeError, refusal } from '../../../src/core/errors.ts';
import { describeErrors, hasError, toBridgeError } from '../endpoint/oai-errors.ts';
import type { OaiError } from '../wire/record-parser.ts';
import { isTooWide } from '../wire/trouble.ts';
import type { Step } from './page-trail.ts';

/** What is known when a response to a list request has been read; nothing here does anything about it. */
export interface Situation {
  readonly url: string;
  readonly mode: PageRequest['mode'];
  readonly format: string;
  /** The pass and its window, for messages. */
  readonly list: string;
  /** The token of the request; undefined for the first one of a list. */
  readonly token: string | undefined;
  /** The request carried `from` or `until`. */
  readonly dated: boolean;
  readonly offered: readonly string[];
  /** It is a part of a list that failed. */
  readonly narrowed: boolean;
  /** Started again already because the list had gaps or ended early. */
  readonly restarted: boolean;
  /** Some token request of this list had been sent before. */
  readonly uncertain: boolean;
  /** A refused token may start the list again. */
  readonly mayRestart: boolean;
  /** Records of the list, those of this response included, those of pages that came again not. */
  readonly delivered: number;
  /** Different ones among them, in all attempts; undefined where nobody counted. */
  readonly distinct: number | undefined;
  /** Records were left out that nobody had asked for: the list is another one from there on (quirk 11). */
  readonly drops: boolean;
  readonly listSize: number | undefined;
  /** The last page was shorter than pages are there. */
  readonly behindPartialPage: boolean;
}

/** The list is over, but proves nothing about what was not in it. */
export interface DoubtfulEnd {
  readonly doubt: string;
  /** So many records were announced that a look in smaller windows may find the others. */
  readonly missing?: boolean;
  /** It was read, and had nothing. */
  readonly empty?: boolean;
}

export interface Restart {
  readonly restart: string;
}

/** `other-dates`, `other-token`: the request is worth another attempt in another form, if there is one. */
export type ErrorVerdict =
  | 'end'
  | 'other-dates'
  | 'other-token'
  | 'more-arguments'
  | Restart
  | DoubtfulEnd
  | BridgeError;

/** What `<error>` elements mean at this point of the list. */
export function judgeErrors(errors: readonly OaiError[], situation: Situation): ErrorVerdict {
  const { token, format, url } = situation;
  const { listSize, behindPartialPage } = situation;
  // Where nobody says how many there are, a page that is not full was the last (quirks 4 and 16).
  const enough = listSize === undefined ? behindPartialPage : situation.delivered >= listSize;
  if (hasError(errors, 'noRecordsMatch')) {
    if (token === undefined) return 'end';
    // A page of which every record is hidden (quirk 19).
    const what = `a page of it was refused (${describeErrors(errors)})`;
    return enough ? judgeSurplus(situation) : incomplete(situation, what);
  }
  if (token !== undefined && hasError(errors, 'badResumptionToken')) {
    return enough ? judgeSurplus(situation) : 'other-token';
  }
  if (token !== undefined && hasError(errors, 'badArgument')) return 'more-arguments';
  if (hasError(errors, 'cannotDisseminateFormat')) {
    const offered = situation.offered;
    // In the middle, about a record that does not have the format (quirk 71).
    if (token !== undefined || (offered.includes(format) && situation.narrowed)) {
      const what = `the list of ${situation.list} broke off (${describeErrors(errors)})`;
      return new BridgeError('oai-unknown-format', what, { retryable: true });
    }
    if (offered.includes(format)) {
      // Some say this instead of noRecordsMatch (quirk 25).
      return situation.dated ? 'end' : { doubt: `${format} is offered, but no record has it`, empty: true };
    }
    const list = offered.length > 0 ? `; it offers ${offered.join(', ')}` : '';
    return new BridgeError('oai-unknown-format', `${url} does not know the format ${format}${list}`);
  }
  const aboutDates = token === undefined && situation.dated && hasError(errors, 'badArgument');
  if (aboutDates && !isTooWide(describeErrors(errors))) return 'other-dates';
  return toBridgeError(errors);
}

/**
 * An end in an error, where as many records have come as were announced (quirk 4). That says little where a request
 * had to be repeated: it may have cost a page (quirk 2), and what is announced may be too low (quirk 17).
 */
function judgeSurplus(situation: Situation): 'end' | Restart | BridgeError {
  if (!situation.uncertain) return 'end';
  const what = 'it ended in an error, and a request had to be repeated';
  return situation.restarted ? incomplete(situation, what) : { restart: what };
}

/** What is left to do about a token that was refused in every form. */
export function judgeRefusedToken(errors: readonly OaiError[], situation: Situation): Restart | BridgeError {
  return situation.mayRestart ? { restart: describeErrors(errors) } : toBridgeError(errors);
}

export interface PageSituation extends Situation, Step {
  /** Records of this response. */
  readonly count: number;
  /** Records of the list before this response. */
  readonly before: number;
  readonly next: string;
  readonly cursor: number | undefined;
  /** Cursors count from 0. */
  readonly offsets: boolean;
}

export type PageVerdict = 'next' | 'end' | Restart | DoubtfulEnd | BridgeError;

const maximumEmptyPages = 3;
/** The third time that a page comes, or the second page of a circle that was walked already. */
const maximumRepeats = 2;
/** How often a list may bring its records, on average. */
const maximumTimes = 1.5;
/** What completeListSize, an estimate by the specification, may be wrong by (quirk 17). */
const tolerance = 0.02;

/** Whether the list goes on, and whether its end is one. */
export function judgePage(situation: PageSituation): PageVerdict {
  const { token, count, before, delivered, listSize, cursor, next } = situation;
  const enough = listSize !== undefined && delivered >= listSize;
  // A token on the last page leads to nothing new (quirks 4, 5).
  const nothingNew = count === 0 || situation.nextSeen || situation.repeats > 0;
  const ends = next === '' || (enough && token !== undefined && nothingNew);
  if (!ends && isLoop(situation)) {
    return refusal('oai-token-loop', 'list-repeats', { url: situation.url, list: situation.list });
  }
  // A token may name "the next page" rather than a page (quirk 2): then asking twice has skipped one. Asking
  // twice is also what the HTTP port does, unseen. A cursor that counts pages (quirk 15) never gets so far.
  const skipped = token !== undefined && situation.offsets && cursor !== undefined && cursor > before;
  if (skipped && !situation.restarted) return { restart: 'records were missing' };
  return ends ? judgeEnd(situation) : 'next';
}

/** A cursor that stands still proves nothing by itself: some servers always state 0. */
function isLoop(situation: PageSituation): boolean {
  const { nextSeen, emptyPages, repeats, offsets, cursorStuck, delivered, distinct, count } = situation;
  if (nextSeen || emptyPages >= maximumEmptyPages || repeats >= maximumRepeats) return true;
  // A circle of records whose pages are cut differently each time.
  if (distinct !== undefined && delivered > distinct * maximumTimes + 2 * count) return true;
  return repeats > 0 && offsets && cursorStuck;
}

function judgeEnd(situation: PageSituation): PageVerdict {
  const { list, mode, token, count, before, cursor, delivered, drops, listSize, restarted } = situation;
  const { distinct = delivered } = drops ? {} : situation;
  if (listSize !== undefined && distinct < listSize) {
    const what = `ended after ${distinct} of ${listSize} records`;
    // An order that is not stable delivers some twice and others not at all (quirk 18).
    const unstable = !restarted && delivered > distinct;
    // A full pass is not walked twice for a number that may be an estimate (quirk 17), unless something else
    // hints at a page that was skipped.
    const hints = token !== undefined && (situation.uncertain || count === 0);
    if ((mode === 'incremental' || unstable || hints) && !restarted) return { restart: `it ${what}` };
    if (!hints && isNearly(distinct, listSize)) return 'end';
    return { doubt: `The list of ${list} ${what}`, missing: true };
  }
  // A page was asked for twice, and did not come again: the token names the next one (quirk 2).
  if (listSize === undefined && situation.uncertain && token !== undefined && cursor !== before) {
    const what = 'a request had to be repeated, which may have cost a page';
    return restarted ? incomplete(situation, what) : { restart: what };
  }
  if (situation.repeats > 0) return { doubt: `The list of ${list} ended with a page that had come before` };
  return 'end';
}

export function isNearly(delivered: number, announced: number): boolean {
  return announced - delivered <= announced * tolerance;
}

function incomplete(situation: Situation, what: string): BridgeError {
  const { delivered, listSize = 'an unknown number of', list, url } = situation;
  const facts = { list, url, delivered, total: listSize, why: what };
  return refusal('oai-list-incomplete', 'list-broke-off', facts);
}
