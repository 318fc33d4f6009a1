/** Collects small texts into buffers worth a system call. */
export class TextChunks {
  #text = '';

  /** @returns a chunk when enough has come together */
  add(text: string): Buffer | undefined {
    this.#text += text;
    return this.#text.length >= chunkLength ? this.take() : undefined;
  }

  /** Whatever is there. */
  take(): Buffer {
    const chunk = Buffer.from(this.#text, 'utf8');
    this.#text = '';
    return chunk;
  }
}

const chunkLength = 131_072;
