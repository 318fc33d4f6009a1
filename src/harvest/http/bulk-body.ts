import { Readable } from 'node:stream';
import { bodyChunks, chunkBytes } from './chunk-memory.ts';

/** A body that comes slowly is given on now and then: whoever keeps it can lose so much. */
const gatheredMs = 250;
/** Less is not worth a whole chunk's memory. */
const smallBytes = 65_536;

/**
 * A body in few large chunks: what comes is copied into them at once. Whoever is done with one may give its memory back
 * (`bodyChunks`).
 */
export class BulkBody extends Readable {
  readonly #length: number | undefined;
  readonly #connection: { resume(): void; abort(error: Error): void };
  #came = 0;
  #chunk: Buffer | undefined;
  #filled = 0;
  #since = 0;
  #isOver = false;
  #broken: Error | undefined;

  /**
   * @param length octets, if they are announced
   * @param connection `resume`: more may come; `abort`: nothing more is wanted
   */
  constructor(length: number | undefined, connection: { resume(): void; abort(error: Error): void }) {
    super({ highWaterMark: 1 });
    // Whoever reads it gets to know; nobody may.
    this.on('error', () => undefined);
    this.#length = length;
    this.#connection = connection;
  }

  /**
   * @param bytes good until it returns
   * @returns false: nothing more is to come before `resume`
   */
  took(bytes: Uint8Array): boolean {
    let mayGoOn = true;
    for (let done = 0; done < bytes.byteLength; ) {
      const chunk = this.#room(bytes.byteLength - done);
      const piece = bytes.subarray(done, done + chunk.byteLength - this.#filled);
      chunk.set(piece, this.#filled);
      this.#filled += piece.byteLength;
      done += piece.byteLength;
      this.#came += piece.byteLength;
      const isDue = this.#filled === chunk.byteLength || performance.now() - this.#since > gatheredMs;
      if (isDue) mayGoOn = this.#give();
    }
    return mayGoOn;
  }

  ended(): void {
    this.#isOver = true;
    this.#give();
    this.push(null);
  }

  /** What came is given on before it is said that nothing more comes. */
  broke(error: Error): void {
    if (this.destroyed || this.#isOver) return;
    this.#isOver = true;
    this.#give();
    this.#broken = error;
    if (this.readableLength === 0) this.destroy(error);
  }

  /** Reads what is not wanted, so that the connection can be used again; of more than `limit` octets nothing. */
  async dump({ limit = 65_536 }: { readonly limit?: number } = {}): Promise<void> {
    let octets = 0;
    for await (const chunk of this as AsyncIterable<Uint8Array>) {
      octets += chunk.byteLength;
      if (octets > limit) return;
    }
  }

  override _read(): void {
    if (this.#broken) this.destroy(this.#broken);
    else if (!this.#isOver) this.#connection.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#connection.abort(error ?? new Error('nothing more is wanted of the body'));
    }
    done(error);
  }

  #room(wanted: number): Buffer {
    if (this.#chunk) return this.#chunk;
    this.#since = performance.now();
    const left = this.#length === undefined ? chunkBytes : Math.max(this.#length - this.#came, wanted);
    this.#chunk = left > smallBytes ? bodyChunks.take() : Buffer.allocUnsafeSlow(left);
    return this.#chunk;
  }

  #give(): boolean {
    const chunk = this.#chunk?.subarray(0, this.#filled);
    this.#chunk = undefined;
    this.#filled = 0;
    return chunk === undefined || this.push(chunk);
  }
}
