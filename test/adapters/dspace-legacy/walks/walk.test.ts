import { describe, expect, test } from 'vitest';
import type { Page } from '../../../../src/core/adapter.ts';
import {
  adapterAt,
  type LegacyCollection,
  type LegacyItem,
  type LegacyRepository,
  pagesOf,
  serve,
  subCommunity,
  topCommunity,
} from '../../../house/adapters/legacy-repository.ts';

const signal = AbortSignal.timeout(180_000);
const uuid = (kind: string, n: number) => `${kind}0000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const articles: LegacyCollection = {
  id: uuid('a', 1),
  handle: '1/10',
  name: 'Articles',
  community: subCommunity,
};
const theses: LegacyCollection = {
  id: uuid('a', 2),
  handle: '1/11',
  name: 'Theses',
  community: topCommunity,
};

function items(count: number, own: (n: number) => Partial<LegacyItem> = () => ({})): LegacyItem[] {
  return Array.from({ length: count }, (_, n) => ({
    id: uuid('b', n),
    handle: `1/${n + 100}`,
    title: `Item ${n}`,
    collections: [String(articles.id)],
    ...own(n),
  }));
}

function repository(own: Partial<LegacyRepository> = {}): LegacyRepository {
  return { items: items(3), collections: [articles, theses], oai: false, ...own };
}

const identifiersIn = (pages: readonly Page[]) =>
  pages.flatMap(({ items: all }) => all.map(({ identifier }) => identifier));
const problemsIn = (pages: readonly Page[]) => pages.flatMap(({ problems }) => problems);
const listRequests = (requests: readonly string[]) =>
  requests.filter((url) => /\/collections\/[^/]+\/items/.test(url));

describe('a full walk', () => {
  test('delivers every item once, with the first of its collections', async () => {
    const all = items(250, (n) =>
      n % 5 === 0 ? { collections: [String(theses.id), String(articles.id)] } : {},
    );
    const { url, requests } = await serve(repository({ items: all }));
    const { adapter } = adapterAt(new URL('/rest', url).href);
    const pages = await pagesOf(adapter);
    const identifiers = identifiersIn(pages);
    expect(identifiers).toHaveLength(250);
    expect(new Set(identifiers).size).toBe(250);
    const mapped = pages
      .flatMap((page) => page.items)
      .find(({ identifier }) => identifier.endsWith(':1/100'));
    expect(mapped?.collections).toEqual(['col_1_11', 'col_1_10', 'com_1_1', 'com_1_2']);
    expect(problemsIn(pages)).toEqual([]);
    expect(listRequests(requests)).toHaveLength(4);
    expect(pages[0]?.expectedTotal).toBe(300);
  });

  test('goes on behind pages that are short or empty', async () => {
    const all = items(420, (n) => (n >= 100 && n < 400 ? { isRestricted: true } : {}));
    const { url } = await serve(repository({ items: all }));
    expect(identifiersIn(await pagesOf(adapterAt(new URL('/rest', url).href).adapter))).toHaveLength(120);
    const { url: uncounted } = await serve(
      repository({ items: all, collections: [{ ...articles, numberItems: null }] }),
    );
    expect(identifiersIn(await pagesOf(adapterAt(new URL('/rest', uncounted).href).adapter))).toHaveLength(
      120,
    );
  });

  test('asks for less where the server takes too long, and remembers it', async () => {
    const { url, requests } = await serve(repository({ items: items(120), mostAtOnce: 30 }));
    const { adapter, context } = adapterAt(new URL('/rest', url).href);
    expect(identifiersIn(await pagesOf(adapter))).toHaveLength(120);
    expect(context.lessons.get('page-size')).toBe('25');
    expect(listRequests(requests).filter((request) => request.includes('limit=25'))).not.toHaveLength(0);
  });

  test('names an item over which the server breaks, and delivers the others', async () => {
    const all = items(60, (n) => (n === 17 ? { breaks: 'details' } : n === 30 ? { breaks: 'all' } : {}));
    const { url, requests } = await serve(repository({ items: all, oai: true }));
    const pages = await pagesOf(adapterAt(new URL('/rest', url).href).adapter);
    expect(identifiersIn(pages)).toHaveLength(58);
    expect(problemsIn(pages)).toMatchObject([
      { code: 'record-quarantined', identifier: 'oai:old.example.org:1/117' },
      { code: 'record-quarantined', message: expect.stringContaining('item 31 of col_1_10') },
    ]);
    expect(listRequests(requests).length).toBeLessThan(50);
  });

  test('gives up when everything breaks', async () => {
    const { url } = await serve(repository({ items: items(60, () => ({ breaks: 'all' })) }));
    await expect(pagesOf(adapterAt(new URL('/rest', url).href).adapter)).rejects.toThrow(/answered 500/);
  });

  test('passes over nothing while the server fails behind a place, and goes on there when it does not', async () => {
    const down = (n: number) => (n >= 30 ? ({ breaks: 'all' } as const) : {});
    const all = repository({ items: items(90, down) });
    const { url } = await serve(all);
    const open = () => adapterAt(new URL('/rest', url).href).adapter;
    const pages: Page[] = [];
    const run = async () => {
      const checkpoint = pages.at(-1)?.checkpoint;
      for await (const page of open().pages({ mode: 'full', checkpoint }, signal)) pages.push(page);
    };
    for (let time = 0; time < 2; time += 1) await expect(run()).rejects.toThrow(/answered 500/);
    expect(new Set(identifiersIn(pages)).size).toBe(30);
    expect(problemsIn(pages)).toEqual([]);
    all.items = items(90);
    await run();
    expect(new Set(identifiersIn(pages)).size).toBe(90);
    expect(problemsIn(pages)).toEqual([]);
  });

  test('comes past more bad items in a row than an outage has, in time', async () => {
    const { url } = await serve(
      repository({ items: items(90, (n) => (n >= 30 && n < 60 ? { breaks: 'all' } : {})) }),
    );
    const pages: Page[] = [];
    const run = async () => {
      const { adapter } = adapterAt(new URL('/rest', url).href);
      const checkpoint = pages.at(-1)?.checkpoint;
      for await (const page of adapter.pages({ mode: 'full', checkpoint }, signal)) pages.push(page);
    };
    for (let time = 0; time < 4; time += 1) await expect(run()).rejects.toThrow(/answered 500/);
    await run();
    expect(new Set(identifiersIn(pages)).size).toBe(60);
    expect(problemsIn(pages)).toHaveLength(30);
  });

  test('notices that offsets are not heard, and reads item by item', async () => {
    const { url } = await serve(repository({ items: items(230), ignoresOffset: true }));
    const { adapter, context } = adapterAt(new URL('/rest', url).href);
    const identifiers = identifiersIn(await pagesOf(adapter));
    expect(new Set(identifiers).size).toBe(230);
    expect(identifiers).toHaveLength(230);
    expect(context.lessons.get('offset-ignored')).toBe('yes');
  });

  test('delivers with another collection what the first one does not show', async () => {
    const all = items(4, () => ({ collections: [String(articles.id), String(theses.id)] }));
    const denied = { ...articles, isDenied: true };
    const { url } = await serve(repository({ items: all, collections: [denied, theses] }));
    const pages = await pagesOf(adapterAt(new URL('/rest', url).href).adapter);
    expect(identifiersIn(pages)).toHaveLength(4);
    expect(problemsIn(pages)).toMatchObject([{ code: 'endpoint-quirk' }]);
  });

  test('goes on behind any of its checkpoints', async () => {
    const all = items(330, (n) => ({ collections: [String(n < 150 ? articles.id : theses.id)] }));
    const { url } = await serve(repository({ items: all, mostAtOnce: 50 }));
    const { adapter } = adapterAt(new URL('/rest', url).href);
    const pages = await pagesOf(adapter);
    const whole = identifiersIn(pages);
    expect(whole).toHaveLength(330);
    for (const [index, { checkpoint }] of pages.entries()) {
      const rest = await pagesOf(adapter, {
        mode: 'full',
        checkpoint: JSON.parse(JSON.stringify(checkpoint)),
      });
      expect(identifiersIn(rest)).toEqual(identifiersIn(pages.slice(index + 1)));
      expect(rest.every(({ asOf }) => asOf === pages[0]?.asOf)).toBe(true);
    }
  });

  test('keeps to the configured collections, communities included', async () => {
    const all = items(6, (n) => ({ collections: [String(n < 2 ? articles.id : theses.id)] }));
    const { url } = await serve(repository({ items: all }));
    const at = new URL('/rest', url).href;
    expect(identifiersIn(await pagesOf(adapterAt(at, { collections: ['com_1_2'] }).adapter))).toHaveLength(2);
    expect(identifiersIn(await pagesOf(adapterAt(at, { collections: ['com_1_1'] }).adapter))).toHaveLength(6);
    const none = pagesOf(adapterAt(at, { collections: ['col_9_9'] }).adapter);
    await expect(none).rejects.toMatchObject({ code: 'unknown-collection' });
  });

  test('doubts a collection that says to hold what is nowhere', async () => {
    const { url, requests } = await serve(repository({ collections: [{ ...articles, numberItems: 9e12 }] }));
    const pages = await pagesOf(adapterAt(new URL('/rest', url).href).adapter);
    expect(identifiersIn(pages)).toHaveLength(3);
    expect(problemsIn(pages)).toMatchObject([{ code: 'list-doubtful' }]);
    expect(listRequests(requests).length).toBeLessThan(150);
  });
});

describe('an incremental run without OAI-PMH', () => {
  test('is a walk, and says so', async () => {
    const { url } = await serve(repository());
    const { adapter, context } = adapterAt(new URL('/rest', url).href);
    const pages = await pagesOf(adapter, { mode: 'incremental', since: '2026-11-20T00:00:00Z' });
    expect(identifiersIn(pages)).toHaveLength(3);
    expect(context.lessons.get('changes')).toBe('unknown');
    expect(context.lessons.get('oai-endpoint')).toBe('none');
  });
});

describe('the list of identifiers', () => {
  test('is the same walk without details', async () => {
    const { url, requests } = await serve(repository({ items: items(130) }));
    const { adapter } = adapterAt(new URL('/rest', url).href);
    const entries = [];
    for await (const page of adapter.identifiers({}, signal)) entries.push(...page.entries);
    expect(entries).toHaveLength(130);
    expect(entries[0]).toMatchObject({ identifier: expect.stringMatching(/:1\/100$/), deleted: false });
    expect(entries[0]?.collections).toEqual(['col_1_10', 'com_1_1', 'com_1_2']);
    expect(listRequests(requests).every((request) => !request.includes('expand'))).toBe(true);
  });
});

test('collections and communities are listed as OAI-PMH calls them', async () => {
  const { url } = await serve(repository());
  const specs = [];
  for await (const { spec } of adapterAt(new URL('/rest', url).href).adapter.collections(signal))
    specs.push(spec);
  expect(specs).toEqual(['com_1_1', 'com_1_2', 'col_1_10', 'col_1_11']);
});
