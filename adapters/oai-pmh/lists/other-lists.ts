import type { DistinctRecords } from '../verdicts/distinct-records.ts';
import { isPageSize } from '../verdicts/truncation-probe.ts';
import type { CutRecord } from '../wire/record-parser.ts';
import type { ChainOutcome } from './chain-page.ts';

/** So many sets are asked for what a list may have left out. */
export const maximumSets = 100;

/**
 * What other lists of identifiers tell of one that has the length of a full page (quirk 7). They prove it whole
 * where pages of identifiers are longer than that, or where its sets, each of them read to an end that is in no
 * doubt, have the same records and no others. Whatever is not clear proves nothing.
 */
export class OtherLists {
  readonly #known: DistinctRecords | undefined;
  /** Sets that its records say they are in, and those that were read to their end. */
  readonly #stated = new Set<string>();
  readonly #read = new Set<string>();
  readonly #inSets = new Set<string>();
  #recordsStateSets = true;
  #setsHaveOthers = false;
  #setsAreClear = false;
  #ownSize: number | undefined;

  /** @param known the records of the list in question */
  constructor(known: DistinctRecords | undefined) {
    this.#known = known;
  }

  seeOwn({ setSpecs }: CutRecord): void {
    if (setSpecs.length === 0) this.#recordsStateSets = false;
    for (const spec of setSpecs) if (this.#stated.size <= maximumSets) this.#stated.add(spec);
  }

  seeInSet({ identifier }: CutRecord): void {
    if (this.#known?.has(identifier) === true) this.#inSets.add(identifier);
    // Whether it can be had or not: the list in question lacks it.
    else this.#setsHaveOthers = true;
  }

  /** The same list, of identifiers alone. */
  ownEnded({ kind }: ChainOutcome, listed: DistinctRecords): void {
    if (kind === 'ended' || kind === 'suspicious') this.#ownSize = listed.size;
  }

  setEnded(spec: string, { kind }: ChainOutcome): void {
    if (kind === 'ended') this.#read.add(spec);
  }

  /** @param count how many the repository lists; a list of them may be cut off as well */
  setsListed(count: number): void {
    this.#setsAreClear = this.#read.size === count && !isPageSize(count);
  }

  /** @param longest page of identifiers in this run */
  proveWhole(longest: number): boolean {
    const size = this.#known?.size;
    if (size === undefined || size === 0) return false;
    // Without all of its own headers nobody says which sets it has.
    if (this.#ownSize === undefined || this.#ownSize < size) return false;
    if (this.#ownSize < longest) return true;
    if (this.#setsHaveOthers) return false;
    const statedAreRead = [...this.#stated].every((spec) => this.#read.has(spec));
    return this.#setsAreClear && this.#recordsStateSets && statedAreRead && this.#inSets.size === size;
  }
}
