import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { keepSubscriptions, renewLate } from '../../../src/bridge/following/keeping.ts';
import { openFollower } from '../../../src/bridge/following/receiving.ts';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { createHostGate } from '../../../src/harvest/http/host-gate.ts';
import { createHttp, type HttpClient } from '../../../src/harvest/http/http.ts';
import { listTopics } from '../../../src/store/following/followed-topics.ts';
import { ensureSource, findSource, saveInfo } from '../../../src/store/sources/sources.ts';
import { signed, startTestHub, type TestHub } from '../../house/following/test-hub.ts';
import { type House, now, openHouse } from '../../house/server/fixture.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const publicBase = 'https://bridge.example.org';
const { signal } = new AbortController();

describeOnBoth('a subscription to a Source', (open) => {
  let house: House;
  let hub: TestHub;
  let http: HttpClient;
  let bridge: Parameters<typeof keepSubscriptions>[0];
  let sources: Record<string, { adapter: string; url: string }>;
  const lines: object[] = [];

  beforeAll(async () => {
    const { database } = open();
    hub = await startTestHub(publicBase, () => house.origin());
    sources = { kyushu: { adapter: 'resourcesync', url: hub.origin } };
    const note = (fields: object) => lines.push(fields);
    const log = { debug: () => undefined, info: note, warn: note, error: note };
    http = createHttp(
      {
        ...{ endpoint: hub.origin, scope: 'found', userAgent: 'bridge/test', requestsPerHost: 2 },
        ...{ timeoutSeconds: 5, maxResponseBytes: 1e6, allowPrivateAddresses: true },
      },
      { gate: createHostGate(), clock: systemClock, log },
    );
    bridge = {
      config: { sources, baseUrl: `${publicBase}/rs` },
      ...{ database, log, clock: systemClock, fileWork: () => ({ http }), pauseOf: () => undefined },
    } as never;
    house = await openHouse({ database, follower: openFollower(bridge as never, []) });
    await ensureSource(database, 'kyushu', now);
    const found = await findSource(database.reader, 'kyushu');
    await saveInfo(database.writer, found?.id ?? 0, {
      ...{ name: 'k', protocol: 'ResourceSync', protocolVersion: '1.1', formats: [] },
      ...{ deletedRecords: 'transient', granularity: 'second', baseUrl: hub.capabilityList },
    });
  });
  afterAll(async () => {
    await Promise.all([house.close(), hub.close(), http.close()]);
  });
  beforeEach(async () => {
    const { writer } = open().database;
    for (const table of ['followed_topic', 'followed_source', 'due']) await writer(table).delete();
    hub.subscriptions = [];
    hub.asked.length = 0;
    lines.length = 0;
    Object.assign(hub.behaviour, { answer: 202, calls: true, lease: '3600' });
    sources.kyushu = { adapter: 'resourcesync', url: hub.origin };
  });

  const look = () => keepSubscriptions(bridge, signal);
  const topic = async () => (await listTopics(open().database.reader))[0];
  const change = (columns: object) => open().database.writer('followed_topic').update(columns);
  const wanted = async () =>
    open().database.reader('due').where({ source: 'kyushu', kind: 'harvest', priority: 1 }).first();
  const forget = () => open().database.writer('due').delete();
  const callback = async () => `${publicBase}/rs/api/websub/${(await topic())?.key}`;
  const payload = (from: string, until: string) =>
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/"><rs:md capability="change-notification" from="2026-11-21T10:${from}:00Z" until="2026-11-21T10:${until}:00Z"/></urlset>`;

  test('is made with the hub that the Capability List names, at a callback that nobody can guess', async () => {
    await look();
    const found = await topic();
    expect(found).toMatchObject({ state: 'active', topic: hub.topic, hub: `${hub.origin}/hub`, attempts: 0 });
    expect(found?.key).toMatch(/^[\w-]{43}$/);
    expect(hub.subscriptions).toMatchObject([{ callback: await callback(), topic: hub.topic }]);
    const left = (found?.leaseUntil ?? 0) - Date.now();
    expect(left).toBeGreaterThan(3_400_000);
    expect((found?.dueAt ?? 0) - Date.now()).toBeLessThan(left * 0.85);
    // What changed before it was made nobody told us.
    expect(await wanted()).toBeDefined();
  });

  test('a notification has the source harvested before all else, by whichever process works', async () => {
    await look();
    await forget();
    expect(await hub.deliver(payload('00', '01'))).toEqual([202]);
    expect(await wanted()).toMatchObject({ attempts: 0, schedule: '' });
    expect(await topic()).toMatchObject({ received: 1, untilAt: '2026-11-21T10:01:00Z' });
    await hub.deliver(payload('01', '02'));
    expect(lines).not.toContainEqual(expect.objectContaining({ expected: expect.anything() }));
    await forget();
    await hub.deliver(payload('05', '06'));
    const missed = { from: '2026-11-21T10:05:00Z', expected: '2026-11-21T10:02:00Z' };
    expect(lines).toContainEqual(expect.objectContaining(missed));
    expect(await wanted()).toBeDefined();
    await forget();
    // Of a large one only the beginning is read; whatever it is, it is a reason to look.
    await hub.deliver(payload('06', '07').replace('</urlset>', `${'<url/>'.repeat(500_000)}</urlset>`));
    expect(await topic()).toMatchObject({ untilAt: '2026-11-21T10:07:00Z' });
    const hostile = [
      ...['', '<html>', '{"a":1}', '<urlset a="'.padEnd(100_000, 'x'), '<a>'.repeat(100_000)],
      '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset>&x;</urlset>',
    ];
    for (const body of hostile) {
      await forget();
      expect(await hub.deliver(body)).toEqual([202]);
      expect(await wanted()).toBeDefined();
    }
  });

  test.each([
    ['sha256', 'right'],
    ['sha512', 'right'],
    ['sha1', 'weak'],
    ['md5', 'wrong'],
  ])('where there is a secret, what is signed by %s is taken as %s', async (method, expected) => {
    await look();
    await change({ secret: 'a secret of ours' });
    hub.subscriptions = hub.subscriptions.map((one) => ({ ...one, secret: 'a secret of ours' }));
    await forget();
    lines.length = 0;
    expect(await hub.deliver('<x/>', (body, secret) => signed(body, secret, method))).toEqual([202]);
    expect((await wanted()) !== undefined).toBe(expected !== 'wrong');
    expect(lines).toHaveLength(expected === 'right' ? 0 : 1);
    expect(JSON.stringify(lines)).not.toContain('a secret');
  });

  test('what is not signed, or by another secret, changes nothing and tells nobody', async () => {
    await look();
    await change({ secret: 'a secret of ours' });
    await forget();
    hub.subscriptions = hub.subscriptions.map((one) => ({ ...one, secret: 'x' }));
    const others = [
      () => ({}),
      (body: string) => signed(body, 'y'),
      () => ({ 'x-hub-signature': 'sha256=00' }),
    ];
    for (const sign of others) expect(await hub.deliver('<x/>', sign as never)).toEqual([202]);
    expect(await wanted()).toBeUndefined();
    expect(await topic()).toMatchObject({ received: 0 });
  });

  test('only what was asked for is confirmed', async () => {
    hub.behaviour.calls = false;
    await look();
    const own = await callback();
    const unknown = `${publicBase}/rs/api/websub/${'x'.repeat(43)}`;
    const query = { 'hub.mode': 'subscribe', 'hub.topic': hub.topic, 'hub.challenge': 'c' };
    const statusOf = async (at: string, changed: Record<string, string>) =>
      (await hub.call(at, { ...query, ...changed })).status;
    expect(await statusOf(unknown, {})).toBe(404);
    expect(await statusOf(own, { 'hub.topic': `${hub.topic}/other` })).toBe(404);
    expect(await statusOf(own, { 'hub.mode': 'unsubscribe' })).toBe(404);
    expect(await statusOf(own, { 'hub.challenge': 'x'.repeat(2049) })).toBe(404);
    expect(await topic()).toMatchObject({ state: 'asked' });
    const answer = await hub.call(own, { ...query, 'hub.challenge': '<script>' });
    expect([answer.status, await answer.text()]).toEqual([200, '<script>']);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await statusOf(own, {})).toBe(404);
    hub.subscriptions = [{ callback: unknown, topic: hub.topic, secret: undefined }];
    expect(await hub.deliver('<x/>')).toEqual([410]);
  });

  const all = () => open().database.reader('followed_topic').orderBy('due_at').select('key', 'state');

  test('is renewed before it ends at another callback, and told of at the first one until that is confirmed', async () => {
    await look();
    const [before, first] = [await callback(), hub.subscriptions];
    await hub.deliver(payload('20', '21'));
    await change({ due_at: 0 });
    hub.behaviour.calls = false;
    await look();
    expect((await all()).map(({ state }) => state).sort()).toEqual(['active', 'asked']);
    expect(await topic()).toMatchObject({ state: 'active' });
    await forget();
    await hub.deliver(payload('21', '22'));
    expect(await wanted()).toBeDefined();
    // The hub has not called: it is asked again, at the same callback.
    hub.behaviour.calls = true;
    await open().database.writer('followed_topic').where({ state: 'asked' }).update({ due_at: 0 });
    await look();
    const [, asked, again] = hub.asked.map((one) => one.callback);
    expect(asked).not.toBe(before);
    expect([again, await callback()]).toEqual([asked, asked]);
    expect(await topic()).toMatchObject({ state: 'active', received: 2, untilAt: '2026-11-21T10:22:00Z' });

    // What is on its way to the first one counts; soon after, the hub is told that it is over.
    await forget();
    hub.subscriptions = first;
    expect(await hub.deliver(payload('22', '23'))).toEqual([202]);
    expect(await wanted()).toBeDefined();
    expect(await topic()).toMatchObject({ received: 3, untilAt: '2026-11-21T10:23:00Z' });
    await open().database.writer('followed_topic').where({ state: 'ending' }).update({ due_at: 0 });
    await look();
    expect(hub.asked.at(-1)).toMatchObject({ mode: 'unsubscribe', callback: before, status: 200 });
    hub.subscriptions = first;
    expect(await hub.deliver('<x/>')).toEqual([410]);
    expect(await all()).toMatchObject([{ state: 'active' }]);
  });

  test('that cannot be renewed is told of until its lease ends, and asked for on and on', async () => {
    await look();
    await change({ due_at: 0 });
    hub.behaviour.answer = 503;
    await look();
    expect((await all()).map(({ state }) => state).sort()).toEqual(['active', 'wanted']);
    await change({ due_at: 0, lease_until: 1 });
    await look();
    expect(await all()).toMatchObject([{ state: 'wanted' }]);
    expect(hub.asked).toHaveLength(3);
  });

  test('of which less than a third is left is renewed at the beginning, whatever was planned', async () => {
    hub.behaviour.lease = '3000';
    await look();
    const at = (left: number) =>
      change({ lease_until: Date.now() + left * 1000, due_at: Date.now() + 900_000 });
    await at(1100);
    await renewLate(bridge);
    await look();
    expect(hub.asked).toHaveLength(1);
    await at(900);
    await renewLate(bridge);
    await look();
    expect(hub.asked.map(({ mode }) => mode)).toEqual(['subscribe', 'subscribe']);
  });

  test('that is told the same again does not look again', async () => {
    await look();
    await hub.deliver(payload('10', '11'));
    await forget();
    expect(await hub.deliver(payload('10', '11'))).toEqual([202]);
    expect([await wanted(), (await topic())?.received]).toEqual([undefined, 1]);
    await hub.deliver(payload('11', '12'));
    expect(await wanted()).toBeDefined();
  });

  test('a hub that is down, or says no, is asked again, later each time', async () => {
    hub.behaviour.answer = 503;
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await look();
      const found = await topic();
      expect(found).toMatchObject({ state: 'wanted', attempts: attempt, reason: 'it answered 503' });
      pauses.push((found?.dueAt ?? 0) - Date.now());
      await change({ due_at: 0 });
    }
    expect(pauses[3] ?? 0).toBeGreaterThan(pauses[0] ?? 0);
    hub.behaviour.answer = 202;
    await look();
    expect(await topic()).toMatchObject({ state: 'active', reason: undefined });
    const denial = { 'hub.mode': 'denied', 'hub.topic': hub.topic, 'hub.reason': 'no more' };
    await hub.call(await callback(), denial);
    expect(await topic()).toMatchObject({ state: 'wanted', reason: 'the hub denies it: no more' });
  });

  test('of a source that is gone the hub is told so, and nothing of it is taken any more', async () => {
    await look();
    delete sources.kyushu;
    await look();
    expect(hub.asked.at(-1)).toMatchObject({ mode: 'unsubscribe', status: 200 });
    expect([await topic(), hub.subscriptions]).toEqual([undefined, []]);
  });

  // 200 to 204 of the suite of WebSub: the body of a request to a hub survives, and the topic is what the page at its end calls itself.
  test.each([301, 302])('a channel that leads elsewhere by %i is what is there', async (code) => {
    const { channel } = hub.behaviour;
    const moved = `<url><loc>${hub.origin}/${code}/topic</loc><rs:md capability="change-notification"/></url>`;
    hub.behaviour.channel = moved;
    await look();
    hub.behaviour.channel = channel;
    expect(await topic()).toMatchObject({ state: 'active', topic: hub.topic, hub: `${hub.origin}/hub` });
  });

  test.each([307, 308])('a hub that sends on by %i is asked where it is', async (code) => {
    const { channel } = hub.behaviour;
    hub.behaviour.channel = channel.replace('/hub"', `/${code}/hub"`);
    await look();
    hub.behaviour.channel = channel;
    expect(await topic()).toMatchObject({ state: 'active', hub: `${hub.origin}/${code}/hub` });
    expect(hub.subscriptions).toMatchObject([{ topic: hub.topic }]);
  });

  test('a hub that the header names is found, and one that is named no more is left', async () => {
    const { channel } = hub.behaviour;
    const lookAgain = () => open().database.writer('followed_source').update({ look_at: 0 });
    await look();
    await lookAgain();
    hub.behaviour.channel = channel.replace(/<rs:ln[^>]*>/, '');
    await look();
    expect(await topic()).toMatchObject({ state: 'active', hub: `${hub.origin}/hub` });
    hub.behaviour.channel = '';
    await lookAgain();
    await look();
    expect(await topic()).toBeUndefined();
    expect(hub.asked.at(-1)).toMatchObject({ mode: 'unsubscribe', status: 200 });
    hub.behaviour.channel = channel;
  });

  test('a source that was never harvested, or is none of ResourceSync, asks nobody', async () => {
    sources.other = { adapter: 'resourcesync', url: `${hub.origin}/other` };
    sources.kyushu = { adapter: 'oai-pmh', url: hub.origin };
    await look();
    delete sources.other;
    expect([await topic(), hub.asked]).toEqual([undefined, []]);
  });
});
