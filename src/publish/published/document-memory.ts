import type { Readable } from 'node:stream';

/** A document this long, and no longer, is kept in memory. */
const longest = 262_144;
/** All of them together, in bytes. */
const room = 16_777_216;

/**
 * Small documents as they were last read: most requests are for the same few. They are known by their ETags, which are
 * made of their bytes; whether a document is still published is asked elsewhere, each time.
 */
export class DocumentMemory {
  readonly #known = new Map<string, Promise<Buffer>>();
  readonly #lengths = new Map<string, number>();
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
      return known;
    }
    const reading = gather(read());
    this.#known.set(etag, reading);
    this.#lengths.set(etag, length);
    this.#size += length;
    for (const [oldest] of this.#known) {
      if (this.#size <= room) break;
      this.#forget(oldest);
    }
    // What could not be read now may be readable later.
    reading.catch(() => this.#known.get(etag) === reading && this.#forget(etag));
    return reading;
  }

  #forget(etag: string): void {
    this.#known.delete(etag);
    this.#size -= this.#lengths.get(etag) ?? 0;
    this.#lengths.delete(etag);
  }
}

async function gather(readable: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of readable) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
