import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { addWebhook } from '../../../src/bridge/push/subscription-acts.ts';
import { type Subscriber, startSubscriber, takeAll } from '../../house/push/subscriber.ts';
import { type SampleService, startSampleService } from '../../house/server/sample-service.ts';

let sample: SampleService;
let hook: Subscriber;
let foreignHub: Subscriber;

beforeAll(async () => {
  [hook, foreignHub] = await Promise.all([startSubscriber(), startSubscriber()]);
  const push = { externalHubs: [`${foreignHub.base}/`], allow: ['127.0.0.1'] };
  sample = await startSampleService('', {}, { push });
}, 120_000);
afterAll(async () => {
  await sample?.close();
  await Promise.all([hook, foreignHub].map((one) => one?.close()));
});

const soon = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 60_000, interval: 25 });

test('a webhook is told of each change, signed, and again with the same id where it failed', async () => {
  const { secret } = await addWebhook(
    sample.bridge,
    { url: `${hook.base}/hook`, set: 'sample' },
    { who: 'test' },
  );
  let failures = 1;
  hook.behave((one, reply) => {
    if (failures > 0) reply.writeHead(503).end();
    else takeAll(one, reply);
    failures -= 1;
  });
  await sample.edit(3);
  await soon(() => expect(hook.deliveries('/hook').length).toBeGreaterThanOrEqual(2));
  const [failed, message] = hook.deliveries('/hook');
  expect(message?.body.toString()).toBe(failed?.body.toString());
  const told = JSON.parse(message?.body.toString() ?? '') as {
    id: string;
    type: string;
    set: string;
    from: string;
    until: string;
    changes: { uri: string; change: string; hash?: string; datetime: string }[];
  };
  expect(told).toMatchObject({
    type: 'changes',
    set: 'sample',
    topic: `${sample.base}/sample/change-notification.xml`,
  });
  expect(told.changes.length).toBeGreaterThan(0);
  for (const { uri, change, datetime } of told.changes) {
    expect(uri.startsWith(`${sample.base}/sample/items/`)).toBe(true);
    expect(['created', 'updated', 'deleted']).toContain(change);
    expect(datetime >= told.from && datetime <= told.until).toBe(true);
  }
  const {
    'webhook-id': id,
    'webhook-timestamp': time,
    'webhook-signature': signature,
  } = message?.headers ?? {};
  expect([id, failed?.headers['webhook-id']]).toEqual([told.id, told.id]);
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const expected = createHmac('sha256', key)
    .update(`${id}.${time}.`)
    .update(message?.body ?? '')
    .digest('base64');
  expect(signature).toBe(`v1,${expected}`);
}, 120_000);

test('a hub of others is told that there is something new, by both names, and finds it', async () => {
  const topic = `${sample.base}/sample/change-notification.xml`;
  const before = foreignHub.deliveries().length;
  await sample.edit(2);
  const pings = () =>
    foreignHub
      .deliveries()
      .slice(before)
      .map(({ body }) => new URLSearchParams(body.toString()));
  await soon(() => expect(pings().map((form) => form.get('hub.url'))).toContain(topic));
  const ping = pings().find((form) => form.get('hub.url') === topic);
  expect(Object.fromEntries(ping ?? [])).toEqual({
    'hub.mode': 'publish',
    'hub.url': topic,
    'hub.topic': topic,
  });
  const page = await fetch(topic);
  expect(page.headers.get('link')).toContain(`<${foreignHub.base}/>; rel="hub"`);
  expect(await page.text()).toContain('capability="change-notification"');
  const list = await (await fetch(`${sample.base}/sample/capabilitylist.xml`)).text();
  expect(list).toContain(`<rs:ln rel="hub" href="${foreignHub.base}/"/>`);
  // Nobody subscribes here.
  expect((await fetch(`${sample.base}/hub`, { method: 'POST' })).status).toBe(405);
});

test('while nothing happens the database is asked a few times a second, and what happens is told at once', async () => {
  const { reader } = sample.bridge.database;
  let asked = 0;
  const count = ({ sql }: { readonly sql: string }) => {
    if (sql.includes('push_')) asked += 1;
  };
  await soon(async () => {
    const before = hook.received.length + foreignHub.received.length;
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(hook.received.length + foreignHub.received.length).toBe(before);
  });
  reader.on('query', count);
  await new Promise((resolve) => setTimeout(resolve, 4000));
  reader.removeListener('query', count);
  // Asked for anew every 200 ms it was more than ninety.
  expect(asked).toBeLessThan(60);
  const before = hook.deliveries('/hook').length;
  await sample.edit(1);
  await soon(() => expect(hook.deliveries('/hook').length).toBeGreaterThan(before));
}, 120_000);
