import type { Lessons } from '../../../src/core/adapter.ts';

const windowsKey = 'windows';
const listsKey = 'lists-at-once';
const endKey = 'list-end';
const setKey = 'set-filter';
const sizeKey = 'list-size';
const datesKey = 'header-dates';

/** Why lists are not cut into windows of datestamps on purpose. */
export type WindowTrouble = 'ignored' | 'refused' | 'lossy';

const windowSentences: Readonly<Record<WindowTrouble, string>> = {
  ignored: 'It lists records from outside of the dates it is asked for; long lists are read in one piece.',
  refused: 'It refuses lists between two dates; long lists are read in one piece.',
  lossy: 'Lists between dates do not add up to the whole list; long lists are read in one piece.',
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
    const sentence = 'It cannot keep many lists open at a time; they are read one after the other.';
    this.#lessons.learn(listsKey, '1', sentence);
  }

  /** Records of a list that was cut off without a token. That one was whole says nothing about the next. */
  get listEnd(): number | undefined {
    const value = this.#lessons.get(endKey);
    return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined;
  }

  learnListEnd(end: number): void {
    const sentence = `It cuts lists off after ${end} records, without a token; they are read in windows of dates that have fewer.`;
    this.#lessons.learn(endKey, String(end), sentence);
  }

  get setFilterLost(): boolean {
    return this.#lessons.get(setKey) === 'lost';
  }

  learnSetFilterLost(): void {
    const sentence =
      'It forgets the set behind the first page; records that state other sets only are left out by us.';
    this.#lessons.learn(setKey, 'lost', sentence);
  }

  /** A first page had records from outside of the dates it was asked for: no date in a header excludes a record. */
  get headersTellOtherDates(): boolean {
    return this.#lessons.get(datesKey) === 'other';
  }

  learnOtherDates(): void {
    const sentence =
      'Its headers state other dates than those it selects by; no record is left out for its date.';
    this.#lessons.learn(datesKey, 'other', sentence);
  }

  /** What it states as the size of a list is not what the list has. */
  get sizeIsEstimate(): boolean {
    return this.#lessons.get(sizeKey) === 'estimate';
  }

  learnSizeIsEstimate(): void {
    const sentence =
      'It announces more records than its lists have; its completeListSize is taken for an estimate.';
    this.#lessons.learn(sizeKey, 'estimate', sentence);
  }
}
