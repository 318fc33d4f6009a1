import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BridgeError } from '../../../../src/core/errors.ts';
import { listTokens } from '../../../../src/store/admin/tokens.ts';
import { addToken, ask, dashboard, noActs } from '../../../house/server/dashboard.ts';
import { type House, openHouse, sourceOverview } from '../../../house/server/fixture.ts';

let house: House;
let token: string;
let resumed: number;
/** What an act waits for, and what it throws. */
let gate: Promise<void> | undefined;
let trouble: Error | undefined;

beforeEach(async () => {
  resumed = 0;
  gate = undefined;
  trouble = undefined;
  const acts = {
    ...noActs,
    resume: async () => {
      resumed += 1;
      await gate;
      if (trouble) throw trouble;
    },
    change: async () => {
      resumed += 1;
      return { settings: { url: 'https://r.example/' }, tag: `t${resumed}` };
    },
  };
  house = await openHouse({ admin: { ...dashboard, acts } });
  house.sources.push(sourceOverview({ name: 'kyushu' }));
  token = await addToken(house, 'admin');
});
afterEach(() => house.close());

interface Sent {
  readonly path?: string;
  readonly method?: string;
  readonly key?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

async function send({ path = '/sources/kyushu/resume', method = 'POST', key, body, headers }: Sent = {}) {
  const answer = await ask(house, `/rs/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const code = text.startsWith('{') ? (JSON.parse(text) as { code?: string }).code : undefined;
  return { status: answer.status, headers: answer.headers, text, code };
}

const key = '"8e03978e-40d5-43e8-bc93-6894a57f9324"';

test('what is sent again with its key is done once, and answered in the same way', async () => {
  const first = await send({ key });
  expect([first.status, first.headers.get('idempotent-replayed'), resumed]).toEqual([200, null, 1]);
  const again = await send({ key });
  expect([again.status, again.headers.get('idempotent-replayed'), resumed]).toEqual([200, 'true', 1]);
  expect(again.text).toBe(first.text);
  expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
  expect(again.headers.get('cache-control')).toBe('no-store');
  // With or without quotation marks, it is the same key; without one, all is done each time.
  expect((await send({ key: key.replaceAll('"', '') })).headers.get('idempotent-replayed')).toBe('true');
  await send();
  await send();
  expect(resumed).toBe(3);
});

test('its ETag comes again, and the condition belongs to the request', async () => {
  const change = { path: '/sources/kyushu/settings', method: 'PATCH', key, body: { title: 'A' } };
  const first = await send({ ...change, headers: { 'if-match': '"x"' } });
  const again = await send({ ...change, headers: { 'if-match': '"x"' } });
  expect([first.headers.get('etag'), again.headers.get('etag'), resumed]).toEqual(['"t1"', '"t1"', 1]);
  expect((await send(change)).code).toBe('key-reused');
});

test('an answer without a body comes again, and leads to the same place', async () => {
  const remove = { path: '/sources/kyushu', method: 'DELETE', key };
  expect((await send(remove)).status).toBe(204);
  const again = await send(remove);
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([204, '', 'true']);
});

test('a key of another request is refused with advice, whoever sends the other one', async () => {
  await send({ key });
  for (const other of [
    { path: '/sources/kyushu/stop' },
    { path: '/sources/kyushu/resume?x=1' },
    { path: '/tokens', body: { name: 'x', scope: 'read' } },
  ]) {
    const refused = await send({ ...other, key });
    expect([refused.status, refused.code]).toEqual([422, 'key-reused']);
    expect(refused.text).toContain('Give each request');
  }
  expect(await listTokens(house.database.reader)).toHaveLength(1);
  // Another token has keys of its own, though it has the same name.
  token = await addToken(house, 'admin');
  expect((await send({ key, path: '/sources/kyushu/resume' })).headers.get('idempotent-replayed')).toBeNull();
  expect(resumed).toBe(2);
});

test('while the first is answered, another one is told to wait; of many at once one acts', async () => {
  let open: () => void = () => undefined;
  gate = new Promise((resolve) => {
    open = resolve;
  });
  const sent = Array.from({ length: 8 }, () => send({ key }));
  const told: number[] = [];
  for (const one of sent) void one.then(({ status }) => told.push(status));
  await vi.waitFor(() => expect(told).toEqual(Array<number>(7).fill(409)), { timeout: 30_000 });
  const waiting = await send({ key });
  expect([waiting.status, waiting.code, waiting.headers.get('retry-after')]).toEqual([409, 'key-busy', '5']);
  open();
  const statuses = (await Promise.all(sent)).map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array<number>(7).fill(409)]);
  expect(resumed).toBe(1);
});

test('whoever went before the answer came gets it when it is sent again', async () => {
  let open: () => void = () => undefined;
  gate = new Promise((resolve) => {
    open = resolve;
  });
  const { port } = new URL(await house.origin());
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  const head = [
    'POST /rs/api/v1/sources/kyushu/resume HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${token}`,
  ];
  socket.write(`${[...head, `Idempotency-Key: ${key}`, 'Content-Length: 0'].join('\r\n')}\r\n\r\n`);
  await vi.waitFor(() => expect(resumed).toBe(1), { timeout: 30_000 });
  socket.destroy();
  open();
  await vi.waitFor(async () => expect((await send({ key })).status).toBe(200), { timeout: 30_000 });
  expect(resumed).toBe(1);
});

