import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toDigits } from '../../../src/core/datetime.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import type { Past } from '../../../src/server/past.ts';
import { readCollectionTimeline } from '../../../src/store/history/collection-timeline.ts';
import { findHistories, findHistory } from '../../../src/store/history/timelines.ts';
import { findCollection, type StoredCollection } from '../../../src/store/sources/collections.ts';
import { type House, openHouse } from '../../house/server/fixture.ts';
import { payload, type StoreAt, storing } from '../../house/server/stored-items.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const base = 'https://bridge.example.org/rs';
const at = (day: number) => `2026-11-${String(day).padStart(2, '0')}T08:00:00Z`;
const pathOf = (identifier: string) => `kyushu/items/${identifier}/oai_dc.xml`;
const member = (identifier: string, text: string, ...collections: string[]) => {
  return { identifier, collections, metadata: [payload(text)] };
};

describe('the page of a collection', () => {
  let house: House;
  let store: StoreAt;
  const lists = new Map<string, Past>();

  beforeEach(async () => {
    lists.clear();
    house = await openHouse({
      documentPasts: async (path) => lists.get(path),
      setsOf: (source) => resourceSets(source, { sets: { theses: { collections: ['theses'] } } }),
    });
    store = storing(house.database);
    await store(at(1), member('a', 'one', 'theses'), member('b', 'one', 'theses', 'other'));
    await store(at(2), member('b', 'two', 'theses', 'other'));
    await store(at(3), member('a', 'two', 'theses'));
  });
  afterEach(() => house.close());

  const get = (accept: string, url = '/kyushu/collections/theses') =>
    house.app.inject({ url, headers: { accept } });
  const json = async (url?: string) => (await get('application/json', url)).json();
  const change = (identifier: string, day: number, kind: string) => {
    const uri = `${base}/${pathOf(identifier)}`;
    return { at: at(day), uri, change: kind, memento: `${base}/memento/${toDigits(at(day))}/${uri}` };
  };

  it('says when something in it first came, and when it changed last and before that', async () => {
    const { timeline } = await json();
    expect(timeline).toEqual({
      first: change('a', 1, 'created'),
      prev: change('b', 2, 'updated'),
      last: change('a', 3, 'updated'),
    });
    const { body } = await get('text/html');
    for (const { at: moment, memento } of [timeline.first, timeline.prev, timeline.last]) {
      expect(body).toContain(`<time datetime="${moment}">`);
      expect(body).toContain(`href="${memento}"`);
    }
    expect((await json('/kyushu/collections/other')).timeline).toEqual({
      first: change('b', 1, 'created'),
      prev: change('b', 1, 'created'),
      last: change('b', 2, 'updated'),
    });
  });

  it('says of each member how many versions there are, and where', async () => {
    const { members } = await json();
    expect(members.map(({ versions }: { versions: { count: number } }) => versions.count)).toEqual([2, 2]);
    const timeMap = `${base}/timemap/html/${base}/${pathOf('b')}`;
    expect(members[1].versions.timeMap.html).toBe(timeMap);
    expect((await get('text/html')).body).toContain(`<a href="${timeMap}" aria-label="2 versions">2</a>`);
  });

  it('leads to no memento that retention gave up, nor to one of what was deleted', async () => {
    await house.database
      .writer('version')
      .where({ lastmod: at(2) })
      .update({ dropped_at: at(4) });
    expect((await json()).timeline.prev.memento).toBeUndefined();
    await store(at(4), { identifier: 'a', collections: ['theses'], deleted: true });
    const { last } = (await json()).timeline;
    expect(last).toEqual({ at: at(4), uri: `${base}/${pathOf('a')}`, change: 'deleted' });
  });

  it('leads to the Resource List as of each of these moments, of the set that it is, else of its source', async () => {
    lists.set('kyushu/resourcelist.xml', listSince(`${base}/kyushu/resourcelist.xml`, at(2)));
    const list = `${base}/kyushu/resourcelist.xml`;
    const { timeline } = await json();
    expect(timeline.resourceList).toEqual({
      uri: list,
      timeGate: `${base}/timegate/${list}`,
      timeMap: { link: `${base}/timemap/link/${list}`, html: `${base}/timemap/html/${list}` },
    });
    expect(timeline.last.resourceList).toBe(`${base}/memento/${toDigits(at(3))}/${list}`);
    // Before its first memento there is none to lead to.
    expect(timeline.first.resourceList).toBeUndefined();
    expect((await get('text/html')).body).toContain(`href="${timeline.resourceList.timeMap.html}"`);
    const own = `${base}/kyushu/sets/theses/resourcelist.xml`;
    lists.set('kyushu/sets/theses/resourcelist.xml', listSince(own, at(2)));
    expect((await json()).timeline.resourceList.uri).toBe(own);
    expect((await json('/kyushu/collections/other')).timeline.resourceList.uri).toBe(list);
  });

  it('of which nothing was ever published has none', async () => {
    await store(at(5), { identifier: 'c', collections: ['empty'], deleted: false });
    const view = await json('/kyushu/collections/empty');
    expect(view.count).toBe(0);
    expect(view.timeline).toBeUndefined();
    expect((await get('text/html', '/kyushu/collections/empty')).statusCode).toBe(200);
  });
});

/** A list with a memento of every moment from one on. */
function listSince(uri: string, first: string): Past {
  return {
    uri,
    span: { count: 2, first, last: at(20) },
    select: async (moment = at(20)) => ({ selected: moment }),
    exact: async (selected) => ({ selected }),
    list: async () => [],
    isDropped: () => false,
    isFinal: () => true,
    send: async (_datetime, _request, reply) => reply,
  };
}

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
      expect(await read({ resourceCount: 1_000_000 })).toEqual(small);
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
    const large = await readCollectionTimeline(database.reader, { ...collection, resourceCount: 6000 });
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
