import { describe, expect, onTestFinished, test } from 'vitest';
import { identifierOf } from '../house/hostile/repository.ts';
import { openStage, type Scene } from '../house/hostile/scene.ts';
import { createStandingClock } from '../house/hostile/virtual-clock.ts';

const openScene = openStage();

/** All but these are published, and these are named as the reason. */
async function expectAllBut(scene: Scene, poisoned: readonly string[]): Promise<void> {
  const live = [...(await scene.live()).keys()].sort();
  const others = scene.repository.living.filter(({ identifier }) => !poisoned.includes(identifier));
  expect(live).toEqual(others.map(({ identifier }) => scene.path(identifier)).sort());
}

describe('quirk 12: a record that breaks every page it is on', () => {
  test.each([500, 502, 504] as const)(
    'with HTTP %i is found, named and left out, and the rest lives',
    async (poisonStatus) => {
      const scene = await openScene({ records: 60 });
      const poisoned = [identifierOf(27)];
      scene.misbehave({ poisoned, poisonStatus });
      await scene.settle();
      await expectAllBut(scene, poisoned);
      expect(await scene.problems()).toContainEqual(
        expect.objectContaining({ code: 'record-quarantined', identifier: identifierOf(27) }),
      );
      expect(scene.provider.traffic.arrivals.length).toBeLessThan(150);
    },
  );

  test('is found among many of the same moment', async () => {
    const scene = await openScene({ records: 0 });
    for (let number = 1; number <= 40; number += 1) {
      scene.repository.add(undefined, {}, '2026-02-01T00:00:00Z');
    }
    const poisoned = [identifierOf(13), identifierOf(31)];
    scene.misbehave({ poisoned });
    await scene.settle();
    await expectAllBut(scene, poisoned);
  });

  test('keeps the copy that was published before it broke', async () => {
    const scene = await openScene({ records: 45 });
    await scene.run();
    await scene.expectTruth();
    scene.misbehave({ poisoned: [identifierOf(27)] });
    await scene.settle(5, { mode: 'full' });
    await scene.expectTruth();
    scene.misbehave({});
    scene.repository.edit(identifierOf(27));
    await scene.settle();
    await scene.expectTruth();
  });

  test('is found where deletions are proven by absence, and its neighbours that vanished go', async () => {
    const scene = await openScene({ records: 45 });
    scene.misbehave({ deletedRecord: 'no' });
    await scene.run();
    await scene.expectTruth();
    scene.repository.vanish(identifierOf(26));
    scene.misbehave({ deletedRecord: 'no', poisoned: [identifierOf(27)] });
    await scene.settle(5, { mode: 'full' });
    const live = await scene.live();
    expect(live.has(scene.path(identifierOf(27)))).toBe(true);
    expect(live.has(scene.path(identifierOf(26)))).toBe(false);
  });
});

test('quirk 12: pages that fail now and then are asked for again', async () => {
  const scene = await openScene({ records: 45 });
  scene.misbehave({ failEvery: 3 });
  await scene.settle();
  await scene.expectTruth();
});

test('quirk 13: where wide windows fail at once, narrow ones are asked for', async () => {
  const scene = await openScene({ records: 60 });
  scene.misbehave({ widestWindowDays: 3 });
  await scene.settle();
  await scene.expectTruth();
  scene.clock.advance(86_400);
  scene.repository.edit(identifierOf(5));
  await scene.settle();
  await scene.expectTruth();
  expect(scene.provider.traffic.arrivals.length).toBeLessThan(250);
});

test('quirk 13: only older than the earliest datestamp that is stated there may still be records', async () => {
  const scene = await openScene({ records: 30 });
  scene.misbehave({ widestWindowDays: 4, earliestDatestamp: '2026-02-26T00:00:00Z' });
  await scene.settle();
  await scene.expectTruth();
});

test('quirk 14: where long lists are refused with HTTP 413, shorter ones are asked for', async () => {
  const scene = await openScene({ records: 60 });
  scene.misbehave({ largestList: 25 });
  await scene.settle();
  await scene.expectTruth();
  scene.repository.remove(identifierOf(5));
  await scene.settle(5, { mode: 'full' });
  await scene.expectTruth();
});

test('quirk 20: where there are not enough scroll contexts, one request at a time is sent', async () => {
  const scene = await openScene({
    records: 200,
    source: { requestsPerHost: 4 },
    provider: { latencyMs: 2 },
  });
  scene.misbehave({ scrollContexts: 1 });
  await scene.settle();
  await scene.expectTruth();
});

describe('Windows', () => {
  test('side by side never mean more requests than configured, and each record once', async () => {
    const scene = await openScene({
      records: 300,
      source: { requestsPerHost: 3 },
      provider: { latencyMs: 2 },
    });
    expect(await scene.settle()).toMatchObject({ created: 300, updated: 0 });
    await scene.expectTruth();
    scene.expectPoliteness();
  });

  test('side by side all wait when one of them is told to', async () => {
    const clock = createStandingClock();
    const scene = await openScene({
      records: 300,
      clock,
      source: { requestsPerHost: 3 },
      provider: { latencyMs: 3, secondsPerRequest: 0, places: 3 },
    });
    onTestFinished(clock.keepGoing(() => scene.provider.traffic.underWay === 0));
    scene.misbehave({ busyEvery: 8, retryAfter: { seconds: 150, as: 'seconds' } });
    await scene.settle();
    await scene.expectTruth();
    scene.expectPoliteness();
    expect(clock.rests).toBeGreaterThan(2);
  });

  test.each([
    ['quirk 49: with an exclusive until', { untilIsExclusive: true }],
    ['quirk 49: with days that end when they begin', { untilDayEndsAtMidnight: true, granularity: 'day' }],
    ['quirk 49: in local time east of Greenwich', { localTimeHours: 9 }],
    ['quirk 49: in local time west of Greenwich', { localTimeHours: -5 }],
    ['quirk 48: by another date than the headers tell', { headersTellCreation: true }],
    ['quirk 54: with datestamps in the future', { datestampForm: 'future' }],
    ['quirk 51: in no order', { anyOrder: true }],
  ] as const)('lose no record, %s', async (_name, wrong) => {
    const scene = await openScene({ records: 60 });
    scene.misbehave({ ...wrong, largestList: 25 });
    await scene.settle();
    await scene.expectTruth();
  });

  test('that are honoured by nobody are given up', async () => {
    const scene = await openScene({ records: 60, source: { requestsPerHost: 3 } });
    scene.misbehave({ refusesFrom: true });
    await scene.settle();
    await scene.expectTruth();
  });
});

