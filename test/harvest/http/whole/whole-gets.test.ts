import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createHostGate, type HostGate } from '../../../../src/harvest/http/host-gate.ts';
import { createHttp, type HttpClient, type HttpSettings } from '../../../../src/harvest/http/http.ts';
import type { WholeGets } from '../../../../src/harvest/http/whole/whole-gets.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { now: () => new Date('2026-11-27T10:00:00Z'), sleep: async () => undefined };
const open: { server: Server; http: HttpClient; sockets: Set<Socket> }[] = [];

interface Given {
  readonly settings?: Partial<HttpSettings>;
  readonly gate?: HostGate;
  readonly ahead?: number;
  readonly isKnown?: boolean;
}

/** A server of raw bytes. @param answer is told the requests of one piece, by their paths, and which connection it is */
async function serve(
  answer: (socket: Socket, paths: readonly string[], connection: number, text: string) => void,
  { settings = {}, gate = createHostGate(), ahead = 1, isKnown = true }: Given = {},
) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const connection = sockets.size;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      const paths = [...text.matchAll(/^GET (\S+) HTTP\/1\.1\r$/gm)].map(([, path = '']) => path);
      answer(socket, paths, connection, text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const http = createHttp(
    {
      endpoint: origin,
      userAgent: 'resourcesync-bridge/test',
      requestsPerHost: 1,
      timeoutSeconds: 0.3,
      maxResponseBytes: 1e7,
      allowPrivateAddresses: false,
      ...settings,
    },
    { gate, clock, log: silent },
  );
  open.push({ server, http, sockets });
  const stop = new AbortController();
  const whole = http.whole({
    signal: stop.signal,
    headers: { 'accept-encoding': 'identity' },
    longestBody: 1000,
    ahead: () => ahead,
  });
  if (isKnown) whole.saw({ ...usual, url: `${origin}/known` });
  return { origin, whole, sockets, stop, get: (path: string) => textOf(whole, origin + path) };
}

const usual = {
  status: 200,
  headers: { 'content-length': '1' },
  body: (async function* () {})(),
  discard: async () => undefined,
};

async function textOf(whole: WholeGets, url: string): Promise<string | undefined> {
  const answer = await whole.ask(url);
  return answer && `${answer.status} ${Buffer.from(answer.bytes).toString()}`;
}

