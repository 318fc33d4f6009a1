import { expect, it } from 'vitest';
import type { Queryable } from '../../../src/store/engine/database.ts';
import { question } from '../../../src/store/engine/question.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

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

  it('gives its connection back when it fails', async () => {
    const { database } = open();
    const broken = question<object, [name: string]>(1, (db, name) => db('no_such_table').where({ name }));
    for (let attempt = 0; attempt < 30; attempt += 1) {
      await expect(broken(database.reader as Queryable, 'x')).rejects.toThrow(/no_such_table/);
    }
    expect(await database.reader('source').count({ count: '*' })).toHaveLength(1);
  });
});
