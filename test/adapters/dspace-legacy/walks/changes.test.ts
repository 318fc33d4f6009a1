import { describe, expect, test } from 'vitest';
import type { AdapterSettings, Page } from '../../../../src/core/adapter.ts';
import { createContext } from '../../../house/adapters/http-double.ts';
import {
  adapterAt,
  type LegacyItem,
  type LegacyRepository,
  pagesOf,
  serve,
  topCommunity,
} from '../../../house/adapters/legacy-repository.ts';

const signal = AbortSignal.timeout(180_000);
const uuid = (n: number) => `b0000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const articles = {
  id: 'a0000000-0000-4000-8000-000000000001',
  handle: '1/10',
  name: 'Articles',
  community: topCommunity,
};

function item(n: number, own: Partial<LegacyItem> = {}): LegacyItem {
  const collections = [articles.id];
  return {
    id: uuid(n),
    handle: `1/${100 + n}`,
    title: `Item ${n}`,
    collections,
    datestamp: '2026-11-20T00:00:00Z',
    ...own,
  };
}

function repository(items: readonly LegacyItem[]): LegacyRepository {
  return { items, collections: [articles] };
}

async function open(items: readonly LegacyItem[], own: Partial<AdapterSettings> = {}) {
  const provider = await serve(repository(items));
  const opened = adapterAt(new URL('/rest', provider.url).href, own);
  return { ...provider, ...opened };
}

const since = { mode: 'incremental', since: '2026-11-20T12:00:00Z' } as const;
const itemsIn = (pages: readonly Page[]) => pages.flatMap(({ items }) => items);
const told = (pages: readonly Page[]) =>
  itemsIn(pages).map(
    ({ identifier, deleted }) => `${deleted ? '-' : '+'}${identifier.replace(/^oai:old.example.org:/, '')}`,
  );

describe('an incremental run with OAI-PMH', () => {
  test('reads what has changed, and no list', async () => {
    const old = Array.from({ length: 50 }, (_, n) => item(n, { datestamp: '2025-01-01T00:00:00Z' }));
    const { adapter, requests } = await open([...old, item(60), item(61)]);
    const pages = await pagesOf(adapter, since);
    expect(told(pages)).toEqual(['+1/160', '+1/161']);
    expect(requests.some((url) => /collections\/[^/]+\/items/.test(url))).toBe(false);
    expect(requests.filter((url) => url.includes('/rest/handle/'))).toHaveLength(2);
    // Its list reaches back by two days.
    expect(
      requests.some((url) => url.includes('verb=ListIdentifiers') && url.includes('from=2026-11-18')),
    ).toBe(true);
  });

  test('deletes what has a tombstone, is withdrawn, or is refused', async () => {
    const { adapter } = await open([
      item(1, { isDeletedInOai: true, isPrivate: true }),
      item(2, { isWithdrawn: true }),
      item(3, { isRestricted: true }),
      item(4),
    ]);
    expect(told(await pagesOf(adapter, since))).toEqual(['-1/101', '-1/102', '-1/103', '+1/104']);
  });

  test('asks what became of what has a tombstone: what is hidden has no past, what is gone keeps it', async () => {
    const items = [
      item(1, { isDeletedInOai: true, isPrivate: true }),
      item(2, { isDeletedInOai: true, isWithdrawn: true }),
      item(3, { isDeletedInOai: true, isRestricted: true }),
      item(4, { isDeletedInOai: true, breaks: 'details' }),
      item(5, { isDeletedInOai: true, isGone: true }),
    ];
    const { adapter } = await open([...items, item(6)]);
    const delivered = itemsIn(await pagesOf(adapter, since));
    expect(delivered.map(({ deleted, refused = false }) => [deleted, refused])).toEqual([
      [true, true],
      [true, true],
      [true, true],
      [true, true],
      [true, false],
      [false, false],
    ]);
  });

  test('names what breaks, and what only one of the two knows', async () => {
    const { adapter } = await open([item(1, { breaks: 'details' }), item(2, { breaks: 'all' }), item(3)]);
    const pages = await pagesOf(adapter, since);
    expect(told(pages)).toEqual(['+1/103']);
    expect(pages.flatMap(({ problems }) => problems)).toMatchObject([
      { code: 'record-quarantined', identifier: 'oai:old.example.org:1/101' },
      {
        code: 'record-quarantined',
        identifier: 'oai:old.example.org:1/102',
        message: expect.stringContaining('does not know it'),
      },
    ]);
  });

  test('without changes costs hardly anything', async () => {
    const { adapter } = await open([item(1, { datestamp: '2025-01-01T00:00:00Z' })]);
    expect(itemsIn(await pagesOf(adapter, since))).toEqual([]);
  });

  test('goes on behind its checkpoints, and has nothing left at the end', async () => {
    const { adapter } = await open(Array.from({ length: 47 }, (_, n) => item(n)));
    const pages = await pagesOf(adapter, since);
    expect(pages.map(({ items }) => items.length)).toEqual([20, 20, 7]);
    expect(pages.map(({ checkpoint }) => checkpoint === undefined)).toEqual([true, true, false]);
    expect(itemsIn(await pagesOf(adapter, { ...since, checkpoint: pages[2]?.checkpoint }))).toEqual([]);
  });

  test('is a walk where OAI-PMH is not to be used', async () => {
    const { adapter, requests } = await open([item(1)], { oaiUrl: false, identity: 'oai:old.example.org' });
    expect(told(await pagesOf(adapter, since))).toEqual(['+1/101']);
    expect(requests.some((url) => url.startsWith('/oai'))).toBe(false);
  });
});

describe('an item is called', () => {
  const named = async (own: Partial<AdapterSettings>, known?: string, n: Partial<LegacyItem> = {}) => {
    const { url } = await serve(repository([item(1, n)]));
    const context = { ...createContext(), knownIdentifier: async () => known };
    const { adapter } = adapterAt(new URL('/rest', url).href, own, context);
    return itemsIn(await pagesOf(adapter)).map(({ identifier }) => identifier);
  };

  test('as OAI-PMH calls it', async () => {
    expect(await named({})).toEqual(['oai:old.example.org:1/101']);
  });

  test('as OAI-PMH calls it where Identify does not say how', async () => {
    const { url } = await serve({ ...repository([item(1)]), hasBareIdentify: true });
    const { adapter } = adapterAt(new URL('/rest', url).href);
    expect(itemsIn(await pagesOf(adapter)).map(({ identifier }) => identifier)).toEqual([
      'oai:old.example.org:1/101',
    ]);
  });

  test('as it is in store', async () => {
    expect(await named({}, 'oai:older.example.org:9/9')).toEqual(['oai:older.example.org:1/101']);
  });

  test('as the operator says', async () => {
    expect(await named({ identity: 'oai:mine.example.org' }, 'oai:older.example.org:9/9')).toEqual([
      'oai:mine.example.org:1/101',
    ]);
    expect(await named({ identity: 'uuid' })).toEqual([uuid(1)]);
  });

  test('by the host of the address where nobody says', async () => {
    expect(await named({ oaiUrl: false })).toEqual(['oai:127.0.0.1:1/101']);
  });

  test('by its id where it has no handle', async () => {
    const { url } = await serve(
      repository([
        { ...item(1), handle: '' },
        { ...item(2), id: 4711, handle: '' },
      ]),
    );
    const pages = await pagesOf(adapterAt(new URL('/rest', url).href).adapter);
    expect(itemsIn(pages).map(({ identifier }) => identifier)).toEqual([uuid(1), '4711']);
  });
});

describe('an item asked for', () => {
  const of = (n: number) => `oai:old.example.org:1/${100 + n}`;

  test('is there, though perhaps in no list', async () => {
    const { adapter } = await open([item(1, { isPrivate: true })]);
    expect(await adapter.item(of(1), signal)).toMatchObject({
      identifier: of(1),
      deleted: false,
      unlisted: true,
    });
  });

  test('is unknown: an error 500 that a known handle is not answered with', async () => {
    const { adapter } = await open([item(1)]);
    expect(await adapter.item(of(7), signal)).toBeUndefined();
    expect(await adapter.item(uuid(7), signal)).toBeUndefined();
    expect(await adapter.item('oai:elsewhere.example.org:1/101', signal)).toBeUndefined();
    expect(await adapter.item('1/101?expand=all', signal)).toBeUndefined();
    expect(await adapter.item('oai:old.example.org:1/10', signal)).toBeUndefined();
  });

  test('is gone: withdrawn, refused, or called otherwise by now', async () => {
    const { adapter } = await open([
      item(1, { isWithdrawn: true }),
      item(2, { isRestricted: true }),
      item(3),
    ]);
    expect(await adapter.item(of(1), signal)).toMatchObject({ identifier: of(1), deleted: true });
    expect(await adapter.item(of(2), signal)).toMatchObject({ identifier: of(2), deleted: true });
    expect(await adapter.item(uuid(3), signal)).toMatchObject({ identifier: uuid(3), deleted: true });
  });

  test('has no clear answer where a proxy answers in place of the repository', async () => {
    const { url } = await serve({ ...repository([item(1)]), hasOwnErrorPages: true });
    const { adapter } = adapterAt(new URL('/rest', url).href);
    for (const name of [of(7), uuid(7)])
      await expect(adapter.item(name, signal)).rejects.toMatchObject({
        ...{ code: 'upstream-status', concernsItem: true },
      });
    expect(await adapter.item(of(1), signal)).toMatchObject({ deleted: false });
  });

  test('cannot be judged while the server breaks over everything', async () => {
    const { url } = await serve({ items: [item(1)], collections: [articles] });
    const { adapter } = adapterAt(new URL('/rest', url).href);
    await pagesOf(adapter);
    const broken = { items: [item(1, { breaks: 'details' as const })], collections: [articles] };
    const { url: other } = await serve(broken);
    await expect(adapterAt(new URL('/rest', other).href).adapter.item(of(1), signal)).rejects.toMatchObject({
      code: 'upstream-status',
    });
  });
});

describe('formats by OAI-PMH', () => {
  const own = { formats: ['json'], oaiFormats: ['mets'] } as const;

  test('come behind the own pages', async () => {
    const { adapter } = await open([item(1), item(2)], own);
    const pages = await pagesOf(adapter);
    expect(pages.map(({ items, awaited = [] }) => [items.length, ...awaited])).toEqual([[2, 'mets'], [2]]);
    const [first, last] = [pages[0]?.items[0], pages.at(-1)?.items[0]];
    expect(first).toMatchObject({ speaksFor: { formats: ['json'] } });
    expect(first?.complete).toBeUndefined();
    expect(last).toMatchObject({
      supplement: true,
      identifier: first?.identifier,
      speaksFor: { formats: ['mets'] },
    });
    const behind = await pagesOf(adapter, { mode: 'full', checkpoint: pages[0]?.checkpoint });
    expect(told(behind)).toEqual(['+1/101', '+1/102']);
    expect(itemsIn(await pagesOf(adapter, { mode: 'full', checkpoint: pages.at(-1)?.checkpoint }))).toEqual(
      [],
    );
  });

  test('keep to what items are called here', async () => {
    const { adapter } = await open([item(1)], { ...own, identity: 'uuid' });
    expect(itemsIn(await pagesOf(adapter)).map(({ identifier }) => identifier)).toEqual([uuid(1), uuid(1)]);
  });

  test('come with an item that is asked for, and go with one that is gone', async () => {
    const { adapter } = await open([item(1), item(2, { isRestricted: true })], own);
    const asked = await adapter.item('oai:old.example.org:1/101', signal);
    expect(asked?.metadata.map(({ format }) => format)).toEqual(['json', 'mets']);
    expect(asked?.speaksFor.formats).toEqual(['json', 'mets']);
    for (const n of [2, 9]) {
      const gone = await adapter.item(`oai:old.example.org:1/${100 + n}`, signal);
      expect(gone).toMatchObject({ deleted: true, speaksFor: { formats: ['json', 'mets'] } });
    }
  });

  test('are gone in the own pages, too, with what is deleted', async () => {
    const { adapter } = await open([item(1, { isDeletedInOai: true })], own);
    const [gone] = itemsIn(await pagesOf(adapter, since));
    expect(gone).toMatchObject({ deleted: true, speaksFor: { formats: ['json', 'mets'] } });
  });

  test('are missing where the endpoint is', async () => {
    const { adapter } = await open([item(1)], { ...own, oaiUrl: false, identity: 'uuid' });
    await expect(adapter.identify(signal)).rejects.toThrow(/OAI-PMH/);
  });
});
