import type { Lessons } from '../../../src/core/adapter.ts';
import { say } from '../../../src/core/reasons/reason.ts';

const windowsKey = 'windows';
const listsKey = 'lists-at-once';
const endKey = 'list-end';
const setKey = 'set-filter';
const sizeKey = 'list-size';
const datesKey = 'header-dates';

/** Why lists are not cut into windows of datestamps on purpose. */
export type WindowTrouble = 'ignored' | 'refused' | 'lossy';

const windowSentences: Readonly<Record<WindowTrouble, string>> = {
  ignored: say('dates-ignored', {}),
  refused: say('dates-refused', {}),
  lossy: say('dates-lossy', {}),
};

/** What this endpoint taught us about its lists, beside how it wants dates and tokens. */
export class EndpointHabits {
  readonly #lessons: Lessons;

  constructor(lessons: Lessons) {
    this.#lessons = lessons;
    // What earlier versions learnt from a look that had shown nothing.
    if (lessons.get(endKey) === 'complete') lessons.forget(endKey);
  }

  get windowTrouble(): boolean {
    return this.#lessons.get(windowsKey) !== undefined;
  }

  learnWindowTrouble(trouble: WindowTrouble): void {
    this.#lessons.learn(windowsKey, trouble, windowSentences[trouble]);
  }

  /** It cannot hold several lists open at a time (quirk 20). */
  get oneListOnly(): boolean {
    return this.#lessons.get(listsKey) === '1';
  }

  learnOneListOnly(): void {
    const sentence = say('one-list-only', {});
    this.#lessons.learn(listsKey, '1', sentence);
  }

  /** Records of a list that was cut off without a token. That one was whole says nothing about the next. */
  get listEnd(): number | undefined {
    const value = this.#lessons.get(endKey);
    return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined;
  }

  learnListEnd(end: number): void {
    const sentence = say('lists-cut-off', { count: end });
    this.#lessons.learn(endKey, String(end), sentence);
  }

  get setFilterLost(): boolean {
    return this.#lessons.get(setKey) === 'lost';
  }

  learnSetFilterLost(): void {
    const sentence = say('set-forgotten', {});
    this.#lessons.learn(setKey, 'lost', sentence);
  }

  /** A first page had records from outside of the dates it was asked for: no date in a header excludes a record. */
  get headersTellOtherDates(): boolean {
    return this.#lessons.get(datesKey) === 'other';
  }

  learnOtherDates(): void {
    const sentence = say('other-dates', {});
    this.#lessons.learn(datesKey, 'other', sentence);
  }

  /** What it states as the size of a list is not what the list has. */
  get sizeIsEstimate(): boolean {
    return this.#lessons.get(sizeKey) === 'estimate';
  }

  learnSizeIsEstimate(): void {
    const sentence = say('size-is-estimate', {});
    this.#lessons.learn(sizeKey, 'estimate', sentence);
  }
}
