import { describe, expect, test } from 'vitest';
import { liveThrough } from '../house/hostile/life.ts';
import type { Misbehaviour } from '../house/hostile/provider/misbehaviour.ts';
import { openStage, type SceneOptions } from '../house/hostile/scene.ts';
import { selfSigned } from '../house/hostile/self-signed.ts';

const openScene = openStage();

describe('All goes well', () => {
  test.each<[string, Misbehaviour, SceneOptions?]>([
    ['quirk 26: every fourth list answers with an invented error', { inventedErrorEvery: 4 }],
    ['quirk 27: every third list answers with a page for people', { htmlEvery: 3 }],
    ['quirk 28: every third list answers 503 without Retry-After', { busyEvery: 3 }],
    ['quirk 29: every third list answers 429 and “Rate exceeded”', { rateExceededEvery: 3 }],
    [
      'quirk 31: Retry-After is a date',
      { busyEvery: 3, rateExceededEvery: 4, retryAfter: { seconds: 40, as: 'date' } },
    ],
    [
      'Retry-After is in seconds',
      { busyEvery: 3, rateExceededEvery: 4, retryAfter: { seconds: 40, as: 'seconds' } },
    ],
    ['quirk 32: redirects forget the query', { redirect: 'without query' }],
    ['quirk 32: redirects lead elsewhere', { redirect: 'with query' }],
    ['quirk 32: the repository calls itself by an address that is nobody’s', { wrongBaseUrl: true }],
    ['quirk 34: Location has characters that no URL has', { redirect: 'illegal characters' }],
    ['quirk 35: gzip is undeclared', { gzip: 'undeclared' }],
    ['quirk 35: gzip is declared only', { gzip: 'declared only' }],
    ['quirk 35: gzip is broken', { gzip: 'broken' }],
    ['gzip is what it says', { gzip: 'honest' }],
    ['quirk 36: every third connection breaks off', { cutOffEvery: 3, cutOff: 'connection' }],
    ['quirk 36: every third document breaks off', { cutOffEvery: 3, cutOff: 'body' }],
    ['quirk 37: PHP has something to say behind the document', { noticesBehind: true }],
    ['quirk 38: every page is 10 MB larger', { padding: 1_000_000 }],
    ['quirk 40: arguments have to be exactly right', { strictArguments: true }],
    [
      'quirk 40: arguments have to be exactly right, with sets',
      { strictArguments: true },
      { source: { collections: ['odd', 'even'] } },
    ],
    [
      'quirk 39: strangers are forbidden',
      { forbids: 'strangers' },
      { contact: 'someone@library.example.org' },
    ],
  ])('although, %s', async (_name, wrong, options) => {
    await liveThrough(await openScene(options), wrong);
  });
});

describe.each([400, 404, 422, 500] as const)('quirks 22 to 24: errors with HTTP %i', (errorStatus) => {
  test('mean what they say: nothing has changed', async () => {
    const scene = await openScene();
    scene.misbehave({ errorStatus });
    await scene.run();
    await scene.expectTruth();
    scene.clock.advance(86_400);
    expect(await scene.run()).toMatchObject({ state: 'succeeded', mode: 'incremental', items: 0 });
    await scene.expectTruth();
  });

  test('mean what they say: the token has expired', async () => {
    const scene = await openScene({ records: 45 });
    scene.misbehave({ errorStatus, tokenLifetimeSeconds: 60 });
    let late = false;
    scene.provider.onRequest = ({ query }) => {
      if (query.has('resumptionToken') && !late) {
        late = true;
        scene.clock.advance(120);
      }
    };
    await scene.settle();
    await scene.expectTruth();
  });
});

test('quirk 25: cannotDisseminateFormat for a format that is offered means that nothing has changed', async () => {
  const scene = await openScene();
  scene.misbehave({ nothingIsCannotDisseminate: true, deletedRecord: 'no' });
  await scene.run();
  scene.clock.advance(86_400);
  expect(await scene.run()).toMatchObject({ state: 'succeeded', items: 0 });
  await scene.expectTruth();
});

