/** What was read and can be read again. */
export interface Readable {
  /** It is not needed in memory any more: whoever asks for it next reads it again. */
  giveUp(): void;
}

/**
 * Of what is read again and again, so many octets stay in memory, all of it together: what was not asked for the longest is
 * given up first. There are as many pointers and catalogs as sets, and sets as many as an aggregator has repositories.
 */
export class ReadingRoom {
  readonly #octets: number;
  readonly #kept = new Map<Readable, number>();
  #size = 0;

  constructor(octets: number) {
    this.#octets = octets;
  }

  /** @param octets of the text that it was read from */
  keep(readable: Readable, octets: number): void {
    this.leave(readable);
    this.#kept.set(readable, octets);
    this.#size += octets;
    for (const [longestAgo] of this.#kept) {
      // What was read just now is about to be used, however large it is.
      if (this.#size <= this.#octets || longestAgo === readable) return;
      this.leave(longestAgo);
      longestAgo.giveUp();
    }
  }

  /** It was asked for: others are given up before it. */
  touch(readable: Readable): void {
    const octets = this.#kept.get(readable);
    if (octets === undefined) return;
    this.#kept.delete(readable);
    this.#kept.set(readable, octets);
  }

  leave(readable: Readable): void {
    this.#size -= this.#kept.get(readable) ?? 0;
    this.#kept.delete(readable);
  }
}
