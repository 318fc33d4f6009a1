import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import type { Clock, HttpResponse, Log } from '../../../src/core/adapter.ts';
import { describeError } from '../../../src/core/errors.ts';
import { createHostGate, type HostGate } from '../../../src/harvest/http/host-gate.ts';
import { createHttp, type HttpClient, type HttpSettings } from '../../../src/harvest/http/http.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const signal = new AbortController().signal;

const open: { server: Server; client?: HttpClient }[] = [];
let slept: number[] = [];

const clock: Clock = {
  now: () => new Date('2026-11-21T10:00:00Z'),
  sleep: async (milliseconds) => {
    slept.push(milliseconds);
  },
};

/** A clock that whoever sleeps moves on. */
function movingClock(): Clock {
  const start = clock.now().getTime();
  return { now: () => new Date(start + total(slept)), sleep: clock.sleep };
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  open.push({ server });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function client(
  endpoint: string,
  settings: Partial<HttpSettings> = {},
  gate: HostGate = createHostGate(),
  log: Log = silent,
  time: Clock = clock,
): HttpClient {
  const http = createHttp(
    {
      endpoint,
      userAgent: 'resourcesync-bridge/1.2.3 (+mailto:me@example.org)',
      requestsPerHost: 1,
      timeoutSeconds: 5,
      maxResponseBytes: 1_000_000,
      allowPrivateAddresses: false,
      ...settings,
    },
    { gate, clock: time, log },
  );
  const last = open.at(-1);
  if (last) last.client = http;
  return http;
}

async function text(response: HttpResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

afterEach(async () => {
  slept = [];
  for (const { server, client: http } of open.splice(0)) {
    await http?.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

describe('a server that accepts and never answers', () => {
  test('is given up after one timeout, and told in words, where nothing came before', async () => {
    let requests = 0;
    const base = await serve(() => {
      requests += 1;
    });
    const { host } = new URL(base);
    const asked = client(base, { timeoutSeconds: 0.2 }).get(`${base}/oai`, { signal });
    const error = await asked.catch((thrown: unknown) => thrown);
    expect(requests).toBe(1);
    expect(describeError(error)).toBe(
      `${host} accepted the connection and did not answer within 0.2 seconds`,
    );
    expect(error).toMatchObject({ code: 'upstream-unreachable', retryable: true });
  });

  test('is asked once more in the middle of a list', async () => {
    let requests = 0;
    const base = await serve((_request, response) => {
      requests += 1;
      if (requests !== 2) response.end('<a/>');
    });
    const http = client(base, { timeoutSeconds: 0.2 });
    for (const page of [1, 2]) {
      const { body } = await http.get(`${base}/oai?page=${page}`, { signal });
      for await (const bytes of body) expect(bytes.length).toBe(4);
    }
    expect(requests).toBe(3);
  });
});

describe('politeness', () => {
  test('headers without end are said to be that, and are not asked for again', async () => {
    let asked = 0;
    const url = await serve((_request, response) => {
      asked += 1;
      response.setHeader('x-a', 'y'.repeat(300_000));
      response.end();
    });
    await expect(client(url).get(url, { signal })).rejects.toMatchObject({
      code: 'response-too-large',
      message: `${new URL(url).host} answered with headers of more than 128 kB`,
    });
    expect([asked, slept]).toEqual([1, []]);
  });

  test('says who we are and whom to write to', async () => {
    let seen: IncomingMessage['headers'] = {};
    const url = await serve((request, response) => {
      seen = request.headers;
      response.end('ok');
    });
    await text(await client(url, { contact: 'me@example.org' }).get(url, { signal }));
    expect(seen).toMatchObject({
      'user-agent': 'resourcesync-bridge/1.2.3 (+mailto:me@example.org)',
      from: 'me@example.org',
    });
  });

  test.each([
    ['seconds', '7', 7000],
    ['quirk 31: an HTTP date', 'Sat, 21 Nov 2026 10:02:00 GMT', 120_000],
    ['less than a second', '0', 1000],
    ['more than an hour', '100000', 3_600_000],
  ])('waits as Retry-After asks on 503 and 429 (%s)', async (_, header, milliseconds) => {
    const statuses = [503, 429, 200];
    const url = await serve((_request, response) => {
      response.writeHead(statuses.shift() ?? 500, { 'retry-after': header }).end('x');
    });
    const response = await client(url).get(url, { signal });
    expect(response.status).toBe(200);
    await response.discard();
    expect(slept).toEqual([milliseconds, milliseconds]);
  });

  test('quirk 30: Retry-After on a good answer is no order', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(422, { 'retry-after': '60' }).end('x');
    });
    const response = await client(url).get(url, { signal });
    expect(response.status).toBe(422);
    await response.discard();
    expect(slept).toEqual([]);
  });

  test('quirk 28: waits longer and longer where the server names no time, and gives up within 30 seconds', async () => {
    const moving = movingClock();
    const statuses: number[] = [500];
    const url = await serve((_request, response) => {
      response.writeHead(statuses.shift() ?? 503).end();
    });
    const http = client(url, {}, createHostGate(), silent, moving);
    expect(await http.get(url, { signal }).then(text)).toBe('');
    const busy = { code: 'upstream-busy', retryable: true };
    await expect(http.get(url, { signal })).rejects.toMatchObject(busy);
    expect(slept).toHaveLength(3);
    for (const [index, wait] of slept.slice(1).entries()) expect(wait).toBeGreaterThan(slept[index] ?? 0);
    expect(total(slept)).toBeLessThanOrEqual(30_000);
    // What comes next is as broken: whoever asks waits no 30 seconds of its own.
    await expect(http.get(url, { signal })).rejects.toMatchObject(busy);
    expect(total(slept)).toBeLessThanOrEqual(30_000);
    // A good answer, or a pause, and it is trusted again.
    statuses.push(200, 503, 200);
    await http.get(url, { signal }).then(text);
    await http.get(url, { signal }).then(text);
  });

  test('a server that asks for patience gets it, however long that is', async () => {
    const moving = movingClock();
    let count = 0;
    const url = await serve((_request, response) => {
      count += 1;
      response.writeHead(count < 6 ? 503 : 200, count < 5 ? { 'retry-after': '40' } : {}).end();
    });
    const response = await client(url, {}, createHostGate(), silent, moving).get(url, { signal });
    expect(response.status).toBe(200);
    await response.discard();
    expect(slept.slice(0, 4)).toEqual([40_000, 40_000, 40_000, 40_000]);
    expect(slept).toHaveLength(5);
  });

  test('429 asks for patience, with a time or without', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(429).end();
    });
    const http = client(url, {}, createHostGate(), silent, movingClock());
    await expect(http.get(url, { signal })).rejects.toMatchObject({ code: 'upstream-busy' });
    expect(slept).toHaveLength(5);
    expect(total(slept)).toBeGreaterThan(90_000);
  });

  test('who waits for the host, waits on when another is told to wait longer', async () => {
    let sent = 0;
    const seen: number[] = [];
    const gate = createHostGate();
    const moving = movingClock();
    const start = moving.now().getTime();
    const url = await serve((_request, response) => {
      sent += 1;
      seen.push(moving.now().getTime() - start);
      response.writeHead(sent === 1 ? 503 : 200, { 'retry-after': '40' }).end();
    });
    const { host } = new URL(url);
    const told: Clock = {
      now: moving.now,
      sleep: async (milliseconds) => {
        await moving.sleep(milliseconds);
        // The answer to a request that was on its way all the time.
        if (slept.length === 1) gate.rest(host, start + 100_000);
      },
    };
    await client(url, {}, gate, silent, told).get(url, { signal }).then(text);
    expect(seen).toEqual([0, 100_000]);
  });

  test('one request at a time per host, whichever source asks, until the body has been read', async () => {
    let running = 0;
    let most = 0;
    const url = await serve((_request, response) => {
      running += 1;
      most = Math.max(most, running);
      response.write('a');
      setImmediate(() => {
        running -= 1;
        response.end('b');
      });
    });
    const gate = createHostGate();
    const clients = [client(url, {}, gate), client(url, {}, gate)];
    const answers = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const http = clients[index % 2];
        if (!http) throw new Error('no client');
        return text(await http.get(url, { signal }));
      }),
    );
    await clients[0]?.close();
    expect(answers).toEqual(Array(10).fill('ab'));
    expect(most).toBe(1);
  });
});

