import { describe, expect, test } from 'vitest';
import { liveThrough } from '../house/hostile/life.ts';
import type { Misbehaviour } from '../house/hostile/provider/misbehaviour.ts';
import { identifierOf } from '../house/hostile/repository.ts';
import { openStage, type SceneOptions } from '../house/hostile/scene.ts';

const openScene = openStage();

describe('All goes well', () => {
  test.each<[string, Misbehaviour, SceneOptions?]>([
    [
      'quirk 4: the last page has a token that leads to noRecordsMatch',
      { tokenOnLastPage: 'noRecordsMatch' },
    ],
    [
      'quirk 4: the last page has a token that leads to badResumptionToken',
      { tokenOnLastPage: 'badResumptionToken' },
    ],
    ['quirk 4: the last page has a token that leads to nothing', { tokenOnLastPage: 'nothing' }],
    [
      'quirk 5: where the pages are all full, an empty one follows',
      { emptyPageAtTheEnd: true },
      { records: 30 },
    ],
    ['quirk 6: the last token is absent', { lastToken: 'absent' }],
    ['quirk 6: the last token is empty', { lastToken: 'empty' }],
    ['quirk 6: the last token is blank', { lastToken: 'blank' }],
    ['quirk 8: tokens have to be encoded', { tokensNeedEncoding: true }],
    ['quirk 9: tokens must not be encoded', { tokensComparedRaw: true }],
    ['quirk 10: tokens look as if they were encoded already', { tokensLookEncoded: true }],
    ['quirk 11: a token needs metadataPrefix beside it', { tokenNeedsPrefix: true }],
    ['quirk 15: the cursor counts pages', { cursor: 'pages' }],
    ['quirk 15: the cursor stands still', { cursor: 'zero' }],
    ['quirk 16: nothing is said about the size of the list', { cursor: 'absent' }],
    ['quirk 17: completeListSize is absent', { completeListSize: 'absent' }],
    ['quirk 17: completeListSize is too low', { completeListSize: 'low' }],
    ['quirk 17: completeListSize grows from page to page', { completeListSize: 'growing' }],
    ['quirk 21: the list of sets comes in pages', { setsPerPage: 1 }],
    ['quirk 21: the list of sets is shuffled for every page', { setsPerPage: 1, listSets: 'shuffled' }],
    ['quirk 21: the list of sets fails', { listSets: 'fails' }],
    ['quirk 21: the list of sets never ends', { setsPerPage: 2, listSets: 'endless' }],
  ])('although, %s', async (_name, wrong, options) => {
    await liveThrough(await openScene(options), wrong);
  });
});

test('quirk 1: a token that expired between two pages costs no record', async () => {
  const scene = await openScene({ records: 45 });
  scene.misbehave({ tokenLifetimeSeconds: 60 });
  let pages = 0;
  scene.provider.onRequest = ({ query }) => {
    if (query.has('resumptionToken')) pages += 1;
    if (pages === 3) scene.clock.advance(120);
  };
  expect(await scene.run()).toMatchObject({ state: 'succeeded' });
  await scene.expectTruth();
});

test('quirk 1: tokens that expire while we work on a page are used before', async () => {
  const scene = await openScene({ records: 45 });
  scene.misbehave({ tokenLifetimeSeconds: 60 });
  await scene.run({ onProgress: () => scene.clock.advance(50) });
  await scene.expectTruth();
});

test('quirk 1: tokens that are expired before anybody can send them lead to windows of one page each', async () => {
  const scene = await openScene({ records: 60 });
  scene.misbehave({ tokenLifetimeSeconds: 0 });
  await scene.settle();
  await scene.expectTruth();
  expect(scene.provider.traffic.arrivals.length).toBeLessThan(250);
});

test('quirk 1: a token from before a crash starts the list again', async () => {
  const scene = await openScene({ records: 45 });
  await scene.run({ limit: 20 });
  scene.misbehave({ tokenLifetimeSeconds: 60 });
  scene.clock.advance(3600);
  await scene.settle();
  await scene.expectTruth();
});

