import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CallbackSettings, Callbacks, callbackSettings } from '../../../src/bridge/push/callbacks.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { type Subscriber, startSubscriber } from '../../house/push/subscriber.ts';

/** What is on the inside, and is never to be called. */
let canary: Subscriber;
let port: string;
const opened: Callbacks[] = [];

beforeEach(async () => {
  canary = await startSubscriber();
  ({ port } = new URL(canary.base));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
  await canary.close();
});

function openCallbacks(settings: Partial<CallbackSettings> = {}): Callbacks {
  const callbacks = new Callbacks({ allow: [], userAgent: 'test', ...settings });
  opened.push(callbacks);
  return callbacks;
}

test.each([
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '0x7f.0.0.1',
    '0x7f000001',
    '017700000001',
    '2130706433',
    '0.0.0.0',
    '0',
  ],
  ...[
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:7f00:0001]',
    '[64:ff9b::7f00:1]',
  ],
  ...['localhost', 'LOCALHOST', 'localhost.', '①②⑦.0.0.1', '127。0。0。1'],
  ...[
    '169.254.169.254',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '[fd00::1]',
    '[fe80::1]',
    '168.63.129.16',
  ],
])('http://%s is never called', async (host) => {
  const answer = await openCallbacks().call({ url: `http://${host}:${port}/`, method: 'GET' });
  // Not every resolver knows a name that ends with a dot.
  const counted = host.endsWith('localhost.') ? /^(refused|unreachable)$/ : /^refused$/;
  expect(answer).toMatchObject({ counted: expect.stringMatching(counted) });
  expect(JSON.stringify(answer)).not.toContain('127.0.0.1');
  expect(canary.received).toEqual([]);
});

test('a redirect is not followed', async () => {
  const outside = createServer((_request, reply) =>
    reply.writeHead(307, { location: `${canary.base}/` }).end(),
  );
  outside.listen(0, '127.0.0.2');
  await once(outside, 'listening');
  const at = `http://127.0.0.2:${(outside.address() as AddressInfo).port}/`;
  const callbacks = openCallbacks({ allow: ['127.0.0.2'] });
  for (const method of ['GET', 'POST'] as const)
    expect(await callbacks.call({ url: at, method })).toMatchObject({ status: 307 });
  expect(canary.received).toEqual([]);
  outside.close();
});

test('a name that leads elsewhere the next time is judged again', async () => {
  const outside = createServer((_request, reply) => reply.setHeader('connection', 'close').end('good'));
  outside.listen(Number(port), '127.0.0.2');
  await once(outside, 'listening');
  let looked = 0;
  const callbacks = openCallbacks({
    allow: ['127.0.0.2'],
    resolve: (_host, _options, callback) => {
      looked += 1;
      callback(null, [{ address: looked === 1 ? '127.0.0.2' : '127.0.0.1', family: 4 }]);
    },
  });
  const url = `http://rebinding.example:${port}/`;
  expect(await callbacks.call({ url, method: 'GET' })).toMatchObject({ status: 200, text: 'good' });
  expect(await callbacks.call({ url, method: 'POST', body: Buffer.from('x') })).toMatchObject({
    counted: 'refused',
  });
  expect(looked).toBe(2);
  expect(canary.received).toEqual([]);
  outside.close();
});

test('of many addresses of one name only those are connected to that may be', async () => {
  const outside = createServer((_request, reply) => reply.end('good'));
  outside.listen(Number(port), '127.0.0.2');
  await once(outside, 'listening');
  const callbacks = openCallbacks({
    allow: ['127.0.0.2'],
    resolve: (_host, _options, callback) =>
      callback(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '127.0.0.2', family: 4 },
      ]),
  });
  const answer = await callbacks.call({ url: `http://several.example:${port}/`, method: 'GET' });
  expect(answer).toMatchObject({ status: 200, text: 'good' });
  expect(canary.received).toEqual([]);
  outside.close();
});

test('nobody answers: that is said without what is there', async () => {
  await canary.close();
  const answer = await openCallbacks({ allow: ['127.0.0.1'] }).call({
    url: `${canary.base}/`,
    method: 'GET',
  });
  expect(answer).toEqual({ counted: 'unreachable', reason: 'nobody answers there (ECONNREFUSED)' });
  canary = await startSubscriber();
});

test('a body that is longer than what is wanted is none', async () => {
  canary.behave((_, reply) => reply.end('x'.repeat(5000)));
  const callbacks = openCallbacks({ allow: ['127.0.0.1'] });
  const url = `${canary.base}/`;
  expect(await callbacks.call({ url, method: 'GET', mostBytes: 4096 })).toEqual({
    status: 200,
    text: undefined,
  });
  expect(await callbacks.call({ url, method: 'GET', mostBytes: 5000 })).toMatchObject({
    text: 'x'.repeat(5000),
  });
});

test('whoever is called sees whom to write to; what `network.allow` opens is not called', async () => {
  const network = { allow: ['127.0.0.1'] };
  const settings = (allow: readonly string[]) =>
    callbackSettings(parseConfig({ contact: 'repository@example.ac.jp', network, push: { allow } }));
  const call = (allow: readonly string[]) =>
    openCallbacks(settings(allow)).call({ url: `${canary.base}/`, method: 'GET' });
  expect(await call([])).toMatchObject({ counted: 'refused' });
  expect(canary.received).toEqual([]);
  expect(await call(['127.0.0.1'])).toMatchObject({ status: 200 });
  expect(canary.received[0]?.headers['user-agent']).toMatch(
    /^resourcesync-bridge\/\S+ \(\+repository@example\.ac\.jp\)$/,
  );
});

test('one host is called by connections that stay', async () => {
  let connections = 0;
  const host = createServer((_request, reply) => reply.end('good'));
  host.on('connection', () => {
    connections += 1;
  });
  host.listen(0, '127.0.0.2');
  await once(host, 'listening');
  const url = `http://127.0.0.2:${(host.address() as AddressInfo).port}/`;
  const callbacks = openCallbacks({ allow: ['127.0.0.2'] });
  for (let index = 0; index < 6; index += 1)
    expect(await callbacks.call({ url, method: 'POST', body: Buffer.from('x') })).toMatchObject({
      status: 200,
    });
  expect(connections).toBeLessThanOrEqual(2);
  host.closeAllConnections();
  host.close();
});

test('who has not answered after ten seconds has not answered', async () => {
  canary.behave(() => undefined);
  const began = performance.now();
  const answer = await openCallbacks({ allow: ['127.0.0.1'] }).call({
    url: `${canary.base}/`,
    method: 'GET',
  });
  expect(answer).toEqual({ counted: 'timeout', reason: 'it did not answer in time' });
  expect(performance.now() - began).toBeGreaterThan(9900);
}, 60_000);
