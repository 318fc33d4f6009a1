import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toDigits } from '../../../src/core/datetime.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import type { Past } from '../../../src/server/past.ts';
import { withdraw } from '../../../src/store/removal/withdrawals.ts';
import { type House, openHouse } from '../../house/server/fixture.ts';
import { payload, type StoreAt, storing } from '../../house/server/stored-items.ts';

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

  it('does not name what has been withdrawn', async () => {
    await withdraw(house.database, { source: 'kyushu', identifier: 'a', path: undefined }, undefined, at(5));
    const { timeline } = await json();
    expect([timeline.first, timeline.last]).toEqual([
      { at: at(1), change: 'created' },
      { at: at(3), change: 'updated' },
    ]);
    expect(timeline.prev.uri).toContain(pathOf('b'));
    const { body } = await get('text/html');
    expect(body).toContain('something that is not public any more: created');
    expect(body.slice(body.indexOf('Timeline'))).not.toContain(pathOf('a'));
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
