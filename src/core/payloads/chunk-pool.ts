/** Pieces of memory of one length that are used again: the garbage collector comes for them only when there are tens of megabytes. */
export class ChunkPool {
  readonly #make: () => Buffer;
  readonly #kept: number;
  readonly #free: Buffer[] = [];
  readonly #lent = new WeakSet<ArrayBufferLike>();

  /** @param kept as many at most wait for somebody */
  constructor(make: () => Buffer, kept: number) {
    this.#make = make;
    this.#kept = kept;
  }

  take(): Buffer {
    const chunk = this.#free.pop() ?? this.#make();
    this.#lent.add(chunk.buffer);
    return chunk;
  }

  /** It lies in a chunk of `take`, from its beginning. */
  has({ buffer, byteOffset }: Uint8Array): boolean {
    return byteOffset === 0 && this.#lent.has(buffer);
  }

  /** Nobody looks at it any more. Of what is not ours, or has been given back, nothing happens. */
  giveBack({ buffer }: Uint8Array): void {
    if (this.#lent.delete(buffer) && this.#free.length < this.#kept) this.#free.push(Buffer.from(buffer));
  }
}
