import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { measureFiles } from '../../../src/bridge/state/file-sizes.ts';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { parseConfig } from '../../../src/core/config/config.ts';

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-file-sizes-'));
const never = new AbortController().signal;
const url = 'https://repo.example.org/oai';
const config = parseConfig({
  directory,
  database: { client: 'sqlite', file: join(directory, 'rsbridge.db') },
  sources: { kyushu: { url }, nara: { url }, empty: { url } },
});

beforeAll(() => {
  const put = (path: string, bytes: number) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), 'x'.repeat(bytes));
  };
  put('rsbridge.db', 1000);
  put('rsbridge.db-wal', 1000);
  put('rsbridge.db.old', 20);
  put('blobs/ab/abcd', 10);
  put('blobs/partial/1', 5);
  put('publication/kyushu/1/resourcelist.xml', 100);
  put('publication/kyushu/1/part-1.zip', 300);
  put('publication/nara/1/resourcelist.xml', 1);
  put('publication/site/capabilitylist.xml', 2);
  put('lists-in-time/nara/x.xml', 7);
  put('published-cache/y', 8);
  put('alerts/database-away.json', 9);
  symlinkSync('/', join(directory, 'publication', 'elsewhere'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('files are counted by what they are, and published ones by source; the database and links are not', async () => {
  const found = await measureFiles({ config, clock: systemClock }, never);
  expect(found.complete).toBe(true);
  expect(found.places).toEqual([
    { place: 'contents', files: 2, bytes: 15 },
    { place: 'documents', files: 3, bytes: 103 },
    { place: 'packages', files: 1, bytes: 300 },
    { place: 'past', files: 1, bytes: 7 },
    { place: 'copies', files: 1, bytes: 8 },
    { place: 'other', files: 2, bytes: 29 },
  ]);
  expect(found.sources).toEqual([
    { name: 'kyushu', files: 2, bytes: 400 },
    { name: 'nara', files: 1, bytes: 1 },
  ]);
});

test('of very many only some are counted, and that is said; all of exactly as many are', async () => {
  const total = (found: Awaited<ReturnType<typeof measureFiles>>) =>
    found.places.reduce((sum, { files }) => sum + files, 0);
  const some = await measureFiles({ config, clock: systemClock }, never, 4);
  expect([some.complete, total(some)]).toEqual([false, 4]);
  const all = await measureFiles({ config, clock: systemClock }, never, 10);
  expect([all.complete, total(all)]).toEqual([true, 10]);
});

test('a directory that is not there has none, and whoever stops is not kept waiting', async () => {
  const gone = { config: { ...config, directory: join(directory, 'nothing') }, clock: systemClock };
  expect((await measureFiles(gone, never)).places.every(({ files }) => files === 0)).toBe(true);
  await expect(measureFiles({ config, clock: systemClock }, AbortSignal.abort())).rejects.toThrow('abort');
});
