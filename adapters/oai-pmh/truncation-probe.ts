import type { DistinctRecords } from './distinct-records.ts';
import { isWithin, type Window } from './window.ts';

/**
 * A second look at a list of a round number of records that came without a token (quirk 7): if smaller windows
 * bring a record that it did not, it was cut off.
 */
export class TruncationProbe {
  /** Records of the list in question. */
  readonly count: number;
  readonly #window: Window;
  readonly #known: DistinctRecords;

  constructor(count: number, window: Window, known: DistinctRecords) {
    this.count = count;
    this.#window = window;
    this.#known = known;
  }

  /** Only by a part of it: that its neighbours have other records is no wonder. */
  contradictedBy(window: Window, records: DistinctRecords): boolean {
    if (!isWithin(window, this.#window)) return false;
    for (const identifier of records.identifiers) if (!this.#known.has(identifier)) return true;
    return false;
  }
}

const roundNumbers: ReadonlySet<number> = new Set([
  10, 20, 25, 50, 100, 150, 200, 250, 300, 400, 500, 1000, 2000, 2500, 5000, 10_000,
]);

/** @param known where lists of this repository are cut off; `complete`: one that looked like that was not */
export function mayBeCutOff(count: number, known: number | 'complete' | undefined): boolean {
  if (known === 'complete') return false;
  return known === undefined ? roundNumbers.has(count) : count >= known;
}
