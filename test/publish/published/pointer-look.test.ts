import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { formatVersion, type Pointer, pointerFile, writePointer } from '../../../src/publish/disk/pointer.ts';
import { openPublication, publicationRoot } from '../../../src/publish/published/publication.ts';

let directory: string;
const names = Array.from({ length: 24 }, (_, index) => `source-${index}`);

/** Of a megabyte: 24 of them are more than are kept. */
function pointerOf(set: string, title: string): Pointer {
  const document = {
    ...{ capability: 'resourcelist', entries: 1, lastModified: '2026-11-20T12:00:00Z', immutable: false },
    plain: { etag: `"${title}"`, slices: [{ text: title }] },
  };
  return {
    ...{
      version: formatVersion,
      baseUrl: 'https://repo.example.org',
      catalogs: [],
      snapshots: [],
      retired: {},
    },
    documents: { [`${set}/resourcelist.xml`]: document, [`${set}/${'x'.repeat(1_000_000)}`]: document },
  } as unknown as Pointer;
}

const placeOf = (set: string) => join(publicationRoot(directory), set);

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-pointers-'));
  for (const name of names) {
    await mkdir(placeOf(name), { recursive: true });
    await writePointer(placeOf(name), pointerOf(name, 'first'));
  }
  const site = { ...pointerOf('', 'site'), documents: {}, sets: names };
  await writePointer(publicationRoot(directory), site as Pointer);
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('of very many sets each is found, though not all of their pointers stay in memory', async () => {
  const publication = openPublication(directory);
  const find = (set: string) => publication.find(`${set}/resourcelist.xml`);
  const first = await find('source-0');
  expect(first?.plain.etag).toBe('"first"');
  for (const name of names) expect((await find(name))?.plain.etag).toBe('"first"');
  // It was given up meanwhile, and is as it was: an answer that was made of it still holds.
  expect(await first?.isPublished?.()).toBe(true);
  expect((await find('source-0'))?.plain.etag).toBe('"first"');
  expect(await first?.isPublished?.()).toBe(true);
  expect((await publication.sets()).map(({ path }) => path)).toEqual([...names].sort());

  await writePointer(placeOf('source-0'), pointerOf('source-0', 'second'));
  expect(await first?.isPublished?.()).toBe(false);
  expect((await find('source-0'))?.plain.etag).toBe('"second"');
});

test('a pointer that is damaged on the disk keeps being served while it is known', async () => {
  const publication = openPublication(directory);
  const find = (set: string) => publication.find(`${set}/resourcelist.xml`);
  for (const name of names) await find(name);
  writeFileSync(join(placeOf('source-23'), pointerFile), 'damaged');
  writeFileSync(join(placeOf('source-0'), pointerFile), 'damaged');
  expect((await find('source-23'))?.plain.etag).toBe('"first"');
  // That one is not: as for a process that began now.
  expect(await find('source-0')).toBeUndefined();
  await writePointer(placeOf('source-0'), pointerOf('source-0', 'third'));
  expect((await find('source-0'))?.plain.etag).toBe('"third"');
});
