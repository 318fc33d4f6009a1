import { expect, test } from 'vitest';
import { openRestService } from '../../../../adapters/dspace/rest/rest-service.ts';
import { findInSearch, sweep } from '../../../../adapters/dspace/walks/sweep.ts';
import type { PageRequest } from '../../../../src/core/adapter.ts';
import { createContext } from '../../../house/adapters/http-double.ts';
import {
  collect,
  type Delivery,
  randomUuids,
  restOf,
  type Script,
  scriptOf,
} from '../../../house/adapters/search-script.ts';
import { SearchDouble, serveSearch } from '../../../house/adapters/search-server.ts';

const full: PageRequest = { mode: 'full' };
const { signal } = new AbortController();

function doubleOf(uuids: readonly string[]): SearchDouble {
  return new SearchDouble(uuids.map((uuid) => ({ uuid })));
}

function expectEach({ identifiers }: Delivery, uuids: readonly string[]): void {
  expect([...identifiers].sort()).toEqual([...uuids].sort());
}

async function sweepAll(script: Script): Promise<Delivery> {
  return collect(sweep(script, full, signal));
}

test('every item comes once, for less than 40 requests per 1,000', async () => {
  for (const count of [0, 1, 20, 150, 1000, 4000]) {
    const uuids = randomUuids(count);
    const double = doubleOf(uuids);
    const delivery = await sweepAll(scriptOf(restOf(double)));
    expectEach(delivery, uuids);
    expect(delivery.problems).toEqual([]);
    expect(double.asked.length).toBeLessThan(10 + count / 25);
    expect(delivery.pages.length).toBeGreaterThan(0);
    expect(delivery.pages.at(-1)?.expectedTotal).toBe(count);
    expect(delivery.pages.at(-1)?.statedTotal).toBe(count);
    expect(delivery.pages.slice(0, -1).filter((page) => page.statedTotal !== undefined)).toEqual([]);
  }
});

test('nothing is asked for beyond the first page, nothing above 100, and the terms of a query are bounded', async () => {
  const double = doubleOf(randomUuids(3000));
  await sweepAll(scriptOf(restOf(double)));
  for (const query of double.asked) {
    expect(query.get('page')).toBe('0');
    expect(Number(query.get('size'))).toBeLessThanOrEqual(100);
    expect((query.get('query') ?? '').split(' OR ').length).toBeLessThanOrEqual(30);
    expect(query.get('dsoType')).toBe('item');
  }
});

test('over the network, with the clock of the answer for the next run', async () => {
  const uuids = randomUuids(130);
  const begunAt = Date.now();
  const server = await serveSearch(doubleOf(uuids));
  try {
    const context = createContext('2001-01-01T00:00:00Z');
    const rest = await openRestService({ url: server.url }, context, signal);
    const script = scriptOf(rest);
    const delivery = await sweepAll(script);
    expectEach(delivery, uuids);
    const { asOf } = delivery.pages[0] ?? {};
    // An HTTP date has no milliseconds.
    expect(Date.parse(asOf ?? '')).toBeGreaterThan(begunAt - 1000);
    expect(Date.parse(asOf ?? '')).toBeLessThanOrEqual(Date.now());
    expect(new Set(delivery.pages.map((page) => page.asOf)).size).toBe(1);
    expect(await findInSearch(rest, uuids[0] ?? '', signal)).toBe(true);
    expect(await findInSearch(rest, randomUuids(1)[0] ?? '', signal)).toBe(false);
  } finally {
    await server.close();
  }
});

test('where nobody says what time it is, our own clock counts', async () => {
  const { pages } = await sweepAll(scriptOf(restOf(doubleOf([]))));
  expect(pages.map(({ asOf }) => asOf)).toEqual(['2026-11-21T12:00:00Z']);
});

