import type { Lessons } from '../../src/core/adapter.ts';
import type { RequestArguments } from './request.ts';

const key = 'token-arguments';
const levels = ['none', 'prefix', 'all'] as const;
export type Level = (typeof levels)[number];

/**
 * What goes along with a token. By the protocol nothing; but some servers want the format with it, and some
 * lose set and dates on the second page unless they are repeated (quirk 11).
 */
export class TokenCompany {
  readonly #lessons: Lessons;
  #level: Level;
  #proven = false;
  #exhausted = false;

  constructor(lessons: Lessons) {
    this.#lessons = lessons;
    const known = lessons.get(key);
    this.#level = known === 'prefix' || known === 'all' ? known : 'none';
  }

  get level(): Level {
    return this.#level;
  }

  /** @param list what the first request of the list was made of */
  arguments(list: RequestArguments): RequestArguments {
    if (this.#level === 'none') return {};
    return this.#level === 'prefix' ? { metadataPrefix: list.metadataPrefix } : list;
  }

  /** @returns whether there is more to send along than was; once there is not, nothing is */
  more(sent: Level): boolean {
    if (this.#exhausted) return false;
    // Another list has found out in the meantime.
    if (sent !== this.#level) return true;
    const next = levels[levels.indexOf(this.#level) + 1];
    this.#proven = false;
    this.#exhausted = next === undefined;
    this.#level = next ?? 'none';
    if (this.#exhausted) this.#lessons.forget(key);
    return !this.#exhausted;
  }

  /** A page came that was asked for like this, with everything in it that belongs there. */
  accepted(): void {
    if (this.#proven || this.#level === 'none') return;
    this.#proven = true;
    const what = this.#level === 'prefix' ? 'the format' : 'the format, the set and the dates';
    this.#lessons.learn(
      key,
      this.#level,
      `It forgets what was asked for behind the first page; ${what} are sent along with each token.`.replace(
        'the format are',
        'the format is',
      ),
    );
  }
}
