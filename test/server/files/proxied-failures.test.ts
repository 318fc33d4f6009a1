import { once } from 'node:events';
import { connect } from 'node:net';
import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, fileAnswer, openUpstream } from '../../house/server/loopback-upstream.ts';
import {
  hashOf,
  openProxiedHouse,
  type ProxiedHouse,
  type ProxiedSettings,
} from '../../house/server/proxied-house.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

const content = Buffer.from('%PDF-1.7 and everything that follows');

async function open(
  answers: Answer | Record<string, Answer>,
  settings?: ProxiedSettings,
): Promise<ProxiedHouse> {
  const here = await openProxiedHouse(
    typeof answers === 'function' ? { '/file': answers } : answers,
    settings,
  );
  opened.push(here);
  return here;
}

async function problem(url: string, headers: Record<string, string> = {}) {
  const response = await request(url, { headers });
  const body = await response.body.text();
  const told = JSON.parse(body) as { status: number; code: string; detail: string };
  expect(response.headers['content-type']).toBe('application/problem+json');
  expect(response.headers['cache-control']).toBe('no-cache');
  for (const name of ['etag', 'last-modified', 'content-disposition', 'accept-ranges', 'repr-digest'])
    expect(response.headers[name]).toBeUndefined();
  expect(told.status).toBe(response.statusCode);
  return { ...told, retryAfter: response.headers['retry-after'] };
}

