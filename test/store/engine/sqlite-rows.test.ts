import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { sqliteDrivers, useSqliteDriver } from '../../../src/store/drivers/sqlite-driver.ts';
import { openSqlite } from '../../../src/store/engine/sqlite-dialect.ts';

/** What comes out of the SQLite driver: rows are made from bare values and the names of the columns. */
let directory: string;
let file: string;
const opened: Knex[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-rows-'));
  file = join(directory, 'rows.db');
});

afterEach(async () => {
  for (const db of opened.splice(0)) await db.destroy();
  rmSync(directory, { recursive: true, force: true });
});

function open(): Knex {
  const db = openSqlite({ filename: file, pragmas: ['journal_mode = wal'] }, { min: 1, max: 1 });
  opened.push(db);
  return db;
}

async function seeded(): Promise<Knex> {
  const db = open();
  await db.raw('create table book (id integer primary key, title text, pages integer)');
  await db('book').insert({ id: 1, title: 'Mountains', pages: 120 });
  return db;
}

describe.each(sqliteDrivers())('SQLite of the %s', (driver) => {
  beforeAll(() => useSqliteDriver(driver));
  afterAll(() => useSqliteDriver(undefined));

  test('a row has its columns in their order, and those without a value are null', async () => {
    const db = await seeded();
    await db('book').insert({ id: 2 });
    const rows = await db('book').select('title', 'id', 'pages').orderBy('id');
    expect(rows).toEqual([
      { title: 'Mountains', id: 1, pages: 120 },
      { title: null, id: 2, pages: null },
    ]);
    expect(Object.keys(rows[0])).toEqual(['title', 'id', 'pages']);
    expect(await db('book').where({ id: 3 })).toEqual([]);
    expect(await db('book').where({ id: 3 }).first()).toBeUndefined();
  });

  test('a statement that is used stays prepared, however many others come, and those are not all kept', async () => {
    const db = await seeded();
    const used = 'select title from book where id = 1';
    await db.raw(used);
    const connection = await db.client.acquireConnection();
    await db.client.releaseConnection(connection);
    const prepare = vi.spyOn(connection.database, 'prepare');
    for (let number = 0; number < 300; number += 1) {
      await db.raw(`select ${number} as number`);
      await db.raw(used);
    }
    const prepared = prepare.mock.calls.map(([sql]) => sql);
    expect(prepared).toHaveLength(300);
    expect(prepared).not.toContain(used);
    expect(connection.statements.count).toBe(100);
  });

  test('rows of one query do not share what is written into them', async () => {
    const db = await seeded();
    const read = () => db('book').select('id', 'title');
    const [row] = await read();
    row.title = 'Rivers';
    expect(await read()).toEqual([{ id: 1, title: 'Mountains' }]);
  });

  test.each(['this connection', 'another one'])(
    'all columns are those that the table has now, after %s changed it',
    async (who) => {
      const db = await seeded();
      const all = () => db('book').select('*');
      expect(await all()).toEqual([{ id: 1, title: 'Mountains', pages: 120 }]);
      const changing = who === 'this connection' ? db : open();
      await changing.raw("alter table book add column place text default 'Bern'");
      expect(await all()).toEqual([{ id: 1, title: 'Mountains', pages: 120, place: 'Bern' }]);
      // As many as before, under other names.
      await changing.raw('alter table book rename column place to town');
      expect(await all()).toEqual([{ id: 1, title: 'Mountains', pages: 120, town: 'Bern' }]);
      await changing.raw('alter table book drop column pages');
      expect(await all()).toEqual([{ id: 1, title: 'Mountains', town: 'Bern' }]);
    },
  );

  test('columns with numbers for names keep their values', async () => {
    const db = open();
    const [row] = await db.raw('select 1 as "2", 2 as "1", 3 as "a", 4 as "0"');
    expect(row).toEqual({ '2': 1, '1': 2, a: 3, '0': 4 });
  });

  test('a column with the name of something that every object has is a column', async () => {
    const db = open();
    const [row] = await db.raw('select 1 as "__proto__", 2 as "constructor", 3 as "toString"');
    expect(Object.entries(row)).toEqual([
      ['__proto__', 1],
      ['constructor', 2],
      ['toString', 3],
    ]);
  });

  test('of two columns with one name the later counts', async () => {
    const db = open();
    expect(await db.raw('select 1 as a, 2 as b, 3 as a')).toEqual([{ a: 3, b: 2 }]);
  });

  test('what a statement returns of the rows that it wrote', async () => {
    const db = await seeded();
    const insert = 'insert into book (id, title) values (?, ?), (?, ?) returning id, title';
    expect(await db.raw(insert, [5, 'Seas', 6, 'Lakes'])).toEqual([
      { id: 5, title: 'Seas' },
      { id: 6, title: 'Lakes' },
    ]);
    expect(await db('book').where({ id: 6 }).update({ pages: 9 }).returning(['id', 'pages'])).toEqual([
      { id: 6, pages: 9 },
    ]);
    expect(await db('book').where({ id: 6 }).delete()).toBe(1);
    expect(await db('book').where({ id: 6 }).delete()).toBe(0);
    expect(await db('book').insert({ title: 'Woods' })).toEqual([6]);
  });

  test('a pragma answers with rows', async () => {
    const db = await seeded();
    expect(await db.raw('pragma journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    const columns: { name: string }[] = await db.raw('pragma table_info(book)');
    expect(columns.map(({ name }) => name)).toEqual(['id', 'title', 'pages']);
  });

  test('bytes, large integers, fractions and texts come back as they were stored', async () => {
    const db = open();
    await db.raw('create table thing (value)');
    const values = [Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 1.5, '', 'éあ', null];
    for (const value of values) await db.raw('insert into thing values (?)', [value as Knex.RawBinding]);
    await db.raw('insert into thing values (?)', [Buffer.from([0, 255, 7])]);
    const rows: { value: unknown }[] = await db('thing').select('value').orderBy('rowid');
    expect(rows.slice(0, -1).map(({ value }) => value)).toEqual(values);
    const bytes = rows.at(-1)?.value as Uint8Array;
    expect(bytes).toBeInstanceOf(Uint8Array);
    expect([...bytes]).toEqual([0, 255, 7]);
  });

  test('an integer that no number can hold is an error, not another one', async () => {
    const db = open();
    await expect(db.raw('select 9007199254740993 as a')).rejects.toThrow();
    expect(await db.raw('select 1 as a')).toEqual([{ a: 1 }]);
  });
});
