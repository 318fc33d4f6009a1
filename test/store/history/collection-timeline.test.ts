import { expect, it } from 'vitest';
import { readCollectionTimeline } from '../../../src/store/history/collection-timeline.ts';
import { findHistories } from '../../../src/store/history/timelines.ts';
import { findCollection, type StoredCollection } from '../../../src/store/sources/collections.ts';
import { payload, storing } from '../../house/server/stored-items.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { findHistory } from '../../house/store/one-history.ts';

const at = (day: number) => `2026-11-${String(day).padStart(2, '0')}T08:00:00Z`;
const member = (identifier: string, text: string, ...collections: string[]) => {
  return { identifier, collections, metadata: [payload(text)] };
};

describeOnBoth('the timeline of a collection', (open) => {
  it('is the same whether all its members are looked at or only the end of the journal', async () => {
    const { database } = open();
    const store = storing(database, 'large');
    for (let day = 1; day <= 9; day += 1) {
      const items = ['a', 'b', 'c'].map((name) => member(`${name}${day % 4}`, `${name} ${day}`, name));
      await store(at(day), ...items.filter((_, index) => day % (index + 1) === 0));
    }
    for (const spec of ['a', 'b', 'c']) {
      const collection = await findCollection(database.reader, 'large', spec);
      if (!collection) throw new Error(`there is no collection ${spec}`);
      const read = (facts: Partial<StoredCollection> = {}) =>
        readCollectionTimeline(database.reader, { ...collection, ...facts });
      const small = await read();
      expect(small.last?.at).toBe({ a: at(9), b: at(8), c: at(9) }[spec]);
      expect(small.prev?.at).toBe({ a: at(8), b: at(6), c: at(6) }[spec]);
      expect(small.first?.at).toBe({ a: at(1), b: at(2), c: at(3) }[spec]);
      expect(await read({ isLarge: true })).toEqual(small);
    }
  });

  it('says of a large one how far back it looked in vain', async () => {
    const { database } = open();
    const store = storing(database, 'resting');
    await store(at(1), member('x', 'one', 'x'), member('y', 'one', 'y'));
    await store(at(2), member('y', 'two', 'y'));
    await database.writer('source').where({ name: 'resting' }).update({ journal_seq: 60_000 });
    const collection = await findCollection(database.reader, 'resting', 'x');
    if (!collection) throw new Error('there is no collection x');
    const large = await readCollectionTimeline(database.reader, { ...collection, isLarge: true });
    expect(large).toMatchObject({ first: { at: at(1) }, quietFor: 50_000 });
    expect(large.last).toBeUndefined();
    expect((await readCollectionTimeline(database.reader, collection)).last?.at).toBe(at(1));
  });

  it('many histories are each what it is by itself', async () => {
    const { database } = open();
    const store = storing(database, 'many');
    const version = { number: 1, createdAt: '2021-01-01T00:00:00Z', metadata: [payload('was')], files: [] };
    await store(at(1), member('a', 'one'), { ...member('b', 'one'), versions: [version] });
    await store(at(2), member('a', 'two'));
    await store(at(3), { identifier: 'a', deleted: true });
    const paths = ['a', 'b'].map((name) => `many/items/${name}/oai_dc.xml`);
    const found = await findHistories(database.reader, 'many', [...paths, 'many/items/nobody/oai_dc.xml']);
    expect([...found.keys()].sort()).toEqual(paths);
    for (const path of paths) expect(found.get(path)).toEqual(await findHistory(database.reader, path));
    expect(found.get(paths[1] ?? '')?.timeline.mementos).toHaveLength(2);
    expect(found.get(paths[1] ?? '')?.metAt).toBe(at(1));
    expect(await findHistories(database.reader, 'many', [])).toEqual(new Map());
  });
});
