import { readSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import type { Entry } from 'yauzl';

/** Where a member lies in its package, as the directory of the package says. */
export type MemberPlace = Pick<
  Entry,
  | 'relativeOffsetOfLocalHeader'
  | 'compressedSize'
  | 'uncompressedSize'
  | 'compressionMethod'
  | 'generalPurposeBitFlag'
  | 'fileNameLength'
>;

/** What is larger is read as a stream. */
const smallOctets = 1_048_576;
/** Of a local header, before the name. */
const headerOctets = 30;
/** What is usual between the name and the data. */
const usualExtra = 64;
/** Members usually lie one behind the other: so much is read at once. */
const windowOctets = 524_288;

/** Whether a member can be read at once; that of an odd kind is read as a stream, which says what is wrong with it. */
export function isSmallMember(member: MemberPlace): boolean {
  const { compressedSize, uncompressedSize, compressionMethod, generalPurposeBitFlag } = member;
  const isPlain = (compressionMethod === 0 || compressionMethod === 8) && (generalPurposeBitFlag & 1) === 0;
  return isPlain && uncompressedSize <= smallOctets && compressedSize <= smallOctets;
}

/** Small members of an open package, each at once, which costs a tenth of a stream. */
export class SmallMembers {
  readonly #descriptor: number;
  #window = Buffer.alloc(0);
  #start = 0;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /**
   * @returns good until the next one is read
   * @throws Error where it is not what the directory of the package says
   */
  read(member: MemberPlace): Uint8Array {
    const { compressedSize, uncompressedSize, compressionMethod, fileNameLength } = member;
    const start = member.relativeOffsetOfLocalHeader;
    const head = this.#bytes(start, headerOctets + fileNameLength + usualExtra + compressedSize);
    if (head.length < headerOctets || head.readUInt32LE(0) !== 0x04034b50)
      throw new Error('a member is not where the directory says');
    const offset = headerOctets + head.readUInt16LE(26) + head.readUInt16LE(28);
    let data = head.subarray(offset, offset + compressedSize);
    if (data.length < compressedSize) data = this.#bytes(start + offset, compressedSize);
    if (data.length < compressedSize) throw new Error('a member ends early');
    const content = compressionMethod === 0 ? data : inflated(data, uncompressedSize);
    if (content.length !== uncompressedSize) throw new Error('a member has another length than is said');
    return content;
  }

  /** @returns fewer at the end of the file */
  #bytes(start: number, length: number): Buffer {
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

function inflated(data: Uint8Array, length: number): Uint8Array {
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(1, length) });
  } catch (cause) {
    throw new Error('a member cannot be decompressed', { cause });
  }
}
