import { isWithin, type Window } from '../windows/window.ts';
import type { DistinctRecords } from './distinct-records.ts';
import { TruncationProbe } from './truncation-probe.ts';

/** The lists of a pass that may be cut off, and what is known of each by now (quirk 7). */
export class SecondLooks {
  readonly #probes: TruncationProbe[] = [];
  /** From which window a first page came. */
  readonly #pages = new Map<string, Window>();
  readonly #undivided = new Set<string>();

  begin(count: number, window: Window, known: DistinctRecords | undefined): void {
    if (known !== undefined) this.#probes.push(new TruncationProbe(count, window, known));
  }

  /** A part of a list in question, and shorter than it is. */
  isPart(window: Window, count: number): boolean {
    return this.#probes.some((probe) => probe.answeredBy(window, count));
  }

  /** Windows of which neither holds the other brought the same: dividing them is no use. */
  cameElsewhere(page: string | undefined, window: Window): boolean {
    if (page === undefined) return false;
    const known = this.#pages.get(page) ?? window;
    this.#pages.set(page, known);
    return !isWithin(window, known) && !isWithin(known, window);
  }

  /** It cannot be divided, or came from a part of its list again: who brings it, too, is in question already. */
  cannotDivide(page: string | undefined): void {
    if (page !== undefined) this.#undivided.add(page);
  }

  isUndivided(page: string | undefined): boolean {
    return page !== undefined && this.#undivided.has(page);
  }

  /** @returns the length of a list that is proved to have been cut off */
  contradictedBy(window: Window, records: DistinctRecords): number | undefined {
    const wrong = this.#probes.find((probe) => !probe.contradicted && probe.contradictedBy(window, records));
    if (wrong !== undefined) wrong.contradicted = true;
    return wrong?.count;
  }
}
