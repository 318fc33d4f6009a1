import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { largestDeflated, ZipFile } from '../../../src/publish/dump/zip-file.ts';
import { dataDescriptor, localHeader } from '../../../src/publish/dump/zip-format.ts';
import { MemorySink, zeros } from '../../house/publish/memory-sink.ts';
import { contentOf, entriesOf, openSink, readZip } from '../../house/publish/zip-reading.ts';
import { runs } from '../../house/runs.ts';

type Way = 'stored' | 'deflated' | 'deflated on the way' | 'stored in chunks';

async function* chunksOf(bytes: Uint8Array, size = 1000): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function add(zip: ZipFile, name: string, bytes: Uint8Array, way: Way): Promise<void> {
  const facts = { crc: crc32(bytes), length: bytes.length };
  if (way === 'stored') await zip.add(name, { ...facts, coding: 'stored' }, bytes);
  else if (way === 'deflated') await zip.add(name, { ...facts, coding: 'deflated' }, deflateRawSync(bytes));
  else if (way === 'deflated on the way') await zip.addDeflating(name, facts, chunksOf(bytes));
  else await zip.addChunks(name, { ...facts, coding: 'stored', size: bytes.length }, chunksOf(bytes));
}

async function build(members: readonly (readonly [string, Uint8Array, Way])[]): Promise<Buffer> {
  const sink = new MemorySink();
  const zip = new ZipFile(sink);
  for (const [name, bytes, way] of members) await add(zip, name, bytes, way);
  const promised = zip.length;
  await zip.finish();
  expect(sink.length).toBe(promised);
  return sink.read(0, sink.length);
}

const ways = fc.constantFrom<Way>('stored', 'deflated', 'deflated on the way', 'stored in chunks');
const segment = fc.stringMatching(/^[A-Za-z0-9:~_é日-]{1,20}$/);

it('what was put in comes out, whatever it is and however it is written', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(
        fc.tuple(
          fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => `items/${parts.join('/')}`),
          fc.uint8Array({ maxLength: 5000 }),
          ways,
        ),
        { maxLength: 8, selector: ([name]) => name },
      ),
      async (members) => {
        const read = await readZip(await build(members));
        expect([...read.keys()]).toEqual(members.map(([name]) => name));
        for (const [name, bytes] of members) expect(read.get(name)?.equals(bytes)).toBe(true);
      },
    ),
    { numRuns: runs(40) },
  );
});

it.each([
  '/etc/passwd',
  '../x',
  'a/../../x',
  'a/..',
  '.',
  './a',
  'a/./b',
  'a//b',
  'a/',
  'a\\b',
  'C:/x',
  '',
  'a\0b',
  'a\nb',
])('a name that could lead astray is refused: %j', async (name) => {
  const zip = new ZipFile(new MemorySink());
  await expect(add(zip, name, Buffer.from('x'), 'stored in chunks')).rejects.toThrow(RangeError);
  expect(() => zip.add(name, { coding: 'stored', crc: 0, length: 1 }, Buffer.from('x'))).toThrow(RangeError);
});

it('a member that is shorter than was said is an error', async () => {
  const zip = new ZipFile(new MemorySink());
  const facts = { coding: 'stored', crc: 0, length: 9, size: 9 } as const;
  await expect(zip.addChunks('a', facts, chunksOf(Buffer.from('x')))).rejects.toThrow('1 octets');
});

it('stored members have their CRC and sizes before the data, as readers of streams need them', async () => {
  const bytes = await build([['a', Buffer.from('hello'), 'stored in chunks']]);
  expect(bytes.readUInt16LE(6) & 8).toBe(0);
  expect(bytes.readUInt32LE(14)).toBe(crc32('hello'));
  expect(bytes.readUInt32LE(18)).toBe(5);
});

