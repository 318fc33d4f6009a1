import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPackage } from '../../../src/resourcesync/packages/package-file.ts';
import { type MemberPlace, SmallMembers } from '../../../src/resourcesync/packages/small-member.ts';
import { storedZip } from '../../house/conformance/stored-zip.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rsbridge-package-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function opened(bytes: Uint8Array) {
  const file = join(folder, 'a.zip');
  writeFileSync(file, bytes);
  return openPackage(file);
}

describe('a member that is small', () => {
  it('is read at once, the same as by a stream', async () => {
    const zip = await opened(storedZip({ 'a.txt': 'A', 'b/c.txt': 'C'.repeat(100_000), empty: '' }));
    try {
      for (const member of zip.members.values()) {
        const chunks: Uint8Array[] = [];
        for await (const chunk of zip.read(member)) chunks.push(chunk);
        expect(zip.readWhole(member)).toEqual(Buffer.concat(chunks));
      }
    } finally {
      zip.close();
    }
  });

  it('that is compressed, with a long extra field, is the same; one that lies of its length is an error', async () => {
    const content = Buffer.from('content '.repeat(1_000));
    const zip = await opened(deflatedZip('a.txt', content, 200, content.length));
    const [member] = zip.members.values();
    if (!member) throw new Error('there is no member');
    expect(Buffer.from(zip.readWhole(member) ?? []).equals(content)).toBe(true);
    zip.close();
    for (const length of [content.length - 1, content.length + 1]) {
      const lying = await opened(deflatedZip('a.txt', content, 0, length));
      const [liar] = lying.members.values();
      if (liar) expect(() => lying.readWhole(liar)).toThrow(/decompressed|another length/);
      lying.close();
    }
  });

  it('is the same among several that are read at once, compressed or not; one that lies is read by itself', () => {
    const contents = ['first '.repeat(50), '', 'kept as it is', 'last '.repeat(900)].map((text) =>
      Buffer.from(text),
    );
    const file = join(folder, 'members');
    const pieces: Buffer[] = [];
    let offset = 0;
    const places = contents.map((content, index): MemberPlace => {
      const compressionMethod = index === 2 ? 0 : 8;
      const data = compressionMethod === 0 ? content : deflateRawSync(content);
      const local = Buffer.alloc(30);
      local.writeUInt32LE(0x04034b50, 0);
      pieces.push(local, data);
      const relativeOffsetOfLocalHeader = offset;
      offset += local.length + data.length;
      return {
        ...{ relativeOffsetOfLocalHeader, compressionMethod, compressedSize: data.length },
        ...{ uncompressedSize: content.length, crc32: crc32(content) },
        ...{ generalPurposeBitFlag: 0, fileNameLength: 0 },
      };
    });
    writeFileSync(file, Buffer.concat(pieces));
    const descriptor = openSync(file, 'r');
    try {
      const members = new SmallMembers(descriptor);
      expect(members.readSeveral(places)?.map((bytes) => Buffer.from(bytes))).toEqual(contents);
      const [first, ...others] = places;
      if (first === undefined) throw new Error('there is no member');
      for (const lie of [
        { crc32: 1 },
        { uncompressedSize: 299 },
        { uncompressedSize: 301 },
        { compressedSize: 9 },
      ])
        expect(members.readSeveral([{ ...first, ...lie }, ...others])).toBeUndefined();
      expect(Buffer.from(members.read({ ...first, crc32: 1 }))).toEqual(contents[0]);
    } finally {
      closeSync(descriptor);
    }
  });

  it('one that is large is left to a stream', async () => {
    const zip = await opened(storedZip({ 'large.txt': 'x'.repeat(1_100_000) }));
    const [member] = zip.members.values();
    expect(member && zip.readWhole(member)).toBeUndefined();
    zip.close();
  });
});

/** A ZIP of one member; checksums are left out, for hashes decide. */
function deflatedZip(name: string, content: Buffer, extra: number, length: number): Buffer {
  const data = deflateRawSync(content);
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(8, 8);
  local.writeUInt32LE(data.length, 18);
  local.writeUInt32LE(length, 22);
  local.writeUInt16LE(name.length, 26);
  local.writeUInt16LE(extra, 28);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt16LE(8, 10);
  central.writeUInt32LE(data.length, 20);
  central.writeUInt32LE(length, 24);
  central.writeUInt16LE(name.length, 28);
  const before = Buffer.concat([local, Buffer.from(name), Buffer.alloc(extra), data]);
  const directory = Buffer.concat([central, Buffer.from(name)]);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(before.length, 16);
  return Buffer.concat([before, directory, end]);
}
