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
    // What has filled one is long, and will fill another.
    const wanted = full ? chunkLength : this.#length + most;
    if (this.#length + most > this.#buffer.length) {
      this.#buffer = (full && spare.pop()) || grown(this.#buffer, this.#length, wanted, chunkLength);
      if (this.#buffer.length === chunkLength) ours.add(this.#buffer.buffer);
    }
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

/** Whole chunks that were made here. */
const ours = new WeakSet<ArrayBufferLike>();
/** Those that nobody needs any more: the garbage collector comes for them only when there are tens of megabytes. */
const spare: Buffer[] = [];
const keptChunks = 8;

/** @param chunk that nobody reads any more; what is none is left alone */
export function giveBack({ buffer }: Buffer): void {
  if (ours.has(buffer) && spare.length < keptChunks) spare.push(Buffer.from(buffer));
}

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
