import { afterEach, beforeEach, expect, test } from 'vitest';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { type House, openHouse } from '../../house/server/fixture.ts';

let house: House;
beforeEach(async () => {
  house = await openHouse();
  for (let number = 0; number < 250; number += 1) {
    const name = `source-${number}`;
    const counts = { items: 2, resources: 3, recentChanges: 1 };
    house.sources.push({ ...counts, name, title: name, state: 'up to date', healthy: number !== 200 });
  }
});
afterEach(() => house.close());

const read = async (url: string) => (await house.app.inject({ url: `/rs${url}` })).json();

test('the start page has a part of many sources, those that need attention first, and what all have together', async () => {
  const first = await read('/?format=json');
  expect(first.totals).toMatchObject({ sources: 250, items: 500, resources: 750, recentChanges: 250 });
  expect(first.sources[0].name).toBe('source-200');
  const seen = new Set<string>();
  for (let page = 1; page <= first.pages; page += 1) {
    const view = await read(`/?format=json&page=${page}`);
    expect(view.healthy).toBe(false);
    for (const { name } of view.sources) seen.add(name);
  }
  expect(seen.size).toBe(250);
  expect(first.next).toBe('https://bridge.example.org/rs/?page=2');
  expect((await house.app.inject({ url: `/rs/?page=${first.pages + 1}` })).statusCode).toBe(404);
  expect((await house.app.inject({ url: '/rs/?page=0' })).statusCode).toBe(400);
});

test('about names every set, on as many pages as it takes', async () => {
  const { pages } = await read('/about?format=json');
  const seen = new Set<string>();
  for (let page = 1; page <= pages; page += 1) {
    for (const { path } of (await read(`/about?format=json&page=${page}`)).sets) seen.add(path);
  }
  expect(pages).toBeGreaterThan(1);
  expect(seen.size).toBe(500);
});

test('what pages say of all sets is put together once for what is known of them, and anew when that is', async () => {
  let [asked, known] = [0, [...house.sources]];
  const nothing: [] = [];
  const counting = await openHouse({
    sources: async () => known,
    published: async () => nothing,
    setsOf: (source, title) => {
      asked += 1;
      return resourceSets(source, { title });
    },
  });
  const about = async () => (await counting.app.inject({ url: '/rs/about?format=json' })).json();
  try {
    expect((await about()).sets[0].path).toBe('source-0');
    const first = asked;
    expect((await about()).sets[0].path).toBe('source-0');
    expect(asked).toBe(first);
    known = known.slice(1);
    expect((await about()).sets[0].path).toBe('source-1');
  } finally {
    await counting.close();
  }
});
