import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ThreadFile } from '../../../../src/harvest/files/mirror/content-thread.ts';
import { bodyChunks } from '../../../../src/harvest/http/chunk-memory.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-thread-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const abc = 'sha-256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

test('a file is written by another thread, chunk by chunk, from shared memory or not, and continued', async () => {
  const path = join(directory, 'a');
  const chunk = bodyChunks.take();
  chunk.write('a');
  const file = new ThreadFile(path, 0, undefined);
  await file.write(chunk.subarray(0, 1));
  await file.leave();
  const rest = new ThreadFile(path, 1, 'md5:900150983cd24fb0d6963f7d28e17f72');
  expect(await rest.open()).toBe(1);
  await rest.write(Buffer.from('b'));
  const { synced, ...finished } = await rest.finish(Buffer.from('c'));
  expect(finished).toEqual({ length: 3, crc: 0x352441c2, hash: abc, isAsStated: true });
  await synced;
  expect(readFileSync(path, 'utf8')).toBe('abc');
});

test('errors of the disk come with their code, and the next file is written', async () => {
  const nowhere = new ThreadFile(join(directory, 'no', 'where'), 0, undefined);
  await expect(nowhere.finish(Buffer.from('abc'))).rejects.toMatchObject({ code: 'ENOENT' });
  const file = new ThreadFile(join(directory, 'b'), 0, undefined);
  expect((await file.finish(Buffer.from('abc'))).hash).toBe(abc);
});