test.each(['connection', 'body'] as const)(
  'quirk 2: where asking again gives the next page, a %s that breaks off costs no record',
  async (cutOff) => {
    const scene = await openScene({ records: 45 });
    scene.misbehave({ tokensNameTheNextPage: true, cutOffEvery: 4, cutOff });
    await scene.settle();
    await scene.expectTruth();
  },
);

describe.each([
  ['no size', { completeListSize: 'absent' }],
  ['no size and no cursor', { completeListSize: 'absent', cursor: 'absent' }],
  ['no size, and cursors that count pages', { completeListSize: 'absent', cursor: 'pages' }],
] as const)('quirk 2: where asking again gives the next page, and it states %s', (_name, silence) => {
  test.each<[string, Misbehaviour]>([
    ['connection that breaks off', { cutOffEvery: 4, cutOff: 'connection' }],
    ['document that breaks off', { cutOffEvery: 4, cutOff: 'body' }],
    ['connection that breaks off now and then', { cutOffEvery: 11, cutOff: 'connection' }],
    ['document that breaks off now and then', { cutOffEvery: 11, cutOff: 'body' }],
  ])('a %s costs no record', async (_what, wrong) => {
    const scene = await openScene({ records: 95 });
    scene.misbehave({ tokensNameTheNextPage: true, ...silence, ...wrong });
    await scene.settle();
    await scene.expectTruth();
  });

  test('nor does a run that was killed', async () => {
    const scene = await openScene({ records: 95 });
    scene.misbehave({ tokensNameTheNextPage: true, ...silence });
    await scene.run({ limit: 30 });
    await scene.settle();
    await scene.expectTruth();
  });

  test('and tokens that name their page cost one more request', async () => {
    const scene = await openScene({ records: 95 });
    scene.misbehave({ ...silence, cutOffEvery: 6, cutOff: 'body' });
    expect(await scene.run()).toMatchObject({ state: 'succeeded', items: 95, unchanged: 0 });
    await scene.expectTruth();
    expect(scene.provider.traffic.of('ListRecords').length).toBeLessThan(10 + 2 * 2 + 1);
  });
});

test('quirk 2: nor does it in windows that are read in several attempts', async () => {
  const scene = await openScene({ records: 25, pageSize: 5, formats: ['oai_dc', 'mods'] });
  scene.repository.edit(identifierOf(7));
  scene.repository.editSilently(identifierOf(5));
  scene.repository.editSilently(identifierOf(2));
  scene.repository.remove(identifierOf(15));
  scene.misbehave({
    tokensNameTheNextPage: true,
    largestList: 20,
    htmlEvery: 6,
    busyEvery: 7,
    cutOffEvery: 5,
    strangeTombstones: 3,
  });
  await scene.settle(10);
  await scene.expectTruth();
});

test.each(['same token', 'same page', 'circle'] as const)(
  'quirk 3: a list that never ends (%s) is left, and nothing is deleted for it',
  async (tokenLoop) => {
    const scene = await openScene({ records: 45 });
    await scene.run();
    await scene.expectTruth();
    scene.provider.traffic.clear();
    scene.misbehave({ tokenLoop });
    await scene.run({ mode: 'full' }).catch(() => undefined);
    expect(scene.provider.traffic.arrivals.length).toBeLessThan(200);
    await scene.expectTruth();
    scene.misbehave({});
    await scene.settle(6, { mode: 'full' });
    scene.repository.remove(identifierOf(7));
    await scene.settle();
    await scene.expectTruth();
  },
);

test('quirk 3: a circle in which no page comes twice is left all the same', async () => {
  const scene = await openScene({ records: 25 });
  scene.misbehave({ deletedRecord: 'no' });
  await scene.run();
  await scene.expectTruth();
  scene.provider.traffic.clear();
  scene.misbehave({
    deletedRecord: 'no',
    tokenLoop: 'circle',
    unstableOrder: true,
    completeListSize: 'growing',
  });
  // Else it would go on for ever.
  const enough = new AbortController();
  scene.provider.onRequest = () => {
    if (scene.provider.traffic.arrivals.length > 200) enough.abort();
  };
  await scene.run({ mode: 'full', signal: enough.signal }).catch(() => undefined);
  expect(enough.signal.aborted).toBe(false);
  await scene.expectTruth();
});

