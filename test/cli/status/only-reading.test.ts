import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openSqliteFile } from '../../../src/store/drivers/sqlite-driver.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { translate } from '../../../src/store/engine/storage-error.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { makePostgres } from '../../house/store/databases.ts';

vi.setConfig({ testTimeout: 120_000 });

let directory: string;
const run = (...args: string[]) => runMain(directory, args);
const configure = (database: object) =>
  writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify({ database, sources: {} }));

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-reading-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('status does not wait for another program that writes to the SQLite file', async () => {
  configure({ client: 'sqlite', file: 'rsbridge.db' });
  expect(await run('status')).toMatchObject({ code: 0 });
  const other = openSqliteFile(join(directory, 'rsbridge.db'));
  other.exec('begin immediate');
  const began = performance.now();
  try {
    expect(await run('status')).toMatchObject({ code: 0 });
  } finally {
    other.exec('rollback');
    other.close();
  }
  expect(performance.now() - began).toBeLessThan(5_000);
});

describe('a PostgreSQL that takes no writes', () => {
  test('is read by status, and doctor says what is wrong with it and goes on', async () => {
    const { config, drop } = await makePostgres();
    try {
      configure(config);
      expect(await run('status')).toMatchObject({ code: 0 });
      const database = openDatabase(config);
      await database.writer.raw(
        "do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$",
      );
      await database.close();
      const status = await run('status');
      expect(status, status.stderr).toMatchObject({ code: 0 });
      const doctor = await run('doctor');
      expect(doctor.stdout).toMatch(
        /^FAIL {2}database: the PostgreSQL database takes no writes: .*Name the primary/m,
      );
      expect(doctor.stdout).toMatch(/clock/);
      expect(doctor.code).toBe(6);
    } finally {
      await drop();
    }
  });

  test('and one without connections say what is to be done about it', () => {
    const of = (code: string) => translate(Object.assign(new Error('no'), { code }));
    expect(of('53300')).toMatchObject({
      code: 'database-unavailable',
      advice: expect.stringContaining('max_connections'),
    });
    expect(of('25006')).toMatchObject({
      code: 'database-unavailable',
      advice: expect.stringContaining('primary'),
    });
    expect(of('57P03')).toMatchObject({ advice: expect.stringContaining('is running') });
  });
});
