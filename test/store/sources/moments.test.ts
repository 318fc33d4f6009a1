import { expect, test } from 'vitest';
import { advanceJournal, lastSeqBefore } from '../../../src/store/sources/journal.ts';
import {
  countMoments,
  listMoments,
  MomentCounter,
  momentAfter,
  momentAt,
  momentBefore,
  settledMoments,
} from '../../../src/store/sources/moments.ts';
import { endFirstPass, seedChanges, seedSource } from '../../house/publish/seed.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const at = (second: number) => `2026-11-21T10:00:${String(second).padStart(2, '0')}Z`;

describeOnBoth('the moments of a source', (open) => {
  test('begin with the end of the first complete pass', async () => {
    const { database } = open();
    await seedSource(database, 'first');
    await seedChanges(database, 'first', [{ name: 'a', at: at(1) }]);
    expect(await settledMoments(database, 'first', at(9))).toBeUndefined();
    await seedChanges(database, 'first', [{ name: 'b', at: at(3) }]);
    await endFirstPass(database, 'first');
    // In the same second as its end: the moment is that of both.
    await seedChanges(database, 'first', [
      { name: 'c', at: at(3) },
      { name: 'd', at: at(5) },
    ]);
    const range = await settledMoments(database, 'first', at(9));
    if (!range) throw new Error('no moments');
    expect(range).toMatchObject({ from: at(3), before: at(9) });
    expect(await listMoments(database.reader, range, 0, 10)).toEqual([
      { at: at(3), seq: 3 },
      { at: at(5), seq: 4 },
    ]);
    expect(await listMoments(database.reader, range, 1, 10)).toEqual([{ at: at(5), seq: 4 }]);
    expect(await momentAt(database.reader, range, at(2))).toBeUndefined();
    expect(await momentAt(database.reader, range, at(4))).toEqual({ at: at(3), seq: 3 });
    expect(await momentAt(database.reader, range, '9999-12-31T23:59:59Z')).toEqual({ at: at(5), seq: 4 });
    expect(await momentBefore(database.reader, range, at(5))).toEqual({ at: at(3), seq: 3 });
    expect(await momentAfter(database.reader, range, at(3))).toEqual({ at: at(5), seq: 4 });
    expect(await momentAfter(database.reader, range, at(5))).toBeUndefined();
    expect(await settledMoments(database, 'nowhere', at(9))).toBeUndefined();
  });

  test('have the latest one only when its second is over, and nothing can be dated into it any more', async () => {
    const { database } = open();
    await seedSource(database, 'late');
    await endFirstPass(database, 'late');
    expect(await settledMoments(database, 'late', at(0))).toBeUndefined();
    await seedChanges(database, 'late', [
      { name: 'a', at: at(1) },
      { name: 'b', at: at(2) },
    ]);
    const during = await settledMoments(database, 'late', at(2));
    expect(during).toMatchObject({ from: at(1), before: at(2) });
    // The clock stands still, or was set back: so does what can be told for good.
    expect(await settledMoments(database, 'late', at(1))).toEqual(during);
    expect(await settledMoments(database, 'late', at(3))).toMatchObject({ before: at(3) });
    // A page that was begun before, and is stored only now, is dated behind the line.
    expect((await advanceJournal(database, 'late', at(2))).at).toBe(at(3));
    expect(await settledMoments(database, 'late', at(2))).toMatchObject({ before: at(3) });
  });

  test('are counted once', async () => {
    const { database } = open();
    await seedSource(database, 'many');
    await endFirstPass(database, 'many');
    const counter = new MomentCounter();
    for (let second = 1; second < 50; second += 1) {
      await seedChanges(database, 'many', [
        { name: 'a', at: at(second), change: second > 1 ? 'updated' : 'created' },
      ]);
      const range = await settledMoments(database, 'many', at(second + (second % 2)));
      if (!range) continue;
      const count = await countMoments(database.reader, range);
      expect(count).toBe(second - 1 + (second % 2));
      expect(await counter.count(database.reader, range)).toBe(count);
    }
  });

  test('say what came before a time', async () => {
    const { database } = open();
    await seedSource(database, 'before');
    await seedChanges(
      database,
      'before',
      [2, 2, 4, 4, 4, 7].map((second, index) => ({ name: `n${index}`, at: at(second) })),
    );
    const sourceId = (await database.reader('source').where({ name: 'before' }).first('id')).id;
    const before = (second: number, last = 6) => lastSeqBefore(database.reader, sourceId, last, at(second));
    expect(await Promise.all([1, 2, 3, 4, 5, 7, 8].map((second) => before(second)))).toEqual([
      0, 0, 2, 2, 5, 5, 6,
    ]);
    expect(await before(8, 3)).toBe(3);
  });
});
