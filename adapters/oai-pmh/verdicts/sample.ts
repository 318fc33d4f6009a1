import { addSeconds, later, parseDatestamp } from '../../../src/core/datetime.ts';
import { floor, type Granularity, granules, type Span } from '../windows/window.ts';
import type { CutRecord } from '../wire/record-parser.ts';

const maximum = 2_000;

/** The datestamps of a list's first page: what the rest may be like, as a guess. */
export class Sample {
  #datestamps: string[] = [];

  add({ datestamp }: CutRecord): void {
    if (this.#datestamps.length >= maximum) return;
    const iso = parseDatestamp(datestamp);
    if (iso !== undefined) this.#datestamps.push(iso);
  }

  clear(): void {
    this.#datestamps = [];
  }

  /** What of the expected span the list may take up, by its first page. */
  span({ low, high }: Span): Span {
    const sorted = [...this.#datestamps].sort();
    const lowest = sorted[0];
    const highest = sorted.at(-1);
    if (lowest === undefined || highest === undefined) return { low, high };
    // The newest come first: where it begins cannot be seen from here.
    if (lowest < highest && this.#isSorted((one, next) => one >= next)) return { low, high: highest };
    return { low: lowest, high: later(high, highest) };
  }

  /** In no order, so that it stands for all. */
  get mixed(): boolean {
    return !this.#isSorted((one, next) => one >= next) && !this.#isSorted((one, next) => one <= next);
  }

  /** The datestamp of all of them. */
  get only(): string | undefined {
    const [first] = this.#datestamps;
    return this.#datestamps.every((one) => one === first) ? first : undefined;
  }

  /** Cuts out the only datestamp there is, with a window on either side that cannot have it, whatever `until` means. */
  around(granularity: Granularity): readonly string[] | undefined {
    if (this.only === undefined) return undefined;
    const start = floor(this.only, granularity);
    return [-1, 0, 1, 2].map((step) => addSeconds(start, step * granules[granularity]));
  }

  /** Datestamps that cut the list into so many parts of about the same size, or cut out the only one there is. */
  quantiles(parts: number, granularity: Granularity): readonly string[] {
    const { only } = this;
    if (only !== undefined) return [only, addSeconds(floor(only, granularity), granules[granularity])];
    const sorted = [...this.#datestamps].sort();
    return Array.from({ length: parts - 1 }, (_, index) => {
      const place = Math.floor((sorted.length * (index + 1)) / parts);
      return sorted[place] ?? '';
    }).filter((datestamp) => datestamp !== '');
  }

  #isSorted(inOrder: (one: string, next: string) => boolean): boolean {
    return this.#datestamps.every((one, index, all) => index === 0 || inOrder(all[index - 1] ?? one, one));
  }
}