describe('quirk 7: a token that never comes although there is more', () => {
  test('does not hide the rest of the first harvest', async () => {
    const scene = await openScene({ records: 45 });
    scene.misbehave({ tokenWithheld: true });
    await scene.settle();
    await scene.expectTruth();
  });

  test('deletes nothing', async () => {
    const scene = await openScene({ records: 45 });
    scene.misbehave({ deletedRecord: 'no' });
    await scene.run();
    await scene.expectTruth();
    scene.misbehave({ deletedRecord: 'no', tokenWithheld: true });
    await scene.run({ mode: 'full' }).catch(() => undefined);
    await scene.expectTruth();
  });
});

describe('quirk 7: a full page that cannot be divided', () => {
  const second = '2026-02-20T08:00:00Z';
  const sameSecond = async (count: number, pageSize: number, sets?: readonly string[]) => {
    const scene = await openScene({ records: 0, pageSize });
    for (let number = 0; number < count; number += 1)
      scene.repository.add(undefined, sets === undefined ? {} : { sets }, second);
    return scene;
  };

  test.each([20, 30, 45, 64])(
    'of %i records is never called complete, and deletes nothing',
    async (pageSize) => {
      const scene = await sameSecond(150, pageSize);
      scene.misbehave({ deletedRecord: 'no' });
      await scene.run();
      await scene.expectTruth();
      for (const mode of ['full', 'full', 'incremental'] as const) {
        scene.misbehave({ deletedRecord: 'no', tokenWithheld: true });
        scene.provider.traffic.clear();
        const report = await scene.run({ mode });
        if (mode === 'full') expect(report.state).toBe('needs-attention');
        expect(report.deleted).toBe(0);
        expect(scene.provider.traffic.arrivals.length).toBeLessThan(200);
        await scene.expectTruth();
      }
      expect(scene.source.lessons.get('list-end')).toBe(String(pageSize));
    },
  );

  test('is looked behind in lists of sets, and of longer pages', async () => {
    const scene = await sameSecond(61, 20);
    scene.misbehave({ tokenWithheld: true });
    const report = await scene.run();
    expect(report.state).toBe('needs-attention');
    expect((await scene.live()).size).toBeGreaterThan(20);
    expect(await scene.problems()).toContainEqual(
      expect.objectContaining({ code: 'list-doubtful', message: expect.stringContaining('cut off') }),
    );
    scene.misbehave({ tokenWithheld: true, identifiersPerPage: 100 });
    expect(await scene.run({ mode: 'full' })).toMatchObject({ state: 'succeeded' });
    await scene.expectTruth();
  });

  test('is one also where a list of that length was whole before', async () => {
    const scene = await openScene({ records: 20, pageSize: 20 });
    scene.misbehave({ deletedRecord: 'no', tokenWithheld: true });
    expect(await scene.run()).toMatchObject({ state: 'succeeded', items: 20 });
    for (let number = 0; number < 40; number += 1) scene.repository.add(undefined, {}, second);
    const report = await scene.run({ mode: 'full' });
    expect(report).toMatchObject({ state: 'needs-attention', deleted: 0 });
  });

  test('is not full where the repository has longer pages', async () => {
    const scene = await openScene({ records: 120, pageSize: 100 });
    await scene.run();
    for (let number = 0; number < 25; number += 1) scene.repository.add();
    scene.misbehave({ completeListSize: 'absent', lastToken: 'absent' });
    expect(await scene.run()).toMatchObject({ state: 'succeeded', created: expect.any(Number) });
    await scene.expectTruth();
  });

  test('is whole where the repository ignores dates, and no other list has more', async () => {
    const scene = await openScene({ records: 35, pageSize: 100 });
    scene.misbehave({ tokenWithheld: true, refusesFrom: true });
    expect(await scene.run()).toMatchObject({ state: 'succeeded' });
    await scene.expectTruth();
  });
});