test('UUIDs in one corner, of one time and in pairs are all found', async () => {
  const corner = Array.from(
    { length: 400 },
    (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  );
  const last = Array.from(
    { length: 300 },
    (_, n) => `ffffffff-ffff-ffff-ffff-fffffffff${n.toString(16).padStart(3, '0')}`,
  );
  const timed = Array.from(
    { length: 500 },
    (_, n) => `${(0xa0000000 + n * 3).toString(16)}-1dd2-11b2-8000-080027000001`,
  );
  for (const uuids of [corner, last, timed, [...corner, ...last, ...timed, ...randomUuids(200)]]) {
    const double = doubleOf(uuids);
    const delivery = await sweepAll(scriptOf(restOf(double)));
    expectEach(delivery, uuids);
    expect(delivery.problems).toEqual([]);
    expect(double.asked.length).toBeLessThan(200);
  }
});

test('a lower limit of rows is found out, remembered, and kept below', async () => {
  const uuids = randomUuids(500);
  const double = doubleOf(uuids);
  double.faults = { cap: 30 };
  const script = scriptOf(restOf(double));
  const delivery = await sweepAll(script);
  expectEach(delivery, uuids);
  expect(script.context.lessons.get('search-limit')).toBe('30');
  const sizes = double.asked.map((query) => Number(query.get('size')));
  expect(Math.max(...sizes.slice(2))).toBe(30);
});

test('a server that takes the first of several prefixes for all is seen through at the end', async () => {
  const uuids = randomUuids(600);
  const double = doubleOf(uuids);
  double.faults = { or: 'first' };
  const script = scriptOf(restOf(double));
  const delivery = await sweepAll(script);
  expect(new Set(delivery.identifiers)).toEqual(new Set(uuids));
  expect(delivery.problems).toEqual([]);
  expect(script.context.lessons.get('search-terms')).toBe('1');
  const second = await sweepAll(script);
  expectEach(second, uuids);
});

test.each(['all', 'refused'] as const)(
  'several prefixes at a time may not be understood (%s)',
  async (or) => {
    const uuids = randomUuids(600);
    const double = doubleOf(uuids);
    double.faults = { or };
    const script = scriptOf(restOf(double));
    const delivery = await sweepAll(script);
    expectEach(delivery, uuids);
    expect(script.context.lessons.get('search-terms')).toBe('1');
  },
);

test('what is too much at a time is asked for in smaller pages, and that is remembered', async () => {
  for (const status of [500, 504]) {
    const uuids = randomUuids(200);
    const double = doubleOf(uuids);
    double.faults = { heavy: { rows: 12, status } };
    const script = scriptOf(restOf(double));
    const delivery = await sweepAll(script);
    expectEach(delivery, uuids);
    expect(delivery.problems).toEqual([]);
    expect(Number(script.context.lessons.get('page-size'))).toBeLessThanOrEqual(15);
    expect(double.asked.length).toBeLessThan(70);
  }
});

test('where even five at a time are too much, items are read one by one', async () => {
  const uuids = randomUuids(120);
  const double = doubleOf(uuids);
  double.faults = { heavy: { rows: 1, status: 504 } };
  const script = scriptOf(restOf(double));
  const delivery = await sweepAll(script);
  expectEach(delivery, uuids);
  expect(script.context.lessons.get('page-size')).toBe('1');
  expect(double.asked.length).toBeLessThan(120 + 60);
});

test('slow answers are not asked to become larger', async () => {
  const uuids = randomUuids(300);
  const double = doubleOf(uuids);
  const script = scriptOf(restOf(double), { requestsPerHost: 1 });
  let now = Date.parse('2026-11-21T12:00:00Z');
  double.faults = {
    before: () => {
      now += 0.5 * 1000 * Number(double.asked.at(-1)?.get('size'));
    },
  };
  const context = { ...script.context, clock: { ...script.context.clock, now: () => new Date(now) } };
  expectEach(await collect(sweep({ ...script, context }, full, signal)), uuids);
  expect(Math.max(...double.asked.slice(2).map((query) => Number(query.get('size'))))).toBe(20);
});

test.each(['embeds', 'always'] as const)(
  'an item that breaks its pages (%s) costs nobody else',
  async (kind) => {
    const uuids = randomUuids(400);
    const bad = uuids[7] ?? '';
    const double = doubleOf(uuids);
    double.faults = { poison: new Map([[bad, kind]]) };
    const script = scriptOf(restOf(double));
    const delivery = await sweepAll(script);
    expectEach(
      delivery,
      uuids.filter((uuid) => uuid !== bad),
    );
    expect(delivery.problems.map(({ code, identifier }) => [code, identifier])).toEqual([
      ['record-quarantined', bad],
    ]);
    expect(script.context.lessons.get('page-size')).toBeUndefined();
    expect(double.asked.length).toBeLessThan(kind === 'embeds' ? 90 : 350);
  },
);

test('when everything fails it is not the items, and the run ends early', async () => {
  const double = doubleOf(randomUuids(300));
  const script = scriptOf(restOf(double));
  const pages = sweep(script, full, signal);
  await pages.next();
  double.faults = { outage: true };
  await expect(collect(pages)).rejects.toMatchObject({ code: 'upstream-status' });
  expect(double.asked.length).toBeLessThan(60);
});

test('rows that are left out once are found by a second look; stale documents do no harm', async () => {
  const uuids = randomUuids(500);
  const double = doubleOf(uuids);
  double.faults = { shy: new Map(uuids.slice(0, 20).map((uuid) => [uuid, 1])) };
  expectEach(await sweepAll(scriptOf(restOf(double))), uuids);

  const stale = new Set(uuids.slice(0, 4));
  double.faults = { stale };
  const delivery = await sweepAll(scriptOf(restOf(double)));
  expectEach(
    delivery,
    uuids.filter((uuid) => !stale.has(uuid)),
  );
  expect(delivery.problems).toEqual([]);
});

test('totals that are wrong cost requests, not items, and there is an end to it', async () => {
  const uuids = randomUuids(400);
  for (const extra of [-3, 1, 5, 50, 1000]) {
    const double = doubleOf(uuids);
    double.faults = { extra };
    const { identifiers } = await sweepAll(scriptOf(restOf(double)));
    expect(new Set(identifiers)).toEqual(new Set(uuids));
    expect(double.asked.length).toBeLessThan(1000);
  }
});

test('a limit of rows that nobody knew of is found out on the way', async () => {
  const uuids = randomUuids(300);
  const double = doubleOf(uuids);
  double.faults = { before: (request) => request === 4 && Object.assign(double.faults, { cap: 13 }) };
  const { identifiers, problems } = await sweepAll(scriptOf(restOf(double)));
  expect(new Set(identifiers)).toEqual(new Set(uuids));
  expect(problems).toEqual([]);
});

test('a list that stays much shorter than it should be is doubtful, which nobody is to delete by', async () => {
  const uuids = randomUuids(500);
  const double = doubleOf(uuids);
  double.faults = { stale: new Set(uuids.slice(0, 60)) };
  const { problems, identifiers } = await sweepAll(scriptOf(restOf(double)));
  expect(new Set(identifiers).size).toBe(440);
  expect(problems.map(({ code, identifier }) => [code, identifier])).toEqual([['list-doubtful', undefined]]);
});

test('items that come and go while the list is read put nothing in doubt', async () => {
  const uuids = randomUuids(1000);
  const [added, removed] = [randomUuids(40), uuids.slice(0, 40)];
  const double = doubleOf(uuids);
  double.faults = {
    before: (request) => {
      const [more, less] = [added[request - 5], removed[request - 5]];
      if (more !== undefined) double.items.set(more, { uuid: more });
      if (less !== undefined) double.items.delete(less);
    },
  };
  const { problems, identifiers } = await sweepAll(scriptOf(restOf(double)));
  const found = new Set(identifiers);
  expect(problems).toEqual([]);
  for (const uuid of uuids.slice(40)) expect(found.has(uuid)).toBe(true);
});

test('several collections and types are read one after the other, and what is in two comes once', async () => {
  const collection = 'c0000000-0000-4000-8000-000000000002';
  const other = 'c0000000-0000-4000-8000-000000000003';
  const uuids = randomUuids(90);
  const double = new SearchDouble(
    uuids.map((uuid, index) => ({
      uuid,
      collections: [
        ...(index % 2 === 0 ? [collection, 'col_10_2'] : []),
        ...(index % 3 === 0 ? [other] : []),
      ],
      entityType: index % 5 === 0 ? 'Person' : 'Publication',
    })),
  );
  const server = await serveSearch(double);
  try {
    const rest = await openRestService({ url: server.url }, createContext(), signal);
    const script = scriptOf(rest, {
      collections: ['col_10_2', other],
      entityTypes: ['Publication', 'Person'],
    });
    expectEach(
      await sweepAll(script),
      uuids.filter((_, index) => index % 2 === 0 || index % 3 === 0),
    );
    const persons = scriptOf(rest, { collections: ['col_10_2'], entityTypes: ['Person'] });
    expectEach(
      await sweepAll(persons),
      uuids.filter((_, index) => index % 10 === 0),
    );
    const unknown = scriptOf(rest, { collections: ['col_10_9'] });
    await expect(sweepAll(unknown)).rejects.toMatchObject({ code: 'unknown-collection' });
  } finally {
    await server.close();
  }
});

test('it goes on behind every page, with checkpoints that stay small', async () => {
  const uuids = randomUuids(300);
  const double = doubleOf(uuids);
  const all = await sweepAll(scriptOf(restOf(double)));
  for (let after = 1; after <= all.pages.length; after += 1) {
    const before = await collect(sweep(scriptOf(restOf(double)), full, signal), after);
    const checkpoint = JSON.parse(JSON.stringify(before.checkpoint));
    expect(JSON.stringify(checkpoint).length).toBeLessThan(600);
    const script = scriptOf(restOf(double));
    script.context.lessons.learn('page-size', '7', 'smaller pages than before');
    const rest = await collect(sweep(script, { mode: 'full', checkpoint }, signal));
    expectEach({ ...rest, identifiers: [...before.identifiers, ...rest.identifiers] }, uuids);
  }
});

test('a checkpoint of something else starts the list again', async () => {
  const uuids = randomUuids(30);
  for (const checkpoint of [
    {},
    { version: 1, kind: 'all' },
    { version: 1, kind: 'all', passes: ' ', asOf: 'x', pass: 0, list: 7 },
  ]) {
    expectEach(
      await collect(sweep(scriptOf(restOf(doubleOf(uuids))), { mode: 'full', checkpoint }, signal)),
      uuids,
    );
  }
});

test('rows that make no sense are problems', async () => {
  const double = doubleOf(randomUuids(3));
  const rest = restOf(double);
  const odd = {
    ...rest,
    get: async (...args: Parameters<typeof rest.get>) => {
      const json = JSON.parse(JSON.stringify(await rest.get(...args)));
      const { objects } = json._embedded.searchResult._embedded;
      if (objects[0]) objects[0]._embedded = null;
      if (objects[1]) objects[1] = 'what';
      return json;
    },
  };
  const { problems, identifiers } = await sweepAll(scriptOf(odd));
  expect(identifiers.length).toBe(1);
  expect(problems.map(({ code, identifier }) => [code, identifier === undefined]).sort()).toEqual([
    ['record-quarantined', false],
    ['record-quarantined', true],
  ]);
});

test('an aborted sweep ends, and leaves nothing on its way', async () => {
  const controller = new AbortController();
  const pages = sweep(scriptOf(restOf(doubleOf(randomUuids(300)))), full, controller.signal);
  await pages.next();
  controller.abort(new Error('enough'));
  await expect(collect(pages)).rejects.toThrow('enough');
});
