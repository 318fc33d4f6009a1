import { Writable } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { createLog } from '../../../src/bridge/log.ts';
import { fillBehind } from '../../../src/bridge/work/filling.ts';
import type { DatabaseConfig } from '../../../src/core/config/config.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { isFilledIn } from '../../../src/store/schema/backfill.ts';
import { migrate, migrations } from '../../../src/store/schema/migrate.ts';
import { makePostgres, makeSqlite } from '../../house/store/databases.ts';

const name = '0060-content-indexes';
const wholes = ['version_content', 'file_content', 'prior_content', 'remote_file_content', 'blob_of_base'];
const all = [...wholes, 'change_of_patch', 'released_when_due'].sort();
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A database of the migration before, with something in it. */
async function before(kind: 'sqlite' | 'pg'): Promise<{ config: DatabaseConfig; database: Database }> {
  const { config, drop } = kind === 'sqlite' ? makeSqlite() : await makePostgres();
  cleanups.push(drop);
  const database = opened(config);
  await migrate(database, undefined, { list: migrations.filter((one) => one.name < name) });
  const at = '2026-11-20T00:00:00Z';
  const version = { at, lastmod: at, hash: `sha-256:${'ab'.repeat(32)}`, gone: 0 };
  for (const source_id of [1, 2, 3, 4])
    for (const resource_id of [1, 2])
      await database.writer('version').insert({ ...version, source_id, resource_id, seq: resource_id });
  const released = { source_id: 1, resource_id: 1, seq: 1, end_seq: 2, hash: version.hash, due_at: at };
  await database.writer('released').insert(released);
  return { config, database };
}

function opened(config: DatabaseConfig): Database {
  const database = openDatabase(config);
  cleanups.push(() => database.close());
  return database;
}

const log = createLog('silent', new Writable({ write: (_chunk, _coding, done) => done() }));

async function valid({ reader }: Database): Promise<readonly string[]> {
  const { rows } = await reader.raw<{ rows: { name: string }[] }>(
    `select relname as name from pg_index join pg_class on pg_class.oid = indexrelid
      where indisvalid and relname = any(?) order by relname`,
    [all],
  );
  return rows.map((row) => row.name);
}

test('on SQLite they are there with the migration', async () => {
  const { database } = await before('sqlite');
  await migrate(database);
  const rows: { name: string }[] = await database
    .reader('sqlite_master')
    .where({ type: 'index' })
    .whereIn('name', all)
    .orderBy('name');
  expect(rows.map((row) => row.name)).toEqual(all);
  expect(await isFilledIn(database.reader, name)).toBe(true);
});

test('on PostgreSQL they are built behind the work, by several processes at once, and around what was broken off', async () => {
  const { config, database } = await before('pg');
  await migrate(database);
  expect(await isFilledIn(database.reader, name)).toBe(false);
  // Those of empty tables are there.
  expect(await valid(database)).toEqual(all.filter((one) => !/^version|^released/.test(one)));
  const { rows } = await database.reader.raw(
    `select tableoid::regclass::text as partition from version group by 1 having count(*) > 1`,
  );
  const { partition } = rows[0] as { partition: string };
  // As it is left by whoever is stopped while building.
  const broken = `version_content${partition.slice('version'.length)}`;
  await expect(
    database.writer.raw(`create unique index concurrently ${broken} on ${partition} (gone)`),
  ).rejects.toThrow('could not create unique index');
  const stop = new AbortController();
  stop.abort();
  await fillBehind({ database, log }, stop.signal);
  expect(await isFilledIn(database.reader, name)).toBe(false);
  const four = [database, opened(config), opened(config), opened(config)];
  // Whoever was in another's way would try again after half a minute.
  const done = new AbortController();
  const fillings = four.map((one) => fillBehind({ database: one, log }, done.signal));
  await Promise.race(fillings);
  done.abort();
  await Promise.all(fillings);
  expect(await isFilledIn(database.reader, name)).toBe(true);
  expect(await valid(database)).toEqual(all);
  await migrate(database);
});
