import type { Socket } from 'node:net';

const readBytes = 131_072;
/** What comes before a body, and its beginning, is copied. */
const copiedBytes = 16_384;
/** For shorter bodies the large buffers are not worth having. */
const worthBytes = 2 * readBytes;
/** So many connections have large buffers at most: of hundreds of hosts, most are idle. */
const holders = new Set<LargeReads>();
const holdersMost = 16;

/** Which connection the octets of a chunk came from. */
const connections = new WeakMap<ArrayBufferLike, LargeReads>();

/**
 * How a connection reads a large body: into two buffers of its own, by turns. The fresh 64 kB that Node takes for each
 * read cost more than the reading, and V8 collects garbage all the time because of them. As `onread` of `net.connect`.
 * A connection without a body of that kind has a small buffer alone.
 */
export class LargeReads {
  readonly #small = Buffer.allocUnsafeSlow(copiedBytes);
  #large: { reading: Buffer; other: Buffer } | undefined;
  #socket: Socket | undefined;
  /** Octets still to come of a body whose chunks are copied at once. */
  #left = 0;

  constructor() {
    connections.set(this.#small.buffer, this);
  }

  attach(socket: Socket): void {
    this.#socket = socket;
  }

  /** @param left so many octets more are a body, and whoever takes one of its chunks copies it at once */
  lend(left: number): void {
    const coming = left - (this.#socket?.readableLength ?? 0);
    this.#left = coming >= worthBytes || this.#large ? coming : 0;
    if (this.#left > 0) this.#hold();
  }

  readonly buffer = (): Uint8Array => (this.#left > 0 && this.#large?.reading) || this.#small;

  /** @returns false: nothing more is to be read before what came is taken */
  readonly callback = (octets: number, buffer: Uint8Array): boolean => {
    const socket = this.#socket;
    if (socket === undefined) return true;
    const came = buffer.subarray(0, octets);
    const isBody = octets <= this.#left;
    this.#left = isBody ? this.#left - octets : 0;
    const large = this.#large;
    // What waits in front of it may lie in the other buffer.
    if (!isBody || large?.reading.buffer !== buffer.buffer || socket.readableLength > 0)
      return socket.push(this.#copyOf(came));
    this.#large = { reading: large.other, other: large.reading };
    return socket.push(came);
  };

  /** Whoever has had large buffers for the longest time goes on with its small one. */
  #hold(): void {
    if (!this.#large) {
      this.#large = { reading: Buffer.allocUnsafeSlow(readBytes), other: Buffer.allocUnsafeSlow(readBytes) };
      for (const { buffer } of Object.values(this.#large)) connections.set(buffer, this);
    }
    holders.delete(this);
    holders.add(this);
    for (const longest of holders) {
      if (holders.size <= holdersMost) return;
      holders.delete(longest);
      longest.#large = undefined;
    }
  }

  /** The parser keeps pieces of a head that has not ended: they must not be read over. */
  #copyOf(came: Uint8Array): Buffer {
    const copy = Buffer.allocUnsafeSlow(came.byteLength);
    copy.set(came);
    connections.set(copy.buffer, this);
    return copy;
  }
}

/** The connection that a chunk came from, where it reads in this way. */
export function connectionOf({ buffer }: Uint8Array): LargeReads | undefined {
  return connections.get(buffer);
}