test('quirk 26: an invented error that stays is told in its own words, and deletes nothing', async () => {
  const scene = await openScene();
  await scene.run();
  scene.misbehave({ inventedErrorEvery: 1 });
  await expect(scene.run({ mode: 'full' })).rejects.toThrow(/internalServerError.*index is being rebuilt/);
  await scene.expectTruth();
});

test('quirk 27: a page for people that stays is called one, and deletes nothing', async () => {
  const scene = await openScene();
  await scene.run();
  scene.misbehave({ htmlEvery: 1 });
  await expect(scene.run({ mode: 'full' })).rejects.toMatchObject({ code: 'upstream-html' });
  await scene.expectTruth();
  expect(scene.provider.traffic.arrivals.length).toBeLessThan(30);
});

test('quirk 28: a server that stays busy is left after some attempts, ever longer apart', async () => {
  const scene = await openScene();
  scene.misbehave({ busyEvery: 1 });
  await expect(scene.run()).rejects.toMatchObject({ code: 'upstream-busy' });
  const lists = scene.provider.traffic.of('ListRecords').map(({ at }) => at);
  expect(lists.length).toBeLessThan(12);
  const gaps = lists.slice(1).map((at, index) => at - (lists[index] ?? 0));
  expect(gaps.every((gap, index) => gap >= 3000 && gap > (gaps[index - 1] ?? 0))).toBe(true);
});

test('quirk 30: Retry-After with every answer is no order', async () => {
  const scene = await openScene({ records: 45 });
  scene.misbehave({ retryAfterAlways: 60 });
  const start = scene.clock.milliseconds();
  await scene.run();
  await scene.expectTruth();
  const { arrivals } = scene.provider.traffic;
  expect(scene.clock.milliseconds() - start).toBe(arrivals.length * 1000);
});

test('quirk 31: nobody waits for a day, although a server may say so', async () => {
  const scene = await openScene();
  scene.misbehave({ busyEvery: 2, retryAfter: { seconds: 86_400, as: 'date' } });
  const start = scene.clock.milliseconds();
  await scene.run();
  await scene.expectTruth();
  expect(scene.clock.milliseconds() - start).toBeLessThan(6 * 3_600_000);
});

describe('quirk 33: POST', () => {
  test('is not used where an address is long enough', async () => {
    const scene = await openScene({ records: 45 });
    scene.misbehave({ refusesPost: true, tokensNeedEncoding: true });
    await scene.run();
    await scene.expectTruth();
    expect(scene.provider.traffic.arrivals.map(({ method }) => method)).not.toContain('POST');
  });

  test('is used for tokens that fit into no address', async () => {
    const scene = await openScene({ records: 45 });
    scene.misbehave({ longestUrl: 4096 });
    await scene.run();
    await scene.expectTruth();
  });
});

test('quirk 35: where gzip breaks, it is not asked for any more', async () => {
  const scene = await openScene({ records: 45 });
  scene.misbehave({ gzip: 'broken' });
  await scene.settle();
  scene.provider.traffic.clear();
  await scene.run({ mode: 'full' });
  await scene.expectTruth();
  const { arrivals } = scene.provider.traffic;
  expect(arrivals.filter(({ headers }) => /gzip/.test(String(headers['accept-encoding'])))).toEqual([]);
});

test('quirk 36: a document that breaks off always deletes nothing', async () => {
  const scene = await openScene({ records: 45 });
  scene.misbehave({ deletedRecord: 'no' });
  await scene.run();
  await scene.expectTruth();
  scene.misbehave({ deletedRecord: 'no', cutOffEvery: 1, cutOff: 'body' });
  await scene.run({ mode: 'full' }).catch(() => undefined);
  await scene.expectTruth();
});

