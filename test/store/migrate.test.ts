import { afterEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/store/database.ts';
import { checkSchema, migrate } from '../../src/store/migrate.ts';
import { makePostgres, makeSqlite } from './databases.ts';

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
  await Promise.all(databases.map(migrate));
  const rows = await databases[0]?.reader('schema_migration').select('name');
  expect(rows).toEqual([
    { name: '0001-the-house' },
    { name: '0002-links-before' },
    { name: '0003-files-and-lessons' },
    { name: '0004-prior-versions' },
    { name: '0005-time' },
    { name: '0006-retention' },
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