describe('quirk 8, 9: tokens', () => {
  test('that have to be raw are sent raw from the start, once that is known', async () => {
    const scene = await openScene({ records: 45 });
    scene.misbehave({ tokensComparedRaw: true });
    await scene.run();
    scene.provider.traffic.clear();
    await scene.run({ mode: 'full' });
    const tokens = scene.provider.traffic.arrivals.filter(({ query }) => query.has('resumptionToken'));
    expect(tokens.map(({ url }) => url.includes('a|b:c/d=e!f'))).toEqual(tokens.map(() => true));
    expect(tokens).toHaveLength(4);
    await scene.expectTruth();
  });

  test('that have to be encoded again are sent so, although they had to be raw before', async () => {
    const scene = await openScene({ records: 45 });
    scene.misbehave({ tokensComparedRaw: true });
    await scene.run();
    scene.misbehave({ tokensNeedEncoding: true });
    await scene.settle(5, { mode: 'full' });
    await scene.expectTruth();
  });
});

describe('quirk 11: a list that forgets what was asked for', () => {
  test('publishes no record of another set', async () => {
    const scene = await openScene({ records: 45, source: { collections: ['third'] }, pageSize: 5 });
    scene.misbehave({ tokenForgets: 'both' });
    await scene.settle();
    const live = [...(await scene.live()).keys()];
    const third = scene.repository.living.filter(({ sets }) => sets.includes('third'));
    expect(live.sort()).toEqual(third.map(({ identifier }) => scene.path(identifier)).sort());
  });

  test('is an ordinary list when all of it is asked for since a day', async () => {
    const scene = await openScene({ records: 45 });
    await scene.run();
    await scene.expectTruth();
    for (let number = 20; number < 36; number += 1) scene.repository.edit(identifierOf(number));
    scene.misbehave({ tokenForgets: 'both' });
    await scene.settle();
    await scene.expectTruth();
  });
});

describe('quirk 11: whatever is forgotten behind the first page', () => {
  const forgets = ['set', 'dates', 'both'] as const;
  const refuses = ['company', 'prefix', 'selection'] as const;
  const refusals = [
    undefined,
    'badResumptionToken',
    'noRecordsMatch',
    'empty list',
    'first page',
    400,
    500,
  ] as const;
  const shapes = forgets.flatMap((tokenForgets) =>
    refuses.flatMap((tokenRefuses) =>
      refusals.map((tokenRefusal) => ({ tokenForgets, tokenRefuses, tokenRefusal })),
    ),
  );
  test.each(shapes)('%j', async ({ tokenRefusal, ...rest }) => {
    const scene = await openScene({ records: 60, source: { collections: ['third'] }, pageSize: 5 });
    const { repository } = scene;
    for (const tokenNeedsPrefix of [false, true]) {
      const refusal = tokenRefusal === undefined ? {} : { tokenRefusal };
      scene.misbehave({
        ...rest,
        ...refusal,
        tokenNeedsPrefix: tokenNeedsPrefix && rest.tokenRefuses === 'selection',
      });
      scene.clock.advance(86_400 * 3);
      for (let number = 7; number < 52; number += 1) repository.edit(identifierOf(number));
      repository.add();
      scene.provider.traffic.clear();
      const report = await scene.run();
      // A token that is refused leads to another, in a list that is started again: worth a word.
      const problems = tokenRefusal === 'badResumptionToken' ? report.problems : 0;
      expect(report).toMatchObject({ state: 'succeeded', problems });
      const live = await scene.live();
      const third = repository.living.filter(({ sets }) => sets.includes('third'));
      const paths = third.map(({ identifier }) => scene.path(identifier));
      expect([...live.keys()].sort()).toEqual([...paths].sort());
      expect(paths.map((path) => live.get(path))).toEqual(paths.map((path) => scene.truth().get(path)));
      expect(scene.provider.traffic.arrivals.length).toBeLessThan(30);
    }
  });

  test.each(refusals.map((tokenRefusal) => ({ tokenRefusal })))(
    'and asked for again, a token that needs the format beside it gets it (%j)',
    async ({ tokenRefusal }) => {
      const scene = await openScene({ records: 45 });
      const refusal = tokenRefusal === undefined ? {} : { tokenRefusal };
      scene.misbehave({ tokenNeedsPrefix: true, ...refusal });
      expect(await scene.run()).toMatchObject({ state: 'succeeded' });
      await scene.expectTruth();
      expect(scene.provider.traffic.arrivals.length).toBeLessThan(20);
    },
  );

  test('what helps is remembered, and forgotten when it is refused', async () => {
    const scene = await openScene({ records: 60, source: { collections: ['third'] }, pageSize: 5 });
    scene.misbehave({ tokenForgets: 'both', tokenTakesFilter: true });
    expect(await scene.run()).toMatchObject({ items: 20 });
    expect(scene.source.lessons.get('token-arguments')).toBe('all');
    scene.misbehave({ tokenForgets: 'both', tokenRefuses: 'company' });
    expect(await scene.run({ mode: 'full' })).toMatchObject({ state: 'succeeded' });
    expect((await scene.live()).size).toBe(20);
    expect(scene.source.lessons.get('token-arguments')).toBeUndefined();
  });

  test('a header that states another date than the list goes by excludes nothing', async () => {
    const scene = await openScene({ records: 60 });
    scene.misbehave({ headersTellCreation: true });
    await scene.run();
    await scene.expectTruth();
    scene.clock.advance(86_400 * 3);
    for (let number = 1; number <= 60; number += 3) scene.repository.edit(identifierOf(number));
    await scene.run();
    await scene.expectTruth();
  });
});

