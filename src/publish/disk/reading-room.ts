import { RecentlyUsed } from '../../core/memory/recently-used.ts';

/** What was read and can be read again. */
export interface Readable {
  /** It is not needed in memory any more: whoever asks for it next reads it again. */
  giveUp(): void;
}

/**
 * Of what is read again and again, so many octets stay in memory, all of it together: what was not asked for while
 * others were read is given up first. There are as many pointers and catalogs as sets, and sets as many as an aggregator has repositories.
 */
export class ReadingRoom {
  readonly #kept: RecentlyUsed<Readable, Readable>;

  constructor(octets: number) {
    this.#kept = new RecentlyUsed(octets);
  }

  /** @param octets of the text that it was read from */
  keep(readable: Readable, octets: number): void {
    for (const forgotten of this.#kept.add(readable, readable, octets)) forgotten.giveUp();
  }

  /** It was asked for: others are given up before it. */
  touch(readable: Readable): void {
    this.#kept.get(readable);
  }

  leave(readable: Readable): void {
    this.#kept.delete(readable);
  }
}
