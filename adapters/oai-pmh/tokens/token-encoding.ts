import type { Lessons } from '../../../src/core/adapter.ts';
import { say } from '../../../src/core/reasons/reason.ts';

const key = 'token-encoding';
const maximumTurns = 4;

/** Whether tokens are percent-encoded, as they must be, or sent raw, as some servers want them (quirks 8, 9). */
export class TokenEncoding {
  readonly #lessons: Lessons;
  #raw: boolean;
  /** Some token for which it makes a difference was understood in this process. */
  #proven = false;
  #turns = 0;

  constructor(lessons: Lessons) {
    this.#lessons = lessons;
    this.#raw = lessons.get(key) === 'raw';
  }

  get raw(): boolean {
    return this.#raw;
  }

  accepted(token: string): void {
    if (this.#proven || !matters(token)) return;
    this.#proven = true;
    if (this.#raw) {
      const sentence = say('token-unencoded', {});
      this.#lessons.learn(key, 'raw', sentence);
    } else this.#lessons.forget(key);
  }

  /** @returns whether a token that was sent `raw`, or not, is worth sending once more, the other way */
  refused(token: string, raw: boolean): boolean {
    if (!matters(token)) return false;
    // Another list has found out in the meantime.
    if (raw !== this.#raw) return true;
    if (this.#proven || this.#turns >= maximumTurns) return false;
    this.#turns += 1;
    this.#raw = !this.#raw;
    // The second turn only goes back to where it began.
    return this.#turns % 2 === 1;
  }
}

function matters(token: string): boolean {
  return encodeURIComponent(token) !== token;
}
