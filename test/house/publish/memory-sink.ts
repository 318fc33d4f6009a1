import type { ByteSink } from '../../../src/publish/dump/package-file.ts';

/** What may be written over and over without taking room. */
export const zeros: Buffer = Buffer.alloc(67_108_864);

interface Piece {
  readonly start: number;
  readonly bytes: Buffer;
}

/** A ZIP in memory, which may be larger than 4 GiB as long as most of it are these zeros. */
export class MemorySink implements ByteSink {
  readonly #pieces: Piece[] = [];
  #length = 0;

  write(bytes: Uint8Array): undefined {
    if (bytes.buffer !== zeros.buffer) this.#pieces.push({ start: this.#length, bytes: Buffer.from(bytes) });
    this.#length += bytes.byteLength;
    return undefined;
  }

  get length(): number {
    return this.#length;
  }

  read(start: number, end: number): Buffer {
    const result = Buffer.alloc(Math.max(0, end - start));
    for (let index = this.#firstBehind(start); index < this.#pieces.length; index += 1) {
      const { start: at, bytes } = this.#pieces[index] as Piece;
      if (at >= end) break;
      bytes.subarray(Math.max(0, start - at), end - at).copy(result, Math.max(0, at - start));
    }
    return result;
  }

  #firstBehind(start: number): number {
    let [low, high] = [0, this.#pieces.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const { start: at, bytes } = this.#pieces[middle] as Piece;
      if (at + bytes.length > start) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