describe('bodies', () => {
  const body = 'längere Antwort '.repeat(1000);

  test.each([
    ['declared', { 'content-encoding': 'gzip' }, gzipSync(body)],
    ['quirk 35: undeclared gzip', {}, gzipSync(body)],
    ['quirk 35: declared, but plain', { 'content-encoding': 'gzip' }, Buffer.from(body)],
  ])('are decoded by what they are (%s)', async (_, headers, bytes) => {
    const url = await serve((_request, response) => {
      response.writeHead(200, headers).end(bytes);
    });
    expect(await text(await client(url).get(url, { signal }))).toBe(body);
  });

  test('quirk 36: a body that ends early is no body', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('half');
      setImmediate(() => response.destroy());
    });
    const response = await client(url).get(url, { signal });
    await expect(text(response)).rejects.toMatchObject({ code: 'upstream-cut-off', retryable: true });
  });

  test('are taken as they come, where gzip is not declared and only that counts', async () => {
    const bytes = gzipSync('kept');
    const url = await serve((request, response) => {
      response.writeHead(200, request.url === '/' ? {} : { 'content-encoding': 'gzip' }).end(bytes);
    });
    const http = client(url);
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await http.get(url, { signal, decode: 'declared' })).body) chunks.push(chunk);
    expect(Buffer.concat(chunks)).toEqual(bytes);
    expect(await text(await http.get(`${url}/x`, { signal, decode: 'declared' }))).toBe('kept');
  });

  test('that come too slowly are left', async () => {
    const url = await serve((_request, response) => {
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    });
    const slowestRate = { graceSeconds: 0.2, bytesPerSecond: 1000 };
    const response = await client(url, { slowestRate }).get(url, { signal });
    await expect(text(response)).rejects.toMatchObject({
      code: 'upstream-too-slow',
      message: expect.stringContaining('too slowly'),
    });
  });

  test('that begin fast and then drip are left all the same', async () => {
    const url = await serve((_request, response) => {
      response.write(Buffer.alloc(200_000));
      const timer = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(timer));
    });
    const slowestRate = { graceSeconds: 0.2, bytesPerSecond: 1000 };
    const response = await client(url, { slowestRate }).get(url, { signal });
    await expect(text(response)).rejects.toMatchObject({ code: 'upstream-too-slow' });
  });

  test('are not slow because a server thinks for a while, or because we do', async () => {
    const url = await serve((_request, response) => {
      response.write('<list>');
      setTimeout(() => response.end('</list>'), 400);
    });
    const slowestRate = { graceSeconds: 0.2, bytesPerSecond: 1000 };
    const response = await client(url, { slowestRate }).get(url, { signal });
    expect(await text(response)).toBe('<list></list>');
    const long = await serve((_request, other) => {
      other.end(Buffer.alloc(300_000));
    });
    const { body } = await client(long, { slowestRate }).get(long, { signal });
    let length = 0;
    for await (const chunk of body) {
      length += chunk.byteLength;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    expect(length).toBe(300_000);
  });

  test('of an endpoint that drips end at once when they are aborted', async () => {
    const url = await serve((_request, response) => {
      const timer = setInterval(() => response.write('.'), 10);
      response.on('close', () => clearInterval(timer));
    });
    const stop = new AbortController();
    const response = await client(url).get(url, { signal: stop.signal });
    const reading = text(response);
    const closed = reading.catch((error: unknown) => error);
    stop.abort(new Error('stopped'));
    expect(await closed).toBeInstanceOf(Error);
  });

  test('half a gzip stream is no body either', async () => {
    const url = await serve((_request, response) => {
      response.end(gzipSync(body).subarray(0, 60));
    });
    const response = await client(url).get(url, { signal });
    await expect(text(response)).rejects.toMatchObject({ code: 'upstream-cut-off' });
  });

  test('a gzip bomb stops at the size limit', async () => {
    const url = await serve((_request, response) => {
      response.end(gzipSync(Buffer.alloc(50_000_000)));
    });
    const response = await client(url).get(url, { signal });
    await expect(text(response)).rejects.toMatchObject({ code: 'response-too-large' });
  });
});

