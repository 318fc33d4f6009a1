import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Entry, fromBufferPromise } from 'yauzl';
import { openPackage } from '../../../src/resourcesync/packages/package-file.ts';
import { placeOf } from '../../../src/resourcesync/packages/small-member.ts';
import { storedZip } from '../../house/conformance/stored-zip.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rsbridge-package-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const names = ['manifest.xml', 'a/é.txt', 'b', 'folder/', 'b', 'c'.repeat(300)];

/** Of a package with these members, of which two have the same name, with extra fields and a comment. */
function packageOf(extra: (index: number) => Buffer): { bytes: Buffer; directory: number } {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  for (const [index, name] of names.entries()) {
    const zip = storedZip({ [name]: `content ${index}` });
    const end = zip.length - 22;
    const start = zip.readUInt32LE(end + 16);
    const head = Buffer.from(zip.subarray(start, start + 46));
    const more = extra(index);
    const comment = Buffer.from('comment'.repeat(index % 2));
    head.writeUInt16LE(more.length, 30);
    head.writeUInt16LE(comment.length, 32);
    head.writeUInt32LE(
      locals.reduce((sum, { length }) => sum + length, 0),
      42,
    );
    locals.push(zip.subarray(0, start));
    entries.push(Buffer.concat([head, zip.subarray(start + 46, end), more, comment]));
  }
  const before = Buffer.concat(locals);
  const directory = Buffer.concat(entries);
  const last = Buffer.alloc(22);
  last.writeUInt32LE(0x06054b50, 0);
  last.writeUInt16LE(names.length, 10);
  last.writeUInt32LE(directory.length, 12);
  last.writeUInt32LE(before.length, 16);
  return { bytes: Buffer.concat([before, directory, last]), directory: before.length };
}

async function byUs(bytes: Uint8Array) {
  const file = join(folder, 'a.zip');
  writeFileSync(file, bytes);
  try {
    const { members, repeated, close } = await openPackage(file);
    close();
    return { members: [...members], repeated };
  } catch (error) {
    return (error as Error).message;
  }
}

async function byYauzl(bytes: Buffer) {
  const members = new Map<string, unknown>();
  const repeated: string[] = [];
  try {
    const zip = await fromBufferPromise(bytes, { decodeStrings: false, lazyEntries: true });
    for await (const entry of zip.eachEntry() as AsyncIterable<Entry>) {
      const name = entry.fileNameRaw.toString('utf8');
      if (members.has(name)) repeated.push(name);
      if (!name.endsWith('/')) members.set(name, placeOf(entry));
    }
    return { members: [...members], repeated };
  } catch (error) {
    return (error as Error).message;
  }
}

/** Of an extra field: what it is, and its length. */
function field(id: number, data: readonly number[], length = data.length): Buffer {
  return Buffer.from([id & 255, id >>> 8, length & 255, length >>> 8, ...data]);
}

describe('the directory of a package', () => {
  it('is read as yauzl reads it, whatever its extra fields', async () => {
    for (const odd of [
      field(0x5455, [1, 2, 3, 4, 5]),
      field(0x0001, Array<number>(24).fill(0)),
      field(0x5455, [1], 9),
      Buffer.from([1, 2, 3]),
      Buffer.concat([field(0xcafe, []), field(0x0001, [1])]),
    ]) {
      const { bytes } = packageOf((index) => (index === 2 ? odd : field(0x5455, [index])));
      const read = await byUs(bytes);
      expect(read).toEqual(await byYauzl(bytes));
    }
  });

  it('is read as yauzl reads it, or refused with the same words, with any of its octets changed', async () => {
    const { bytes, directory } = packageOf((index) => field(0x5455, [index]));
    let refused = 0;
    for (let at = directory; at < bytes.length - 22; at += 1) {
      // Numbers of 4 GB stand in an extra field.
      const changed = Buffer.from(bytes);
      if (at % 3 === 0 && at + 4 <= bytes.length - 22) changed.writeUInt32LE(0xffff_ffff, at);
      else changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      const expected = await byYauzl(changed);
      expect(await byUs(changed), `octet ${at - directory}`).toEqual(expected);
      if (typeof expected === 'string') refused += 1;
    }
    expect(refused).toBeGreaterThan(10);
  });
});
