import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openSourcePort } from '../../../src/cli/validate/validate-port.ts';
import { validateSource } from '../../../src/conformance/source-validation.ts';
import { changeNotifications } from '../../../src/publish/changes/change-notifications.ts';
import { listSubscriptions } from '../../../src/store/push/subscriptions.ts';
import { listTopics } from '../../../src/store/push/topics.ts';
import { readJournal } from '../../../src/store/sources/journal.ts';
import { type Received, type Subscriber, startSubscriber, takeAll } from '../../house/push/subscriber.ts';
import { type SampleService, startSampleService } from '../../house/server/sample-service.ts';

/** What the WebSub suite (websub.rocks) asks of hubs and publishers, and the rules of both standards. */
let sample: SampleService;
let subscriber: Subscriber;
let topic: string;
let counter = 0;

beforeAll(async () => {
  sample = await startSampleService('/rs', {}, { push: { hub: true, allow: ['127.0.0.1'] } });
  topic = `${sample.base}/sample/change-notification.xml`;
  await vi.waitFor(async () => expect((await fetch(topic)).status).toBe(200), { timeout: 60_000 });
}, 120_000);
afterAll(() => sample?.close());
beforeEach(async () => {
  subscriber = await startSubscriber();
  return () => subscriber.close();
});

const soon = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 30_000, interval: 25 });
const path = () => {
  counter += 1;
  return `/callback/${counter}`;
};
const ask = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${sample.base}/hub`, { method: 'POST', headers, body: new URLSearchParams(form) });
const subscribed = async (callback: string) =>
  (await listSubscriptions(sample.bridge.database.reader)).filter((one) => one.callback === callback);

/** Subscribes, and waits until that is confirmed. */
async function subscribe(at: string, more: Record<string, string> = {}): Promise<Received> {
  const callback = `${subscriber.base}${at}`;
  const before = subscriber.questions('subscribe').length;
  const answer = await ask({
    'hub.mode': 'subscribe',
    'hub.topic': topic,
    'hub.callback': callback,
    ...more,
  });
  expect(answer.status).toBe(202);
  await soon(() => expect(subscriber.questions('subscribe').length).toBeGreaterThan(before));
  await soon(async () => expect(await subscribed(callback)).toHaveLength(1));
  const question = subscriber.questions('subscribe').at(-1);
  if (!question) throw new Error('nobody asked');
  return question;
}

async function delivered(at: string, count = 1): Promise<readonly Received[]> {
  await soon(() => expect(subscriber.deliveries(at).length).toBeGreaterThanOrEqual(count));
  return subscriber.deliveries(at);
}

async function leave(at: string): Promise<void> {
  const callback = `${subscriber.base}${at}`;
  await ask({ 'hub.mode': 'unsubscribe', 'hub.topic': topic, 'hub.callback': callback });
  await soon(async () => expect(await subscribed(callback)).toEqual([]));
}

test('hub 100: a subscription is confirmed, and gets what is published as it is published', async () => {
  const at = path();
  const question = await subscribe(at);
  expect(Object.fromEntries(question.query)).toEqual({
    ...{ 'hub.mode': 'subscribe', 'hub.topic': topic, 'hub.lease_seconds': '864000' },
    'hub.challenge': expect.stringMatching(/^[\w-]{32}$/),
  });
  await sample.edit(3);
  const [delivery] = await delivered(at);
  const text = delivery?.body.toString() ?? '';
  // CN-01, CN-04, CN-06: what it is, where it belongs, and what has happened to what.
  expect(text).toMatch(/<rs:md capability="change-notification" from="[^"]+Z" until="[^"]+Z"\/>/);
  expect(text).toContain(`<rs:ln rel="up" href="${sample.base}/sample/capabilitylist.xml"/>`);
  expect(text).toMatch(
    /<loc>[^<]+<\/loc><lastmod>[^<]+<\/lastmod><rs:md change="(created|updated|deleted)" datetime/,
  );
  expect(delivery?.headers['content-type']).toBe('application/xml');
  expect(delivery?.headers.link).toBe(
    `<${sample.base}/hub>; rel="hub", <${topic}>; rel="self", <${sample.base}/sample/capabilitylist.xml>; rel="resourcesync"`,
  );
  expect(delivery?.headers['x-hub-signature']).toBeUndefined();
  // NT-01, NT-02: the same bytes are at the topic, with the same links.
  const page = await fetch(topic);
  expect(page.headers.get('content-type')).toBe('application/xml');
  expect(page.headers.get('link')).toBe(delivery?.headers.link);
  const all = subscriber.deliveries(at);
  expect(await page.text()).toBe(all.at(-1)?.body.toString());
  const head = await fetch(topic, { method: 'HEAD' });
  expect([head.status, head.headers.get('link'), head.headers.get('content-length')]).toEqual([
    ...[200, delivery?.headers.link, String(all.at(-1)?.body.byteLength)],
  ]);
  await leave(at);
});

test('hub 101: with a secret it is signed, over the bytes that are sent', async () => {
  const at = path();
  await subscribe(at, { 'hub.secret': '0123456789abcdefghij' });
  await sample.edit(2);
  const [delivery] = await delivered(at);
  const signature = createHmac('sha256', '0123456789abcdefghij')
    .update(delivery?.body ?? '')
    .digest('hex');
  expect(delivery?.headers['x-hub-signature']).toBe(`sha256=${signature}`);
  expect(delivery?.headers['content-encoding']).toBeUndefined();
  await leave(at);
});

test('hub 102: parameters that nobody knows are ignored', async () => {
  const at = path();
  const question = await subscribe(at, { foo: 'bar', 'hub.foo': 'hub.bar' });
  expect(question.query.has('foo')).toBe(false);
  await leave(at);
});

test('hub 103: subscribed twice it is confirmed again, and told once', async () => {
  const at = path();
  await subscribe(at);
  await subscribe(at, { 'hub.lease_seconds': '1000' });
  await soon(async () => {
    const [one] = await subscribed(`${subscriber.base}${at}`);
    expect((one?.leaseUntil ?? 0) - Date.now()).toBeLessThan(1_000_000);
  });
  await sample.edit(2);
  await delivered(at);
  await sample.edit(2);
  await delivered(at, 2);
  const bodies = subscriber.deliveries(at).map(({ body }) => body.toString());
  expect(new Set(bodies).size).toBe(bodies.length);
  // CN-02: each begins where the one before ended.
  const [first, second] = bodies.map((text) => /from="([^"]+)" until="([^"]+)"/.exec(text) ?? []);
  expect(second?.[1]).toBe(first?.[2]);
  await leave(at);
});

test('hub 104: after unsubscribing there is silence', async () => {
  const [at, other] = [path(), path()];
  await subscribe(at);
  await subscribe(other);
  await leave(at);
  const [question] = subscriber.questions('unsubscribe');
  expect([...(question?.query.keys() ?? [])].sort()).toEqual(['hub.challenge', 'hub.mode', 'hub.topic']);
  await sample.edit(2);
  await delivered(other);
  expect(subscriber.deliveries(at)).toEqual([]);
  await leave(other);
});

test('the callback keeps its query, and what is asked comes behind it', async () => {
  const at = `${path()}?who=me&x=%20`;
  const { url } = await subscribe(at);
  expect(url.startsWith(`${at}&hub.mode=subscribe&`)).toBe(true);
  await leave(at);
});

test.each([
  ['another text', (_: Received, reply: ServerResponse) => reply.end('something else')],
  [
    'the challenge and more',
    (one: Received, reply: ServerResponse) => reply.end(`${one.query.get('hub.challenge')}\n`),
  ],
  ['404', (_: Received, reply: ServerResponse) => reply.writeHead(404).end()],
  [
    'the challenge with 404',
    (one: Received, reply: ServerResponse) => reply.writeHead(404).end(one.query.get('hub.challenge')),
  ],
  [
    'a redirect',
    (one: Received, reply: ServerResponse) =>
      one.url.startsWith('/elsewhere')
        ? takeAll(one, reply)
        : reply.writeHead(307, { location: `/elsewhere?${one.query}` }).end(),
  ],
  [
    'a body without an end',
    (_: Received, reply: ServerResponse) => {
      const more = setInterval(() => reply.write('x'.repeat(1000)), 5);
      reply.on('close', () => clearInterval(more));
    },
  ],
])('a callback that answers with %s has not confirmed', async (_, behaviour) => {
  const at = path();
  subscriber.behave(behaviour as (one: Received, reply: ServerResponse) => void);
  const callback = `${subscriber.base}${at}`;
  const answer = await ask({ 'hub.mode': 'subscribe', 'hub.topic': topic, 'hub.callback': callback });
  // WS-05: what the callback says is not known yet.
  expect(answer.status).toBe(202);
  await soon(() => expect(subscriber.questions()).toHaveLength(1));
  await soon(async () => expect(await sample.bridge.database.reader('push_intent').select()).toEqual([]));
  expect(await subscribed(callback)).toEqual([]);
  expect(subscriber.questions()).toHaveLength(1);
});

test('a subscription that is not confirmed again stays as it is', async () => {
  const at = path();
  await subscribe(at, { 'hub.secret': 'first' });
  subscriber.behave((_, reply) => reply.writeHead(404).end());
  const callback = `${subscriber.base}${at}`;
  await ask({ 'hub.mode': 'unsubscribe', 'hub.topic': topic, 'hub.callback': callback });
  await soon(() => expect(subscriber.questions('unsubscribe')).toHaveLength(1));
  await ask({ 'hub.mode': 'subscribe', 'hub.topic': topic, 'hub.callback': callback, 'hub.secret': 'other' });
  await soon(() => expect(subscriber.questions('subscribe')).toHaveLength(2));
  await soon(async () => expect(await sample.bridge.database.reader('push_intent').select()).toEqual([]));
  subscriber.behave(takeAll);
  await sample.edit(1);
  const [delivery] = await delivered(at);
  const signature = createHmac('sha256', 'first')
    .update(delivery?.body ?? '')
    .digest('hex');
  expect(delivery?.headers['x-hub-signature']).toBe(`sha256=${signature}`);
  await leave(at);
});

test('410 ends a subscription; what fails is sent again, and nothing overtakes it', async () => {
  const [gone, failing] = [path(), path()];
  await subscribe(gone);
  await subscribe(failing);
  let failures = 2;
  subscriber.behave((one, reply) => {
    if (one.url === gone) reply.writeHead(410).end();
    else if (one.method === 'POST' && failures > 0) {
      failures -= 1;
      reply.writeHead(failures === 1 ? 500 : 302, { location: '/elsewhere' }).end();
    } else takeAll(one, reply);
  });
  await sample.edit(1);
  await soon(async () => expect(await subscribed(`${subscriber.base}${gone}`)).toEqual([]));
  await delivered(failing);
  await sample.edit(1);
  await vi.waitFor(() => expect(subscriber.deliveries(failing).length).toBeGreaterThanOrEqual(4), 90_000);
  const bodies = subscriber.deliveries(failing).map(({ body }) => body.toString());
  expect(bodies[1]).toBe(bodies[0]);
  expect(bodies[2]).toBe(bodies[0]);
  expect(bodies[3]).not.toBe(bodies[0]);
  expect(subscriber.received.some(({ url }) => url === '/elsewhere')).toBe(false);
  await leave(failing);
}, 120_000);

test('publisher: the channels are named in the Capability List, with the hub, and lead to it', async () => {
  const list = await (await fetch(`${sample.base}/sample/capabilitylist.xml`)).text();
  for (const kind of ['change-notification', 'framework-notification']) {
    expect(list).toContain(
      `<loc>${sample.base}/sample/${kind}.xml</loc>\n    <rs:md capability="${kind}"/>\n    <rs:ln rel="hub" href="${sample.base}/hub"/>`,
    );
    const page = await fetch(`${sample.base}/sample/${kind}.xml`);
    expect(page.headers.get('link')).toContain(`<${sample.base}/sample/${kind}.xml>; rel="self"`);
  }
  // Clients that take lists alone are told of nothing else.
  const listsOnly = await (await fetch(`${sample.base}/sample/lists/capabilitylist.xml`)).text();
  expect(listsOnly).not.toContain('notification');
});

test('what is told can be read: the Change List has it already', async () => {
  const at = path();
  await subscribe(at);
  const index = `${sample.base}/sample/changelist-index.xml`;
  const locs = (text: string) => [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, loc]) => loc ?? '');
  const missing: Promise<readonly string[]>[] = [];
  const look = async (told: string): Promise<readonly string[]> => {
    const list = locs(await (await fetch(index)).text()).at(-1) ?? '';
    const entries = await (await fetch(list)).text();
    const isThere = (entry: string) => entries.includes(entry);
    return [...told.matchAll(/<url>.*?<\/url>/gs)].map(([entry]) => entry).filter((entry) => !isThere(entry));
  };
  subscriber.behave((one, reply) => {
    if (one.method === 'POST') missing.push(look(one.body.toString()));
    takeAll(one, reply);
  });
  for (let round = 1; round <= 5; round += 1) {
    await sample.edit(3);
    await delivered(at, round);
  }
  expect(await Promise.all(missing)).toEqual(missing.map(() => []));
  // CN-02, CN-05: each begins where the one before ended, and has its entries in the order of time.
  const bodies = subscriber.deliveries(at).map(({ body }) => body.toString());
  const intervals = bodies.map((body) => /from="([^"]+)" until="([^"]+)"/.exec(body)?.slice(1) ?? []);
  expect(intervals.slice(1).map(([from]) => from)).toEqual(intervals.slice(0, -1).map(([, until]) => until));
  for (const body of bodies) {
    const times = [...body.matchAll(/datetime="([^"]+)"/g)].map(([, time]) => time);
    expect(times).toEqual([...times].sort());
  }
  await leave(at);
}, 60_000);

test('very many changes are several notifications that follow one another', async () => {
  const { database, config } = sample.bridge;
  const set = sample.bridge.sets().find(({ path: one }) => one === 'sample') ?? expect.unreachable();
  const { seq } = (await readJournal(database.reader, 'sample')) ?? expect.unreachable();
  const settings = { baseUrl: config.baseUrl, set, from: undefined, withJson: false };
  const some = [];
  for await (const one of changeNotifications(
    database.reader,
    { ...settings, limits: { entries: 7, bytes: 1e6 } },
    { afterSeq: 0, upToSeq: seq },
  ))
    some.push(one);
  expect(some.length).toBeGreaterThan(2);
  // CN-08
  for (const { xml, entries } of some) {
    expect(entries).toBeLessThanOrEqual(7);
    expect(xml.toString()).toMatch(/<urlset [\s\S]*capability="change-notification"/);
  }
  expect(some.slice(1).map(({ from }) => from)).toEqual(some.slice(0, -1).map(({ until }) => until));
});

test('rsbridge validate finds nothing wrong with the channels', async () => {
  const url = new URL(`${sample.base}/sample/capabilitylist.xml`);
  const { signal } = new AbortController();
  const io = { stdout: process.stdout, stderr: process.stderr, env: {}, cwd: sample.directory };
  const limits = { allowPrivate: true, maxPackageBytes: 1e6 };
  const port = openSourcePort(url, limits, signal, { ...io, stop: signal, abort: signal });
  const asked: string[] = [];
  const counting: typeof port = {
    ...port,
    get: (uri, purpose, headers) => {
      asked.push(uri);
      return port.get(uri, purpose, headers);
    },
  };
  const { uris } = await validateSource(url, counting, {
    ...{ follow: true, sample: 0, packages: 0, maximumPackageBytes: 1e6 },
    ...{ maximumDocuments: 50, maximumFindings: 20 },
  });
  await port.close();
  expect(asked).toContain(topic);
  const found = uris.flatMap(({ findings }) => findings).filter(({ rule }) => /^(CN|FN|NT)-/.test(rule));
  expect(found).toEqual([]);
}, 60_000);

test('a channel without news is empty, and there', async () => {
  const page = await fetch(`${sample.base}/sample/framework-notification.xml`);
  expect([page.status, page.headers.get('content-type'), await page.text()]).toEqual([
    200,
    'application/xml',
    '',
  ]);
});

test('another Source Description is told of on the channels of all sets', async () => {
  const sets = sample.bridge.sets();
  const paths = ['sample', 'sample/metadata'];
  const places = paths.map((set) => ({
    at: path(),
    topic: `${sample.base}/${set}/framework-notification.xml`,
  }));
  for (const { at, topic: channel } of places) await subscribe(at, { 'hub.topic': channel });
  const known = async (set: string) =>
    (await listTopics(sample.bridge.database.reader)).get(`${set}/framework-notification.xml`)?.known;
  // What there is when somebody subscribes is no news.
  for (const set of paths)
    await soon(async () => expect(await known(set)).toContain('".well-known/resourcesync"'));
  const description = `<loc>${sample.base}/.well-known/resourcesync</loc>\n    <rs:md change="updated" datetime="`;
  for (const { at } of places)
    await soon(async () => {
      // The service publishes it, too.
      await sample.bridge.publisher.publishSite(sets.toReversed());
      const told = subscriber.deliveries(at).map(({ body }) => body.toString());
      const [own] = told.filter((text) => text.includes(description));
      expect(own).toContain('capability="description"/>');
      // FN-02: nothing is above it.
      expect(own).not.toContain('rel="up"');
    });
  await sample.bridge.publisher.publishSite(sets);
}, 60_000);

test('what is published is told of on a channel of its own', async () => {
  const at = path();
  await subscribe(at, { 'hub.topic': `${sample.base}/sample/framework-notification.xml` });
  await new Promise((resolve) => setTimeout(resolve, 3000));
  await sample.bridge.publisher.publish(
    sample.bridge.sets().find((set) => set.path === 'sample') ?? expect.unreachable(),
    { resourceList: 'always', close: true },
  );
  const told = () => subscriber.deliveries(at).map(({ body }) => body.toString());
  await soon(() => expect(told().join('')).toContain('capability="resourcelist"'));
  const text = told().join('');
  expect(text).toContain('<rs:md capability="framework-notification"/>');
  expect(text).toContain(`<rs:ln rel="up" href="${sample.base}/sample/capabilitylist.xml"/>`);
  expect(text).toMatch(
    /resourcelist\.xml<\/loc>\n {4}<rs:md change="updated" datetime="[^"]+" capability="resourcelist"\/>/,
  );
  // FN-05: of an index only what is below it is named.
  expect(text).not.toContain('changelist-index.xml</loc>');
}, 60_000);
