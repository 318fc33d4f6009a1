import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { copySqlite, inspectSqlite, replaceSqlite } from '../../../src/store/backup/sqlite-copy.ts';
import { openSqliteFile, sqliteDrivers, useSqliteDriver } from '../../../src/store/drivers/sqlite-driver.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { migrate } from '../../../src/store/schema/migrate.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { scriptOf } from '../../house/process/script.ts';

const now = '2026-11-22T10:00:00Z';
let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-driver-'));
  file = join(directory, 'rsbridge.db');
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function filled(): Promise<void> {
  const database = openDatabase({ client: 'sqlite', file });
  await migrate(database);
  await ensureSource(database, 'kyoto', now);
  await database.close();
}

test('the SQLite of Node is used where it has one, and nothing is said of it', () => {
  const [, minor = 0] = process.versions.node.split('.').map(Number);
  const major = Number.parseInt(process.versions.node, 10);
  expect(sqliteDrivers()[0]).toBe(major > 22 || (major === 22 && minor >= 16) ? 'node' : 'package');
  const url = pathToFileURL(
    scriptOf(join(import.meta.dirname, '..', '..', '..', 'src', 'store', 'drivers', 'sqlite-driver.ts')),
  );
  const script = `const { openSqliteFile } = await import('${url.href}'); openSqliteFile(':memory:').close();`;
  const ended = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(ended).toMatchObject({ stdout: '', stderr: '', status: 0 });
});

describe.each(sqliteDrivers())('SQLite of the %s', (driver) => {
  beforeAll(() => useSqliteDriver(driver));
  afterAll(() => useSqliteDriver(undefined));

  test('a copy is made while a page is written, has what was there before, and takes the place of the database', async () => {
    await filled();
    const copy = join(directory, 'copy.db');
    const database = openDatabase({ client: 'sqlite', file });
    try {
      await database.transaction(async (trx) => {
        await trx('source').update({ name: 'nara' });
        expect(await copySqlite(file, copy)).toMatchObject({ sources: 1, resources: 0, changes: 0 });
      });
    } finally {
      await database.close();
    }
    // The package keeps a file open until its statements are garbage: the one to replace has not been open here.
    const old = join(directory, 'old.db');
    copyFileSync(copy, old);
    expect(await replaceSqlite(copy, old, now)).toMatchObject({ kept: `${old}.replaced-20261122T100000Z` });
    expect([nameIn(file), nameIn(old), nameIn(`${old}.replaced-20261122T100000Z`)]).toEqual([
      'nara',
      'kyoto',
      'kyoto',
    ]);
  });

  test('a file that another handle writes to is locked', async () => {
    await filled();
    const database = openDatabase({ client: 'sqlite', file });
    const other = openSqliteFile(file);
    try {
      other.exec('begin immediate');
      await expect(database.offhand((trx) => trx('source').update({ name: 'x' }))).rejects.toMatchObject({
        code: 'database-locked',
      });
      await expect(replaceSqlite(file, file, now)).rejects.toMatchObject({ code: 'database-locked' });
      other.exec('rollback');
      await database.transaction((trx) => trx('source').update({ name: 'nara' }));
      expect(nameIn(file)).toBe('nara');
    } finally {
      other.close();
      await database.close();
    }
  });

  test('what is read can not be written', async () => {
    await filled();
    const database = openDatabase({ client: 'sqlite', file });
    try {
      await expect(database.reader('source').update({ name: 'x' })).rejects.toMatchObject({
        code: 'storage',
        message: expect.stringContaining('may not be written'),
      });
    } finally {
      await database.close();
    }
  });

  test('the log is empty after the end', async () => {
    await filled();
    expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
    expect(nameIn(file)).toBe('kyoto');
  });

  test('damage is found, and said with the name of the file', async () => {
    await filled();
    const { size } = statSync(file);
    writeFileSync(file, Buffer.alloc(8192, 0xff), { flag: 'r+' });
    expect(statSync(file).size).toBe(size);
    await expect(inspectSqlite(file)).rejects.toMatchObject({ databaseFile: file });
    const database = openDatabase({ client: 'sqlite', file });
    try {
      await expect(database.snapshot((trx) => trx('source').select('name'))).rejects.toMatchObject({
        code: 'storage',
        message: expect.stringContaining(`the SQLite file ${file} is damaged`),
      });
    } finally {
      await database.close();
    }
  });
});

function nameIn(database: string): unknown {
  const handle = openSqliteFile(database);
  try {
    return (handle.prepare('select name from source').get() as { name: unknown }).name;
  } finally {
    handle.close();
  }
}
