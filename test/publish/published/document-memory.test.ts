import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { DocumentMemory } from '../../../src/publish/published/document-memory.ts';

/** How often each was read. */
function disk(lengths: Readonly<Record<string, number>>) {
  const reads = new Map<string, number>();
  const read = (name: string) => () => {
    reads.set(name, (reads.get(name) ?? 0) + 1);
    return Readable.from([Buffer.alloc(lengths[name] ?? 0, name)], { objectMode: false });
  };
  return { reads, read };
}

it('a document is read once, also by many at the same time', async () => {
  const memory = new DocumentMemory();
  const { reads, read } = disk({ a: 1000 });
  const all = await Promise.all([1, 2, 3].map(() => memory.get('a', 1000, read('a'))));
  expect(all.map((bytes) => bytes.length)).toEqual([1000, 1000, 1000]);
  await memory.get('a', 1000, read('a'));
  expect(reads.get('a')).toBe(1);
});

it('has room for 16 MiB: what was asked for longest ago goes first', async () => {
  const memory = new DocumentMemory();
  const names = Array.from({ length: 65 }, (_, index) => `n${index}`);
  const length = 262_144;
  expect(memory.holds(length)).toBe(true);
  expect(memory.holds(length + 1)).toBe(false);
  const { reads, read } = disk(Object.fromEntries(names.map((name) => [name, length])));
  for (const name of names.slice(0, 64)) await memory.get(name, length, read(name));
  await memory.get('n0', length, read('n0'));
  await memory.get('n64', length, read('n64'));
  await memory.get('n0', length, read('n0'));
  expect(reads.get('n0')).toBe(1);
  await memory.get('n1', length, read('n1'));
  expect(reads.get('n1')).toBe(2);
});

it('what could not be read is read again', async () => {
  const memory = new DocumentMemory();
  const gone = () =>
    new Readable({
      read() {
        this.destroy(new Error('gone'));
      },
    });
  await expect(memory.get('a', 5, gone)).rejects.toThrow('gone');
  const { read } = disk({ a: 5 });
  expect(await memory.get('a', 5, read('a'))).toHaveLength(5);
});
