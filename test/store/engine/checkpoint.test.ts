import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { migrate } from '../../../src/store/schema/migrate.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';

const now = '2026-11-22T10:00:00Z';
let directory: string;
let file: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'rsbridge-checkpoint-'));
  file = join(directory, 'rsbridge.db');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const logBytes = async () => (await stat(`${file}-wal`).catch(() => undefined))?.size ?? 0;

async function sourcesInFileAlone(): Promise<string[]> {
  const copy = join(directory, 'copy.db');
  await rm(copy, { force: true });
  await copyFile(file, copy);
  const database = openDatabase({ client: 'sqlite', file: copy });
  try {
    const rows: { name: string }[] = await database.reader('source').select('name').orderBy('name');
    return rows.map(({ name }) => name);
  } finally {
    await database.close();
  }
}

test('after a pause in writing the file alone is the whole database', async () => {
  const database = openDatabase({ client: 'sqlite', file });
  try {
    await migrate(database);
    await ensureSource(database, 'kyoto', now);
    expect(await logBytes()).toBeGreaterThan(0);
    await vi.waitFor(async () => expect(await logBytes()).toBe(0), { timeout: 120_000, interval: 100 });
    expect(await sourcesInFileAlone()).toEqual(['kyoto']);
  } finally {
    await database.close();
  }
});

test('a reader of something long is not waited for; when it has ended, the log is emptied', async () => {
  const database = openDatabase({ client: 'sqlite', file });
  try {
    await migrate(database);
    await database.snapshot(async (trx) => {
      await trx('source').select('name');
      await ensureSource(database, 'nara', now);
      const before = await logBytes();
      // Others read and write meanwhile, also after an attempt.
      await vi.waitFor(async () => {
        await ensureSource(database, `osaka-${Date.now()}`, now);
        expect(await logBytes()).toBeGreaterThan(before);
      }, 120_000);
    });
    await vi.waitFor(async () => expect(await logBytes()).toBe(0), { timeout: 120_000, interval: 100 });
    expect(await sourcesInFileAlone()).toContain('nara');
  } finally {
    await database.close();
  }
});

test('what is closed has left nothing in the log', async () => {
  const beside = openDatabase({ client: 'sqlite', file });
  await migrate(beside);
  const database = openDatabase({ client: 'sqlite', file });
  await ensureSource(database, 'uji', now);
  // The last one to close would bring the file up to date by itself; this is not the last.
  await beside.reader('source').select('name');
  await database.close();
  expect(await logBytes()).toBe(0);
  expect(await sourcesInFileAlone()).toEqual(['uji']);
  await beside.close();
});
