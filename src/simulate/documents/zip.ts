import { crc32 } from 'node:zlib';

export interface ZipMember {
  readonly name: string;
  readonly bytes: Buffer;
}

/** A ZIP of uncompressed members, with whatever names; the same members always make the same one. */
export function writeZip(members: readonly ZipMember[]): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of members) {
    const path = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    // 1980-01-01, the earliest that the format knows.
    common.writeUInt16LE(0x21, 8);
    common.writeUInt32LE(crc32(bytes) >>> 0, 10);
    common.writeUInt32LE(bytes.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(path.length, 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    central.push(Buffer.from('504b01021400', 'hex'), common, tail, path);
    local.push(Buffer.from('504b0304', 'hex'), common, path, bytes);
    offset += 30 + path.length + bytes.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('504b0506', 'hex');
  end.writeUInt16LE(Math.min(members.length, 0xffff), 8);
  end.writeUInt16LE(Math.min(members.length, 0xffff), 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}
