import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { get, search } from '../client.ts';
import { itemsWith, sampleRepository } from '../sample-repository.ts';
import { honest } from '../switches.ts';
import { type RestServer, startRestServer } from './rest-server.ts';

describe('lists of the simulated DSpace', () => {
  const repository = sampleRepository({ items: 300 });
  let server: RestServer;
  /** 300 without a tenth: embargoed, restricted, private, withdrawn, older versions. */
  const visible = 270;

  beforeAll(async () => {
    server = await startRestServer({ repository });
  });

  afterAll(() => server.close());

  beforeEach(() => {
    Object.assign(server.switches, honest);
  });

  it('finds all that is public, in windows of ids as in pages', async () => {
    const all = new Set<string>();
    for (const digit of '0123456789abcdef') {
      const { uuids, page } = await search(server.url, { query: `search.resourceid:${digit}*`, size: 100 });
      expect(page?.totalElements).toBe(uuids.length);
      for (const uuid of uuids) all.add(uuid);
    }
    const paged: string[] = [];
    for (let page = 0; page < 3; page += 1)
      paged.push(...(await search(server.url, { page, size: 100 })).uuids);
    expect(all.size).toBe(visible);
    expect(new Set(paged)).toEqual(all);
    expect((await search(server.url, { size: 1 })).page?.totalElements).toBe(visible);
    const half = await search(server.url, { query: 'search.resourceid:[0 TO 8}', size: 1 });
    const rest = await search(server.url, { query: 'search.resourceid:[8 TO *]', size: 1 });
    expect((half.page?.totalElements ?? 0) + (rest.page?.totalElements ?? 0)).toBe(visible);
  });

  it('echoes a size over its cap, skips rows and miscounts', async () => {
    const over = await search(server.url, { size: 250 });
    expect(over.uuids).toHaveLength(100);
    expect(over.page).toMatchObject({ size: 250, totalElements: visible });
    const next = await search(server.url, { size: 250, page: 1 });
    expect(next.uuids).toHaveLength(visible - 250);
    const wrong = await search(server.url, { size: 280 });
    expect(wrong.page).toMatchObject({ size: 280, totalElements: 100 });
    server.switches.echoSize = false;
    expect((await search(server.url, { size: 280 })).page).toMatchObject({
      size: 100,
      totalElements: visible,
    });
  });

  it('has short pages, drift and lies where it is told to', async () => {
    server.switches.shortBy = 3;
    expect((await search(server.url, { size: 50 })).uuids).toHaveLength(47);
    server.switches.shortBy = 0;
    server.switches.total = (total) => total + 7;
    expect((await search(server.url, { size: 50 })).page?.totalElements).toBe(visible + 7);
    server.switches.total = undefined;
    server.switches.drift = 2;
    const [first, second] = [
      await search(server.url, { size: 50 }),
      await search(server.url, { size: 50, page: 1 }),
    ];
    server.switches.drift = 0;
    const again = await search(server.url, { size: 100 });
    const skipped = again.uuids.filter((uuid) => ![...first.uuids, ...second.uuids].includes(uuid));
    expect(skipped.length).toBeGreaterThan(0);
  });

  it('filters, scopes and sorts', async () => {
    const people = await search(server.url, { 'f.entityType': 'Person,equals', size: 100 });
    expect(people.uuids).toHaveLength(6);
    const titled = await search(server.url, { sort: 'dc.date.accessioned,DESC', size: 5 });
    const dates = titled.uuids.map((uuid) => repository.item(uuid)?.accessioned ?? 0);
    expect(dates).toEqual([...dates].sort((a, b) => b - a));
    const mapped = itemsWith(repository, 'mapped')[0];
    const scoped = await search(server.url, { scope: mapped?.mapped[0]?.uuid ?? '', size: 100 });
    expect(scoped.uuids).toContain(mapped?.uuid);
    const status = async (query: Record<string, string>) => (await search(server.url, query)).status;
    expect(await status({ sort: 'lastModified,ASC' })).toBe(422);
    expect(await status({ 'f.nonsense': 'a,equals' })).toBe(422);
    expect(await status({ size: '0' })).toBe(400);
  });

  it('finds what was modified since', async () => {
    const [item] = repository.items;
    if (item === undefined) throw new Error('no item');
    const since = new Date(repository.now() - 1).toISOString();
    repository.editMetadata(item, { 'dc.title': ['Anew'] });
    const query = `lastModified:[${since} TO *]`;
    expect((await search(server.url, { query })).uuids).toEqual([item.uuid]);
    const indexed = `SolrIndexer.lastIndexed:[${since} TO *] AND dc.title:anew`;
    expect((await search(server.url, { query: indexed })).uuids).toEqual([item.uuid]);
    repository.indexLag = 60_000;
    repository.editMetadata(item, { 'dc.title': ['Anew again'] });
    repository.indexLag = 0;
    const later = `lastModified:[${new Date(repository.now() + 1000).toISOString()} TO *]`;
    expect((await search(server.url, { query: later })).uuids).toEqual([]);
    repository.commitIndex();
  });

  it('cuts embedded lists at 20 unless told', async () => {
    const many = await startRestServer({ repository: sampleRepository({ items: 1, manyBitstreams: 130 }) });
    try {
      const uuid = many.repository.items[0]?.uuid;
      const rows = async (size: string) => {
        const { json } = await get(`${many.url}/core/items/${uuid}?embed=bundles/bitstreams${size}`);
        const { bitstreams } = json._embedded.bundles._embedded.bundles[0]._embedded;
        return [bitstreams._embedded.bitstreams.length, bitstreams.page.totalElements];
      };
      expect(await rows('')).toEqual([20, 130]);
      expect(await rows('&embed.size=bundles/bitstreams=100')).toEqual([100, 130]);
      const { json } = await get(`${many.url}/core/items/${uuid}/bundles`);
      const bundle = json._embedded.bundles[0].uuid;
      const last = await get(`${many.url}/core/bundles/${bundle}/bitstreams?size=50&page=2`);
      expect(last.json._embedded.bitstreams).toHaveLength(30);
      expect(Object.keys(last.json._links).sort()).toEqual(['first', 'prev', 'self']);
    } finally {
      await many.close();
    }
  });
});