describe('safety', () => {
  test('a redirect to a private address is refused; the configured host is meant, wherever it is', async () => {
    const inside = await serve((_request, response) => {
      response.end('secret');
    });
    const outside = await serve((_request, response) => {
      response.writeHead(302, { location: inside.replace('127.0.0.1', '127.0.0.2') }).end();
    });
    await expect(client(outside).get(outside, { signal })).rejects.toMatchObject({ code: 'address-refused' });
    const named = await serve((_request, response) => {
      response.writeHead(302, { location: inside.replace('127.0.0.1', 'localhost') }).end();
    });
    await expect(client(named).get(named, { signal })).rejects.toMatchObject({ code: 'address-refused' });
    const allowed = await client(named, { allowPrivateAddresses: true }).get(named, { signal });
    expect(await text(allowed)).toBe('secret');
  });

  test('from loopback to loopback only where that is allowed', async () => {
    const inside = await serve((_request, response) => {
      response.end('here');
    });
    const url = await serve((request, response) => {
      const host = request.url === '/' ? 'localhost' : '10.0.0.1';
      response.writeHead(302, { location: inside.replace('127.0.0.1', host) }).end();
    });
    const http = client(url, { allowLoopbackFromLoopback: true });
    expect(await text(await http.get(url, { signal }))).toBe('here');
    await expect(http.get(`${url}/x`, { signal })).rejects.toMatchObject({ code: 'address-refused' });
  });

  test.each([
    'file:///etc/passwd',
    'ftp://127.0.0.1/',
    'http://169.254.169.254/latest',
    'http://[::1]:1/',
    'http://[::ffff:10.0.0.1]/',
  ])('does not go to %s', async (target) => {
    const url = await serve((_request, response) => {
      response.writeHead(302, { location: target }).end();
    });
    await expect(client(url).get(url, { signal })).rejects.toMatchObject({ code: 'address-refused' });
  });

  test('credentials never leave the origin they were configured for', async () => {
    const seen: (string | undefined)[] = [];
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.end('ok');
    });
    const url = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(302, { location: other }).end();
    });
    await text(await client(url, { headers: { authorization: 'Bearer secret' } }).get(url, { signal }));
    expect(seen).toEqual(['Bearer secret', undefined]);
  });

  describe('with credentials for one request', () => {
    const credentials = { authorization: 'Bearer secret', cookie: 'session=secret' };
    const saw = ({ headers }: IncomingMessage) => headers.authorization ?? headers.cookie ?? 'nothing';

    test('they go to its origin alone, also behind a redirect and in every attempt', async () => {
      const seen: string[] = [];
      const other = await serve((request, response) => {
        seen.push(`other ${saw(request)}`);
        response.writeHead(302, { location: `${url}/back` }).end();
      });
      const url = await serve((request, response) => {
        seen.push(`${request.url} ${saw(request)}`);
        if (request.url === '/back') response.writeHead(seen.length > 3 ? 200 : 503).end('ok');
        else response.writeHead(302, { location: `${other}/` }).end();
      });
      await text(await client(url).get(`${url}/start`, { signal, credentials }));
      expect(seen[0]).toBe('/start Bearer secret');
      expect(seen[1]).toBe('other nothing');
      expect(seen[2]).toBe('/back Bearer secret');
      expect(seen.filter((line) => line.startsWith('other'))).toEqual(
        seen.filter((line) => line === 'other nothing'),
      );
    });

    test('they are in no other request, and nothing is logged of them', async () => {
      const seen: string[] = [];
      const url = await serve((request, response) => {
        seen.push(saw(request));
        response
          .writeHead(request.url === '/a' ? 302 : seen.length < 4 ? 503 : 200, { location: '/b' })
          .end('ok');
      });
      const lines: string[] = [];
      const note = (fields: object, message: string) => lines.push(JSON.stringify(fields) + message);
      const log = { debug: note, info: note, warn: note, error: note };
      const http = client(url, {}, createHostGate(), log);
      await text(await http.get(`${url}/a`, { signal, credentials }));
      await text(await http.get(`${url}/b`, { signal }));
      expect(seen.at(-1)).toBe('nothing');
      expect(seen.slice(0, -1).every((one) => one === 'Bearer secret')).toBe(true);
      expect(lines.length).toBeGreaterThan(1);
      expect(lines.join()).not.toContain('secret');
      const gone = http.get('http://127.0.0.1:1/', { signal, credentials, patient: false });
      const error: unknown = await gone.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(Error);
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('secret');
    });

    test('they replace the configured ones, and are sent with forms, too', async () => {
      const seen: string[] = [];
      const url = await serve((request, response) => {
        seen.push(`${request.method} ${saw(request)}`);
        response.end('ok');
      });
      const http = client(url, { headers: { Authorization: 'Basic configured' } });
      await text(await http.post(url, new URLSearchParams({ a: '1' }), { signal, credentials }));
      await text(await http.get(url, { signal }));
      expect(seen).toEqual(['POST Bearer secret', 'GET Basic configured']);
    });
  });

  test('a redirect that is to be reported is the answer, and is not followed', async () => {
    const asked: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      asked.push(request.url);
      response.writeHead(302, { location: 'http://10.0.0.1/items/1' }).end('moved');
    });
    const response = await client(url).get(`${url}/pid/find`, { signal, redirects: 'reported' });
    expect(response).toMatchObject({ status: 302, headers: { location: 'http://10.0.0.1/items/1' } });
    expect(await text(response)).toBe('moved');
    const head = await client(url).head(`${url}/head`, { signal, redirects: 'reported' });
    expect(head.status).toBe(302);
    expect(asked).toEqual(['/pid/find', '/head']);
  });

  test('quirk 32: a redirect that forgets the query does not lose it', async () => {
    const seen: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      seen.push(request.url);
      if (seen.length === 1) response.writeHead(301, { location: '/oai' }).end();
      else response.end('ok');
    });
    await text(await client(url).get(`${url}/oai?verb=Identify`, { signal }));
    expect(seen[1]).toBe('/oai?verb=Identify');
  });

  test('an answer says where it has moved to, if each redirect is for good', async () => {
    const url = await serve((request, response) => {
      const [, now, ...rest] = request.url?.split('/') ?? [];
      if (now === 'end') return void response.end('ok');
      response.writeHead(Number(now), { location: `/${rest.join('/')}` }).end();
    });
    for (const [path, moved] of [
      ['/end', false],
      ['/301/end', true],
      ['/308/301/end', true],
      ['/302/end', false],
      ['/307/301/end', false],
      ['/301/303/301/end', false],
    ] as const) {
      const response = await client(url).get(url + path, { signal });
      expect([path, response.movedTo]).toEqual([path, moved ? `${url}/end` : undefined]);
      await text(response);
    }
  });

  test('redirects do not go on for ever', async () => {
    const url = await serve((request, response) => {
      response.writeHead(302, { location: `${request.url}x` }).end();
    });
    await expect(client(url).get(url, { signal })).rejects.toMatchObject({ code: 'too-many-redirects' });
  });
});

