import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { question } from '../../../src/store/engine/question.ts';
import { migratedSqlite } from '../../house/store/databases.ts';

const named = question<{ name: string }, [name: string]>(1, (db, name) =>
  db('source').select('name').where({ name }),
);

let made: ReturnType<typeof migratedSqlite>;
let database: Database;
beforeEach(async () => {
  made = migratedSqlite();
  database = openDatabase(made.config);
  await database.writer('source').insert({ name: 'one', journal_at: '2026-11-01T00:00:00Z' });
});
afterEach(() => made.drop());

it('a question to SQLite is answered while every connection of the pool is taken', async () => {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const readers = Array.from({ length: 4 }, () => database.snapshot(() => ended));
  try {
    expect(await named(database.reader, 'one')).toEqual([{ name: 'one' }]);
  } finally {
    end();
    await Promise.all(readers);
    await database.close();
  }
});

it('a question to SQLite sees what was committed before it, each time', async () => {
  expect(await named(database.reader, 'two')).toEqual([]);
  await database.transaction(async (trx) => {
    await trx('source').insert({ name: 'two', journal_at: '2026-11-01T00:00:00Z' });
    expect(await named(database.reader, 'two')).toEqual([]);
  });
  expect(await named(database.reader, 'two')).toEqual([{ name: 'two' }]);
  await database.close();
});

it('a question to SQLite opens nothing once the database was closed', async () => {
  await named(database.reader, 'one');
  await database.close();
  await expect(named(database.reader, 'one')).rejects.toThrow(
    'a question came after the database was closed',
  );
});