test('quirk 17: a completeListSize that is too high deletes nothing, and ends', async () => {
  const scene = await openScene({ records: 45 });
  scene.misbehave({ deletedRecord: 'no' });
  await scene.run();
  await scene.expectTruth();
  scene.misbehave({ deletedRecord: 'no', completeListSize: 'high' });
  scene.provider.traffic.clear();
  await scene.run({ mode: 'full' }).catch(() => undefined);
  await scene.expectTruth();
  expect(scene.provider.traffic.arrivals.length).toBeLessThan(60);
});

test('quirk 18: pages of different orders delete nothing, and what they lost comes with honest ones', async () => {
  const scene = await openScene({ records: 45 });
  scene.misbehave({ deletedRecord: 'no' });
  await scene.run();
  await scene.expectTruth();
  scene.misbehave({ deletedRecord: 'no', unstableOrder: true });
  for (let round = 0; round < 3; round += 1) {
    await scene.run({ mode: 'full' }).catch(() => undefined);
    await scene.expectTruth();
  }
});

test('quirk 18: of a first harvest from pages of different orders nothing is missing in the end', async () => {
  const scene = await openScene({ records: 45 });
  scene.misbehave({ unstableOrder: true });
  await scene.run().catch(() => undefined);
  scene.misbehave({});
  await scene.settle(5, { mode: 'full' });
  await scene.expectTruth();
});

test('quirk 19: a page of nothing but hidden records does not end the list', async () => {
  const scene = await openScene({ records: 45 });
  for (let number = 11; number <= 20; number += 1) scene.repository.hide(identifierOf(number));
  scene.misbehave({ hiddenPagesEndTheList: true });
  await scene.settle();
  await scene.expectTruth();
});

test('quirk 19: nor is anything deleted for it', async () => {
  const scene = await openScene({ records: 45 });
  scene.misbehave({ deletedRecord: 'no' });
  await scene.run();
  await scene.expectTruth();
  for (let number = 11; number <= 20; number += 1) scene.repository.hide(identifierOf(number));
  scene.misbehave({ deletedRecord: 'no', hiddenPagesEndTheList: true });
  await scene.settle(5, { mode: 'full' }).catch(() => undefined);
  const published = await scene.live();
  expect(scene.repository.living.filter(({ identifier }) => !published.has(scene.path(identifier)))).toEqual(
    [],
  );
});

test('quirk 21: collections are listed all the same, each once', async () => {
  const scene = await openScene();
  scene.misbehave({ setsPerPage: 1 });
  await scene.run();
  const names = await scene.database.reader('collection').whereLike('name', 'The %').pluck('spec');
  expect(new Set(names)).toEqual(new Set(['odd', 'even', 'third']));
});