describe('URLs found in records', () => {
  const sameHost = (name: string) => (url: string) => url.replace('127.0.0.1', name);

  test('a name that resolves to another address in between is connected to where it was checked', async () => {
    const secret = await serve((_request, response) => {
      response.end('secret');
    });
    const port = Number(new URL(secret).port);
    const good = createServer((_request, response) => {
      response.writeHead(200, { connection: 'close' }).end('good');
    });
    open.push({ server: good });
    await new Promise<void>((resolve) => good.listen(port, '127.0.0.2', resolve));
    const answers = ['127.0.0.2', '127.0.0.1'];
    const http = client('http://repo.example.org/oai', {
      scope: 'found',
      // Stands for a public address: no test leaves this machine.
      allow: ['127.0.0.2'],
      resolve: (_host, _options, callback) =>
        callback(null, [{ address: answers.shift() ?? '127.0.0.1', family: 4 }]),
    });
    const url = `http://rebinding.example.org:${port}/`;
    expect(await text(await http.get(url, { signal }))).toBe('good');
    await expect(http.get(url, { signal })).rejects.toMatchObject({ code: 'address-refused' });
    expect(answers).toEqual([]);
  });

  test('are not followed to an address with credentials in it; those of the endpoint are', async () => {
    const url = await serve((request, response) => {
      const target = `http://somebody:secret@${request.headers.host}/there`;
      if (request.url === '/file') response.writeHead(302, { location: target }).end();
      else response.end('there');
    });
    const http = client(`${url}/oai`, { scope: 'found' });
    const refused = { code: 'address-refused', message: expect.not.stringContaining('secret') };
    await expect(http.get(`${url}/file`, { signal })).rejects.toMatchObject(refused);
    const direct = `${url.replace('//', '//somebody:secret@')}/there`;
    await expect(http.get(direct, { signal })).rejects.toMatchObject(refused);
    expect(await text(await client(url).get(`${url}/file`, { signal }))).toBe('there');
  });

  test('lead only to the port of the endpoint, where its host is private', async () => {
    const database = await serve((_request, response) => {
      response.end('secret');
    });
    const url = await serve((request, response) => {
      if (request.url === '/leak') response.writeHead(302, { location: database }).end();
      else response.end('file');
    });
    const http = client(`${url}/oai`, { scope: 'found' });
    expect(await text(await http.get(`${url}/file`, { signal }))).toBe('file');
    await expect(http.get(database, { signal })).rejects.toMatchObject({ code: 'address-refused' });
    await expect(http.get(`${url}/leak`, { signal })).rejects.toMatchObject({ code: 'address-refused' });
    const named = sameHost('localhost')(url);
    await expect(http.get(named, { signal })).rejects.toMatchObject({ code: 'address-refused' });
    const { port } = new URL(database);
    const allowing = client(`${url}/oai`, { scope: 'found', allow: [`127.0.0.1:${port}`] });
    await http.close();
    expect(await text(await allowing.get(database, { signal }))).toBe('secret');
  });

  test('get no configured headers, not even at the endpoint', async () => {
    const seen: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.end('ok');
    });
    const http = client(url, { scope: 'found', headers: { authorization: 'Bearer secret' } });
    await text(await http.get(`${url}/file`, { signal }));
    expect(seen).toEqual([undefined]);
  });
});

