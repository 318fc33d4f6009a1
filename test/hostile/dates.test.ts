import { describe, expect, test } from 'vitest';
import { liveThrough } from '../house/hostile/life.ts';
import type { Misbehaviour } from '../house/hostile/provider/misbehaviour.ts';
import { identifierOf } from '../house/hostile/repository.ts';
import { openStage, type Scene, type SceneOptions } from '../house/hostile/scene.ts';

const openScene = openStage();

describe('All goes well', () => {
  test.each<[string, Misbehaviour, SceneOptions?]>([
    ['days are all there is', { granularity: 'day' }],
    ['quirk 42: seconds are declared and refused', { refusesDeclaredGranularity: true }],
    ['quirk 42: days are declared and refused', { granularity: 'day', refusesDeclaredGranularity: true }],
    ['quirk 43: the granularity is in lower case', { granularityText: 'yyyy-mm-ddthh:mm:ssz' }],
    ['quirk 43: the granularity is garbage', { granularityText: 'YYYY-MM-DD hh24' }],
    [
      'quirk 43: the granularity of days is in lower case',
      { granularity: 'day', granularityText: 'yyyy-mm-dd' },
    ],
    ['quirk 43: the granularity of days is garbage', { granularity: 'day', granularityText: 'day' }],
    ['quirk 44: the earliest datestamp is garbage', { earliestDatestamp: 'aaaa-bb-cc' }],
    ['quirk 44: the earliest datestamp is the epoch', { earliestDatestamp: '1970-01-01T00:00:00Z' }],
    ['quirk 44: the earliest datestamp is today’s', { earliestDatestamp: '2026-03-01T12:00:00Z' }],
    ['quirk 44: the earliest datestamp is in the future', { earliestDatestamp: '2036-01-01T00:00:00Z' }],
    [
      'quirk 45: there are records before the earliest datestamp, and windows',
      { earliestDatestamp: '2026-02-27T00:00:00Z' },
      { source: { requestsPerHost: 3 }, records: 60 },
    ],
    [
      'quirk 46: a from before the earliest datestamp is refused',
      { earliestDatestamp: '2026-03-30T00:00:00Z', refusesEarlyFrom: true },
    ],
    ['quirk 46: every from is refused', { refusesFrom: true }],
    ['quirk 47: every record says that it has changed just now', { datestampsAreNow: true }],
    ['quirk 48: headers tell another date than from goes by', { headersTellCreation: true }],
    ['quirk 49: until is exclusive', { untilIsExclusive: true }],
    ['quirk 51: records come in no order', { anyOrder: true }],
    ['quirk 54: datestamps have fractions', { datestampForm: 'fraction' }],
    ['quirk 54: datestamps have no zone', { datestampForm: 'no zone' }],
    ['quirk 54: datestamps are compact', { datestampForm: 'compact' }],
    ['quirk 54: datestamps are in the future', { datestampForm: 'future' }],
    ['quirk 54: datestamps are garbage', { datestampForm: 'garbage' }],
    ['quirk 56: nothing but a Z is a zone', { strictDates: true, strictArguments: true }],
    ['quirk 56: days have to be days', { strictDates: true, granularity: 'day' }],
  ])('although, %s', async (_name, wrong, options) => {
    await liveThrough(await openScene(options), wrong);
  });
});

async function lastmod(scene: Scene, identifier: string, format = 'oai_dc'): Promise<string> {
  const [row] = await scene.database
    .reader('resource')
    .where({ path: scene.path(identifier, format) })
    .select('lastmod');
  return row?.lastmod;
}

test('quirk 42: what was refused once is not tried in the next run', async () => {
  const scene = await openScene();
  scene.misbehave({ refusesDeclaredGranularity: true });
  await scene.run();
  await scene.run();
  scene.provider.traffic.clear();
  await scene.run();
  const froms = scene.provider.traffic.of('ListRecords').map(({ query }) => query.get('from'));
  expect(froms).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d$/)]);
});

test('quirk 46: a from that is refused always is not tried for ever', async () => {
  const scene = await openScene();
  scene.misbehave({ refusesFrom: true });
  await scene.run();
  await scene.run();
  scene.provider.traffic.clear();
  await scene.run();
  expect(scene.provider.traffic.of('ListRecords').filter(({ query }) => query.has('from'))).toEqual([]);
  await scene.expectTruth();
});

