import { constants, crc32, deflateRawSync, type ZlibOptions } from 'node:zlib';

/**
 * A document compressed piece by piece, and yet one gzip member: several members in a row are allowed
 * (RFC 1952 §2.2), but curl, Ruby and Apache's HttpClient stop reading behind the first. Every piece is raw
 * deflate data that ends at an octet's boundary and is not the last; the end closes the stream with the
 * checksum of everything before it.
 */

/** No name, no time: the same bytes for the same content. */
export const gzipHead = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);

/** Of a stream that ends as a piece, not as the whole. */
export const pieceOptions = { finishFlush: constants.Z_SYNC_FLUSH } as const;

/** Up to so many octets are deflated at once: a stream takes a third of a megabyte, whatever goes through it. */
export const deflatedAtOnce = 65_536;

/** The empty block that may follow any piece as the last one. */
export const lastBlock = Buffer.from([3, 0]);

/** @param bytes `deflatedAtOnce` at most */
export function deflatePiece(bytes: Uint8Array, level = 9): Buffer {
  return deflateRawSync(bytes, { level, ...fitting(bytes.byteLength), ...pieceOptions });
}

/** A window, and tables beside it, that are not larger than what they are for. */
function fitting(length: number): ZlibOptions {
  const windowBits = Math.min(15, Math.max(9, Math.ceil(Math.log2(length + 1))));
  return { windowBits, memLevel: windowBits - 7, chunkSize: Math.max(256, length >> 1) };
}

/**
 * The last piece, with the member's trailer.
 * @param before CRC-32 and length of everything before it
 */
export function gzipEnd(before: Extent, bytes: Uint8Array): Buffer {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(bytes, before.crc), 0);
  trailer.writeUInt32LE((before.length + bytes.byteLength) % 2 ** 32, 4);
  return Buffer.concat([deflateRawSync(bytes, { level: 9, ...fitting(bytes.byteLength) }), trailer]);
}

/** Of some bytes: their CRC-32 (IEEE), and how many they are. */
export interface Extent {
  readonly crc: number;
  readonly length: number;
}

export function extentOf(bytes: Uint8Array): Extent {
  return { crc: crc32(bytes), length: bytes.byteLength };
}

/** The extent of `first` followed by `second`, without their bytes. */
export function joinExtents(first: Extent, second: Extent): Extent {
  // Appending a zero bit is a linear map of the register; squaring it doubles the number of zeros.
  let shift = shiftByOne;
  for (let doubling = 0; doubling < 3; doubling += 1) shift = square(shift);
  let { crc } = first;
  for (let left = second.length; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) crc = apply(shift, crc);
    shift = square(shift);
  }
  return { crc: (crc ^ second.crc) >>> 0, length: first.length + second.length };
}

/** A linear map of 32 bits: what becomes of each. */
type BitMatrix = readonly number[];

const polynomial = 0xedb88320;
const shiftByOne: BitMatrix = [polynomial, ...Array.from({ length: 31 }, (_, bit) => 2 ** bit)];

function apply(matrix: BitMatrix, vector: number): number {
  let sum = 0;
  for (let bit = 0, left = vector; left !== 0; bit += 1, left >>>= 1) {
    if (left & 1) sum ^= matrix[bit] ?? 0;
  }
  return sum >>> 0;
}

function square(matrix: BitMatrix): BitMatrix {
  return matrix.map((column) => apply(matrix, column));
}
