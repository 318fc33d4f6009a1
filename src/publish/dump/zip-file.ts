import { pipeline } from 'node:stream/promises';
import { createDeflateRaw } from 'node:zlib';
import type { ByteSink } from './package-file.ts';
import {
  centralHeader,
  dataDescriptor,
  deflatedMethod,
  endOfDirectory,
  localHeader,
  storedMethod,
  type ZipMember,
} from './zip-format.ts';

/** What is known of a member before its data. */
export interface KnownMember {
  readonly coding: 'stored' | 'deflated';
  readonly crc: number;
  /** Octets of the content. */
  readonly length: number;
  /** Octets in the ZIP. */
  readonly size: number;
}

/** Beyond this a member whose sizes follow its data would need them in 64 bits, which readers disagree about. */
export const largestDeflated = 0xf000_0000;
const deflateLevel = 6;
const pageBytes = 65_536;
const unsafeName = /^$|^[A-Za-z]:|\\|[^ -~\u00a0-\uffff]|(^|\/)\.{0,2}(\/|$)/;

/**
 * A ZIP file, written from beginning to end. Our own, because it takes deflated data as they lie in the
 * database, which a library would inflate and deflate again: docs/performance.md has the numbers.
 *
 * CRC and sizes stand before the data wherever they are known: `java.util.zip.ZipInputStream` refuses stored
 * members that state them behind. Only what is deflated on the way has a data descriptor.
 */
export class ZipFile {
  readonly #sink: ByteSink;
  /** The central directory so far, in pages: an object for each member would need ten times as much. */
  readonly #pages: Buffer[] = [];
  #page: Buffer = Buffer.alloc(0);
  #pageFilled = 0;
  #directoryBytes = 0;
  #members = 0;
  #length = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** Octets that the file would have if it ended here. */
  get length(): number {
    return this.#length + this.#directoryBytes + 22;
  }

  /** Octets that a member may cost besides its data. */
  static overhead(name: string): number {
    const [localAndCentral, extraFields, descriptor] = [30 + 46, 20 + 28, 16];
    return localAndCentral + extraFields + descriptor + 2 * Buffer.byteLength(name);
  }

  /**
   * A member in one piece, `data` as they are to lie in the file.
   * @returns a promise only when there is something to wait for
   * @throws RangeError for a name that would leave the directory it is unpacked into
   */
  add(name: string, facts: Omit<KnownMember, 'size'>, data: Uint8Array): Promise<void> | undefined {
    const head = this.#begin(name, { ...facts, size: data.byteLength });
    return head ? head.then(() => this.#write(data)) : this.#write(data);
  }

  /** A member that comes in pieces, as they are to lie in the file. */
  async addChunks(name: string, facts: KnownMember, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#begin(name, facts);
    const start = this.#length;
    for await (const chunk of chunks) await this.#write(chunk);
    const size = this.#length - start;
    if (size !== facts.size) throw new RangeError(`${name} has ${size} octets instead of ${facts.size}`);
  }

  /** A member that is deflated on the way; one that is too large for it is stored. */
  async addDeflating(
    name: string,
    facts: Pick<KnownMember, 'crc' | 'length'>,
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const { crc, length } = facts;
    if (length > largestDeflated) {
      await this.addChunks(name, { coding: 'stored', crc, length, size: length }, chunks);
      return;
    }
    const member = { ...this.#describe(name, { coding: 'deflated', crc, length, size: 0 }), trailing: true };
    await this.#write(localHeader(member));
    const start = this.#length;
    const deflate = createDeflateRaw({ level: deflateLevel, chunkSize: pageBytes });
    await pipeline(copies(chunks), deflate, async (deflated: AsyncIterable<Uint8Array>) => {
      for await (const chunk of deflated) await this.#write(chunk);
    });
    const finished = { ...member, size: this.#length - start };
    await this.#write(dataDescriptor(finished));
    this.#record(finished);
  }

  /** Writes the directory; the sink is the caller's to finish. */
  async finish(): Promise<void> {
    const offset = this.#length;
    for (const page of this.#pages) await this.#write(page);
    await this.#write(this.#page.subarray(0, this.#pageFilled));
    await this.#write(endOfDirectory({ members: this.#members, offset, size: this.#directoryBytes }));
  }

  #begin(name: string, facts: KnownMember): Promise<void> | undefined {
    const member = this.#describe(name, facts);
    this.#record(member);
    return this.#write(localHeader(member));
  }

  #describe(name: string, { coding, crc, length, size }: KnownMember): ZipMember {
    if (unsafeName.test(name)) throw new RangeError(`no member of a package can be called ${name}`);
    const method = coding === 'stored' ? storedMethod : deflatedMethod;
    const offset = this.#length;
    return { name: Buffer.from(name), method, crc, length, size, offset, trailing: false };
  }

  #record(member: ZipMember): void {
    const header = centralHeader(member);
    this.#members += 1;
    this.#directoryBytes += header.length;
    if (this.#pageFilled + header.length > this.#page.length) {
      this.#pages.push(this.#page.subarray(0, this.#pageFilled));
      this.#page = Buffer.allocUnsafe(Math.max(pageBytes, header.length));
      this.#pageFilled = 0;
    }
    header.copy(this.#page, this.#pageFilled);
    this.#pageFilled += header.length;
  }

  #write(bytes: Uint8Array): Promise<void> | undefined {
    this.#length += bytes.byteLength;
    return this.#sink.write(bytes);
  }
}

/** zlib works on a chunk while the next one is asked for, whose bytes may come in the same place. */
async function* copies(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}
