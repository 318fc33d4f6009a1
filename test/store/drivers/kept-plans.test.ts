import { afterAll, beforeEach, expect, test } from 'vitest';
import type { DatabaseConfig } from '../../../src/core/config/config.ts';
import { type Database, openDatabase, type Queryable } from '../../../src/store/engine/database.ts';
import { question, questionByKey } from '../../../src/store/engine/question.ts';
import { migratedPostgres } from '../../house/store/databases.ts';

const made = await migratedPostgres();
let database: Database;

/** With one connection to write on, and one to read on. */
const open = () => openDatabase({ ...made.config, poolSize: 1, readerPoolSize: 1 } as DatabaseConfig);

beforeEach(() => {
  database = open();
  return () => database.close();
});

afterAll(() => made.drop());

/** In a table that has partitions: by itself PostgreSQL plans for each value anew. */
const write = (db: Queryable, sourceId: number, path: string) =>
  db('resource').where({ source_id: sourceId, path }).select('id');

const settings = 'plan_cache_mode enable_seqscan enable_hashjoin enable_mergejoin'.split(' ');

async function mode(db: Queryable): Promise<string> {
  const { rows } = await db.raw(`select ${settings.map((name) => `current_setting('${name}') as ${name}`)}`);
  return settings.map((name) => rows[0][name]).join(' ');
}

async function plansOf(db: Queryable): Promise<readonly { generic: number; custom: number }[]> {
  const { rows } = await db.raw(
    `select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements
      where statement like 'select "id" from "resource"%'`,
  );
  return rows;
}

test('what a key answers is planned once, whatever the key', async () => {
  const byKey = questionByKey<object, [number, string]>(2, write);
  for (let count = 1; count <= 8; count += 1) await byKey(database.reader, count, 'alpha/items/1');
  expect(await plansOf(database.reader)).toEqual([{ generic: 8, custom: 0 }]);
});

test('of any other question the first plans are for what it is asked with', async () => {
  const anew = question<object, [number, string]>(2, write);
  for (let count = 1; count <= 4; count += 1) await anew(database.reader, count, 'alpha/items/1');
  expect(await plansOf(database.reader)).toEqual([{ generic: 0, custom: 4 }]);
});

test('nothing else is planned like that, in a transaction neither, whether it is kept or not', async () => {
  const byKey = questionByKey<object, [number, string]>(2, write);
  const ask = () => byKey(database.writer, 1, 'alpha/items/1');
  const usual = 'auto on on on';
  await ask();
  expect(await mode(database.writer)).toBe(usual);
  for (const isKept of [true, false]) {
    await ask();
    const within = database.transaction(async (trx) => {
      expect(await byKey(trx, 1, 'alpha/items/1')).toEqual([]);
      expect(await mode(trx)).toBe(usual);
      if (!isKept) throw new Error('taken back');
    });
    await (isKept ? within : expect(within).rejects.toThrow('taken back'));
    expect(await mode(database.writer)).toBe(usual);
  }
  await ask();
  expect(await plansOf(database.writer)).toEqual([{ generic: 4, custom: 0 }]);
});

test('a snapshot is read as usual, too', async () => {
  await questionByKey<object, [number, string]>(2, write)(database.reader, 1, 'alpha/items/1');
  await database.snapshot(async (db) => expect(await mode(db)).toBe('auto on on on'));
});

test('who has told PostgreSQL otherwise for his database has it so again afterwards', async () => {
  const { rows } = await database.writer.raw('select current_database() as name');
  const told = (what: string) => database.writer.raw(`alter database "${rows[0].name}" ${what}`);
  await told('set enable_hashjoin = off');
  try {
    await database.close();
    database = open();
    await questionByKey<object, [number, string]>(2, write)(database.reader, 1, 'alpha/items/1');
    expect(await mode(database.reader)).toBe('auto on off on');
  } finally {
    await told('reset enable_hashjoin');
  }
});

test('a connection that has forgotten everything answers all the same', async () => {
  const byKey = questionByKey<object, [number, string]>(2, write);
  await byKey(database.reader, 1, 'alpha/items/1');
  await database.reader.raw('discard all');
  await byKey(database.reader, 1, 'alpha/items/1');
  expect(await byKey(database.reader, 1, 'alpha/items/1')).toEqual([]);
  expect(await mode(database.reader)).toBe('auto on on on');
});
