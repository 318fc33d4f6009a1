import type { Readable } from 'node:stream';

/** A document this long, and no longer, is kept in memory. */
const longest = 262_144;
/** All of them together, in bytes. */
const room = 16_777_216;

interface Known {
  readonly reading: Promise<Buffer>;
  readonly length: number;
}

/**
 * Small documents as they were last read: most requests are for the same few. They are known by their ETags, which are
 * made of their bytes; whether a document is still published is asked elsewhere, each time.
 */
export class DocumentMemory {
  readonly #known = new Map<string, Known>();
  #size = 0;

  holds(length: number): boolean {
    return length <= longest;
  }

  /** @param read of what is not known; asked once, however many wait for it */
  get(etag: string, length: number, read: () => Readable): Promise<Buffer> {
    const known = this.#known.get(etag);
    if (known) {
      // Move to the end: the first of the map is the least recently used.
      this.#known.delete(etag);
      this.#known.set(etag, known);
      return known.reading;
    }
    const reading = gather(read());
    const added = { reading, length };
    this.#known.set(etag, added);
    this.#size += length;
    for (const [oldest] of this.#known) {
      if (this.#size <= room) break;
      this.#forget(oldest);
    }
    // What could not be read now may be readable later.
    reading.catch(() => this.#known.get(etag) === added && this.#forget(etag));
    return reading;
  }

  #forget(etag: string): void {
    this.#size -= this.#known.get(etag)?.length ?? 0;
    this.#known.delete(etag);
  }
}

async function gather(readable: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of readable) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
