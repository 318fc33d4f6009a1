import { expect, it, test } from 'vitest';
import { openDatabase, type Queryable } from '../../../src/store/engine/database.ts';
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