describe('ZIP64', () => {
  it('more than 65,535 members', async () => {
    const sink = new MemorySink();
    const zip = new ZipFile(sink);
    const count = 65_537;
    for (let number = 0; number < count; number += 1) {
      await zip.add(`items/${number}`, { coding: 'stored', crc: crc32('x'), length: 1 }, Buffer.from('x'));
    }
    await zip.finish();
    const read = await fromSink(sink);
    expect(read.entries).toHaveLength(count);
    expect(read.entries.at(-1)?.fileName).toBe(`items/${count - 1}`);
    expect(String(await read.content(count - 1))).toBe('x');
  });

  it('a member, and offsets, beyond 4 GiB', async () => {
    const sink = new MemorySink();
    const zip = new ZipFile(sink);
    const length = zeros.length * 64 + 5;
    const chunks = async function* () {
      for (let count = 0; count < 64; count += 1) yield zeros;
      yield zeros.subarray(0, 5);
    };
    await add(zip, 'first', Buffer.from('before'), 'deflated');
    // Too large to be deflated on the way.
    await zip.addDeflating('large', { crc: 0x1234, length }, chunks());
    await add(zip, 'behind', Buffer.from('after'), 'stored');
    await add(zip, 'deflated-behind', Buffer.from('after all'), 'deflated on the way');
    await zip.finish();
    expect(length).toBeGreaterThan(0xffff_ffff);
    const read = await fromSink(sink);
    expect(read.entries.map(({ fileName }) => fileName)).toEqual([
      'first',
      'large',
      'behind',
      'deflated-behind',
    ]);
    const [, large] = read.entries;
    expect(large).toMatchObject({
      uncompressedSize: length,
      compressedSize: length,
      crc32: 0x1234,
      compressionMethod: 0,
    });
    expect(String(await read.content(2))).toBe('after');
    expect(String(await read.content(3))).toBe('after all');
    const start = large?.relativeOffsetOfLocalHeader ?? 0;
    const local = sink.read(start, start + 30 + 5 + 20);
    expect(local.readUInt32LE(18)).toBe(0xffff_ffff);
    expect(local.readBigUInt64LE(39)).toBe(BigInt(length));
    expect(local.readBigUInt64LE(47)).toBe(BigInt(length));
  });

  it('sizes that follow the data always fit in 32 bits', () => {
    const incompressible = largestDeflated + Math.ceil(largestDeflated / 16_384) * 5 + 6;
    expect(incompressible).toBeLessThan(0xffff_ffff);
    const member = { method: 8, crc: 1, size: 2, length: 3, offset: 4, trailing: true } as const;
    expect(localHeader({ ...member, name: Buffer.from('a') })).toHaveLength(31);
    expect(dataDescriptor({ ...member, name: Buffer.from('a') })).toHaveLength(16);
  });
});

async function fromSink(sink: MemorySink) {
  const zip = await openSink(sink);
  const entries = await entriesOf(zip);
  const content = (index: number) => {
    const entry = entries[index];
    if (!entry) throw new Error(`there is no member ${index}`);
    return contentOf(zip, entry);
  };
  return { entries, content };
}

describe('other readers', () => {
  let directory: string;
  let file: string;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-zip-'));
    file = join(directory, 'test.zip');
    const text = Buffer.from('<dc>é</dc>'.repeat(1000));
    const zip = await build([
      ['items/oai:a~2F1/oai_dc.xml', text, 'deflated'],
      ['items/oai:a~2F2/files/1-é.csv', text, 'deflated on the way'],
      ['items/oai:a~2F2/files/2-a.pdf', text, 'stored in chunks'],
      ['items/empty', Buffer.alloc(0), 'deflated on the way'],
      ['items/nothing', Buffer.alloc(0), 'stored'],
      ['manifest.xml', text, 'stored'],
    ]);
    writeFileSync(file, zip);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const python =
    'import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); sys.exit(z.testzip() or len(z.namelist())!=6)';
  it.each([
    ['unzip', ['-tqq']],
    ['python3', ['-c', python]],
    ['jar', ['tf']],
    ['ruby', ['-e', 'require "zip"; Zip::File.open(ARGV[0]) { |z| z.each { |e| e.get_input_stream.read } }']],
  ])('%s accepts it', (command, args) => {
    const { status, error, stderr } = spawnSync(command, [...args, file], { encoding: 'utf8' });
    const absent = error !== undefined || /cannot load such file/.test(stderr);
    if (absent) process.stderr.write(`not checked: ${command} is not there\n`);
    else expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