function answering(status: number, headers: Record<string, string> = {}): Answer {
  return (_, response) => void response.writeHead(status, headers).end('no');
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries > 12_000) throw new Error('it never came to be');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('a file that the upstream does not hand out', () => {
  it.each([400, 405, 500, 502])(
    'answered with %i is a bad gateway, and to be tried again',
    async (status) => {
      const { seed, house } = await open(answering(status));
      expect(await problem(await seed())).toMatchObject({
        status: 502,
        code: 'upstream-file-failed',
        detail: `the repository answers ${status} for this file`,
        retryAfter: '60',
      });
      expect(house.log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    },
  );

  it.each([
    [401, 'refused'],
    [403, 'refused'],
    [451, 'refused'],
    [404, 'gone'],
    [410, 'gone'],
  ] as const)('answered with %i is withheld, and everybody is told: %s', async (status, outcome) => {
    const told: unknown[] = [];
    const { seed } = await open(answering(status), {
      noteRefusal: async (source, url, refusal) => void told.push({ source, url, ...refusal }),
    });
    expect(await problem(await seed())).toMatchObject({
      status: 503,
      code: 'file-withheld',
      detail: `the repository answers ${status} for this file`,
      retryAfter: '60',
    });
    expect(told).toEqual([
      {
        source: 'kyushu',
        url: expect.stringContaining('/file'),
        outcome,
        reason: expect.stringContaining(`${status}`),
      },
    ]);
  });

  it.each([401, 404])(
    'answered with %i is not said to be the same, or another, and everybody is told',
    async (status) => {
      const told: unknown[] = [];
      const { seed } = await open(answering(status), {
        noteRefusal: async (_source, _url, { outcome }) => void told.push(outcome),
      });
      const hash = hashOf('sha256', content);
      const url = await seed({ length: content.byteLength, hash });
      const conditions = [
        { 'if-none-match': `"${hash.slice(8)}"` },
        { 'if-none-match': '*' },
        { 'if-none-match': '"u.v1"' },
        { 'if-modified-since': 'Fri, 20 Nov 2026 08:00:00 GMT' },
        { 'if-match': '"other"' },
        { 'if-unmodified-since': 'Fri, 20 Nov 2020 08:00:00 GMT' },
      ];
      for (const condition of conditions)
        expect(await problem(url, condition)).toMatchObject({ status: 503, code: 'file-withheld' });
      expect(told).toEqual(conditions.map(() => (status === 401 ? 'refused' : 'gone')));
    },
  );

  it('for another reason is not said to be the same', async () => {
    const hash = hashOf('sha256', content);
    const condition = { 'if-none-match': `"${hash.slice(8)}"` };
    const { seed } = await open({ '/file': answering(500), '/busy': answering(429) });
    expect((await problem(await seed({ length: 36, hash }), condition)).status).toBe(502);
    const busy = await seed({ length: 36, hash, upstreamPath: '/busy', name: '2-b.pdf' });
    expect((await problem(busy, condition)).status).toBe(503);
  });

  it.each([408, 504])('answered with %i is a gateway timeout', async (status) => {
    const { seed } = await open(answering(status));
    expect(await problem(await seed())).toMatchObject({ status: 504, code: 'upstream-file-timeout' });
  });

  it.each([429, 503])('while the upstream is busy (%i) is to be asked for when it says', async (status) => {
    const { seed } = await open(answering(status, { 'retry-after': '77' }));
    expect(await problem(await seed())).toMatchObject({
      status: 503,
      code: 'upstream-file-busy',
      retryAfter: '77',
    });
  });

  it('because several kept connections are closed, one after the other, is asked for once more', async () => {
    let closed = 0;
    const { seed } = await open((_, response) => {
      closed += 1;
      if (closed <= 3) response.destroy();
      else response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': '4' }).end('%PDF');
    });
    const response = await request(await seed({ length: 4, hash: null }));
    expect([response.statusCode, await response.body.text(), closed]).toEqual([200, '%PDF', 4]);
  });

  it('because nobody listens there is a bad gateway', async () => {
    const { seed } = await open({}, {});
    const gone = await openUpstream({});
    await gone.close();
    const url = await seed({ upstreamUrl: `${gone.origin}/file` });
    expect(await problem(url)).toMatchObject({ status: 502, code: 'upstream-file-failed' });
  });

  it('because its name leads nowhere is a bad gateway', async () => {
    const { seed } = await open({});
    const url = await seed({ upstreamUrl: 'http://nowhere.invalid/file' });
    expect(await problem(url)).toMatchObject({
      status: 502,
      detail: 'the repository cannot be reached',
      retryAfter: '60',
    });
  });

  it('in time is a gateway timeout, and the upstream is left', async () => {
    const { seed, upstream } = await open(() => undefined, { patience: { headersMs: 200 } });
    expect(await problem(await seed())).toMatchObject({
      status: 504,
      code: 'upstream-file-timeout',
      retryAfter: '60',
    });
    await until(() => upstream.connections() === 0);
  });

  it.each([
    ['a page for people', '/file', { 'content-type': 'text/html; charset=utf-8' }],
    ['a page for people in XHTML', '/file', { 'content-type': 'application/xhtml+xml' }],
  ])('but %s is withheld', async (_, path, headers) => {
    const { seed } = await open({ [path]: answering(200, headers) });
    expect(await problem(await seed())).toMatchObject({
      status: 503,
      code: 'file-withheld',
      detail: 'the repository returns an HTML page instead of the file',
    });
  });

  const page = { 'content-type': 'text/html', 'content-length': '2' };
  const bytes = '/server/api/core/bitstreams/8c0b0c1e-0000-4000-8000-000000000000/content';

  it.each([
    ['at an address', '/file', page],
    ['to be kept, and not as long as the file', '/file', { ...page, 'content-disposition': 'attachment' }],
  ])('but a page %s is withheld, and everybody is told', async (_, upstreamPath, headers) => {
    const told: unknown[] = [];
    const { seed } = await open(
      { [upstreamPath]: answering(200, headers) },
      { noteRefusal: async (_source, _url, refusal) => void told.push(refusal) },
    );
    expect(await problem(await seed({ upstreamPath, length: 4000 }))).toMatchObject({
      status: 503,
      code: 'file-withheld',
      retryAfter: '60',
    });
    expect(told).toEqual([{ outcome: 'refused', reason: 'an HTML page is returned instead' }]);
  });

  it('and at that of the bytes of a DSpace says nothing of the file', async () => {
    const told: unknown[] = [];
    const { seed } = await open(
      { [bytes]: answering(200, page) },
      { noteRefusal: async (_source, _url, refusal) => void told.push(refusal) },
    );
    expect(await problem(await seed({ upstreamPath: bytes, length: 4000 }))).toMatchObject({
      status: 502,
      code: 'upstream-file-failed',
      retryAfter: '60',
    });
    expect(told).toEqual([]);
  });

  it.each([
    ['a page that is the file', { mediaType: 'text/html', length: 4000 }, page],
    ['one as long as it', { length: 2 }, { ...page, 'content-disposition': 'attachment; filename=a.pdf' }],
    ['another file of its type', { length: 4000 }, { ...page, 'content-type': 'application/pdf' }],
  ])('and %s is handed out', async (_, described, headers) => {
    const { seed } = await open(answering(200, headers));
    const response = await request(await seed(described));
    expect([response.statusCode, await response.body.text()]).toEqual([200, 'no']);
  });

  it('but a form for a login, reached by a redirect, is withheld, be the file HTML or not', async () => {
    const { seed } = await open({
      '/file': answering(302, { location: '/idp/login?back=/file' }),
      '/idp/login': answering(200, { 'content-type': 'text/html' }),
    });
    for (const [name, mediaType] of [
      ['1-a.pdf', 'application/pdf'],
      ['2-a.html', 'text/html'],
    ] as const) {
      expect(await problem(await seed({ name, mediaType }))).toMatchObject({ status: 503 });
    }
  });

  it('any more because its source is not configured any more is not found', async () => {
    const { seed, upstream } = await open(fileAnswer(content));
    const other = await openProxiedHouse({}, {});
    opened.push(other);
    const path = new URL(await seed()).pathname;
    const response = await request(`${await other.house.origin()}${path}`);
    await response.body.dump();
    expect([response.statusCode, upstream.requests]).toEqual([404, []]);
  });
});

describe('redirects', () => {
  it('are followed, and end', async () => {
    const { seed, upstream } = await open({
      '/file': answering(302, { location: '/next' }),
      '/next': answering(301, { location: 'there/' }),
      '/there/': fileAnswer(content),
      '/loop': answering(302, { location: '/loop' }),
    });
    const found = await request(await seed());
    expect([found.statusCode, await found.body.text()]).toEqual([200, content.toString()]);
    const before = upstream.requests.length;
    const loop = await seed({ upstreamPath: '/loop', name: '2-b.pdf' });
    expect(await problem(loop)).toMatchObject({
      status: 502,
      detail: 'the repository redirects without end',
    });
    expect(upstream.requests.length - before).toBe(6);
  });

  it('to another private address are refused, also to another port of the same host', async () => {
    const inside = await openUpstream({ '*': fileAnswer(Buffer.from('secret')) });
    opened.push(inside);
    const targets = [
      `http://127.0.0.1:${inside.port}/`,
      `http://localhost:${inside.port}/`,
      `http://[::ffff:127.0.0.1]:${inside.port}/`,
      'http://169.254.169.254/latest/meta-data/',
      'file:///etc/passwd',
    ];
    for (const location of targets) {
      const { seed } = await open(answering(302, { location }));
      const told = await problem(await seed());
      expect(told).toMatchObject({ status: 502, code: 'upstream-file-failed' });
      // What is inside our network is nobody's business.
      expect(JSON.stringify(told)).not.toMatch(/127\.|localhost|169\.254/);
    }
    expect(inside.requests).toEqual([]);
  });

  it('to a name that has a private address are refused, though it had a public one a moment ago', async () => {
    const inside = await openUpstream({ '*': fileAnswer(Buffer.from('secret')) });
    opened.push(inside);
    const location = `http://rebound.example.org:${inside.port}/file`;
    const { seed } = await open(answering(302, { location }), {
      resolve: (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    });
    expect(await problem(await seed())).toMatchObject({
      status: 502,
      detail: 'it leads to an address that is not public',
    });
    expect(inside.requests).toEqual([]);
  });

  it('to an address that the operator allows are followed', async () => {
    const inside = await openUpstream({ '*': fileAnswer(content) });
    opened.push(inside);
    const location = `${inside.origin}/file`;
    const { seed } = await open(answering(302, { location }), { allow: [`127.0.0.1:${inside.port}`] });
    expect((await request(await seed())).statusCode).toBe(200);
  });
});

describe('an answer that breaks off', () => {
  const cutOff: Answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': 100_000 });
    response.write(content);
    setTimeout(() => response.destroy(), 50);
  };
  const short: Answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/pdf', 'transfer-encoding': 'chunked' });
    response.end(content);
  };
  const long: Answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/pdf', 'transfer-encoding': 'chunked' });
    const send = (left: number): void => {
      if (left === 0) response.end();
      else response.write(Buffer.alloc(100_000), () => setTimeout(send, 20, left - 1));
    };
    send(5);
  };
  const chunkedCutOff: Answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/pdf' });
    response.write(content);
    setTimeout(() => response.destroy(), 50);
  };
  const stalling: Answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': 100_000 });
    response.write(content);
  };

  it.each([
    ['before its announced end', cutOff, null],
    ['before its stated end', long, 500_001],
    ['behind its stated end', long, 499_999],
    ['far behind its stated end', long, 250_000],
    ['in the middle of its chunks', chunkedCutOff, null],
    ['by silence', stalling, null],
  ])('upstream %s breaks off here too, and never looks complete', async (_, answer, length) => {
    const { seed } = await open(answer, { patience: { bodyMs: 200 } });
    const response = await request(await seed({ length }));
    expect(response.statusCode).toBe(200);
    await expect(response.body.arrayBuffer()).rejects.toThrow();
  });

  const dripping: Answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': content.byteLength });
    let sent = 0;
    const timer = setInterval(() => {
      response.write(content.subarray(sent, sent + 1));
      sent += 1;
      if (sent === content.byteLength) response.end();
      if (sent >= content.byteLength) clearInterval(timer);
    }, 20);
    response.on('close', () => clearInterval(timer));
  };

  it('upstream, because it drips more slowly than the source may, breaks off here too', async () => {
    const { seed, upstream } = await open(dripping, {
      slowestRate: { graceSeconds: 0.2, bytesPerSecond: 100_000 },
    });
    const response = await request(await seed({ length: content.byteLength }));
    await expect(response.body.arrayBuffer()).rejects.toThrow();
    await until(() => upstream.connections() === 0);
  });

  it('is none where the source may be as slow as it likes', async () => {
    const { seed } = await open(dripping, { slowestRate: { graceSeconds: 0.2, bytesPerSecond: 0 } });
    const response = await request(await seed({ length: content.byteLength }));
    expect(Buffer.from(await response.body.arrayBuffer())).toEqual(content);
  });

  it.each([100, 20])('before anything was passed on is a bad gateway (%i bytes stated)', async (length) => {
    const { seed } = await open(short);
    const told = await problem(await seed({ length }));
    expect(told).toMatchObject({ status: 502, code: 'upstream-file-failed' });
    expect(told.detail).toContain(`instead of ${length}`);
  });
});