describe('requests', () => {
  test('of HEAD have an empty body and give their place back at once', async () => {
    const methods: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      methods.push(request.method);
      if (request.url === '/moved') response.writeHead(303, { location: '/file' }).end();
      else response.writeHead(200, { 'content-length': '100000000000', etag: '"1"' }).end();
    });
    const http = client(url);
    const first = await http.head(`${url}/moved`, { signal });
    expect(first).toMatchObject({
      status: 200,
      url: `${url}/file`,
      headers: { 'content-length': '100000000000', etag: '"1"' },
    });
    const second = await http.head(`${url}/file`, { signal });
    expect(await text(first)).toBe('');
    await second.discard();
    expect(methods).toEqual(['HEAD', 'HEAD', 'HEAD']);
  });

  async function posted(status: number, location: string): Promise<readonly string[]> {
    const seen: string[] = [];
    const url = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => {
        seen.push(`${request.method} ${request.url} ${request.headers['content-type']} ${body}`);
        if (seen.length === 1) response.writeHead(status, { location }).end();
        else response.end('ok');
      });
    });
    const form = new URLSearchParams({ verb: 'ListRecords', resumptionToken: 'a b/+' });
    await text(await client(url).post(`${url}/oai`, form, { signal }));
    return seen;
  }

  const form = 'verb=ListRecords&resumptionToken=a+b%2F%2B';
  const sent = `POST /oai application/x-www-form-urlencoded ${form}`;

  test.each([307, 308])('of POST stay what they are over %i', async (status) => {
    expect(await posted(status, '/oai2')).toEqual([sent, sent.replace('/oai', '/oai2')]);
  });

  test.each([301, 302, 303])('quirk 33: of POST become GET over %i, and lose no argument', async (status) => {
    expect(await posted(status, '/oai2')).toEqual([sent, `GET /oai2?${form} undefined `]);
    expect(await posted(status, '/oai2?x=1')).toEqual([sent, 'GET /oai2?x=1 undefined ']);
  });

  test('that ask for identity get the bytes as they are', async () => {
    const bytes = gzipSync('kept');
    const asked: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      asked.push(request.headers['accept-encoding']);
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes);
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await client(url).get(url, { signal, decode: 'never' })).body)
      chunks.push(chunk);
    expect(Buffer.concat(chunks)).toEqual(bytes);
    expect(asked).toEqual(['identity']);
  });

  test('quirk 35: gzip that breaks midway is told apart, and identity can be asked for', async () => {
    const asked: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      asked.push(request.headers['accept-encoding']);
      const coded = gzipSync('längere Antwort '.repeat(1000));
      coded.fill(0xff, 30);
      if (request.headers['accept-encoding'] === 'gzip')
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(coded);
      else response.end('plain');
    });
    const http = client(url);
    await expect(http.get(url, { signal }).then(text)).rejects.toMatchObject({
      code: 'upstream-cut-off',
      message: expect.stringContaining('broken gzip coding'),
    });
    const plain = await http.get(url, { signal, headers: { 'accept-encoding': 'identity' } });
    expect(await text(plain)).toBe('plain');
    expect(asked).toEqual(['gzip', 'identity']);
  });

  test('without patience bring 429, 503 and failed connections back at once', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/broken') response.destroy();
      else response.writeHead(503, { 'retry-after': '7' }).end();
    });
    const http = client(url);
    await expect(http.get(`${url}/broken`, { signal, patient: false })).rejects.toMatchObject({
      code: 'upstream-unreachable',
    });
    const response = await http.get(url, { signal, patient: false });
    expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '7' } });
    await response.discard();
    expect(slept).toEqual([]);
  });

  test('keep to what the server asked for, also where the one who was told does not ask again', async () => {
    let asked = 0;
    const url = await serve((_request, response) => {
      asked += 1;
      response.writeHead(asked === 1 ? 429 : 200, asked === 1 ? { 'retry-after': '7' } : {}).end('well');
    });
    const gate = createHostGate();
    const first = await client(url, {}, gate).get(url, { signal, patient: false });
    await first.discard();
    expect([first.status, slept]).toEqual([429, []]);
    const second = await client(url, {}, gate).get(url, { signal, patient: false });
    expect([await text(second), slept]).toEqual(['well', [7000]]);
  });

  test('may have a size limit of their own', async () => {
    const url = await serve((_request, response) => {
      response.end('x'.repeat(2000));
    });
    const http = client(url, { maxResponseBytes: 1000 });
    expect(await text(await http.get(url, { signal, maxBytes: 2000 }))).toHaveLength(2000);
    const response = await http.get(url, { signal, maxBytes: 1999 });
    await expect(text(response)).rejects.toMatchObject({ code: 'response-too-large' });
  });

  test.each([
    ['an answer that does not come', '/silent', 'upstream-unreachable'],
    ['a body that does not end', '/dripping', 'upstream-cut-off'],
    ['redirects that take their time', '/moving', 'upstream-unreachable'],
  ])('with a deadline leave %s', async (_, path, code) => {
    const url = await serve((request, response) => {
      if (request.url?.startsWith('/moving')) {
        setTimeout(() => response.writeHead(302, { location: `${request.url}x` }).end(), 80);
      } else if (request.url === '/dripping') {
        const timer = setInterval(() => response.write('.'), 20);
        response.on('close', () => clearInterval(timer));
      }
    });
    const asked = client(url).get(url + path, { signal, deadline: 200, patient: false });
    await expect(asked.then(text)).rejects.toMatchObject({
      code,
      message: expect.stringContaining('took longer than 0.2 seconds'),
    });
  });

  test('with a deadline do not count the wait for a place at the host', async () => {
    const url = await serve((_request, response) => {
      setTimeout(() => response.end('ok'), 100);
    });
    const http = client(url);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => http.get(url, { signal, deadline: 400 }).then(text)),
    );
    expect(answers).toEqual(Array(5).fill('ok'));
  });

  test('with a deadline end when their caller ends them', async () => {
    const aborting = new AbortController();
    const url = await serve(() => aborting.abort(new Error('enough')));
    await expect(client(url).get(url, { signal: aborting.signal, deadline: 5000 })).rejects.toThrow('enough');
  });
});

describe('failures say what happened', () => {
  test('nobody listens', async () => {
    const url = await serve(() => undefined);
    const { server } = open.at(-1) ?? {};
    await new Promise((resolve) => server?.close(resolve));
    await expect(client(url).get(url, { signal })).rejects.toMatchObject({
      code: 'upstream-unreachable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    expect(slept).toHaveLength(2);
  });

  test('a redirect to where nobody listens blames the host that does not answer', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    });
    await expect(client(url).get(url, { signal })).rejects.toMatchObject({
      code: 'upstream-unreachable',
      message: expect.stringContaining('127.0.0.1:1 cannot be reached'),
    });
  });

  test('TLS against a server that does not speak it', async () => {
    const url = await serve(() => undefined);
    const https = url.replace('http:', 'https:');
    await expect(client(https).get(https, { signal })).rejects.toMatchObject({
      code: 'upstream-unreachable',
    });
  });

  test('an abort is immediate, even in the middle of a wait', async () => {
    const aborting = new AbortController();
    const url = await serve((_request, response) => {
      response.writeHead(503).end();
      aborting.abort(new Error('enough'));
    });
    await expect(client(url).get(url, { signal: aborting.signal })).rejects.toThrow('enough');
  });
});
