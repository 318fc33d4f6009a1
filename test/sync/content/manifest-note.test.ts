import { randomBytes } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ManifestNote } from '../../../src/sync/content/manifest-note.ts';

async function noted(chunks: readonly Buffer[]) {
  const note = new ManifestNote();
  const passed: number[] = [];
  async function* all() {
    yield* chunks;
  }
  for await (const chunk of note.noting(all())) {
    passed.push(chunk.length);
    // The next part comes in the same memory.
    chunk.fill(0);
  }
  const packed = await note.finish();
  note.close();
  return { passed, packed };
}

test('a manifest is noted while it is read', async () => {
  const chunks = Array.from({ length: 40 }, (_, n) => Buffer.from(`<url>${n}</url>`.repeat(1000)));
  const whole = Buffer.concat(chunks);
  const { passed, packed } = await noted(chunks);
  expect(passed).toEqual(chunks.map(({ length }) => length));
  expect(packed).toBeDefined();
  expect(inflateRawSync(packed ?? Buffer.alloc(0)).equals(whole)).toBe(true);
});

test('one that is too long is passed on, and not kept', async () => {
  const chunks = Array.from({ length: 18 }, () => randomBytes(1024 * 1024));
  const { passed, packed } = await noted(chunks);
  expect(passed).toHaveLength(18);
  expect(packed).toBeUndefined();
});
