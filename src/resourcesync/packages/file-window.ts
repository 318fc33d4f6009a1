import { createReadStream, readSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { RandomAccessReader } from 'yauzl';

/** What is read lies usually one behind the other: so much is read at once. */
const windowOctets = 524_288;

/** Pieces of an open file that are small and many. */
export class FileWindow {
  readonly #descriptor: number;
  #window: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** @returns fewer than `length` at the end of the file */
  bytes(start: number, length: number): Buffer {
    const end = start + length;
    const before = this.#start + this.#window.length;
    if (start < this.#start || end > before) {
      const isNext = start >= this.#start && start <= before;
      const wanted = isNext ? Math.max(windowOctets, length) : length;
      const buffer = Buffer.allocUnsafe(wanted);
      this.#window = buffer.subarray(0, readSync(this.#descriptor, buffer, 0, wanted, start));
      this.#start = start;
    }
    return this.#window.subarray(start - this.#start, end - this.#start);
  }
}

/** By which yauzl reads a directory without asking the system twice for each member. */
export class WindowReader extends RandomAccessReader {
  readonly #path: string;
  readonly #window: FileWindow;

  constructor(path: string, window: FileWindow) {
    super();
    this.#path = path;
    this.#window = window;
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, octets?: number) => void,
  ): void {
    let octets: number;
    try {
      octets = this.#window.bytes(position, length).copy(buffer, offset);
    } catch (error) {
      callback(error as Error);
      return;
    }
    callback(null, octets);
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return createReadStream(this.#path, { start, end: end - 1 });
  }
}
