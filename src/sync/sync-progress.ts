import type { CopyTally } from './content/copying.ts';

/** How far a run is. */
export interface SyncProgress {
  readonly work: 'entries' | 'resources' | 'packages' | 'deletions';
  readonly done: number;
  readonly total: number | undefined;
  /** That came so far, with those of downloads under way. */
  readonly octets: number;
  /** Undefined: not all of them state a length. */
  readonly totalOctets: number | undefined;
  readonly failed: number;
  /** Downloads under way that are large, each with what came of it so far. */
  readonly transfers: readonly Transfer[];
}

export interface Transfer {
  readonly address: string;
  readonly octets: number;
  readonly total: number | undefined;
}

const entriesAtOnce = 1_000;

/** Gathers what is to be shown; nobody has to look. */
export class Meter {
  readonly #show: ((progress: SyncProgress) => void) | undefined;
  readonly #transfers = new Map<string, Transfer>();
  #work: SyncProgress['work'] = 'entries';
  #done = 0;
  #total: number | undefined;
  #totalOctets: number | undefined;
  #octetsBefore = 0;
  #tally: Pick<CopyTally, 'octets' | 'failed'> = { octets: 0, failed: 0 };

  constructor(show: ((progress: SyncProgress) => void) | undefined) {
    this.#show = show;
  }

  entries(count: number): void {
    if (count % entriesAtOnce !== 0) return;
    this.#work = 'entries';
    this.#done = count;
    this.#total = undefined;
    this.#totalOctets = undefined;
    this.#tell();
  }

  begin(work: SyncProgress['work'], what: { count: number; stated: number; octets: number }): void {
    this.#work = work;
    this.#done = 0;
    this.#total = what.count;
    this.#totalOctets = what.count > 0 && what.stated === what.count ? what.octets : undefined;
    this.#octetsBefore = this.#tally.octets;
  }

  did(tally: Readonly<CopyTally>, count = 1): void {
    this.#tally = tally;
    this.#done += count;
    this.#tell();
  }

  /** @param octets undefined: it has ended */
  transfer(address: string, octets: number | undefined, total?: number): void {
    if (this.#show === undefined) return;
    if (octets === undefined) {
      this.#transfers.delete(address);
      return;
    }
    this.#transfers.set(address, { address, octets, total });
    this.#tell();
  }

  #tell(): void {
    if (this.#show === undefined) return;
    const transfers = [...this.#transfers.values()];
    const underWay = transfers.reduce((sum, { octets }) => sum + octets, 0);
    this.#show({
      work: this.#work,
      done: this.#done,
      total: this.#total,
      octets: this.#tally.octets - this.#octetsBefore + underWay,
      totalOctets: this.#totalOctets,
      failed: this.#tally.failed,
      transfers,
    });
  }
}
