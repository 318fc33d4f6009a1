import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lockPublication } from '../../../src/publish/disk/publication-lock.ts';

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-lock-'));
  file = join(directory, 'lock');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const busy = { code: 'publication-busy', retryable: true };
const elsewhere = JSON.stringify({ id: 'x', pid: 1, place: 'elsewhere' });

test.each([-600_000, 600_000])('is its holder’s, whose clock is %i ms apart', async (apart) => {
  await writeFile(file, elsewhere);
  const now = Date.now();
  vi.spyOn(Date, 'now').mockImplementation(() => now + apart);
  await expect(lockPublication(directory)).rejects.toMatchObject(busy);
});

test('is free when its holder has given no sign of life for longer than its lease', async () => {
  await writeFile(file, elsewhere);
  const before = new Date(Date.now() - 70_000);
  await utimes(file, before, before);
  await expect(lockPublication(directory, 80_000)).rejects.toMatchObject(busy);
  const lock = await lockPublication(directory);
  await lock.confirm();
  await lock.release();
});

test('a sign of life is none for whoever has taken over', async () => {
  const lock = await lockPublication(directory, 24);
  rmSync(file);
  await writeFile(file, elsewhere);
  const before = new Date(Date.now() - 70_000);
  await utimes(file, before, before);
  const { mtimeMs } = await stat(file);
  await new Promise((resolve) => setTimeout(resolve, 30));
  await expect(lock.confirm()).rejects.toMatchObject(busy);
  expect((await stat(file)).mtimeMs).toBe(mtimeMs);
  await lock.release();
  expect(await readFile(file, 'utf8')).toBe(elsewhere);
});
