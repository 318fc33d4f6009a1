import type { Clock, Lessons } from '../../../src/core/adapter.ts';
import { addSeconds, toIso } from '../../../src/core/datetime.ts';
import { say } from '../../../src/core/reasons/reason.ts';
import { type Granularity, toArgument, type Window } from './window.ts';

const granularityKey = 'granularity';
const refusalKey = 'from';
const secondsUntilNextTry = 30 * 86_400;

/**
 * How dates go into requests: as the repository says, else as whole days, else not at all, because what it
 * declares and what it takes are not always the same (quirks 42, 46). What was found out is a lesson.
 */
export class DateForm {
  readonly #lessons: Lessons;
  readonly #clock: Pick<Clock, 'now'>;
  #form: Granularity | 'none';
  /** What the repository said when it refused the form before, until the one after is seen to be taken. */
  #refusal: string | undefined;

  constructor(declared: Granularity, lessons: Lessons, clock: Pick<Clock, 'now'>) {
    this.#lessons = lessons;
    this.#clock = clock;
    const again = lessons.get(refusalKey);
    if (again !== undefined && again <= toIso(clock.now())) lessons.forget(refusalKey);
    const known = lessons.get(granularityKey) === 'day' ? 'day' : declared;
    this.#form = lessons.get(refusalKey) === undefined ? known : 'none';
  }

  /** False: everything is listed, or nothing. */
  get allowed(): boolean {
    return this.#form !== 'none';
  }

  get granularity(): Granularity {
    return this.#form === 'second' ? 'second' : 'day';
  }

  arguments({ from, until }: Window): { readonly from?: string; readonly until?: string } {
    if (this.#form === 'none') return {};
    return {
      ...(from === undefined ? {} : { from: toArgument(from, this.#form) }),
      ...(until === undefined ? {} : { until: toArgument(until, this.#form) }),
    };
  }

  get form(): Granularity | 'none' {
    return this.#form;
  }

  /** @returns whether there is another form to try than the one that was refused */
  refused(reason: string, form: Granularity | 'none'): boolean {
    // Another list has found out in the meantime.
    if (form !== this.#form) return true;
    if (this.#form === 'none') return false;
    this.#form = this.#form === 'second' ? 'day' : 'none';
    this.#refusal = reason;
    return true;
  }

  /** A list was given for the present form. */
  accepted(): void {
    const reason = this.#refusal;
    if (reason === undefined) return;
    this.#refusal = undefined;
    if (this.#form === 'day') {
      this.#lessons.learn(granularityKey, 'day', say('days-only', { why: reason }));
    } else {
      const again = addSeconds(toIso(this.#clock.now()), secondsUntilNextTry);
      this.#lessons.learn(refusalKey, again, say('no-dates', { why: reason, day: again.slice(0, 10) }));
    }
  }
}
