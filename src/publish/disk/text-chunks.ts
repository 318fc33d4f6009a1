import { ChunkPool } from '../../core/payloads/chunk-pool.ts';

/** Collects small texts into buffers worth a system call. What is short takes no more than it needs. */
export class TextChunks {
  #buffer: Buffer = nothing;
  #length = 0;
  /** Octets of the text that came last. */
  added = 0;

  /** @returns a chunk when enough has come together */
  add(text: string): Buffer | undefined {
    // A character takes three octets at most, so that only what is large is counted before it is written.
    const most = text.length * 3;
    const full = this.#length + most > chunkLength ? this.take() : undefined;
    if (most > chunkLength) {
      const whole = Buffer.from(text, 'utf8');
      this.added = whole.length;
      return full && full.length > 0 ? Buffer.concat([full, whole]) : whole;
    }
    const wanted = this.#length + most;
    // What has filled one is long, and will fill another.
    if (full) this.#buffer = wholeChunks.take();
    else if (wanted > this.#buffer.length)
      this.#buffer = grown(this.#buffer, this.#length, wanted, chunkLength);
    this.added = this.#buffer.write(text, this.#length, 'utf8');
    this.#length += this.added;
    return full;
  }

  /** Whatever is there. */
  take(): Buffer {
    const chunk = this.#buffer.subarray(0, this.#length);
    // It belongs to whoever takes it.
    if (this.#length > 0) this.#buffer = nothing;
    this.#length = 0;
    return chunk;
  }
}

const nothing = Buffer.alloc(0);
const chunkLength = 131_072;

/** Of long texts: whoever is done with one gives it back. */
export const wholeChunks = new ChunkPool(() => Buffer.allocUnsafeSlow(chunkLength), 8);

/**
 * A larger buffer with the same beginning: at least twice as long, so that what grows is copied a few times only.
 * @param used octets of it that count
 * @param wanted octets, at most `most`
 */
export function grown(buffer: Buffer, used: number, wanted: number, most: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(Math.min(most, Math.max(wanted, buffer.length * 2)));
  buffer.copy(larger, 0, 0, used);
  return larger;
}
