import type { DocumentEntry } from '../../resourcesync/documents/document-model.ts';

/** So many of a stream of unknown length, each as likely as any other, and the same ones on every run. */
export class Sample {
  readonly taken: DocumentEntry[] = [];
  readonly #size: number;
  readonly #random = seeded(0x5eed);
  #seen = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Reservoir sampling. */
  offer(entry: DocumentEntry): void {
    this.#seen += 1;
    if (this.taken.length < this.#size) {
      this.taken.push(entry);
      return;
    }
    const place = Math.floor(this.#random() * this.#seen);
    if (place < this.#size) this.taken[place] = entry;
  }
}

/** mulberry32. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
