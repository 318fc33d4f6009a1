import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openPushHouse, type PushHouse } from '../../house/push/push-house.ts';
import { type Subscriber, startSubscriber, takeAll } from '../../house/push/subscriber.ts';
import { migratedSqlite } from '../../house/store/databases.ts';

/**
 * A hub as it runs, and callbacks that would have it call the inside of its own network: 127.0.0.2 is allowed, and plays what is public; a
 * canary listens at 127.0.0.1.
 */
let house: PushHouse;
let outside: Subscriber;
let canary: Subscriber;
let port: string;
let drop = async () => undefined as unknown;

beforeAll(async () => {
  const made = migratedSqlite();
  drop = (await made).drop;
  canary = await startSubscriber();
  ({ port } = new URL(canary.base));
  outside = await startSubscriber('127.0.0.2', Number(port));
  house = await openPushHouse((await made).config, ['127.0.0.2']);
  house.start({
    NODE_OPTIONS: `--require=${join(import.meta.dirname, '..', '..', 'house', 'push', 'rebinding.cjs')}`,
    ...{ REBINDING_NAME: 'rebinding.example', REBINDING_FIRST: '127.0.0.2', REBINDING_THEN: '127.0.0.1' },
  });
  await soon(async () => expect((await fetch(house.topic)).status).toBe(200));
}, 120_000);
afterAll(async () => {
  await Promise.all([house?.close(), outside?.close(), canary?.close()]);
  await drop();
});

const soon = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 50 });
const subscribe = (callback: string) =>
  house.ask({ 'hub.mode': 'subscribe', 'hub.topic': house.topic, 'hub.callback': callback });
const metrics = async () => (await fetch(`${house.base}/metrics`)).text();

test('private addresses in every spelling are answered alike, never called, and counted', async () => {
  const hosts = [
    ...['127.0.0.1', '127.1', '0x7f000001', '017700000001', '2130706433', '0', 'localhost', 'LOCALHOST'],
    ...['[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::7f00:1]', '[::]', '127.0.0.1.'],
    ...['10.0.0.1', '192.168.1.1', '169.254.169.254', '[fd00::1]', '[fe80::1]', '100.64.0.1'],
  ];
  for (const host of hosts) expect((await subscribe(`http://${host}:${port}/inside`)).status, host).toBe(202);
  for (const foreign of [
    `http://x@127.0.0.2:${port}/`,
    `ftp://127.0.0.2/`,
    'http://127.0.0.2:22/',
    house.base,
  ])
    expect((await subscribe(foreign)).status, foreign).toBe(400);
  await soon(async () =>
    expect(await metrics()).toMatch(
      new RegExp(`push_deliveries_total\\{kind="intent",outcome="blocked"\\} ${hosts.length}`),
    ),
  );
  expect(canary.received).toEqual([]);
}, 90_000);

test('a redirect into the inside is followed neither when a callback is asked nor when it is told', async () => {
  const inside = (reply: Parameters<typeof takeAll>[1]) =>
    reply.writeHead(307, { location: `${canary.base}/inside` }).end();
  outside.behave((_, reply) => inside(reply));
  expect((await subscribe(`${outside.base}/asked`)).status).toBe(202);
  await soon(() => expect(outside.questions('subscribe')).toHaveLength(1));
  outside.behave((one, reply) => (one.method === 'POST' ? inside(reply) : takeAll(one, reply)));
  expect((await subscribe(`${outside.base}/told`)).status).toBe(202);
  await soon(async () => expect((await house.run('subscriptions', 'list')).stdout).toContain('/told'));
  await house.edit();
  await soon(() => expect(outside.deliveries('/told').length).toBeGreaterThan(0));
  expect(outside.deliveries('/asked')).toEqual([]);
  expect(canary.received).toEqual([]);
}, 90_000);

test('a name that leads inside once it was confirmed is not called there', async () => {
  outside.behave(takeAll);
  expect((await subscribe(`http://rebinding.example:${port}/rebound`)).status).toBe(202);
  await soon(async () => expect((await house.run('subscriptions', 'list')).stdout).toContain('/rebound'));
  // What was connected to once is not kept open for ever.
  outside.closeConnections();
  await house.edit();
  await soon(async () => expect(await metrics()).toMatch(/kind="websub",outcome="refused"\} [1-9]/));
  const said = await metrics();
  expect(said).toMatch(/push_subscriptions\{kind="websub",state="failing"\} [1-9]/);
  expect(said).toMatch(/push_undelivered_seconds \d/);
  // Who cannot be told keeps nobody else waiting.
  await soon(async () => expect(await metrics()).toMatch(/push_queue_seconds 0\n/));
  expect((await house.run('subscriptions', 'list')).stdout).toContain('not at a public address');
  expect(outside.deliveries('/rebound')).toEqual([]);
  expect(canary.received).toEqual([]);
}, 90_000);
