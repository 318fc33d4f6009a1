import type { Lessons } from '../../../src/core/adapter.ts';
import { say } from '../../../src/core/reasons/reason.ts';

const largest = 100;
const lesson = 'page-size';

/** How many items to ask for at once: as many as the server takes, found out by asking. */
export class PageSize {
  readonly #lessons: Lessons;
  #value: number;
  /** Beyond this it took too long. */
  #ceiling: number;
  /** Pages in time since then; after so many, more are tried again. */
  #inTime = 0;
  #probation = 10;

  constructor(lessons: Lessons) {
    this.#lessons = lessons;
    const learnt = Number(lessons.get(lesson));
    // It may have recovered since.
    this.#ceiling = Number.isInteger(learnt) && learnt > 0 ? Math.min(largest, learnt * 2) : largest;
    this.#value = this.#ceiling;
  }

  get value(): number {
    return this.#value;
  }

  /** @param slow fewer may be in time; otherwise one of them is bad, and the others are none the worse for it */
  failed(slow: boolean): void {
    this.#value = Math.max(1, Math.floor(this.#value / 2));
    if (!slow) return;
    this.#ceiling = this.#value;
    this.#inTime = 0;
    this.#probation *= 2;
    this.#lessons.learn(lesson, String(this.#ceiling), say('fewer-items', { count: this.#ceiling }));
  }

  succeeded(): void {
    if (this.#value === largest) this.#lessons.forget(lesson);
    if (this.#value === this.#ceiling) this.#inTime += 1;
    if (this.#inTime >= this.#probation) {
      this.#ceiling = Math.min(largest, this.#ceiling * 2);
      this.#inTime = 0;
    }
    this.#value = Math.min(this.#ceiling, this.#value * 2);
  }
}