test('quirk 44: the first harvest has no lower bound, whatever the repository says', async () => {
  const scene = await openScene();
  scene.misbehave({ earliestDatestamp: '2026-03-01T00:00:00Z' });
  await scene.run();
  expect(scene.provider.traffic.of('ListRecords')[0]?.query.has('from')).toBe(false);
});

describe('quirk 50: what changes while it is listed', () => {
  test('comes with the next run', async () => {
    const scene = await openScene({ records: 45 });
    scene.provider.onRequest = ({ query }) => {
      // The first page is out already.
      if (query.has('resumptionToken') && scene.repository.get(identifierOf(2)).version === 1) {
        scene.repository.edit(identifierOf(2));
        scene.clock.advance(3600);
      }
    };
    await scene.run();
    expect((await scene.live()).get(scene.path(identifierOf(2)))).toContain('version 1');
    await scene.run();
    expect((await scene.live()).get(scene.path(identifierOf(2)))).toContain('version 2');
  });

  test('comes with the next run also where that one goes on behind an interruption', async () => {
    const scene = await openScene({ records: 45 });
    await scene.run({ limit: 20 });
    scene.clock.advance(3600);
    scene.repository.edit(identifierOf(2));
    scene.clock.advance(3600);
    await scene.run();
    await scene.run();
    expect((await scene.live()).get(scene.path(identifierOf(2)))).toContain('version 2');
  });
});

describe('quirk 52: where the index lags behind', () => {
  test('the overlap finds what came late', async () => {
    const scene = await openScene();
    scene.misbehave({ indexLagSeconds: 240 });
    await scene.run();
    await scene.expectTruth();
    scene.repository.edit(identifierOf(5));
    scene.clock.advance(60);
    await scene.run();
    scene.clock.advance(3600);
    await scene.run();
    await scene.expectTruth();
  });

  test('for longer than the overlap, the full pass finds it', async () => {
    const scene = await openScene();
    scene.misbehave({ indexLagSeconds: 7200 });
    await scene.run();
    await scene.expectTruth();
    scene.repository.add();
    scene.clock.advance(60);
    await scene.run();
    scene.clock.advance(86_400);
    await scene.run({ mode: 'full' });
    await scene.expectTruth();
  });
});

test('quirk 53: what changes without a new datestamp comes with the full pass', async () => {
  const scene = await openScene();
  await scene.run();
  await scene.expectTruth();
  scene.clock.advance(86_400);
  scene.repository.editSilently(identifierOf(5), { title: 'the embargo is over' });
  await scene.run();
  expect(await scene.changes()).toEqual([]);
  await scene.run({ mode: 'full' });
  await scene.expectTruth();
});

test('quirk 54: no lastmod lies in the future, or is no date', async () => {
  for (const datestampForm of ['future', 'garbage', 'fraction', 'no zone', 'compact'] as const) {
    const scene = await openScene({ records: 3 });
    scene.misbehave({ datestampForm });
    await scene.run();
    const moment = await lastmod(scene, identifierOf(1));
    expect(moment).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(moment <= scene.clock.iso()).toBe(true);
    const stated = scene.repository.get(identifierOf(1)).datestamp;
    if (datestampForm === 'fraction' || datestampForm === 'no zone') expect(moment).toBe(stated);
  }
});

test('quirk 55: a date in local time inside the metadata is not believed', async () => {
  const scene = await openScene({ records: 3, formats: ['xoai'], source: { formats: ['xoai'] } });
  await scene.run();
  expect(await lastmod(scene, identifierOf(1), 'xoai')).toBe(scene.repository.get(identifierOf(1)).datestamp);
});

test('quirk 56: whatever is sent as from or until has no fraction and no zone but Z', async () => {
  const scene = await openScene({ records: 120, source: { requestsPerHost: 2 } });
  scene.misbehave({ largestList: 50 });
  await scene.settle();
  scene.misbehave({});
  await scene.run();
  const { arrivals } = scene.provider.traffic;
  const dates = arrivals.flatMap(({ query }) => [...query.getAll('from'), ...query.getAll('until')]);
  expect(dates.length).toBeGreaterThan(0);
  expect(dates.filter((date) => !/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?$/.test(date))).toEqual([]);
});
