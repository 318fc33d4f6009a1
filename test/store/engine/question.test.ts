import { afterEach, describe, expect, it, test } from 'vitest';
import type { DatabaseConfig } from '../../../src/core/config/config.ts';
import { type Database, openDatabase, type Queryable } from '../../../src/store/engine/database.ts';
import { question } from '../../../src/store/engine/question.ts';
import { describeOnBoth, migratedPostgres } from '../../house/store/databases.ts';

describeOnBoth('a question that is asked again and again', (open) => {
  it('is written once, and answered for the values of each time', async () => {
    const { database } = open();
    await database
      .writer('source')
      .insert(['one', 'two'].map((name, index) => ({ name, journal_at: `2026-11-0${index + 1}T00:00:00Z` })));
    let written = 0;
    const sourceAt = question<{ name: string }, [name: string, at: string]>(2, (db, name, at) => {
      written += 1;
      return db('source').select('name').where('journal_at', '<', at).where({ name });
    });
    expect(await sourceAt(database.reader, 'two', '2026-11-03T00:00:00Z')).toEqual([{ name: 'two' }]);
    expect(await sourceAt(database.reader, 'one', '2026-11-03T00:00:00Z')).toEqual([{ name: 'one' }]);
    expect(await sourceAt(database.reader, 'two', '2026-11-02T00:00:00Z')).toEqual([]);
    expect(await sourceAt(database.reader, "' or 1=1 --", '2026-11-03T00:00:00Z')).toEqual([]);
    expect(written).toBe(1);
  });

  it('in a transaction sees what that has written, and nobody else does', async () => {
    const { database } = open();
    const named = question<{ name: string }, [name: string]>(1, (db, name) =>
      db('source').select('name').where({ name }),
    );
    const seen = await database
      .transaction(async (trx) => {
        await trx('source').insert({ name: 'three', journal_at: '2026-11-01T00:00:00Z' });
        const inside = await named(trx, 'three');
        throw Object.assign(new Error('rolled back'), { inside });
      })
      .catch((error: { inside: unknown }) => error.inside);
    expect(seen).toEqual([{ name: 'three' }]);
    expect(await named(database.reader, 'three')).toEqual([]);
  });

  it('asked at once together is asked of one moment, until that ends or somebody waits for an answer', async () => {
    const { database } = open();
    const journal_at = '2026-11-09T00:00:00Z';
    const insert = (name: string) => database.writer('source').insert({ name, journal_at });
    const named = question<{ name: string }, [at: string]>(1, (db, at) =>
      db('source').select('name').where({ journal_at: at }).orderBy('name'),
    );
    const names = () => named.atOnce(database.reader, journal_at)?.map(({ name }) => name);
    await insert('a');
    const end = database.readTogether();
    if (database.client === 'pg') {
      expect(names()).toBeUndefined();
      end();
      return;
    }
    expect(names()).toEqual(['a']);
    await insert('b');
    expect(names()).toEqual(['a']);
    end();
    expect(names()).toEqual(['a', 'b']);
    database.readTogether();
    expect(names()).toEqual(['a', 'b']);
    await insert('c');
    expect(await named(database.reader, journal_at)).toHaveLength(3);
    await insert('d');
    expect(names()).toEqual(['a', 'b', 'c', 'd']);
    // That of before has ended.
    const last = database.readTogether();
    await insert('e');
    expect(names()).toHaveLength(5);
    await insert('f');
    expect(database.readTogether()).toBeTypeOf('function');
    expect(names()).toHaveLength(6);
    last();
    expect(names()).toHaveLength(6);
  });

  it('gives its connection back when it fails', async () => {
    const { database } = open();
    const broken = question<object, [name: string]>(1, (db, name) => db('no_such_table').where({ name }));
    for (let attempt = 0; attempt < 30; attempt += 1) {
      await expect(broken(database.reader as Queryable, 'x')).rejects.toThrow(/no_such_table/);
    }
    expect(await database.reader('source').count({ count: '*' })).toHaveLength(1);
  });
});

test('a question whose connection ends says what any other does: that the database does not answer', async () => {
  const { config, drop } = await migratedPostgres();
  const [asking, ending] = [openDatabase(config), openDatabase(config)];
  const slow = question<object, [seconds: number]>(1, (db, seconds) =>
    db.raw('select pg_sleep(?)', [seconds]),
  );
  try {
    const answer = expect(slow(asking.reader, 60)).rejects.toMatchObject({
      code: 'database-unavailable',
      retryable: true,
    });
    const others =
      "select pg_terminate_backend(pid) as ended from pg_stat_activity where query like '%pg_sleep(%'";
    const ended = () =>
      ending.reader.raw(`${others} and datname = current_database() and pid <> pg_backend_pid()`);
    await expect.poll(async () => (await ended()).rows).toEqual([{ ended: true }]);
    await answer;
  } finally {
    await Promise.all([asking.close(), ending.close()]);
    await drop();
  }
});

describe('a question to PostgreSQL', () => {
  let [database, drop]: [Database | undefined, () => Promise<void>] = [undefined, async () => undefined];
  const ask = question<{ name: string }, [name: string]>(1, (db, name) =>
    db('source').select('name').where({ name }).orderBy('name'),
  );
  const open = async () => {
    const made = await migratedPostgres();
    drop = made.drop;
    // One connection, to look at what it knows.
    database = openDatabase({ ...made.config, poolSize: 1 } as DatabaseConfig);
    await database.writer('source').insert({ name: 'one', journal_at: '2026-11-01T00:00:00Z' });
    return database;
  };
  const prepared = async ({ writer }: Database) =>
    (await writer.raw<{ rows: object[] }>('select name from pg_prepared_statements')).rows.length;
  afterEach(async () => {
    await database?.close();
    await drop();
  });

  it('is said to a connection once, and asked by its name from then on', async () => {
    const { reader } = await open();
    const before = await prepared(database as Database);
    for (let time = 0; time < 10; time += 1) expect(await ask(reader, 'one')).toEqual([{ name: 'one' }]);
    expect(await prepared(database as Database)).toBe(before + 1);
  });

  it('is answered although a later release has given its tables other columns', async () => {
    const { reader, writer } = await open();
    const both = question<object, [name: string]>(1, (db, name) => db('source').where({ name }));
    await both(reader, 'one');
    await writer.raw('alter table source add column more integer');
    expect(await both(reader, 'one')).toMatchObject([{ name: 'one', more: null }]);
  });

  it('is answered where somebody made the connection forget everything', async () => {
    const { reader, writer } = await open();
    await ask(reader, 'one');
    await writer.raw('deallocate all');
    expect(await ask(reader, 'one')).toEqual([{ name: 'one' }]);
  });

  it('has no name in a transaction, which ends with its first error', async () => {
    const opened = await open();
    const before = await prepared(opened);
    await opened.transaction((trx) => ask(trx, 'one'));
    expect(await prepared(opened)).toBe(before);
  });
});
