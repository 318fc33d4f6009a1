import { afterEach, expect, test } from 'vitest';
import * as theHouse from '../../../migrations/0001-the-house.ts';
import * as linksBefore from '../../../migrations/0002-links-before.ts';
import * as filesAndLessons from '../../../migrations/0003-files-and-lessons.ts';
import * as priorVersions from '../../../migrations/0004-prior-versions.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { checkSchema, migrate } from '../../../src/store/schema/migrate.ts';
import { makePostgres, makeSqlite } from '../../house/store/databases.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function makeEmpty(kind: 'sqlite' | 'pg', connections: number): Promise<Database[]> {
  const { config, drop } = kind === 'sqlite' ? makeSqlite() : await makePostgres();
  cleanups.push(drop);
  return Array.from({ length: connections }, () => {
    const database = openDatabase(config);
    cleanups.push(() => database.close());
    return database;
  });
}

test.each(['sqlite', 'pg'] as const)('migrating twice is the same as once, on %s', async (kind) => {
  const [database] = await makeEmpty(kind, 1);
  if (!database) throw new Error('no database');
  await expect(checkSchema(database)).rejects.toMatchObject({ code: 'database-unavailable' });
  await migrate(database);
  await migrate(database);
  await checkSchema(database);
});

test('eight processes that start at once set up one PostgreSQL', async () => {
  const databases = await makeEmpty('pg', 8);
  await Promise.all(databases.map((one) => migrate(one)));
  const rows = await databases[0]?.reader('schema_migration').select('name');
  expect(rows).toEqual([
    { name: '0001-the-house' },
    { name: '0002-links-before' },
    { name: '0003-files-and-lessons' },
    { name: '0004-prior-versions' },
    { name: '0005-time' },
    { name: '0006-retention' },
    { name: '0007-refused-files' },
    { name: '0009-withdrawals' },
    { name: '0010-removed-sources' },
    { name: '0014-vanished' },
    { name: '0015-unreadable' },
    { name: '0018-many-sources' },
    { name: '0024-quiet-links' },
    { name: '0025-shared-links' },
    { name: '0030-seen' },
    { name: '0031-links-once' },
    { name: '0032-takeover' },
    { name: '0033-keys' },
    { name: '0040-edition' },
    { name: '0041-kept-sources' },
    { name: '0042-due' },
    { name: '0043-hosts' },
    { name: '0044-objects' },
    { name: '0045-joint-journals' },
    { name: '0050-published-pointers' },
    { name: '0051-descriptions' },
    { name: '0053-admin' },
    { name: '0054-asked' },
    { name: '0058-drafts' },
    { name: '0059-presence' },
    { name: '0060-content-indexes' },
    { name: '0061-alerts' },
    { name: '0062-private-sources' },
    { name: '0065-causes' },
    { name: '0067-share-links' },
    { name: '0068-oai-records' },
    { name: '0069-oai-harvesters' },
    { name: '0070-private-items' },
    { name: '0072-stated-totals' },
    { name: '0073-runs-compared' },
    { name: '0074-kept-headers' },
    { name: '0077-oai-joint' },
    { name: '0078-oai-own-sets' },
    { name: '0080-statements-of-sources' },
    { name: '0082-push' },
    { name: '0091-notifications' },
    { name: '0092-followed-topics' },
    { name: '0093-renewed-subscriptions' },
    { name: '0094-file-tally' },
    { name: '0095-joint-beginnings' },
    { name: '0096-private-parts' },
    { name: '0097-refused-metadata' },
    { name: '0098-published-items' },
    { name: '0099-names-of-versions' },
    { name: '0100-former-items' },
  ]);
});

test.each(['sqlite', 'pg'] as const)('what was before time travel becomes a past, on %s', async (kind) => {
  const [database] = await makeEmpty(kind, 1);
  if (!database) throw new Error('no database');
  const before = {
    '0001-the-house': theHouse,
    '0002-links-before': linksBefore,
    '0003-files-and-lessons': filesAndLessons,
    '0004-prior-versions': priorVersions,
  };
  await database.transaction(async (trx) => {
    await trx.raw('create table schema_migration (name text primary key, run_at text not null)');
    for (const [name, { up }] of Object.entries(before)) {
      await up(trx);
      await trx('schema_migration').insert({ name, run_at: '2026-11-20T00:00:00Z' });
    }
    await trx('source').insert({ id: 1, name: 'of-before', journal_at: '2026-11-20T00:00:00Z' });
    const resource = { id: 7, source_id: 1, item_id: 1, path: 'p', kind: 'metadata', format: 'oai_dc' };
    const ends = { lastmod: '2026-11-04T00:00:00Z', links: '[]', last_seq: 4, version_count: 3 };
    await trx('resource').insert({ ...resource, ...ends });
    const at = (day: number) => `2026-11-0${day}T00:00:00Z`;
    const facts = { lastmod: at(1), media_type: 'application/xml', length: 5, hash: 'sha-256:00' };
    const kinds = ['created', 'updated', 'deleted', 'created'] as const;
    for (const [index, changed] of kinds.entries()) {
      const change = { resource_id: 7, seq: index + 1, at: at(Math.max(1, index)), lastmod: at(index + 1) };
      await trx('change').insert({ ...facts, ...change, source_id: 1, kind: changed, links: '[]' });
      if (changed !== 'deleted') await trx('version').insert({ ...facts, ...change, upstream_url: 'x' });
    }
  });
  await migrate(database);
  const versions = await database.reader('version').select('*').orderBy('seq');
  expect(versions.map(({ seq, gone, hash, dropped_at }) => [seq, gone, hash, dropped_at])).toEqual([
    [1, 0, 'sha-256:00', null],
    [2, 0, 'sha-256:00', null],
    [3, 1, null, null],
    [4, 0, 'sha-256:00', null],
  ]);
  expect(versions[1]).toMatchObject({ resource_id: 7, length: 5, upstream_url: 'x' });
  const moments = await database.reader('moment').select('at', 'seq').orderBy('at');
  expect(moments.map(({ at, seq }) => [at.slice(0, 10), seq])).toEqual([
    ['2026-11-01', 2],
    ['2026-11-02', 3],
    ['2026-11-03', 4],
  ]);
});

test.each(['sqlite', 'pg'] as const)('a database from a newer version is left alone, on %s', async (kind) => {
  const [database] = await makeEmpty(kind, 1);
  if (!database) throw new Error('no database');
  await migrate(database);
  await database
    .writer('schema_migration')
    .insert({ name: '9999-the-future', run_at: '2099-01-01T00:00:00Z' });
  await expect(migrate(database)).rejects.toMatchObject({
    code: 'database-newer',
    message: expect.stringContaining('9999-the-future'),
  });
  await expect(checkSchema(database)).rejects.toMatchObject({ code: 'database-newer' });
});

test('a PostgreSQL that is not there is said to be unavailable', async () => {
  const database = openDatabase({ client: 'pg', url: 'postgres://nobody@127.0.0.1:1/none', poolSize: 4 });
  cleanups.push(() => database.close());
  await expect(migrate(database)).rejects.toMatchObject({ code: 'database-unavailable' });
});
