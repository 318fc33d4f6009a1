import { afterEach, describe, expect, it } from 'vitest';
import { CollectionTree } from '../../../../adapters/dspace/items/collection-tree.ts';
import { openRestService } from '../../../../adapters/dspace/rest/rest-service.ts';
import { createContext } from '../../../house/adapters/http-double.ts';
import {
  type Answer,
  type Route,
  rootJson,
  serveRoutes,
  springError,
} from '../../../house/adapters/routed-server.ts';
import { type RestServer, startRestServer } from '../../../house/dspace/rest/rest-server.ts';
import { sampleRepository } from '../../../house/dspace/sample-repository.ts';

const { signal } = new AbortController();
const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((server) => server.close()));
});

async function start(collections = 6) {
  const repository = sampleRepository({ items: 0, collections });
  const server = await startRestServer({ repository });
  closing.push(server);
  const context = createContext();
  const rest = await openRestService({ url: server.url }, context, signal);
  server.resetCounts();
  return { repository, server, context, tree: new CollectionTree(rest, context) };
}

function key(kind: 'col' | 'com', { handle }: { handle: string | null | undefined }): string {
  return `${kind}_${handle?.replace('/', '_')}`;
}

function asked({ requests }: RestServer): readonly string[] {
  return requests.map(({ path }) => path.replace(/[\da-f]{8}-[-\da-f]+/g, 'UUID'));
}

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const row of rows) list.push(row);
  return list;
}

describe('the keys of collections', () => {
  it('are theirs, then those of all communities above, with one request for a few', async () => {
    const { repository, server, tree } = await start();
    const nested = repository.collections.find(({ parent }) => parent.parent !== undefined);
    if (nested?.parent.parent === undefined) expect.fail('nothing is nested');
    const { uuid, handle } = nested;
    expect(await tree.keysOf([{ uuid, handle }], signal)).toEqual([
      key('col', nested),
      key('com', nested.parent),
      key('com', nested.parent.parent),
    ]);
    expect(await tree.keysOf([{ uuid, handle }], signal)).toHaveLength(3);
    expect(asked(server)).toEqual(['/server/api/core/collections/UUID']);
  });

  it('come in bulk for many, without repetition', async () => {
    const { repository, server, tree } = await start(40);
    const keys = await tree.keysOf(
      repository.collections.map(({ uuid, handle }) => ({ uuid, handle })),
      signal,
    );
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).toHaveLength(40 + 4);
    expect(asked(server).slice(3)).toEqual(['/server/api/core/communities', '/server/api/core/collections']);
  });

  it('are asked for once, however many ask', async () => {
    const { repository, server, tree } = await start();
    const [first] = repository.collections;
    const json = { uuid: first?.uuid, handle: first?.handle };
    await Promise.all([1, 2, 3].map(() => tree.keysOf([json], signal)));
    expect(server.requests).toHaveLength(1);
  });

  it('are at least those that the item states', async () => {
    const { tree } = await start();
    const unknown = { uuid: '11111111-2222-4333-8444-555555555555', handle: '1/2' };
    expect(await tree.keysOf([unknown, { uuid: 12 }, { ...unknown, handle: null }], signal)).toEqual([
      'col_1_2',
      unknown.uuid,
    ]);
  });

  it('are not guessed while the server is broken', async () => {
    const { repository, server, tree } = await start();
    server.fail({ reply: 500 });
    const [first] = repository.collections;
    await expect(tree.keysOf([{ uuid: first?.uuid }], signal)).rejects.toMatchObject({ status: 500 });
    server.faults.length = 0;
    expect(
      (await tree.keysOf([{ uuid: first?.uuid, handle: first?.handle }], signal)).length,
    ).toBeGreaterThan(1);
  });
});

describe('the list', () => {
  it('has every community and collection, by name', async () => {
    const { repository, tree } = await start();
    const list = await all(tree.list(signal));
    const keys = list.map(({ spec }) => spec).sort();
    expect(keys).toEqual(
      [
        ...repository.communities.map((place) => key('com', place)),
        ...repository.collections.map((place) => key('col', place)),
      ].sort(),
    );
    expect(list.map(({ name }) => name)).toContain('Faculty of Science');
  });

  it('is walked from the top where it is refused', async () => {
    const { server, tree } = await start();
    server.fail({ when: ({ path }) => /\/core\/(communities|collections)$/.test(path), reply: 401 });
    expect(await all(tree.list(signal))).toHaveLength(4 + 6);
  });

  it('is empty where everything is refused; items still lead to theirs', async () => {
    const { repository, server, tree } = await start();
    server.switches.refuseLists = true;
    expect(await all(tree.list(signal))).toEqual([]);
    const [first] = repository.collections;
    const keys = await tree.keysOf([{ uuid: first?.uuid, handle: first?.handle }], signal);
    expect(keys.length).toBeGreaterThan(1);
  });

  it('tells where a configured key leads', async () => {
    const { repository, tree } = await start();
    const [community] = repository.communities;
    const [collection] = repository.collections;
    if (community === undefined || collection === undefined) expect.fail('nothing there');
    expect(await tree.uuidOf(key('com', community), signal)).toBe(community.uuid);
    expect(await tree.uuidOf(key('col', collection), signal)).toBe(collection.uuid);
    expect(await tree.uuidOf('col_1_1', signal)).toBeUndefined();
  });
});

describe('a hostile server', () => {
  const uuid = (digit: number) => `${String(digit).repeat(8)}-0000-4000-8000-000000000000`;
  const treeOf = async (routes: Readonly<Record<string, Route | Answer>>) => {
    const server = await serveRoutes({ '/server/api': { json: rootJson() }, ...routes });
    closing.push(server);
    const rest = await openRestService({ url: `${server.origin}/server/api` }, createContext(), signal);
    return { server, tree: new CollectionTree(rest, createContext()) };
  };

  it('has communities in a circle', async () => {
    const community = (own: number, parent: number) => ({
      json: { uuid: uuid(own), handle: `1/${own}`, _embedded: { parentCommunity: { uuid: uuid(parent) } } },
    });
    const { tree } = await treeOf({
      [`/server/api/core/collections/${uuid(1)}`]: community(1, 2),
      [`/server/api/core/communities/${uuid(2)}`]: community(2, 3),
      [`/server/api/core/communities/${uuid(3)}`]: community(3, 2),
    });
    expect(await tree.keysOf([{ uuid: uuid(1), handle: '1/1' }], signal)).toEqual([
      'col_1_1',
      'com_1_2',
      'com_1_3',
    ]);
  });

  it('repeats a page for ever, with rows of any kind', async () => {
    const row = { uuid: uuid(1), handle: 5, name: ['x'], metadata: [] };
    const { server, tree } = await treeOf({
      '/server/api/core/communities': {
        json: { _embedded: { communities: [null, 1, row] }, page: { totalPages: 1e9 } },
      },
      '/server/api/core/collections': { json: { _embedded: [], page: null } },
    });
    expect(await all(tree.list(signal))).toEqual([{ spec: uuid(1), name: uuid(1) }]);
    expect(server.asked.length).toBeLessThan(6);
  });

  it('has no such list at all', async () => {
    const { tree } = await treeOf({ '/server/api/core/communities': springError(401, 'no') });
    await expect(all(tree.list(signal))).rejects.toMatchObject({ code: 'upstream-status', status: 404 });
  });
});