describe('quirk 38: where pages are larger than is allowed', () => {
  test('smaller lists are asked for', async () => {
    const scene = await openScene({ records: 45, source: { maxResponseBytes: 1_000_000 } });
    scene.misbehave({ padding: 150_000 });
    await scene.settle();
    await scene.expectTruth();
  });

  test('because of single records, nothing is deleted', async () => {
    const scene = await openScene({ source: { maxResponseBytes: 100_000 } });
    scene.misbehave({ deletedRecord: 'no' });
    await scene.run();
    await scene.expectTruth();
    scene.misbehave({ deletedRecord: 'no', padding: 200_000 });
    await scene.run({ mode: 'full' }).catch(() => undefined);
    await scene.expectTruth();
  });
});

describe('quirk 39: where somebody is forbidden', () => {
  test('he does not ask again', async () => {
    const scene = await openScene();
    await scene.run();
    scene.provider.traffic.clear();
    scene.misbehave({ forbids: 'everybody' });
    await expect(scene.run({ mode: 'full' })).rejects.toMatchObject({ code: 'upstream-status' });
    expect(scene.provider.traffic.arrivals).toHaveLength(1);
    await scene.expectTruth();
  });

  test('he may call himself what he likes', async () => {
    const scene = await openScene({ source: { headers: { 'User-Agent': 'Mozilla/5.0 (X11)' } } });
    await scene.run();
    const agents = scene.provider.traffic.arrivals.map(({ headers }) => headers['user-agent']);
    expect(new Set(agents)).toEqual(new Set(['Mozilla/5.0 (X11)']));
  });
});

test('quirk 41: a certificate that nobody signed is refused by name, and nothing is sent', async () => {
  const scene = await openScene({ provider: { tls: selfSigned } });
  await expect(scene.run()).rejects.toMatchObject({
    code: 'upstream-unreachable',
    message: expect.stringMatching(/certificate|self/i),
  });
  expect(scene.provider.traffic.arrivals).toEqual([]);
});

test('a server that was never reached, then breaks, then is busy, then works, is harvested', async () => {
  const scene = await openScene({ records: 45 });
  const troubles: Misbehaviour[] = [
    { forbids: 'everybody' },
    { failEvery: 1 },
    { htmlEvery: 1 },
    { cutOffEvery: 2 },
  ];
  for (const wrong of troubles) {
    scene.misbehave(wrong);
    await scene.run().catch(() => undefined);
  }
  scene.misbehave({});
  await scene.settle();
  await scene.expectTruth();
});

describe('a broken endpoint is given up within 30 seconds', () => {
  test.each<[string, Misbehaviour]>([
    ['HTTP 503', { busyEvery: 1 }],
    ['HTTP 500', { failEvery: 1 }],
    ['connections that break off', { cutOffEvery: 1, cutOff: 'connection' }],
    ['documents that break off', { cutOffEvery: 1, cutOff: 'body' }],
  ])('%s', async (_name, wrong) => {
    const scene = await openScene({ provider: { secondsPerRequest: 0 } });
    await scene.run();
    scene.misbehave(wrong);
    const start = scene.clock.milliseconds();
    await expect(scene.run({ mode: 'full' })).rejects.toMatchObject({ retryable: true });
    expect(scene.clock.milliseconds() - start).toBeLessThanOrEqual(30_000);
    await scene.expectTruth();
  });

  test('nobody listens', async () => {
    const scene = await openScene();
    await scene.run();
    await scene.provider.close();
    const start = scene.clock.milliseconds();
    await expect(scene.run()).rejects.toMatchObject({ code: 'upstream-unreachable' });
    expect(scene.clock.milliseconds() - start).toBeLessThanOrEqual(30_000);
  });

  test('but not one that asked for patience', async () => {
    const scene = await openScene();
    scene.misbehave({ busyEvery: 2, retryAfter: { seconds: 600, as: 'seconds' } });
    await scene.run();
    await scene.expectTruth();
  });
});
