/** Collects small texts into buffers worth a system call. */
export class TextChunks {
  #buffer = Buffer.allocUnsafeSlow(chunkLength);
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
    this.added = this.#buffer.write(text, this.#length, 'utf8');
    this.#length += this.added;
    return full;
  }

  /** Whatever is there. */
  take(): Buffer {
    const chunk = this.#buffer.subarray(0, this.#length);
    // It belongs to whoever takes it.
    if (this.#length > 0) this.#buffer = Buffer.allocUnsafeSlow(chunkLength);
    this.#length = 0;
    return chunk;
  }
}

const chunkLength = 131_072;
