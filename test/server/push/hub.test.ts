import { afterEach, beforeEach, expect, test } from 'vitest';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { hashOf } from '../../../src/store/admin/secret-text.ts';
import { createToken } from '../../../src/store/admin/tokens.ts';
import { beginTopic } from '../../../src/store/push/topics.ts';
import { type House, now, openHouse, publishedSet } from '../../house/server/fixture.ts';

const base = 'https://bridge.example.org/rs';
const secret = 'a-token-of-the-configuration';
const open = `${base}/kyushu/change-notification.xml`;
const closed = `${base}/embargo/change-notification.xml`;

let house: House;

beforeEach(async () => {
  const parts = { hashes: new Set([hashOf(secret)]) };
  house = await openHouse({
    privacy: { names: () => ['embargo'], of: (source) => (source === 'embargo' ? parts : undefined) },
    setsOf: (source) => resourceSets(source, source === 'embargo' ? { access: {} } : {}),
    clientOf: () => '192.0.2.7',
    push: {
      ...{ hub: true, leaseSeconds: 864_000, hubsOf: () => [`${base}/hub`] },
      limits: {
        ...{ intentsPerClient: 50, intentsPerHost: 3, intents: 100 },
        ...{ subscriptionsPerHost: 10, subscriptionsPerTopic: 10, subscriptions: 10 },
      },
    },
  });
  await house.database.transaction(async (trx) => {
    for (const source of ['kyushu', 'embargo'])
      await beginTopic(trx, `${source}/change-notification.xml`, {}, Date.now());
  });
});
afterEach(() => house.close());

async function ask(form: Record<string, string>, headers: Record<string, string> = {}) {
  const answer = await fetch(`${await house.origin()}/rs/hub`, {
    ...{ method: 'POST', headers, body: new URLSearchParams({ 'hub.mode': 'subscribe', ...form }) },
  });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const intents = () => house.database.reader('push_intent').select();
const at = (name: string) => ({ 'hub.callback': `https://${name}.example/cb` });

test('what is asked for is written down, and answered before anybody is called', async () => {
  const { status, text, headers } = await ask({ 'hub.topic': open, ...at('a'), 'hub.secret': 's' });
  expect([status, text]).toEqual([202, 'the callback is asked whether this is meant\n']);
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(await intents()).toMatchObject([
    {
      callback: 'https://a.example/cb',
      mode: 'subscribe',
      secret: 's',
      client: '192.0.2.7',
      topic_url: open,
    },
  ]);
});

test('a topic is said letter by letter, and one that is none is refused at once', async () => {
  expect(await ask({ 'hub.topic': `${open}/`, ...at('a') })).toMatchObject({
    ...{ status: 400, text: `hub.topic is to be written ${open}\n` },
  });
  for (const topic of [
    `${base}/none/change-notification.xml`,
    `${base}/kyushu/resourcelist.xml`,
    'https://other.example/',
  ])
    expect(await ask({ 'hub.topic': topic, ...at('a') })).toMatchObject({ status: 404 });
  expect(await intents()).toEqual([]);
});

test('a channel can be subscribed to as soon as the lists of its set are there, before anybody tells on it', async () => {
  const sets = `${base}/kyushu/sets/economics/change-notification.xml`;
  const metadata = `${base}/kyushu/metadata/change-notification.xml`;
  const origin = await house.origin();
  const statusOf = async (topic: string) => (await fetch(topic.replace(`${base}/`, `${origin}/rs/`))).status;
  expect(await statusOf(metadata)).toBe(404);
  house.publication.published.push(publishedSet('kyushu/metadata'));
  expect(await statusOf(metadata)).toBe(200);
  expect(await ask({ 'hub.topic': metadata, ...at('a') })).toMatchObject({ status: 202 });
  expect(await ask({ 'hub.topic': sets, ...at('a') })).toMatchObject({ status: 404 });
  expect(await intents()).toMatchObject([{ topic_url: metadata }]);
});

test('nothing that somebody sends comes back to whoever reads the answer', async () => {
  const script = '<script>alert(1)</script>';
  const { text } = await ask({ 'hub.topic': script, 'hub.mode': script, ...at('a') });
  expect(text).not.toContain('<');
});

test('what is not for everybody is the same as nothing, but for whoever has a token', async () => {
  const unknown = await ask({ 'hub.topic': `${base}/none/change-notification.xml`, ...at('a') });
  const hidden = await ask({ 'hub.topic': closed, ...at('a') });
  const guessed = await ask({ 'hub.topic': closed, ...at('a') }, bearer('wrong-token-wrong'));
  for (const answer of [hidden, guessed])
    expect([answer.status, answer.text]).toEqual([unknown.status, unknown.text]);
  const { secret: token } = await createToken(
    house.database,
    { name: 'reader', scope: 'content', sets: ['embargo'], createdBy: 'x' } as Parameters<
      typeof createToken
    >[1],
    now,
  );
  for (const [name, key] of [
    ['b', secret],
    ['c', token],
  ] as const)
    expect((await ask({ 'hub.topic': closed, ...at(name) }, bearer(key))).status).toBe(202);
  expect((await intents()).map((one) => one.token_hash)).toEqual([secret, token].map(hashOf));
  const clear = await ask({ 'hub.topic': closed, 'hub.callback': 'http://d.example/' }, bearer(secret));
  expect([clear.status, clear.text]).toEqual([400, expect.stringContaining('is to be at https')]);
});

test('a flood ends: at one host, of one address, and in time', async () => {
  const statuses: number[] = [];
  for (let index = 0; index < 5; index += 1)
    statuses.push((await ask({ 'hub.topic': open, 'hub.callback': `https://a.example/${index}` })).status);
  expect(statuses).toEqual([202, 202, 202, 429, 429]);
  for (let index = 0; index < 60; index += 1)
    statuses.push((await ask({ 'hub.topic': open, ...at(`h${index}`) })).status);
  expect(statuses.filter((status) => status === 202)).toHaveLength(50);
  const last = await ask({ 'hub.topic': open, ...at('z') });
  expect([last.status, last.headers.get('retry-after')]).toEqual([429, '60']);
  expect(await intents()).toHaveLength(50);
});

test('what is no form, or too large, is refused', async () => {
  const origin = await house.origin();
  const post = (body: string, type: string) =>
    fetch(`${origin}/rs/hub`, { method: 'POST', body, headers: { 'content-type': type } });
  expect((await post('{}', 'application/json')).status).toBe(415);
  const form = 'application/x-www-form-urlencoded';
  const large = await post(`hub.secret=${'x'.repeat(20_000)}`, form);
  expect([large.status, await large.text()]).toEqual([413, 'a request has up to 16384 bytes\n']);
  expect(large.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect((await post('', form)).status).toBe(400);
});
