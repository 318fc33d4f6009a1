import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openInbox } from '../../../src/bridge/notifications/taking.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { listActs } from '../../../src/store/admin/audit.ts';
import { countNotifications, listNotifications } from '../../../src/store/notifications/inbox.ts';
import { findAsked, listOpenAsks, noteAsked } from '../../../src/store/runs/asked.ts';
import { announcedReview } from '../../house/core/notifications.ts';
import { addToken, dashboard } from '../../house/server/dashboard.ts';
import { type House, now, openHouse, seedResource } from '../../house/server/fixture.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const config = parseConfig({
  baseUrl: 'https://bridge.example.org/rs',
  sources: {
    kyushu: { adapter: 'oai-pmh', url: 'https://repo.example.org/oai' },
    other: { adapter: 'oai-pmh', url: 'https://other.example.org/oai' },
  },
  coarNotify: {
    partners: {
      reviews: {
        service: 'https://review.example.com/system',
        from: ['127.0.0.1', '198.51.100.0/24'],
        sources: ['kyushu', 'gone'],
        perMinute: 5,
      },
      elsewhere: { service: 'https://elsewhere.example.com', from: ['192.0.2.1'], sources: ['kyushu'] },
      silent: { service: 'https://silent.example.com', sources: ['kyushu'] },
    },
  },
});