afterEach(async () => {
  for (const { server, http, sockets } of open.splice(0)) {
    await http.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});

const ok = (body: string, status = '200 OK', ...fields: string[]) =>
  [`HTTP/1.1 ${status}`, ...fields, `Content-Length: ${body.length}`, '', body].join('\r\n');
const echo = (socket: Socket, paths: readonly string[]) =>
  socket.write(paths.map((path) => ok(path)).join(''));

test('one after the other on one connection, where nothing is known of the server', async () => {
  const pieces: number[] = [];
  const { get, sockets } = await serve((socket, paths) => {
    pieces.push(paths.length);
    echo(socket, paths);
  });
  expect(await Promise.all(['/a', '/b?c=d', '/e~2F1'].map(get))).toEqual([
    '200 /a',
    '200 /b?c=d',
    '200 /e~2F1',
  ]);
  expect([pieces, sockets.size]).toEqual([[1, 1, 1], 1]);
});

test('many in one piece, to a server that answers what lies ahead', async () => {
  const pieces: number[] = [];
  const { get, sockets } = await serve(
    (socket, paths) => {
      pieces.push(paths.length);
      echo(socket, paths);
    },
    { ahead: 8 },
  );
  const paths = Array.from({ length: 600 }, (_, index) => `/${index}`);
  expect(await Promise.all(paths.map(get))).toEqual(paths.map((path) => `200 ${path}`));
  expect(Math.max(...pieces)).toBe(8);
  expect(sockets.size).toBe(1);
});

test('several together, once half of those before are answered, to a server that answers one by one', async () => {
  const pieces: number[] = [];
  const asked: string[] = [];
  let isAnswering = false;
  const { get } = await serve(
    async (socket, paths) => {
      pieces.push(paths.length);
      asked.push(...paths);
      if (isAnswering) return;
      isAnswering = true;
      socket.setNoDelay(true);
      for (let path = asked.shift(); path !== undefined; path = asked.shift()) {
        echo(socket, [path]);
        // Whoever asks at once is heard before the next answer.
        await nextTurn();
      }
      isAnswering = false;
    },
    { ahead: 8 },
  );
  const paths = Array.from({ length: 24 }, (_, index) => `/${index}`);
  expect(await Promise.all(paths.map(get))).toEqual(paths.map((path) => `200 ${path}`));
  expect(pieces.length).toBeLessThanOrEqual(5);
});

test('on so many connections as a host bears, and no more than the gate lets in', async () => {
  const gate = createHostGate();
  const answered: (() => void)[] = [];
  const { get, origin, sockets } = await serve(
    (socket, paths) => {
      answered.push(() => echo(socket, paths));
      if (answered.length === 2) for (const now of answered.splice(0)) now();
    },
    { gate, settings: { requestsPerHost: 2 } },
  );
  const { host } = new URL(origin);
  const { signal } = new AbortController();
  const leave = [await gate.enter(host, 2, signal), await gate.enter(host, 2, signal)];
  const four = Promise.all(['/a', '/b', '/c', '/d'].map(get));
  expect(sockets.size).toBe(0);
  for (const now of leave) now();
  expect(await four).toEqual(['200 /a', '200 /b', '200 /c', '200 /d']);
  expect(sockets.size).toBe(2);
});

test('whoever else waits for a place gets one in between', async () => {
  const gate = createHostGate();
  const { get, origin } = await serve(echo, { gate, ahead: 8 });
  const { host } = new URL(origin);
  const order: string[] = [];
  const all = Array.from({ length: 1000 }, (_, index) => get(`/${index}`).then(() => order.push('small')));
  await all[0];
  const leave = await gate.enter(host, 1, new AbortController().signal);
  order.push('another');
  leave();
  await Promise.all(all);
  expect(order.indexOf('another')).toBeLessThan(600);
  expect(order).toHaveLength(1001);
});

test.each([
  ['redirects', ok('', '302 Found', 'Location: /b')],
  ['asks for patience', ok('later', '429 Too Many Requests', 'Retry-After: 7')],
  ['is coded', ok('a', '200 OK', 'Content-Encoding: gzip')],
  ['is in chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['is larger than expected', ok('x'.repeat(1001))],
  ['comes twice', ok('a') + ok('b')],
  ['never comes', ''],
])('an answer that %s is for the usual way, and so are those behind it', async (what, answer) => {
  let asked = 0;
  const { get, whole, origin } = await serve((socket) => {
    asked += 1;
    socket.write(answer);
  });
  expect(await get('/a')).toBe(what === 'comes twice' ? '200 a' : undefined);
  await new Promise(setImmediate);
  expect(whole.ask(`${origin}/b`)).toBeUndefined();
  expect(asked).toBe(1);
});

test('what is not there is an answer as any other', async () => {
  const { get } = await serve((socket, [path = '']) =>
    socket.write(path === '/gone' ? ok('no', '404 Not Found') : ok(path)),
  );
  expect([await get('/gone'), await get('/a')]).toEqual(['404 no', '200 /a']);
});

test('a pause that is asked for is kept by all', async () => {
  const gate = createHostGate();
  const busy = ok('', '503 Service Unavailable', 'Retry-After: 7');
  const { get, origin } = await serve((socket) => socket.write(busy), { gate });
  await get('/a');
  expect(gate.restOf(new URL(origin).host, clock.now().getTime())).toBe(7000);
});

test('what a closed connection leaves is asked on another one', async () => {
  const { get, sockets } = await serve(
    (socket, [path = ''], connection) => {
      if (connection === 1) socket.end(ok(path, '200 OK', 'Connection: close'));
      else if (connection === 2) socket.destroy();
      else socket.write(ok(path));
    },
    { ahead: 1 },
  );
  expect(await Promise.all(['/a', '/b', '/c'].map(get))).toEqual(['200 /a', '200 /b', '200 /c']);
  expect(sockets.size).toBe(3);
});

test('what a server says to nobody ends the connection, and no more', async () => {
  const { get, sockets } = await serve(echo);
  expect(await get('/a')).toBe('200 /a');
  for (const socket of sockets) {
    const closed = once(socket, 'close');
    socket.resume().write(ok('', '408 Request Timeout'));
    await closed;
  }
  expect(await get('/b')).toBe('200 /b');
  expect(sockets.size).toBe(2);
});

test('a host that closes whatever it is asked is left to the usual way', async () => {
  const { get, sockets } = await serve((socket) => socket.destroy(), { ahead: 8 });
  expect(await Promise.all(['/a', '/b'].map(get))).toEqual([undefined, undefined]);
  expect(sockets.size).toBe(3);
});

test('only addresses of the same origin that are sent as they are written', async () => {
  const { whole, origin } = await serve(echo);
  for (const url of [
    `${origin}.example.org/a`,
    `${origin}@example.org/a`,
    `${origin}/a/../b`,
    `${origin}/%2e%2E/b`,
    `${origin}/a b`,
    `${origin}/a\r\nX: y`,
    `${origin}/ü`,
    `${origin}/a#b`,
    `${origin}/a\\b`,
    'http://example.org/a',
    origin,
  ])
    expect(whole.ask(url), url).toBeUndefined();
  expect(await textOf(whole, `${origin}/a`)).toBe('200 /a');
});

test('nothing is asked before the host is known to say how long its answers are', async () => {
  const { whole, origin } = await serve(echo, { isKnown: false });
  expect(whole.ask(`${origin}/a`)).toBeUndefined();
  whole.saw({ ...usual, url: 'http://127.0.0.1:1/a' });
  whole.saw({ ...usual, url: `${origin}/a`, headers: { 'transfer-encoding': 'chunked' } });
  expect(whole.ask(`${origin}/a`)).toBeUndefined();
  whole.saw({ ...usual, url: `${origin}/a` });
  expect(await textOf(whole, `${origin}/a`)).toBe('200 /a');
});

test('an address where we may not go is not connected to', async () => {
  const { get, sockets } = await serve(echo, { settings: { trusted: false } });
  expect(await get('/a')).toBeUndefined();
  expect(sockets.size).toBe(0);
});

test('requests say who we are, and have what is configured for their host', async () => {
  let text = '';
  const { get, origin } = await serve(
    (socket, paths, _connection, came) => {
      text = came;
      echo(socket, paths);
    },
    { settings: { contact: 'me@example.org', headers: { Authorization: 'Bearer t' } } },
  );
  await get('/a');
  expect(text.split('\r\n').sort()).toEqual(
    [
      ...['', '', 'GET /a HTTP/1.1', `host: ${new URL(origin).host}`, 'user-agent: resourcesync-bridge/test'],
      ...['from: me@example.org', 'accept-encoding: identity', 'authorization: Bearer t'],
    ].sort(),
  );
});

test('a header that would begin another one is never sent', async () => {
  const { whole, origin } = await serve(echo, { settings: { headers: { a: 'b\r\nc: d' } } });
  expect(whole.ask(`${origin}/a`)).toBeUndefined();
});

test('whoever stops is not kept waiting', async () => {
  const { get, stop, whole, origin } = await serve(() => stop.abort());
  expect(await Promise.all([get('/a'), get('/b')])).toEqual([undefined, undefined]);
  expect(whole.ask(`${origin}/c`)).toBeUndefined();
});

test('whoever closes it leaves what is under way, and nothing is asked again', async () => {
  const { get, whole, sockets } = await serve(() => whole.close(), { ahead: 2 });
  expect(await Promise.all(['/a', '/b', '/c'].map(get))).toEqual([undefined, undefined, undefined]);
  await new Promise(setImmediate);
  expect(sockets.size).toBe(1);
});
