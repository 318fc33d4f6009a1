import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DocumentFile, type WrittenFile } from '../../../src/publish/disk/document-file.ts';
import { lastBlock } from '../../../src/publish/disk/gzip-pieces.ts';
import { etagOf, storeDocument, writeDocument } from '../../../src/publish/disk/stored-document.ts';
import { TextChunks } from '../../../src/publish/disk/text-chunks.ts';

const facts = {
  capability: 'resourcelist',
  entries: 1,
  lastModified: '2026-01-01T00:00:00Z',
  immutable: false,
};

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-document-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function bytesOf({ file, start, length }: WrittenFile): Promise<Buffer> {
  return (await readFile(join(directory, file))).subarray(start, start + length);
}

it('HC-03: other bytes have another tag, plain and compressed each their own; the same bytes have the same', async () => {
  const store = async (text: string, head = '<a>', tail = '</a>') => {
    const file = new DocumentFile(directory, 'list');
    await file.append(Buffer.from(text));
    const body = await file.finish();
    expect((await bytesOf(body.plain)).toString()).toBe(text);
    return storeDocument(facts, body, head, tail);
  };
  const tagsOf = ({ plain, gzip }: Awaited<ReturnType<typeof store>>) => [plain.etag, gzip?.etag];
  const long = 'x'.repeat(300_000);
  const one = tagsOf(await store(`${long}1`));
  expect(tagsOf(await store(`${long}1`))).toEqual(one);
  const others = [
    await store(`${long}2`),
    await store(`${long}x1`),
    await store(''),
    await store(`${long}1`, '<b>'),
    await store(`${long}1`, '<a>', '</b>'),
  ].flatMap(tagsOf);
  expect(new Set([...one, ...others]).size).toBe(12);
});

it('a document of one text is known by that text', async () => {
  for (const text of ['<a/>', '<b>é</b>']) {
    const { plain } = await writeDocument(directory, 'small', facts, text);
    expect(plain.etag).toBe(etagOf(text));
  }
});

it.each([0, 1, 255, 65_535, 65_536, 65_537, 300_000])(
  '%i octets in pieces inflate to themselves',
  async (length) => {
    const bytes = Buffer.alloc(length, 'a short text, and another one; ');
    for (const step of [1000, 65_536, 200_000]) {
      const file = new DocumentFile(directory, 'list');
      for (let start = 0; start < length; start += step)
        await file.append(bytes.subarray(start, start + step));
      const { plain, deflated } = await file.finish();
      expect(await bytesOf(plain)).toEqual(bytes);
      const pieces = Buffer.concat([await bytesOf(deflated), lastBlock]);
      expect(pieces.length).toBe(deflated.length + lastBlock.length);
      expect(inflateRawSync(pieces)).toEqual(bytes);
    }
  },
);

it('long texts are written with the same few chunks of memory, and each has its own bytes', async () => {
  const memory = new Set<ArrayBufferLike>();
  let chunks = 0;
  const write = async (letter: string) => {
    const file = new DocumentFile(directory, letter);
    const texts = new TextChunks();
    const lines = Array.from({ length: 40_000 }, (_, number) => `${letter} ${number} ${'x'.repeat(90)}\n`);
    for (const line of lines) {
      const chunk = texts.add(line);
      if (!chunk) continue;
      chunks += 1;
      memory.add(chunk.buffer);
      await file.append(chunk);
    }
    await file.append(texts.take());
    const { plain, deflated } = await file.finish();
    expect((await bytesOf(plain)).toString() === lines.join('')).toBe(true);
    const packed = Buffer.concat([await bytesOf(deflated), lastBlock]);
    expect(inflateRawSync(packed).toString() === lines.join('')).toBe(true);
  };
  await Promise.all([write('a'), write('b')]);
  await write('c');
  expect(chunks).toBeGreaterThan(80);
  expect(memory.size).toBeLessThan(chunks / 2);
});

it('a short text and its twin are one file, a long one and its twin are two; what is given up leaves none', async () => {
  const write = async (length: number) => {
    const file = new DocumentFile(directory, 'list');
    await file.append(Buffer.alloc(length, 'text '));
    return file;
  };
  const short = await (await write(65_536)).finish();
  expect(await readdir(directory)).toEqual([short.plain.file]);
  const { size } = await stat(join(directory, short.plain.file));
  expect(size).toBe(short.plain.length + short.deflated.length);
  const long = await (await write(65_537)).finish();
  expect((await readdir(directory)).sort()).toEqual(
    [short.plain.file, long.plain.file, long.deflated.file].sort(),
  );
  for (const length of [10, 100_000]) await (await write(length)).discard();
  expect(await readdir(directory)).toHaveLength(3);
});

it('what cannot be written leaves nothing, and says why', async () => {
  const file = new DocumentFile(join(directory, 'missing'), 'list');
  await file.append(Buffer.from('short'));
  await expect(file.finish()).rejects.toThrow(/ENOENT/);
  await expect(
    new DocumentFile(join(directory, 'missing'), 'list').append(Buffer.alloc(100_000)),
  ).rejects.toThrow(/ENOENT/);
});
