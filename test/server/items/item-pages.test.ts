import { afterAll, beforeAll, expect, it } from 'vitest';
import { resourceSets } from '../../../src/core/resource-set.ts';
import type { ServerDeps } from '../../../src/server/deps.ts';
import { renderItemPages } from '../../../src/server/items/item-pages.ts';
import { type House, now, openHouse, publishedSet, seedResource } from '../../house/server/fixture.ts';

let house: House;
const collections = { theses: { collections: ['theses'] } };
const setsOf: ServerDeps['setsOf'] = (source, title) => resourceSets(source, { title, sets: collections });

beforeAll(async () => {
  house = await openHouse({ setsOf, timelines: false });
});
afterAll(() => house.close());

it('pages of many items are those that are served, and nothing where nothing is served', async () => {
  const { database } = house;
  const links = [
    { rel: 'describes', href: 'https://repo.example.org/handle/1' },
    { rel: 'collection', href: 'kyushu/collections/theses' },
  ];
  await seedResource(database, { identifier: 'oai:a', links, collections: ['theses'] });
  await seedResource(database, { identifier: 'oai:a', format: 'mods', links });
  await seedResource(database, { identifier: 'oai:a', kind: 'file' });
  await seedResource(database, { identifier: 'oai:<b>&', format: 'mods' });
  await seedResource(database, { identifier: 'oai:gone', deletedAt: now });
  house.publication.published.push(publishedSet('kyushu'), publishedSet('kyushu/sets/theses'));
  const deps = {
    ...{ database, publication: house.publication, directory: house.directory, timelines: false },
    ...{ baseUrl: 'https://bridge.example.org/rs', title: 'University of Example', version: '1.2.3' },
    ...{ robots: true, clock: { now: () => new Date(now) }, log: { level: 'silent' as const }, setsOf },
    ...{ fileMode: () => 'mirror' as const, sources: async () => [] },
  };
  const pages = new Map<string, string | undefined>();
  const identifiers = ['oai:a', 'oai:<b>&', 'oai:gone', 'oai:never'];
  for await (const { path, page } of renderItemPages(deps, 'kyushu', identifiers)) pages.set(path, page);
  expect(pages.size).toBe(4);
  for (const [path, page] of pages) {
    const { statusCode, body } = await house.app.inject({
      url: `/${path}`,
      headers: { accept: 'text/html' },
    });
    // A page by itself, which may become a file, has no link to another language.
    const alone = body.replace(/ <a rel="alternate" hreflang[^>]*>[^<]*<\/a>/, '');
    expect(page).toBe(statusCode === 200 ? alone : undefined);
  }
  expect([...pages.values()].filter((page) => page === undefined)).toHaveLength(2);
  expect([...pages.values()].join()).toContain('kyushu/sets/theses/capabilitylist.xml');
});
