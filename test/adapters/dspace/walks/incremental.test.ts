import { expect, test } from 'vitest';
import { listIdentifiers } from '../../../../adapters/dspace/walks/identifiers.ts';
import { sweep } from '../../../../adapters/dspace/walks/sweep.ts';
import type { IdentifierPage, PageRequest } from '../../../../src/core/adapter.ts';
import { BridgeError } from '../../../../src/core/errors.ts';
import { collect, randomUuids, restOf, scriptOf } from '../../../house/adapters/search-script.ts';
import { type IndexedItem, SearchDouble } from '../../../house/adapters/search-server.ts';

const since = '2026-11-20T12:00:00Z';
const request: PageRequest = { mode: 'incremental', since };
const { signal } = new AbortController();
const [before, after] = ['2026-11-01T00:00:00.000Z', '2026-11-20T18:00:00.000Z'];

function itemsOf(count: number, more: Omit<IndexedItem, 'uuid'>): IndexedItem[] {
  return randomUuids(count).map((uuid) => ({ uuid, ...more }));
}

const uuidsOf = (items: readonly IndexedItem[]) => items.map(({ uuid }) => uuid).sort();

test('nothing has changed: one request, and a page that says when', async () => {
  const double = new SearchDouble(itemsOf(500, { lastModified: before }));
  const date = 'Sat, 21 Nov 2026 11:00:00 GMT';
  const { pages, checkpoint } = await collect(sweep(scriptOf(restOf(double, date)), request, signal));
  expect(double.asked.length).toBe(1);
  expect(double.asked[0]?.get('query')).toBe(
    '(lastModified:[2026-11-20T11:50:00.000Z TO *] OR SolrIndexer.lastIndexed:[2026-11-20T11:50:00.000Z TO *])',
  );
  expect(pages.map(({ items, asOf }) => [items.length, asOf])).toEqual([[0, '2026-11-21T11:00:00Z']]);
  expect(await collect(sweep(scriptOf(restOf(double)), { ...request, checkpoint }, signal))).toMatchObject({
    pages: [],
  });
  expect(double.asked.length).toBe(1);
});

test('a few changes come with that one request, policies and relations among them', async () => {
  const changed = [
    ...itemsOf(7, { lastModified: after }),
    ...itemsOf(4, { lastModified: before, lastIndexed: after }),
    ...itemsOf(1, { lastModified: '2026-11-20T11:55:00.000Z' }),
  ];
  const double = new SearchDouble([...changed, ...itemsOf(300, { lastModified: before })]);
  const { identifiers } = await collect(sweep(scriptOf(restOf(double)), request, signal));
  expect([...identifiers].sort()).toEqual(uuidsOf(changed));
  expect(double.asked.length).toBe(1);
});

test('many changes come in windows, and can be taken up behind each', async () => {
  const changed = itemsOf(250, { lastModified: after });
  const double = new SearchDouble([...changed, ...itemsOf(900, { lastModified: before })]);
  const whole = await collect(sweep(scriptOf(restOf(double)), request, signal));
  expect([...whole.identifiers].sort()).toEqual(uuidsOf(changed));
  expect(double.asked.length).toBeLessThan(20);
  for (const pages of [1, 3, whole.pages.length]) {
    const first = await collect(sweep(scriptOf(restOf(double)), request, signal), pages);
    const checkpoint = JSON.parse(JSON.stringify(first.checkpoint));
    const script = scriptOf(restOf(double));
    script.context.lessons.learn('page-size', '9', 'smaller');
    const rest = await collect(sweep(script, { ...request, checkpoint }, signal));
    expect([...first.identifiers, ...rest.identifiers].sort()).toEqual(uuidsOf(changed));
  }
});

test('after everything was reindexed, the dates of the items count alone', async () => {
  const changed = itemsOf(30, { lastModified: after, lastIndexed: after });
  const double = new SearchDouble([
    ...changed,
    ...itemsOf(1200, { lastModified: before, lastIndexed: after }),
  ]);
  const { identifiers } = await collect(sweep(scriptOf(restOf(double)), request, signal));
  expect([...identifiers].sort()).toEqual(uuidsOf(changed));
  expect(double.asked.length).toBeLessThan(10);
});

test('a mass change that is less than that is read as it is', async () => {
  const changed = itemsOf(400, { lastModified: before, lastIndexed: after });
  const double = new SearchDouble([...changed, ...itemsOf(500, { lastModified: before })]);
  const { identifiers } = await collect(sweep(scriptOf(restOf(double)), request, signal));
  expect([...identifiers].sort()).toEqual(uuidsOf(changed));
});

test('a date of indexing that is not known is not asked for again', async () => {
  const changed = itemsOf(3, { lastModified: after });
  const double = new SearchDouble([...changed, ...itemsOf(50, { lastModified: before })]);
  double.faults = { unknownField: 'SolrIndexer' };
  const script = scriptOf(restOf(double));
  for (const requests of [3, 1]) {
    double.asked.length = 0;
    const { identifiers } = await collect(sweep(script, request, signal));
    expect([...identifiers].sort()).toEqual(uuidsOf(changed));
    expect(double.asked.length).toBe(requests);
  }
  expect(script.context.lessons.get('changes-query')).toMatch(/^modified 2026-11-21/);
  const later = {
    ...script.context,
    clock: { ...script.context.clock, now: () => new Date('2027-01-21T12:00:00Z') },
  };
  double.faults = {};
  double.asked.length = 0;
  await collect(sweep({ ...script, context: later }, request, signal));
  expect(double.asked[0]?.get('query')).toContain('SolrIndexer');
});

