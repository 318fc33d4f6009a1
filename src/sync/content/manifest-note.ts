import { once } from 'node:events';
import { createDeflateRaw } from 'node:zlib';

/** Octets, packed, of the longest manifest that is kept: one of half a million resources. */
const longest = 16 * 1024 * 1024;

/** A manifest as it is read, packed on the way: of its length nothing lies in memory as it came. */
export class ManifestNote {
  readonly #packing = createDeflateRaw({ level: 1 });
  #packed: Buffer[] = [];
  #octets = 0;

  constructor() {
    this.#packing.on('data', (part: Buffer) => {
      this.#octets += part.length;
      if (this.#isTooLong) this.#packed = [];
      else this.#packed.push(part);
    });
  }

  async *noting(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      // Its memory may be used again.
      if (!this.#isTooLong && !this.#packing.write(Buffer.from(chunk))) await once(this.#packing, 'drain');
      yield chunk;
    }
  }

  /** @returns undefined where it is too long */
  async finish(): Promise<Uint8Array | undefined> {
    this.#packing.end();
    await once(this.#packing, 'end');
    return this.#isTooLong ? undefined : Buffer.concat(this.#packed);
  }

  close(): void {
    this.#packing.destroy();
  }

  get #isTooLong(): boolean {
    return this.#octets > longest;
  }
}
