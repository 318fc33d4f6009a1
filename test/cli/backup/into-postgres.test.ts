import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isOfThisSchema } from '../../../src/store/backup/sqlite-copy.ts';
import { openSqliteFile } from '../../../src/store/drivers/sqlite-driver.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { migrate, migrations } from '../../../src/store/schema/migrate.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { type SampleService, startSampleService } from '../../house/server/sample-service.ts';
import { makePostgres } from '../../house/store/databases.ts';
import { columnsTold, told } from '../../house/store/rows-told.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let directory: string;
let service: SampleService;
const drops: (() => Promise<void>)[] = [];
const opened: Database[] = [];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-move-'));
  service = await startSampleService('', { files: { mode: 'link' } });
  await service.edit(5);
  const { database } = service.bridge;
  const settings = { ...service.bridge.config, database: { client: 'sqlite', file: 'rsbridge.db' } };
  const { sources, baseUrl } = settings;
  const config = (to: object) => JSON.stringify({ baseUrl, database: to, directory: 'data', sources });
  writeFileSync(join(directory, 'sqlite.yaml'), config({ client: 'sqlite', file: 'rsbridge.db' }));
  await database.writer('pause').insert({ source: 'sample', since: '2026-11-21T00:00:00Z', reason: '移転' });
  // As a release before this noted the moment of a file.
  await database.writer('installation_fact').insert({ name: 'alerts', value: '', at: 1795964715951.3376 });
  await copied('backup.db');
  // It is being harvested by another process while it is copied.
  const copy = openSqliteFile(join(directory, 'backup.db'));
  copy.exec(
    `update source set harvest_holder = 'elsewhere 1/4711/a', harvest_expires = ${Date.now() + 60_000}`,
  );
  copy.close();
});
afterAll(async () => {
  for (const database of opened) await database.close();
  await service?.close();
  for (const drop of drops) await drop();
  rmSync(directory, { recursive: true, force: true });
});

/** By `rsbridge backup`, while the service runs. */
async function copied(name: string): Promise<void> {
  const { config } = service.bridge;
  const file = config.database.client === 'sqlite' ? config.database.file : '';
  writeFileSync(
    join(directory, 'live.yaml'),
    JSON.stringify({ database: { client: 'sqlite', file }, sources: {} }),
  );
  expect(await run('backup', name, '--force', '--config', 'live.yaml')).toMatchObject({ code: 0 });
}

const run = (...args: string[]) => runMain(directory, args);

/** A new PostgreSQL, with a configuration that names it. */
async function postgres(name: string): Promise<Database> {
  const { config, drop } = await makePostgres();
  drops.push(drop);
  const { baseUrl, sources } = service.bridge.config;
  const { url } = sources.sample ?? { url: '' };
  const own = { baseUrl, database: config, directory: `data-${name}` };
  const sample = { url, schedule: false, overlapSeconds: 5, files: { mode: 'link' } };
  writeFileSync(join(directory, `${name}.yaml`), JSON.stringify({ ...own, sources: { sample } }));
  const database = openDatabase(config);
  opened.push(database);
  return database;
}

describe('rsbridge restore FILE, where the database is PostgreSQL', () => {
  test('brings everything that SQLite had, and goes on from there', async () => {
    const target = await postgres('moved');
    const outcome = await run('restore', 'backup.db', '--config', 'moved.yaml');
    expect(outcome, outcome.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('1 source, ') });

    const before = openDatabase({ client: 'sqlite', file: join(directory, 'backup.db') });
    opened.push(before);
    const columns = await columnsTold(before);
    expect(Object.keys(columns)).toContain('version');
    expect(await told(target, columns)).toEqual(await told(before, columns));
    for (const table of ['link_form', 'run', 'moment', 'collection', 'pause'])
      expect([table, await rowsOf(target, table)]).toEqual([table, await rowsOf(before, table)]);
    const fact = await target.reader('installation_fact').where({ name: 'alerts' }).first('at');
    expect(Number(fact.at)).toBe(1795964715951);
    const [mine] = await before.reader('source').select('*');
    const [theirs] = await target.reader('source').select('*');
    const ofFiles = { file_work_holder: null, file_work_expires: null };
    const free = { harvest_holder: null, harvest_expires: null, ...ofFiles };
    expect(theirs).toEqual({ ...mine, ...free, journal_id: theirs.journal_id });
    expect(theirs.journal_id).not.toBe(mine.journal_id);

    // Numbers go on behind those that came, and what an older version was is still known.
    await service.bridge.database.writer('pause').delete();
    await target.writer('pause').delete();
    await service.edit(4);
    const harvest = await run('harvest', 'sample', '--full', '--config', 'moved.yaml');
    expect(harvest, harvest.stderr).toMatchObject({ code: 0 });
    expect(Number((await target.reader('change').max('seq as seq').first())?.seq)).toBeGreaterThan(
      Number(mine.journal_seq),
    );
    const edited = await target
      .reader('resource')
      .where({ deleted_at: null })
      .where('version_count', '>', 1)
      .first('path');
    const history = await run(
      'history',
      `${service.base}/${edited.path}`,
      '--json',
      '--config',
      'moved.yaml',
    );
    expect(history, history.stderr).toMatchObject({ code: 0 });
    expect(history.stdout.trim().split('\n').length).toBeGreaterThan(1);
    expect(await run('publish', '--config', 'moved.yaml')).toMatchObject({ code: 0 });
  });

  test('overwrites nothing', async () => {
    const outcome = await run('restore', 'backup.db', '--config', 'moved.yaml');
    expect(outcome).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not empty (source has rows)'),
    });
    expect(outcome.stderr).toContain('createdb');
  });

  test('that is broken off has changed nothing, and can be begun again', async () => {
    const target = await postgres('broken');
    copyFileSync(join(directory, 'backup.db'), join(directory, 'half.db'));
    const half = openSqliteFile(join(directory, 'half.db'));
    // What PostgreSQL refuses comes when most tables are there.
    half.exec('pragma foreign_keys = off');
    half.exec("insert into problem (run_id, code, message) values (4711, 'of', 'no run')");
    half.close();
    expect((await run('restore', 'half.db', '--config', 'broken.yaml')).code).not.toBe(0);
    expect(await rowsOf(target, 'source')).toEqual([]);
    expect(await run('restore', 'backup.db', '--config', 'broken.yaml')).toMatchObject({ code: 0 });
  });

  test('takes an older database over first, and leaves the file as it was', async () => {
    const target = await postgres('older');
    const before = openDatabase({ client: 'sqlite', file: join(directory, 'older.db') });
    await migrate(before, undefined, { list: migrations.slice(0, -1) });
    await before.writer('source').insert({ name: 'nara', journal_at: '2026-11-21T00:00:00Z' });
    await before.close();
    const outcome = await run('restore', 'older.db', '--config', 'older.yaml');
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
    expect(isOfThisSchema(join(directory, 'older.db'))).toBe(false);
    expect(await target.reader('source').select('name')).toEqual([{ name: 'nara' }]);
  });

  test('of something else says what makes a backup there', async () => {
    writeFileSync(join(directory, 'dump'), 'PGDMP');
    expect(await run('restore', 'dump', '--config', 'older.yaml')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('pg_restore --clean'),
    });
  });
});

/** In an order of their own. */
async function rowsOf(database: Database, table: string): Promise<readonly string[]> {
  const rows: object[] = await database.reader(table).select('*');
  return rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort();
}
