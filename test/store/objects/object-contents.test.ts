import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { piecesOf } from '../../../src/store/objects/object-contents.ts';

test('pieces of a file are what is asked for of it, as far as it goes', async () => {
  const content = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 253));
  const directory = await mkdtemp(join(tmpdir(), 'rsbridge-pieces-'));
  const file = join(directory, 'file');
  await writeFile(file, content);
  const read = async (start: number, end: number) => {
    const pieces: Buffer[] = [];
    for await (const piece of piecesOf(file, start, end)) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces);
  };
  for (const [start, end] of [
    [0, 200_000],
    [65_535, 131_073],
    [199_999, 300_000],
    [5, 5],
    [300_000, 300_001],
  ] as const)
    expect((await read(start, end)).equals(content.subarray(start, end))).toBe(true);
  await rm(directory, { recursive: true });
});
