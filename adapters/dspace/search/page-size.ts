import type { Lessons } from '../../../src/core/adapter.ts';
import { say } from '../../../src/core/reasons/reason.ts';

const lesson = 'page-size';

/** Items with all their files are asked for so many at a time, until it is known what the server takes. */
const first = 20;
/** Of fewer at a time nothing is gained against a request for each. */
export const fewest = 5;
/** As many as a server of usual speed should be asked for; more only while it is fast. */
const enough = 50;
const most = 100;
const fastMs = 4000;
const slowMs = 20_000;
/** Windows that have to go well before what went wrong once is tried again. */
const patience = 12;

/** How many items are asked for at a time: what a server takes differs by a factor of a hundred (DSpace#7971). */
export class PageSize {
  readonly #lessons: Lessons;
  #size: number;
  /** The smallest that went wrong; nothing of this size is asked for without need. */
  #trouble = Number.POSITIVE_INFINITY;
  #good = 0;
  #patience = patience;
  /** How often in a row even the fewest went wrong. */
  #stuck = 0;

  constructor(lessons: Lessons) {
    this.#lessons = lessons;
    const learnt = Number(lessons.get(lesson) ?? first);
    const size = Number.isInteger(learnt) ? Math.max(fewest, Math.min(learnt, most)) : first;
    this.#size = size;
    if (size < first) this.#trouble = size * 2;
  }

  get size(): number {
    return this.#size;
  }

  /** Items are better asked for one by one. */
  get isOneByOne(): boolean {
    return this.#stuck >= 3;
  }

  /** @param rows that came of `size` asked for, in so many milliseconds */
  succeeded(size: number, rows: number, milliseconds: number): void {
    // A few of a few prove nothing.
    if (rows >= fewest / 2) this.#stuck = 0;
    if (milliseconds > slowMs && size > fewest && size <= this.#size) {
      this.#set(Math.max(fewest, Math.floor(size / 2)));
      return;
    }
    if (size < this.#size || rows < size / 2) return;
    this.#good += 1;
    const next = Math.min(most, Math.ceil(this.#size * 1.5));
    const foreseen = (milliseconds / Math.max(1, rows)) * next;
    if (next >= this.#trouble) {
      if (this.#good < this.#patience) return;
      this.#trouble = Number.POSITIVE_INFINITY;
    }
    if (foreseen < fastMs) this.#grow(next);
    else if (foreseen < fastMs * 2) this.#grow(Math.min(next, enough));
  }

  /** A page of this size took too long, or broke. */
  failed(size: number): void {
    if (size <= fewest) {
      this.#stuck += 1;
      if (this.isOneByOne) this.#learn(1);
      return;
    }
    if (size > this.#size) return;
    this.#patience = this.#trouble === Number.POSITIVE_INFINITY ? patience : this.#patience * 2;
    this.#trouble = size;
    this.#set(Math.max(fewest, Math.floor(size / 2)));
  }

  /** What failed since a page of this size was one item's fault. */
  acquit(size: number): void {
    this.#stuck = 0;
    this.#trouble = Number.POSITIVE_INFINITY;
    this.#patience = patience;
    this.#grow(size);
  }

  #grow(size: number): void {
    if (size <= this.#size) return;
    this.#size = size;
    this.#good = 0;
    if (size >= first) this.#lessons.forget(lesson);
    else this.#learn(size);
  }

  #set(size: number): void {
    this.#size = size;
    this.#good = 0;
    if (size < first) this.#learn(size);
  }

  #learn(size: number): void {
    const sentence = size === 1 ? say('read-one-by-one', {}) : say('fewer-with-files', { count: size });
    this.#lessons.learn(lesson, String(size), sentence);
  }
}
