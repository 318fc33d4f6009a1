import { Readable } from 'node:stream';
import { BridgeError } from '../core/errors.ts';

/** Without any progress between them. */
const mostBreaks = 4;

/**
 * The body of an object; where its connection breaks, the rest is asked for. Nothing is kept but the chunk that
 * is being handed on.
 */
export class ResumedBody extends Readable {
  readonly #reopen: (offset: number) => Promise<Readable>;
  readonly #length: number;
  readonly #name: string;
  #source: Readable;
  #chunks: AsyncIterator<Uint8Array>;
  #came = 0;
  #breaks = 0;

  /**
   * @param name for people
   * @param reopen the rest from an offset on
   */
  constructor(name: string, first: Readable, length: number, reopen: (offset: number) => Promise<Readable>) {
    super({ highWaterMark: 65_536 });
    // Whoever reads it gets to know; nobody may.
    this.on('error', () => undefined);
    this.#name = name;
    this.#source = first;
    this.#chunks = first[Symbol.asyncIterator]();
    this.#length = length;
    this.#reopen = reopen;
  }

  override _read(): void {
    this.#next().then(
      (chunk) => this.push(chunk ?? null),
      (error: unknown) => this.destroy(error as Error),
    );
  }

  async #next(): Promise<Uint8Array | undefined> {
    for (;;) {
      if (this.#came === this.#length) return undefined;
      try {
        const { value, done } = await this.#chunks.next();
        if (done) throw new Error(`it ended after ${this.#came} of ${this.#length} octets`);
        this.#came += value.byteLength;
        if (this.#came > this.#length) throw new Error('it is longer than it said');
        this.#breaks = 0;
        return value;
      } catch (cause) {
        this.#breaks += 1;
        if (this.destroyed || this.#came > this.#length || this.#breaks > mostBreaks) {
          const message = `${this.#name} could not be read to its end`;
          throw new BridgeError('objects-unavailable', message, { cause, retryable: true });
        }
        this.#source.destroy();
        const next = await this.#reopen(this.#came);
        this.#source = next;
        this.#chunks = next[Symbol.asyncIterator]();
        if (this.destroyed) next.destroy();
      }
    }
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#source.destroy();
    callback(error);
  }
}