test('where OR is refused, the dates of indexing are asked for alone', async () => {
  const changed = itemsOf(3, { lastModified: after });
  const double = new SearchDouble([...changed, ...itemsOf(50, { lastModified: before })]);
  double.faults = { or: 'refused' };
  const script = scriptOf(restOf(double));
  const { identifiers } = await collect(sweep(script, request, signal));
  expect([...identifiers].sort()).toEqual(uuidsOf(changed));
  expect(double.asked.at(-1)?.get('query')).toBe('SolrIndexer.lastIndexed:[2026-11-20T11:50:00.000Z TO *]');
  expect(script.context.lessons.get('changes-query')).toMatch(/^reindexed /);
});

test('where brackets are refused, the newest items are looked through', async () => {
  const fresh = itemsOf(30, { lastModified: after, accessioned: '2026-11-20T13:00:00Z' });
  const double = new SearchDouble([...itemsOf(200, { lastModified: before, accessioned: before }), ...fresh]);
  double.faults = { brackets: true };
  const script = scriptOf(restOf(double));
  const { identifiers } = await collect(sweep(script, request, signal));
  expect([...identifiers].sort()).toEqual(uuidsOf(fresh));
  expect(script.context.lessons.get('changes-query')).toMatch(/^accessioned /);

  const first = await collect(sweep(script, request, signal), 1);
  const rest = await collect(sweep(script, { ...request, checkpoint: first.checkpoint }, signal));
  expect([...first.identifiers, ...rest.identifiers].sort()).toEqual(uuidsOf(fresh));
});

test('a guard that refuses everything teaches nothing', async () => {
  const double = new SearchDouble([]);
  const script = scriptOf({
    ...restOf(double),
    get: async () => {
      throw new BridgeError('upstream-html', 'a page for people');
    },
  });
  await expect(collect(sweep(script, request, signal))).rejects.toThrow('a page for people');
  expect(script.context.lessons.get('changes-query')).toBeUndefined();
});

test('changes that are too much at a time come in smaller pages', async () => {
  const changed = itemsOf(60, { lastModified: after });
  const double = new SearchDouble([...changed, ...itemsOf(300, { lastModified: before })]);
  double.faults = { heavy: { rows: 8, status: 504 } };
  const { identifiers } = await collect(sweep(scriptOf(restOf(double)), request, signal));
  expect([...identifiers].sort()).toEqual(uuidsOf(changed));
});

test('a lower limit of rows that was learnt before hides no change', async () => {
  const changed = itemsOf(18, { lastModified: after });
  const double = new SearchDouble([...changed, ...itemsOf(300, { lastModified: before })]);
  double.faults = { cap: 10 };
  const script = scriptOf(restOf(double));
  await collect(sweep(script, { mode: 'full' }, signal));
  const { identifiers } = await collect(sweep(script, request, signal));
  expect([...identifiers].sort()).toEqual(uuidsOf(changed));
});

async function list(pages: AsyncIterable<IdentifierPage>, most = Number.POSITIVE_INFINITY) {
  const read: IdentifierPage[] = [];
  for await (const page of pages) {
    read.push(page);
    if (read.length >= most) break;
  }
  return { entries: read.flatMap(({ entries }) => entries), pages: read };
}

test('identifiers come bare, a hundred at a time', async () => {
  const items = itemsOf(400, { lastModified: before });
  const [first] = items;
  const double = new SearchDouble([...items.slice(1), { ...first, uuid: first?.uuid ?? '', handle: '10/7' }]);
  const { entries, pages } = await list(listIdentifiers(scriptOf(restOf(double)), {}, signal));
  const expected = items.map(({ uuid }) => (uuid === first?.uuid ? 'oai:double.example:10/7' : uuid));
  expect(entries.map(({ identifier }) => identifier).sort()).toEqual(expected.sort());
  expect(entries[0]).toMatchObject({ datestamp: '2026-11-01T00:00:00Z', deleted: false, collections: [] });
  expect(new Set(pages.map(({ format }) => format))).toEqual(new Set(['oai_dc']));
  expect(double.asked.some((query) => query.has('embed'))).toBe(false);
  expect(double.asked.length).toBeLessThan(14);
});

test('identifiers of what has changed, and behind any page', async () => {
  const changed = itemsOf(220, { lastModified: after });
  const double = new SearchDouble([...changed, ...itemsOf(300, { lastModified: before })]);
  for (const since of [undefined, request.since]) {
    const whole = await list(listIdentifiers(scriptOf(restOf(double)), { since }, signal));
    expect(whole.entries.length).toBe(since === undefined ? 520 : 220);
    const first = await list(listIdentifiers(scriptOf(restOf(double)), { since }, signal), 2);
    const checkpoint = JSON.parse(JSON.stringify(first.pages.at(-1)?.checkpoint));
    const rest = await list(listIdentifiers(scriptOf(restOf(double)), { since, checkpoint }, signal));
    const found = [...first.entries, ...rest.entries].map(({ identifier }) => identifier);
    expect(found.sort()).toEqual(whole.entries.map(({ identifier }) => identifier).sort());
  }
});

test('an item that breaks every page of the list is read alone', async () => {
  const items = itemsOf(150, { lastModified: before });
  const bad = items[3]?.uuid ?? '';
  const double = new SearchDouble(items);
  double.faults = { poison: new Map([[bad, 'always']]) };
  const { entries, pages } = await list(listIdentifiers(scriptOf(restOf(double)), {}, signal));
  expect(entries.length).toBe(149);
  expect(pages.flatMap(({ problems }) => problems).map(({ identifier }) => identifier)).toEqual([bad]);
});
