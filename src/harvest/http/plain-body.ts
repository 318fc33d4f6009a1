import { Readable } from 'node:stream';
import { chunkBytes, takeChunk } from './chunk-memory.ts';
import type { Taker } from './plain-connection.ts';

/** A body that comes slowly is given on now and then: whoever keeps it can lose so much. */
const gatheredMs = 250;
/** Less is not worth a whole chunk's memory. */
const smallBytes = 65_536;

/**
 * A body of known length, in few large chunks: the connection reads straight into them. Whoever is done with one may
 * give its memory back (`giveBackChunk`).
 */
export class PlainBody extends Readable implements Taker {
  #left: number;
  #chunk: Buffer;
  #filled = 0;
  #since = performance.now();
  #broken: Error | undefined;
  readonly #resume: () => void;
  readonly #leave: () => void;

  /**
   * @param length octets
   * @param first those that came with the head
   * @param connection `resume`: more may come; `leave`: nothing more is wanted of it
   */
  constructor(length: number, first: Uint8Array, connection: { resume(): void; leave(): void }) {
    super({ highWaterMark: 1 });
    // Whoever reads it gets to know; nobody may.
    this.on('error', () => undefined);
    this.#left = length;
    this.#resume = connection.resume;
    this.#leave = connection.leave;
    this.#chunk = this.#fresh();
    this.took(first);
  }

  /** Octets that are still to come. */
  get left(): number {
    return this.#left;
  }

  room(): Uint8Array {
    return this.#chunk.subarray(this.#filled, this.#filled + this.#left);
  }

  /** @param bytes no more of them than are left */
  took(bytes: Uint8Array): boolean {
    const room = this.room();
    if (bytes.buffer !== room.buffer || bytes.byteOffset !== room.byteOffset) room.set(bytes);
    return this.#count(bytes.byteLength);
  }

  /** What came is given on before it is said that nothing more comes. */
  broke(error: Error): void {
    if (this.#broken || this.#left === 0 || this.destroyed) return;
    this.#broken = error;
    if (this.#filled > 0) this.push(this.#chunk.subarray(0, this.#filled));
    else if (this.readableLength === 0) this.destroy(error);
  }

  override _read(): void {
    if (this.#broken) this.destroy(this.#broken);
    else if (this.#left > 0) this.#resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (this.#left > 0) this.#leave();
    done(error);
  }

  /** @returns false: nothing more is to come before it is asked for */
  #count(octets: number): boolean {
    this.#filled += octets;
    this.#left -= octets;
    const isDue = this.#filled === this.#chunk.byteLength || performance.now() - this.#since > gatheredMs;
    if (this.#left > 0 && !(isDue && this.#filled > 0)) return true;
    const mayGoOn = this.#filled === 0 || this.push(this.#chunk.subarray(0, this.#filled));
    if (this.#left === 0) this.push(null);
    else this.#chunk = this.#fresh();
    this.#filled = 0;
    return mayGoOn;
  }

  #fresh(): Buffer {
    this.#since = performance.now();
    if (this.#left > smallBytes) return takeChunk();
    return Buffer.allocUnsafeSlow(Math.min(this.#left, chunkBytes));
  }
}