describeOnBoth('the inbox', (open) => {
  let house: House;
  let clock = now;
  let number = 0;
  beforeAll(async () => {
    const { database } = open();
    const stored = { config, database, clock: { now: () => new Date(clock), sleep: async () => undefined } };
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const inbox = openInbox({ ...stored, log } as never);
    house = await openHouse({ database, inbox, admin: dashboard });
    const opened = { database };
    await seedResource(database, { identifier: 'oai:repo.example.org:123456789/12' });
    await seedResource(database, { identifier: 'oai:repo.example.org:123456789/13' });
    token = await addToken(opened, 'read');
  });
  afterAll(() => house.close());
  let token = '';

  const send = async (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${await house.origin()}/rs/inbox`, {
      method: 'POST',
      headers: {
        'content-type': 'application/ld+json;profile="https://www.w3.org/ns/activitystreams"',
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const about = (item: string) => {
    number += 1;
    clock = new Date(Date.parse(clock) + 61_000).toISOString().replace('.000', '');
    return { ...announcedReview, id: `urn:uuid:${number}`, context: { id: item, type: 'sorg:AboutPage' } };
  };
  const kept = async () => (await listNotifications(open().database.reader, { limit: 1 }))[0];
  const look = async (path: string, headers: Record<string, string> = {}) =>
    fetch(`${await house.origin()}/rs${path}`, { headers });

  test('is found from the home page and from /about', async () => {
    for (const path of ['/', '/about'])
      expect((await look(path)).headers.get('link')).toContain(
        '<https://bridge.example.org/rs/inbox>; rel="http://www.w3.org/ns/ldp#inbox"',
      );
    const options = await fetch(`${await house.origin()}/rs/inbox`, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('accept-post')]).toEqual([204, 'application/ld+json']);
  });

  test('a notification about an item has that item read again, by whichever process works', async () => {
    const answer = await send(announcedReview);
    expect(answer.status).toBe(201);
    const found = await kept();
    expect(answer.headers.get('location')).toBe(`https://bridge.example.org/rs/inbox/${found?.number}`);
    expect(found).toMatchObject({
      ...{ partner: 'reviews', pattern: 'announce-review', outcome: 'item', at: now },
      ...{ source: 'kyushu', item: 'oai:repo.example.org:123456789/12' },
    });
    const { database } = open();
    expect(await listOpenAsks(database.reader, 'kyushu')).toMatchObject([
      { id: found?.asked, kind: 'item', what: 'oai:repo.example.org:123456789/12' },
    ]);
    const due = await database.reader('due').where({ source: 'kyushu', kind: 'asked' }).first();
    expect(due).toMatchObject({ priority: 1, attempts: 0 });
    expect(await findAsked(database.reader, found?.asked ?? 0)).toMatchObject({ who: 'COAR Notify reviews' });
    expect(await listActs(database.reader, { limit: 1 })).toMatchObject([
      {
        who: 'COAR Notify reviews',
        action: 'was notified',
        what: 'kyushu: oai:repo.example.org:123456789/12',
      },
    ]);
  });

  test('sent again it is the same, and nothing is done twice', async () => {
    const first = await kept();
    const answer = await send(announcedReview);
    expect([answer.status, answer.headers.get('location')]).toEqual([
      201,
      `https://bridge.example.org/rs/inbox/${first?.number}`,
    ]);
    expect(await listOpenAsks(open().database.reader, 'kyushu')).toHaveLength(1);
    const changed = await send({
      ...announcedReview,
      object: { id: 'https://review.example.com/review/2', type: 'Page' },
    });
    expect([changed.status, await changed.json()]).toEqual([
      409,
      expect.objectContaining({ code: 'conflict' }),
    ]);
  });

  test('what was kept and not followed, because the process ended, is followed when it is sent again', async () => {
    const { database } = open();
    const first = await kept();
    await database
      .writer('notification')
      .update({ outcome: 'received', source: null, item: null, asked: null });
    expect((await send(announcedReview)).status).toBe(201);
    expect(await kept()).toEqual(first);
    expect(await listOpenAsks(database.reader, 'kyushu')).toHaveLength(1);
  });

  test('several that ask for an item while nobody has begun with it have it read once', async () => {
    const { database } = open();
    const [before] = await listOpenAsks(database.reader, 'kyushu');
    await send(about('https://hdl.handle.net/123456789/12'));
    expect((await kept())?.asked).toBe(before?.id);
    await noteAsked(database, before?.id ?? 0, { state: 'running' });
    await send(about('https://hdl.handle.net/123456789/12'));
    expect((await kept())?.asked).not.toBe(before?.id);
  });

  test.each([
    [
      'our own page of it',
      'https://bridge.example.org/rs/kyushu/items/oai:repo.example.org:123456789~2F13',
      '13',
    ],
    ['what the repository calls it', 'oai:repo.example.org:123456789/13', '13'],
    ['an item that is new', 'https://repo.example.org/handle/123456789/99', '99'],
  ])('an item is known by %s', async (_name, address, suffix) => {
    expect((await send(about(address))).status).toBe(201);
    expect(await kept()).toMatchObject({ outcome: 'item', item: `oai:repo.example.org:123456789/${suffix}` });
  });

  test.each([
    ['of a source that is not the partner’s', 'oai:other.example.org:1'],
    ['nobody has', 'https://repo.example.org/records/5'],
    ['on this machine', 'http://127.0.0.1:1/handle/123456789/12'],
  ])('an item %s is asked for nowhere', async (_name, address) => {
    const { database } = open();
    const before = await listOpenAsks(database.reader, 'kyushu');
    expect((await send(about(address))).status).toBe(201);
    expect(await kept()).toMatchObject({ outcome: 'unknown', source: undefined, asked: undefined });
    expect(await listOpenAsks(database.reader, 'kyushu')).toEqual(before);
  });

  test('an answer to one of ours is kept, and asks for nothing', async () => {
    const offer = { ...about('https://repo.example.org/x'), id: 'urn:uuid:offer' };
    const accept = { ...about(''), context: undefined, type: 'Accept', inReplyTo: offer.id, object: offer };
    expect((await send(accept)).status).toBe(201);
    expect(await kept()).toMatchObject({ pattern: 'accept', outcome: 'none' });
  });

  describe('refuses', () => {
    const counted = () => countNotifications(open().database.reader);
    const refused = async (answer: Response) => {
      const { code, detail } = (await answer.json()) as { code: string; detail: string };
      return { status: answer.status, code, detail };
    };

    test.each([
      ['an address from which nobody sends', { 'x-forwarded-for': '203.0.113.9' }],
      ['a service that sends from elsewhere', { 'x-forwarded-for': '192.0.2.1' }],
    ])('%s', async (_name, headers) => {
      const before = await counted();
      const answer = await refused(await send(about('oai:repo.example.org:123456789/12'), headers));
      expect(answer).toMatchObject({ status: 403, code: 'not-a-partner' });
      expect(await counted()).toEqual(before);
    });

    test('a service without addresses', async () => {
      const origin = { ...announcedReview.origin, id: 'https://silent.example.com' };
      const answer = await refused(await send({ ...about('oai:repo.example.org:123456789/12'), origin }));
      expect(answer).toMatchObject({ status: 403, code: 'not-a-partner' });
      expect(answer.detail).toContain('https://silent.example.com');
    });

    test('what is no notification, and says all that is wrong', async () => {
      const answer = await refused(await send({ ...announcedReview, id: 'x', context: undefined }));
      expect(answer).toMatchObject({ status: 400, code: 'bad-request' });
      expect(answer.detail).toMatch(/`id` is not a URI.*; `context\.id` is not a URI/);
      expect(await refused(await send('{'))).toMatchObject({ status: 400 });
    });

    test('other media types, and more than 64 KiB', async () => {
      expect(
        await refused(await send(announcedReview, { 'content-type': 'application/json' })),
      ).toMatchObject({
        status: 415,
        code: 'media-type-refused',
      });
      expect((await send({ ...announcedReview, summary: 'x'.repeat(65_536) })).status).toBe(413);
    });

    test('more than it may send within a minute', async () => {
      about('a minute passes');
      const statuses: number[] = [];
      for (let sent = 0; sent < 7; sent += 1) {
        const { id: _, ...rest } = announcedReview;
        statuses.push((await send({ ...rest, id: `urn:uuid:crowd-${sent}` })).status);
      }
      expect(statuses).toEqual([201, 201, 201, 201, 201, 429, 429]);
      expect((await send({ ...announcedReview, id: 'urn:uuid:crowd-0' })).status).toBe(201);
      about('another minute passes');
      expect((await send({ ...announcedReview, id: 'urn:uuid:crowd-6' })).status).toBe(201);
    });
  });

  test('is read by those who run the bridge alone', async () => {
    const { number: last = 0, content } = (await kept()) ?? {};
    for (const path of ['/inbox', `/inbox/${last}`]) {
      expect((await look(path)).status).toBe(401);
      expect(
        (await look(path, { 'x-forwarded-for': '203.0.113.9', authorization: 'Bearer rsb_x' })).status,
      ).not.toBe(200);
    }
    const headers = { authorization: `Bearer ${token}` };
    const list = await look('/inbox', headers);
    expect(list.headers.get('content-type')).toBe('application/ld+json');
    expect(await list.json()).toMatchObject({
      '@context': 'http://www.w3.org/ns/ldp',
      '@id': 'https://bridge.example.org/rs/inbox',
      contains: expect.arrayContaining([`https://bridge.example.org/rs/inbox/${last}`]),
    });
    expect(await (await look(`/inbox/${last}`, headers)).text()).toBe(content);
    expect((await look('/inbox/999999', headers)).status).toBe(404);
  });

  test('the dashboard shows what came, and what came of it', async () => {
    const page = async (lang: string) =>
      (await look(`/admin/notifications?lang=${lang}`, { authorization: `Bearer ${token}` })).text();
    expect(await page('en')).toContain('the item is read again');
    expect(await page('en')).toContain('Review announced');
    expect(await page('ja')).toContain('アイテムを取得し直します');
  });
});

test('without services that may send there is no inbox', async () => {
  const { partners } = config.coarNotify ?? {};
  const silent = { ...config, coarNotify: { partners: { silent: partners?.silent } } };
  expect(openInbox({ config: silent } as never)).toBeUndefined();
  const house = await openHouse({ inbox: undefined, admin: dashboard });
  const origin = await house.origin();
  expect((await fetch(`${origin}/rs/inbox`, { method: 'POST' })).status).toBe(405);
  expect((await fetch(`${origin}/rs/inbox`)).status).toBe(404);
  expect((await fetch(`${origin}/rs/`)).headers.get('link')).not.toContain('ldp#inbox');
  await house.close();
});
