import type { Readable } from 'node:stream';
import { RecentlyUsed } from '../../core/memory/recently-used.ts';

/** A document this long, and no longer, is kept in memory. */
const longest = 262_144;
/** All of them together, in bytes. */
const room = 16_777_216;

/**
 * Small documents as they were last read: most requests are for the same few. They are known by their ETags, which are
 * made of their bytes; whether a document is still published is asked elsewhere, each time.
 */
export class DocumentMemory {
  readonly #known = new RecentlyUsed<string, Promise<Buffer>>(room);

  holds(length: number): boolean {
    return length <= longest;
  }

  /** @param read of what is not known; asked once, however many wait for it */
  get(etag: string, length: number, read: () => Readable): Promise<Buffer> {
    const known = this.#known.get(etag);
    if (known) return known;
    const reading = gather(read());
    this.#known.add(etag, reading, length);
    // What could not be read now may be readable later.
    reading.catch(() => this.#known.get(etag) === reading && this.#known.delete(etag));
    return reading;
  }
}

async function gather(readable: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of readable) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
