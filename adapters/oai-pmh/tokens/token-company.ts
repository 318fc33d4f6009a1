import type { Lessons } from '../../../src/core/adapter.ts';
import { type ReasonCode, say } from '../../../src/core/reasons/reason.ts';
import type { RequestArguments } from '../endpoint/request.ts';

const key = 'token-arguments';
/** In the order in which they are tried; `selection` is the set and the dates without the format. */
const levels = ['none', 'prefix', 'all', 'selection'] as const;
export type Level = (typeof levels)[number];

const sentences = {
  prefix: 'token-with-format',
  all: 'token-with-all',
  selection: 'token-with-selection',
} as const satisfies Record<Exclude<Level, 'none'>, ReasonCode>;

/**
 * What goes along with a token. By the protocol nothing; but some servers want the format with it, and some
 * lose set and dates on the second page unless they are repeated (quirk 11). Whatever is tried, there is a way
 * back: to the company in which a token last brought a page, even one with records that nobody asked for.
 */
export class TokenCompany {
  readonly #lessons: Lessons;
  #level: Level;
  #untried: Level[];
  /** With this, tokens bring pages, if not the right ones. */
  #serves: Level | undefined;
  #proven = false;

  constructor(lessons: Lessons) {
    this.#lessons = lessons;
    const known = lessons.get(key);
    this.#level = levels.find((level) => level === known) ?? 'none';
    this.#untried = levels.filter((level) => level !== this.#level);
  }

  get level(): Level {
    return this.#level;
  }

  /** @param list what the first request of the list was made of */
  arguments(list: RequestArguments): RequestArguments {
    const { metadataPrefix, ...selection } = list;
    if (this.#level === 'none') return {};
    if (this.#level === 'prefix') return { metadataPrefix };
    return this.#level === 'all' ? list : selection;
  }

  /** Whether it was sent to see if it helps: with something else a token had brought a page. */
  onTrial(sent: Level): boolean {
    return !this.#proven && this.#serves !== undefined && this.#serves !== sent;
  }

  /** No token has brought anything yet: what was sent along may be the reason. */
  get unproven(): boolean {
    return this.#serves === undefined;
  }

  /** It brought a page, with records in it that do not belong there. @returns whether something else may help */
  lost(sent: Level): boolean {
    // Another list has found out in the meantime.
    if (sent !== this.#level) return true;
    this.#serves ??= sent;
    if (this.#next()) return true;
    this.#settleFor(this.#serves);
    return false;
  }

  /** It brought nothing. @returns whether the token is worth sending again, in other company */
  refused(sent: Level): boolean {
    if (sent !== this.#level) return true;
    if (this.#next()) return true;
    const back = this.#serves;
    this.#settleFor(back ?? 'none');
    return back !== undefined && back !== sent;
  }

  /** A page came that was asked for like this, with everything in it that belongs there. */
  accepted(): void {
    if (this.#proven) return;
    this.#proven = true;
    this.#serves = this.#level;
    if (this.#level === 'none') return;
    this.#lessons.learn(key, this.#level, say(sentences[this.#level], {}));
  }

  #next(): boolean {
    const next = this.#untried.shift();
    if (next === undefined) return false;
    this.#proven = false;
    this.#level = next;
    return true;
  }

  /** Nothing helps. */
  #settleFor(level: Level): void {
    this.#level = level;
    if (level === 'none') this.#lessons.forget(key);
  }
}