describe('a reader', () => {
  const megabyte = Buffer.alloc(1_048_576, 'x');

  it('who is slow keeps the upstream slow, and memory flat', async () => {
    let sent = 0;
    const endless: Answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': 10 * 1024 ** 3 });
      const write = () => {
        while (!response.destroyed) {
          sent += megabyte.byteLength;
          if (!response.write(megabyte)) return void response.once('drain', write);
        }
      };
      write();
    };
    const { seed, upstream } = await open(endless);
    const url = new URL(await seed());
    const socket = connect(Number(url.port), url.hostname);
    socket.on('error', () => undefined);
    socket.write(`GET ${url.pathname} HTTP/1.1\r\nHost: h\r\n\r\n`);
    await once(socket, 'readable');
    socket.read(1000);
    // Until everything between is full: sockets of the loopback hold some megabytes.
    let before = -1;
    while (before !== sent) {
      before = sent;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(sent).toBeLessThan(40 * megabyte.byteLength);
    socket.destroy();
    await until(() => upstream.connections() === 0);
  });

  it('who goes away ends the request upstream, before and after its headers', async () => {
    const { seed, upstream } = await open({
      '/silent': () => undefined,
      '/file': (_, response) => {
        response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': 100_000 });
        response.write(content);
      },
    });
    const gone = new AbortController();
    const silent = request(await seed({ upstreamPath: '/silent' }), { signal: gone.signal });
    await until(() => upstream.requests.length === 1);
    gone.abort();
    await expect(silent).rejects.toThrow();
    await until(() => upstream.connections() === 0);
    const response = await request(await seed({ name: '2-b.pdf' }));
    await until(() => upstream.connections() === 1);
    response.body.on('error', () => undefined);
    response.body.destroy();
    await until(() => upstream.connections() === 0);
  });

  it('finds no more connections open than may be; the others wait, and are told to come again', async () => {
    const held: (() => void)[] = [];
    let [now, most] = [0, 0];
    const slow: Answer = (_, response) => {
      now += 1;
      most = Math.max(most, now);
      held.push(() => {
        now -= 1;
        response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': content.byteLength });
        response.end(content);
      });
    };
    const { seed } = await open(slow, { connections: 2, patience: { placeMs: 400 } });
    const url = await seed();
    const first = [request(url), request(url)];
    await until(() => held.length === 2);
    // Nobody leaves: whoever comes waits in vain.
    expect(await problem(url)).toMatchObject({ status: 503, code: 'upstream-file-busy', retryAfter: '10' });
    const next = request(url);
    for (const finish of held.splice(0)) finish();
    for (const one of await Promise.all(first)) expect(await one.body.text()).toBe(content.toString());
    await until(() => held.length === 1);
    for (const finish of held.splice(0)) finish();
    expect((await next).statusCode).toBe(200);
    expect(most).toBe(2);
  });

  it('who only looks (HEAD, 304, 404) leaves no connection taken', async () => {
    const { seed } = await open(
      { '/file': fileAnswer(content), '/none': answering(404) },
      { connections: 1 },
    );
    const url = await seed();
    const none = await seed({ upstreamPath: '/none', name: '2-b.pdf' });
    const modified = 'Fri, 20 Nov 2026 08:00:00 GMT';
    for (let round = 0; round < 3; round += 1) {
      expect((await request(url, { method: 'HEAD' })).statusCode).toBe(200);
      for (const headers of [{ 'if-none-match': '"u.v1"' }, { 'if-modified-since': modified }]) {
        const same = await request(url, { headers });
        expect(same.statusCode).toBe(304);
        await same.body.dump();
      }
      await problem(none);
      const whole = await request(url);
      expect(await whole.body.text()).toBe(content.toString());
    }
  });
});
