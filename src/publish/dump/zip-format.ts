/**
 * The records of a ZIP file (PKWARE APPNOTE 6.3.3). Whatever could differ between two runs over the same
 * content is fixed: the time is the format's first (1980-01-01 00:00), the attributes are those of a plain
 * file on Unix. ZIP64 records are used where a number does not fit, and only there.
 */

export interface ZipMember {
  readonly name: Buffer;
  readonly method: 0 | 8;
  readonly crc: number;
  /** Octets in the ZIP. */
  readonly size: number;
  /** Octets of the content. */
  readonly length: number;
  /** Of its local header, from the start of the file. */
  readonly offset: number;
  /** CRC and sizes follow the data: they were not known before. */
  readonly trailing: boolean;
}

export const storedMethod = 0;
export const deflatedMethod = 8;

const limit32 = 0xffff_ffff;
const limit16 = 0xffff;
const utf8Names = 0x0800;
const trailingSizes = 0x0008;
const firstDay = 0x0021;
const madeByUnix = 3 << 8;
const plainFile = 0o100644 * 0x10000;

const version = (zip64: boolean) => (zip64 ? 45 : 20);
const within = (value: number) => Math.min(value, limit32);

export function localHeader({ name, method, crc, size, length, trailing }: ZipMember): Buffer {
  // The format wants both sizes in the extra field as soon as one of them needs it.
  const zip64 = !trailing && (size >= limit32 || length >= limit32);
  const header = Buffer.alloc(30 + name.length + (zip64 ? 20 : 0));
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(version(zip64), 4);
  header.writeUInt16LE(utf8Names | (trailing ? trailingSizes : 0), 6);
  header.writeUInt16LE(method, 8);
  header.writeUInt16LE(firstDay, 12);
  if (!trailing) {
    header.writeUInt32LE(crc, 14);
    header.writeUInt32LE(zip64 ? limit32 : size, 18);
    header.writeUInt32LE(zip64 ? limit32 : length, 22);
  }
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(zip64 ? 20 : 0, 28);
  name.copy(header, 30);
  if (zip64) extraField([length, size]).copy(header, 30 + name.length);
  return header;
}

/** Behind the data of a `trailing` member, whose sizes have to fit in 32 bits. */
export function dataDescriptor({ crc, size, length }: ZipMember): Buffer {
  const descriptor = Buffer.alloc(16);
  descriptor.writeUInt32LE(0x08074b50, 0);
  descriptor.writeUInt32LE(crc, 4);
  descriptor.writeUInt32LE(size, 8);
  descriptor.writeUInt32LE(length, 12);
  return descriptor;
}

export function centralHeader({ name, method, crc, size, length, offset, trailing }: ZipMember): Buffer {
  const large = [length, size, offset].filter((value) => value >= limit32);
  const extra = large.length === 0 ? 0 : 4 + 8 * large.length;
  const header = Buffer.alloc(46 + name.length + extra);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(madeByUnix | version(extra > 0), 4);
  header.writeUInt16LE(version(extra > 0), 6);
  header.writeUInt16LE(utf8Names | (trailing ? trailingSizes : 0), 8);
  header.writeUInt16LE(method, 10);
  header.writeUInt16LE(firstDay, 14);
  header.writeUInt32LE(crc, 16);
  header.writeUInt32LE(within(size), 20);
  header.writeUInt32LE(within(length), 24);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(extra, 30);
  header.writeUInt32LE(plainFile, 38);
  header.writeUInt32LE(within(offset), 42);
  name.copy(header, 46);
  if (extra > 0) extraField(large).copy(header, 46 + name.length);
  return header;
}

export interface CentralDirectory {
  readonly members: number;
  readonly offset: number;
  readonly size: number;
}

/** What a reader looks for first, at the end of the file. */
export function endOfDirectory({ members, offset, size }: CentralDirectory): Buffer {
  const zip64 = members >= limit16 || offset >= limit32 || size >= limit32;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(members, limit16), 8);
  end.writeUInt16LE(Math.min(members, limit16), 10);
  end.writeUInt32LE(within(size), 12);
  end.writeUInt32LE(within(offset), 16);
  return zip64 ? Buffer.concat([endOfZip64({ members, offset, size }), end]) : end;
}

function endOfZip64({ members, offset, size }: CentralDirectory): Buffer {
  const end = Buffer.alloc(76);
  end.writeUInt32LE(0x06064b50, 0);
  // Of the rest of the record.
  writeUInt64(end, 44, 4);
  end.writeUInt16LE(madeByUnix | version(true), 12);
  end.writeUInt16LE(version(true), 14);
  writeUInt64(end, members, 24);
  writeUInt64(end, members, 32);
  writeUInt64(end, size, 40);
  writeUInt64(end, offset, 48);
  // The locator of the record, which is where the central directory ends.
  end.writeUInt32LE(0x07064b50, 56);
  writeUInt64(end, offset + size, 64);
  end.writeUInt32LE(1, 72);
  return end;
}

function extraField(values: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * values.length);
  field.writeUInt16LE(0x0001, 0);
  field.writeUInt16LE(8 * values.length, 2);
  for (const [index, value] of values.entries()) writeUInt64(field, value, 4 + 8 * index);
  return field;
}

function writeUInt64(buffer: Buffer, value: number, offset: number): void {
  buffer.writeBigUInt64LE(BigInt(value), offset);
}