test.each([1, 3])(
  'A long list that is read in windows counts each record once (%i at a time)',
  async (requestsPerHost) => {
    const scene = await openScene({ records: 400, source: { requestsPerHost } });
    expect(await scene.run()).toMatchObject({ state: 'succeeded', items: 400, created: 400, unchanged: 0 });
    await scene.expectTruth();
    expect(await scene.run({ mode: 'full' })).toMatchObject({ items: 400, created: 0, unchanged: 400 });
  },
);

test('Lists that are begun anew, narrowed or looked behind count each record once', async () => {
  const scene = await openScene({ records: 60 });
  scene.misbehave({ largestList: 25, tokenWithheld: true, poisoned: [identifierOf(7)] });
  const report = await scene.settle();
  expect(report).toMatchObject({ items: 59, created: 59, unchanged: 0 });
});

describe('A record that breaks its page is looked for once', () => {
  async function openPoisoned(poisoned: readonly string[]) {
    const scene = await openScene({ records: 200, provider: { secondsPerRequest: 0 } });
    scene.misbehave({ poisoned });
    expect(await scene.run()).toMatchObject({ created: 200 - poisoned.length });
    return scene;
  }

  /** What a full pass costs. */
  async function measure(scene: Scene) {
    const start = scene.clock.milliseconds();
    scene.provider.traffic.clear();
    const report = await scene.run({ mode: 'full' });
    const { traffic } = scene.provider;
    return { report, seconds: (scene.clock.milliseconds() - start) / 1000, traffic };
  }

  test.each([
    ['one', [identifierOf(77)], 1],
    ['two', [identifierOf(77), identifierOf(140)], 2],
  ] as const)('%s of them', async (_name, poisoned, spots) => {
    const scene = await openPoisoned(poisoned);
    for (let pass = 1; pass <= 2; pass += 1) {
      const { report, seconds, traffic } = await measure(scene);
      expect(report).toMatchObject({ created: 0, updated: 0, deleted: 0 });
      expect(seconds).toBe(0);
      const asked = traffic.of('GetRecord').map(({ query }) => query.get('identifier') ?? '');
      expect(asked.filter((identifier) => poisoned.some((one) => one === identifier))).toEqual(poisoned);
      // Pages of its own for each part, what is listed beside it, and no search.
      expect(traffic.arrivals.length).toBeLessThan(20 + 3 + 8 * spots);
      const problems = (await scene.problems()).filter(({ code }) => code === 'record-quarantined');
      expect(problems.map(({ identifier }) => identifier).sort()).toEqual([...poisoned].sort());
    }
    await expectAllBut(scene, poisoned);
    // An incremental run comes nowhere near.
    scene.provider.traffic.clear();
    scene.clock.advance(86_400 * 30);
    scene.repository.edit(identifierOf(3));
    await scene.run();
    expect(scene.provider.traffic.of('GetRecord')).toEqual([]);
  });

  test('and forgotten when it is well again', async () => {
    const scene = await openPoisoned([identifierOf(77)]);
    expect((await measure(scene)).report).toMatchObject({ created: 0 });
    scene.misbehave({});
    const healed = await measure(scene);
    expect(healed).toMatchObject({ seconds: 0, report: { state: 'succeeded', created: 1 } });
    await scene.expectTruth();
    expect(scene.source.lessons.all().filter(({ key }) => key.startsWith('bad-spots'))).toEqual([]);
    await measure(scene);
    expect(scene.provider.traffic.of('GetRecord')).toEqual([]);
  });

  test('and gone when it is deleted', async () => {
    const scene = await openPoisoned([identifierOf(77)]);
    scene.repository.remove(identifierOf(77));
    scene.misbehave({});
    await measure(scene);
    await measure(scene);
    await scene.expectTruth();
    expect(scene.source.lessons.all().filter(({ key }) => key.startsWith('bad-spots'))).toEqual([]);
  });

  test('and a new one beside it is found', async () => {
    const scene = await openPoisoned([identifierOf(77)]);
    const poisoned = [identifierOf(77), identifierOf(78), identifierOf(150)];
    scene.misbehave({ poisoned });
    await scene.run({ mode: 'full' });
    await measure(scene);
    expect((await measure(scene)).seconds).toBe(0);
    const problems = (await scene.problems()).filter(({ code }) => code === 'record-quarantined');
    expect(problems.map(({ identifier }) => identifier).sort()).toEqual([...poisoned].sort());
    scene.misbehave({});
    await measure(scene);
    await measure(scene);
    await scene.expectTruth();
  });
});