test('what was refused in acting comes again; what failed on our side is tried again', async () => {
  trouble = new BridgeError('vanished-changed', 'it is not as it was');
  const first = await send({ key });
  trouble = undefined;
  const again = await send({ key });
  expect([first.status, again.status, again.code, resumed]).toEqual([409, 409, 'vanished-changed', 1]);
  expect(again.headers.get('content-type')).toBe('application/problem+json');
  expect(again.text).toBe(first.text);

  trouble = new Error('the disk');
  expect((await send({ key: 'other' })).status).toBe(500);
  trouble = undefined;
  expect((await send({ key: 'other' })).status).toBe(200);
  expect(resumed).toBe(3);
});

test('what the schema refuses takes no key, nor does reading; a key that is none is refused', async () => {
  const pause = { path: '/sources/kyushu/pause', key };
  expect((await send({ ...pause, body: { reason: 'x'.repeat(501) } })).status).toBe(400);
  expect((await send({ ...pause, body: { reason: 'x' } })).status).toBe(200);
  for (let n = 0; n < 2; n += 1) {
    const read = await send({ method: 'GET', path: '/sources', key });
    expect([read.status, read.headers.get('idempotent-replayed')]).toEqual([200, null]);
  }
  for (const none of ['', '""', '"a', 'a b', 'a, b', `"${'x'.repeat(256)}"`, '"雪"', '"a";b=1'])
    expect([none, (await send({ key: Buffer.from(none).toString('latin1') })).code]).toEqual([
      none,
      'bad-request',
    ]);
  expect(resumed).toBe(0);
});

test('a token is made once, and its secret lies nowhere', async () => {
  const make = { path: '/tokens', key, body: { name: 'partner', scope: 'read' } };
  const first = await send(make);
  expect(first.status).toBe(201);
  const { token: secret, id } = JSON.parse(first.text) as { token: string; id: number };
  const again = await send(make);
  expect([again.status, again.code]).toEqual([409, 'answer-not-kept']);
  expect((await listTokens(house.database.reader)).filter(({ name }) => name === 'partner')).toHaveLength(1);
  const rows = await house.database.reader('kept_answer');
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(secret);
  // What was refused has no secret.
  const refused = { ...make, key: 'refused', body: { name: ' ', scope: 'read' } };
  expect((await send(refused)).code).toBe('usage');
  expect((await send(refused)).code).toBe('usage');
  expect((await send({ path: `/tokens/${id}`, method: 'DELETE', key: 'end' })).status).toBe(204);
});
