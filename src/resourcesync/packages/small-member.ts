import { gunzipSync, inflateRawSync } from 'node:zlib';
import type { Entry } from 'yauzl';
import { FileWindow } from './file-window.ts';

/** Where a member lies in its package, as the directory of the package says. */
export type MemberPlace = Pick<
  Entry,
  | 'relativeOffsetOfLocalHeader'
  | 'compressedSize'
  | 'uncompressedSize'
  | 'compressionMethod'
  | 'generalPurposeBitFlag'
  | 'fileNameLength'
  | 'crc32'
>;

/** All that is kept of a member: a package has tens of thousands, and it goes to threads. */
export function placeOf(entry: MemberPlace): MemberPlace {
  return {
    relativeOffsetOfLocalHeader: entry.relativeOffsetOfLocalHeader,
    compressedSize: entry.compressedSize,
    uncompressedSize: entry.uncompressedSize,
    compressionMethod: entry.compressionMethod,
    generalPurposeBitFlag: entry.generalPurposeBitFlag,
    fileNameLength: entry.fileNameLength,
    crc32: entry.crc32,
  };
}

/** What is larger is read as a stream. */
const smallOctets = 1_048_576;
/** Of a local header, before the name. */
const headerOctets = 30;
/** That zlib takes. */
const leastChunk = 64;
/** What is usual between the name and the data. */
const usualExtra = 64;

/** Whether a member can be read at once; that of an odd kind is read as a stream, which says what is wrong with it. */
export function isSmallMember(member: MemberPlace): boolean {
  const { compressedSize, uncompressedSize, compressionMethod, generalPurposeBitFlag } = member;
  const isPlain = (compressionMethod === 0 || compressionMethod === 8) && (generalPurposeBitFlag & 1) === 0;
  return isPlain && uncompressedSize <= smallOctets && compressedSize <= smallOctets;
}

/** Small members of an open package, each at once, which costs a tenth of a stream. */
export class SmallMembers {
  readonly #window: FileWindow;

  constructor(descriptor: number) {
    this.#window = new FileWindow(descriptor);
  }

  /**
   * @throws Error where it is not what the directory of the package says
   */
  read(member: MemberPlace): Uint8Array {
    const { uncompressedSize, compressionMethod } = member;
    const data = this.#packed(member);
    const content = compressionMethod === 0 ? data : inflated(data, uncompressedSize);
    if (content.length !== uncompressedSize) throw new Error('a member has another length than is said');
    return content;
  }

  /**
   * Several at once: to decompress each by itself costs more than all that is done with its bytes.
   * @returns one for each, in order; undefined where one of them is not what the directory says, its checksum included
   */
  readSeveral(members: readonly MemberPlace[]): readonly Uint8Array[] | undefined {
    try {
      // As members of one file of gzip, which may have many (RFC 1952, 2.2).
      const pieces: Uint8Array[] = [];
      let length = 0;
      const contents = members.map((member) => {
        const packed = this.#packed(member);
        if (member.compressionMethod === 0) return packed;
        pieces.push(gzipHead, packed, gzipTail(member));
        length += member.uncompressedSize;
        return undefined;
      });
      const all = length === 0 ? nothing : gunzipped(Buffer.concat(pieces), length);
      let end = 0;
      return contents.map((content, index) => {
        const { uncompressedSize = 0 } = members[index] ?? {};
        if (content === undefined) end += uncompressedSize;
        const own = content ?? all.subarray(end - uncompressedSize, end);
        if (own.length !== uncompressedSize) throw new Error('a member has another length than is said');
        return own;
      });
    } catch {
      // Each by itself tells which it is.
      return undefined;
    }
  }

  #packed(member: MemberPlace): Uint8Array {
    const { compressedSize, fileNameLength } = member;
    const start = member.relativeOffsetOfLocalHeader;
    const head = this.#window.bytes(start, headerOctets + fileNameLength + usualExtra + compressedSize);
    if (head.length < headerOctets || head.readUInt32LE(0) !== 0x04034b50)
      throw new Error('a member is not where the directory says');
    const offset = headerOctets + head.readUInt16LE(26) + head.readUInt16LE(28);
    let data = head.subarray(offset, offset + compressedSize);
    if (data.length < compressedSize) data = this.#window.bytes(start + offset, compressedSize);
    if (data.length < compressedSize) throw new Error('a member ends early');
    return data;
  }
}

/** Deflate, nothing more is said. */
const gzipHead = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);

function gzipTail({ crc32, uncompressedSize }: MemberPlace): Uint8Array {
  const tail = Buffer.allocUnsafe(8);
  tail.writeUInt32LE(crc32, 0);
  tail.writeUInt32LE(uncompressedSize, 4);
  return tail;
}

const nothing = new Uint8Array();

function gunzipped(bytes: Uint8Array, length: number): Uint8Array {
  const all = gunzipSync(bytes, { maxOutputLength: length, chunkSize: Math.max(leastChunk, length + 1) });
  if (all.length !== length) throw new Error('members have another length than is said');
  return all;
}

function inflated(data: Uint8Array, length: number): Uint8Array {
  try {
    // In pieces of the usual 16 kB, thousands of small ones would take more memory than all that they hold.
    const chunkSize = Math.max(leastChunk, length + 1);
    return inflateRawSync(data, { maxOutputLength: Math.max(1, length), chunkSize });
  } catch (cause) {
    throw new Error('a member cannot be decompressed', { cause });
  }
}
