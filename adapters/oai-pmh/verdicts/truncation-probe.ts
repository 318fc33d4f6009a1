import { say } from '../../../src/core/reasons/reason.ts';
import { isWithin, type Window } from '../windows/window.ts';
import type { DistinctRecords } from './distinct-records.ts';
import type { PageSize } from './list-length.ts';

/**
 * A second look at a list of a round number of records that came without a token (quirk 7): if smaller windows
 * bring a record that it did not, it was cut off. That they bring none proves it whole only where each of them
 * is shorter than it is.
 */
export class TruncationProbe {
  /** Records of the list in question. */
  readonly count: number;
  contradicted = false;
  readonly #window: Window;
  readonly #known: DistinctRecords;

  constructor(count: number, window: Window, known: DistinctRecords) {
    this.count = count;
    this.#window = window;
    this.#known = known;
  }

  /** Whether a list in this window that is so long says more about it than it did itself. */
  answeredBy(window: Window, count: number): boolean {
    return count < this.count && isWithin(window, this.#window);
  }

  /** Only by a part of it: that its neighbours have other records is no wonder. */
  contradictedBy(window: Window, records: DistinctRecords): boolean {
    return isWithin(window, this.#window) && !records.isWithin(this.#known);
  }
}

/** Pages have such lengths; a list that cannot be divided and has one is in doubt. */
const pageSizes: ReadonlySet<number> = new Set([
  10, 15, 20, 25, 30, 40, 50, 60, 75, 80, 100, 120, 125, 150, 200, 250, 256, 300, 400, 500, 512, 600, 750,
  800, 1000, 1024, 1500, 2000, 2500, 3000, 4000, 5000, 10_000,
]);

export function isPageSize(count: number): boolean {
  return pageSizes.has(count);
}

/**
 * @param pages the longest page of this run: one of fewer records was not full
 * @param known where lists of this repository are cut off
 */
export function mayBeCutOff(count: number, pages: number, known: number | undefined): boolean {
  if (count < pages) return false;
  if (count === known || isPageSize(count)) return true;
  // A second look costs little where there is little to look at, so that less usual lengths are looked behind, too.
  return count >= 10 && count < 500 && (count % 5 === 0 || count === 32 || count === 64 || count === 128);
}

/** What is known in the end of a list that may be cut off, and that dates do not divide. */
export interface UndividedEnd {
  readonly count: number;
  /** Records that other lists had, and it had not. */
  readonly found: number;
  readonly pages: PageSize;
  /** Where lists of this repository are cut off. */
  readonly known: number | undefined;
}

/** @returns why it is still in doubt, and what to do; undefined: it is not, or somebody who knows has said so */
export function undividedDoubt({ count, found, pages, known }: UndividedEnd): string | undefined {
  if (found > 0) return say('list-cut-off-there', {});
  const isFull = isPageSize(count) && pages.largest <= count;
  if (pages.isStatedLonger(count) || (!isFull && count !== known)) return undefined;
  return say('list-undivided', { count });
}
