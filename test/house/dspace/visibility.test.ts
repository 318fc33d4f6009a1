import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get, logIn, search } from './client.ts';
import type { Item } from './model.ts';
import { type RestServer, sampleAccounts, startRestServer } from './rest/rest-server.ts';
import { itemsWith, type Oddity, sampleRepository } from './sample-repository.ts';

describe('what the simulated DSpace shows to whom', () => {
  const repository = sampleRepository({ items: 100 });
  let server: RestServer;
  let admin: Record<string, string>;
  let staff: Record<string, string>;
  let nobody: Record<string, string>;

  beforeAll(async () => {
    server = await startRestServer({ repository });
    const sessions = sampleAccounts.map(({ user, password }) => logIn(server.url, user, password));
    [admin = {}, staff = {}, nobody = {}] = await Promise.all(sessions);
  });

  afterAll(() => server.close());

  const first = (oddity: Oddity): Item => itemsWith(repository, oddity)[0] as Item;
  const status = async (path: string, headers = {}) => (await get(`${server.url}${path}`, headers)).status;
  const found = async (item: Item, query = {}, headers = {}) => {
    const { uuids } = await search(
      server.url,
      { query: `search.resourceid:${item.uuid}`, ...query },
      headers,
    );
    return uuids.includes(item.uuid);
  };

  it('shows an archived item to everybody', async () => {
    const item = repository.items[1] as Item;
    expect(await status(`/core/items/${item.uuid}`)).toBe(200);
    expect(await found(item)).toBe(true);
  });

  it('shows the shell of a withdrawn item', async () => {
    const item = first('withdrawn');
    const { status: code, json } = await get(`${server.url}/core/items/${item.uuid}`);
    expect(code).toBe(200);
    expect(json).toMatchObject({ metadata: {}, inArchive: false, withdrawn: true });
    expect(await status(`/core/items/${item.uuid}/bundles`)).toBe(401);
    expect(await status(`/core/items/${item.uuid}/bundles`, nobody)).toBe(403);
    expect(await found(item)).toBe(false);
  });

  it('shows a private item to whoever knows its id', async () => {
    const item = first('privateItem');
    const { json } = await get(`${server.url}/core/items/${item.uuid}`);
    expect(json).toMatchObject({ discoverable: false, inArchive: true });
    expect(Object.keys(json.metadata)).toContain('dc.title');
    expect(await found(item)).toBe(false);
  });

  it.each(['embargoedItem', 'restrictedItem'] as const)('hides an item that is %s', async (oddity) => {
    const item = first(oddity);
    expect(await status(`/core/items/${item.uuid}`)).toBe(401);
    expect(await status(`/core/items/${item.uuid}`, nobody)).toBe(403);
    expect(await status(`/core/items/${item.uuid}`, admin)).toBe(200);
    expect(await found(item)).toBe(false);
    expect(await found(item, {}, admin)).toBe(true);
    expect(await found(item, {}, staff)).toBe(oddity === 'restrictedItem');
  });

  it('lists a restricted file and keeps its bytes', async () => {
    const item = first('restrictedFile');
    const [closed, open] = item.files;
    const { json } = await get(`${server.url}/core/items/${item.uuid}?embed=bundles/bitstreams/accessStatus`);
    const [original] = json._embedded.bundles._embedded.bundles;
    const states = original._embedded.bitstreams._embedded.bitstreams.map(
      (row: { _embedded: { accessStatus: { status: string } } }) => row._embedded.accessStatus.status,
    );
    expect(states).toEqual(['restricted', 'open.access']);
    expect(await status(`/core/bitstreams/${closed?.uuid}/content`)).toBe(401);
    expect(await status(`/core/bitstreams/${closed?.uuid}/content`, nobody)).toBe(403);
    expect(await status(`/core/bitstreams/${closed?.uuid}/content`, staff)).toBe(200);
    expect(await status(`/core/bitstreams/${open?.uuid}/content`)).toBe(200);
  });

  it('opens an embargoed file when its day has come', async () => {
    const item = first('embargoedFile');
    const path = `/core/bitstreams/${item.files[0]?.uuid}/content`;
    const access = await get(`${server.url}/core/items/${item.uuid}/accessStatus`);
    expect(access.json).toMatchObject({ status: 'embargo', embargoDate: '2050-01-01' });
    expect(await status(path)).toBe(401);
    repository.now = () => Date.parse('2050-01-02T00:00:00Z');
    expect(await status(path)).toBe(200);
    repository.now = () => Date.now();
  });

  it('finds older versions only where relationships are looked for', async () => {
    const [older, newer] = [first('olderVersion'), first('newerVersion')];
    expect(await status(`/core/items/${older.uuid}`)).toBe(200);
    expect([await found(older), await found(newer)]).toEqual([false, true]);
    expect(await found(older, { configuration: 'default-relationships' })).toBe(true);
  });

  it('hides or lacks versions where it is told to', async () => {
    const path = `/core/items/${first('newerVersion').uuid}`;
    server.switches.versions = 'hidden';
    expect([await status(`${path}/version`), await status(`${path}/version`, admin)]).toEqual([401, 200]);
    const hidden = await get(`${server.url}${path}?embed=version`);
    expect(hidden.json._embedded).toBeUndefined();
    server.switches.versions = 'off';
    expect([await status(`${path}/version`), await status(`${path}/version`, admin)]).toEqual([401, 403]);
    server.switches.versions = 'on';
    expect(await status(`/core/items/${repository.items[1]?.uuid}/version`)).toBe(204);
  });

  it('forgets what is deleted, and its index does so later', async () => {
    const item = repository.items[1] as Item;
    repository.indexLag = Number.POSITIVE_INFINITY;
    repository.delete(item);
    repository.indexLag = 0;
    expect(await status(`/core/items/${item.uuid}`)).toBe(404);
    const stale = await search(server.url, { query: `search.resourceid:${item.uuid}` });
    expect(stale.page?.totalElements).toBe(1);
    expect(stale.uuids).toEqual([]);
    expect((await search(server.url, { query: `search.resourceid:${item.uuid}` })).page?.totalElements).toBe(
      0,
    );
  });

  it('leaves a gap where the index still lists what has become restricted', async () => {
    const item = repository.items[0] as Item;
    repository.indexLag = Number.POSITIVE_INFINITY;
    repository.restrict(item);
    repository.indexLag = 0;
    const query = `search.resourceid:${item.uuid}`;
    const { json } = await get(`${server.url}/discover/search/objects?dsoType=item&query=${query}`);
    const [hit] = json._embedded.searchResult._embedded.objects;
    expect(hit._embedded).toEqual({ indexableObject: null });
    repository.commitIndex();
    expect((await search(server.url, { query })).page?.totalElements).toBe(0);
  });

  it('hides provenance and e-mail addresses from all but administrators', async () => {
    const path = `${server.url}/core/items/${first('person').uuid}`;
    const [anyone, insider] = [await get(path), await get(path, admin)];
    expect(Object.keys(anyone.json.metadata)).not.toContain('person.email');
    expect(Object.keys(insider.json.metadata)).toContain('person.email');
  });
});
