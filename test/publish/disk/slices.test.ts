import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { constantSlice, slicePieces } from '../../../src/publish/disk/slices.ts';

let directory: string;
const [first, second] = [randomBytes(300_000), randomBytes(150_000)];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'rsbridge-slices-'));
  await writeFile(join(directory, 'first'), first);
  await writeFile(join(directory, 'second'), second);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test('pieces of a file lie in the same memory, and are whole until the next is asked for', async () => {
  const slices = [
    constantSlice(Buffer.from('<head>')),
    { file: 'first', start: 10, end: 299_990 },
    { file: 'second', start: 0, end: 150_000 },
    constantSlice(Buffer.from('</head>')),
  ];
  const copies: Buffer[] = [];
  const memories = new Set<ArrayBufferLike>();
  for await (const piece of slicePieces(directory, slices)) {
    copies.push(Buffer.from(piece));
    if (piece.byteLength > 1000) memories.add(piece.buffer);
  }
  const expected = [Buffer.from('<head>'), first.subarray(10, 299_990), second, Buffer.from('</head>')];
  expect(Buffer.concat(copies).equals(Buffer.concat(expected))).toBe(true);
  // One for each file.
  expect(memories.size).toBe(2);
});

test('a file that is shorter than what was published of it is an error', async () => {
  const pieces = slicePieces(directory, [{ file: 'second', start: 0, end: 150_001 }]);
  const readAll = async () => {
    for await (const piece of pieces) expect(piece.byteLength).toBeGreaterThan(0);
  };
  await expect(readAll()).rejects.toThrow('second is shorter than what was published of it');
});
