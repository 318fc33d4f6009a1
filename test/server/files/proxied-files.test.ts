import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { lasting } from '../../house/server/fixture.ts';
import { type Answer, fileAnswer } from '../../house/server/loopback-upstream.ts';
import {
  hashOf,
  openProxiedHouse,
  type ProxiedHouse,
  type ProxiedSettings,
} from '../../house/server/proxied-house.ts';

let here: ProxiedHouse | undefined;
afterEach(async () => {
  await here?.close();
  here = undefined;
});

const content = Buffer.from('%PDF-1.7 and everything that follows');
const stated = { length: content.byteLength, hash: hashOf('md5', content) };

async function open(
  answers: Answer | Record<string, Answer>,
  settings?: ProxiedSettings,
): Promise<ProxiedHouse> {
  here = await openProxiedHouse(typeof answers === 'function' ? { '/file': answers } : answers, settings);
  return here;
}

async function get(url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') {
  const response = await request(url, { headers, method });
  const body = Buffer.from(await response.body.arrayBuffer());
  return { status: response.statusCode, headers: response.headers, body };
}

describe('a file that lies upstream', () => {
  it('is streamed with what the lists say of it', async () => {
    const { seed, upstream } = await open(fileAnswer(content));
    const { status, headers, body } = await get(await seed(stated));
    expect([status, body.equals(content)]).toEqual([200, true]);
    expect(headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(content.byteLength),
      'last-modified': 'Fri, 20 Nov 2026 08:00:00 GMT',
      etag: `"md5-${stated.hash.slice(4)}"`,
      'accept-ranges': 'bytes',
      'cache-control': 'no-cache, no-transform',
      'content-disposition': 'inline; filename="a.pdf"',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': '*',
    });
    expect(headers['repr-digest']).toBeUndefined();
    expect(upstream.requests).toHaveLength(1);
  });

  it('has the headers of GET on HEAD (HC-07)', async () => {
    const { seed, upstream } = await open(fileAnswer(content));
    const url = await seed(stated);
    expect(lasting((await get(url, {}, 'HEAD')).headers)).toEqual(lasting((await get(url)).headers));
    expect(upstream.requests.map(({ method }) => method)).toEqual(['HEAD', 'GET']);
  });

  it('is asked for by GET where the upstream does not know HEAD', async () => {
    const whole = fileAnswer(content);
    const { seed } = await open((question, response) => {
      if (question.method === 'HEAD') response.writeHead(405).end();
      else whole(question, response);
    });
    const { status, headers, body } = await get(await seed(), {}, 'HEAD');
    expect([status, headers['content-length'], body.byteLength]).toEqual([200, '36', 0]);
  });

  it('states a digest only if its sha-256 is stated', async () => {
    const { seed } = await open(fileAnswer(content));
    const { headers } = await get(await seed({ ...stated, hash: hashOf('sha256', content) }));
    expect(headers['repr-digest']).toMatch(/^sha-256=:[A-Za-z0-9+/]{43}=:$/);
    expect(headers.etag).toBe(`"${hashOf('sha256', content).slice(8)}"`);
  });

  it('gives out parts', async () => {
    const { seed, upstream } = await open(fileAnswer(content));
    const url = await seed(stated);
    for (const [range, start, end] of [
      ['bytes=0-3', 0, 4],
      ['bytes=5-', 5, 36],
      ['bytes=-4', 32, 36],
    ] as const) {
      const part = await get(url, { range });
      expect([part.status, part.body.toString()]).toEqual([206, content.subarray(start, end).toString()]);
      expect(part.headers['content-range']).toBe(`bytes ${start}-${end - 1}/36`);
      expect(part.headers['content-length']).toBe(String(end - start));
    }
    const beyond = await get(url, { range: 'bytes=99-' });
    expect([beyond.status, beyond.headers['content-range']]).toEqual([416, 'bytes */36']);
    // What nobody understands, and several parts, are as if they were not there.
    for (const range of ['bytes=0-1,3-4', 'lines=1-2', 'bytes=9-3']) {
      expect((await get(url, { range })).status).toBe(200);
    }
    expect(upstream.requests.filter(({ headers }) => headers.range?.includes(','))).toEqual([]);
  });

  it('comes whole where the upstream knows no parts, or a wrong one', async () => {
    const wrong: Answer = (question, response) => {
      const headers = { 'content-type': 'application/pdf', 'content-range': 'bytes 7-9/36' };
      if (question.headers.range === undefined) response.writeHead(200).end(content);
      else response.writeHead(206, headers).end('abc');
    };
    for (const answer of [
      wrong,
      (_: unknown, response: Parameters<Answer>[1]) => void response.end(content),
    ]) {
      const { seed, close } = await open(answer);
      const { status, body } = await get(await seed(), { range: 'bytes=0-3' });
      expect([status, body.equals(content)]).toEqual([200, true]);
      await close();
      here = undefined;
    }
  });

  it('answers conditions by what the lists say, once one octet has shown that it is handed out', async () => {
    const { seed, upstream } = await open(fileAnswer(content));
    const url = await seed(stated);
    const etag = `"md5-${stated.hash.slice(4)}"`;
    const modified = 'Fri, 20 Nov 2026 08:00:00 GMT';
    const answers = [
      await get(url, { 'if-none-match': etag }),
      await get(url, { 'if-modified-since': modified }),
      await get(url, { 'if-match': '"other"' }),
      await get(url, { 'if-unmodified-since': 'Fri, 20 Nov 2020 08:00:00 GMT' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([304, 304, 412, 412]);
    expect(answers[0]?.headers.etag).toBe(etag);
    expect((await get(url, { 'if-none-match': etag }, 'HEAD')).status).toBe(304);
    expect(upstream.requests.map(({ method, headers }) => [method, headers.range])).toEqual(
      Array(5).fill(['GET', 'bytes=0-0']),
    );
    expect((await get(url, { 'if-match': etag })).status).toBe(200);
    expect((await get(url, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('is not downloaded to be said to be the same, whatever its server knows of parts', async () => {
    let sent = 0;
    const megabyte = Buffer.alloc(1_048_576, 'x');
    const length = 200 * megabyte.byteLength;
    const { seed, upstream } = await open((_, response) => {
      response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': length });
      const write = () => {
        while (!response.destroyed) {
          sent += megabyte.byteLength;
          if (!response.write(megabyte)) return void response.once('drain', write);
        }
      };
      write();
    });
    const url = await seed({ length, hash: stated.hash });
    const same = await get(url, { 'if-none-match': `"md5-${stated.hash.slice(4)}"` });
    expect([same.status, upstream.requests.length]).toEqual([304, 1]);
    await vi.waitFor(() => expect(upstream.connections()).toBe(0));
    expect(sent).toBeLessThan(length / 4);
  });

  it('that is empty is the same as it was', async () => {
    const { seed } = await open(fileAnswer(Buffer.alloc(0)));
    const hash = hashOf('sha256', Buffer.alloc(0));
    const url = await seed({ length: 0, hash });
    expect((await get(url, { 'if-none-match': `"${hash.slice(8)}"` })).status).toBe(304);
  });

  it('that has another length by now is sent to whoever has what the lists describe', async () => {
    const { seed } = await open(fileAnswer(content));
    const url = await seed({ ...stated, length: 20 });
    const etag = `"md5-${stated.hash.slice(4)}"`;
    for (const headers of [
      { 'if-none-match': etag },
      { 'if-modified-since': 'Fri, 20 Nov 2026 08:00:00 GMT' },
    ]) {
      const { status, headers: told, body } = await get(url, headers);
      expect([status, told.etag, body.equals(content)]).toEqual([200, '"u.v1"', true]);
    }
    expect((await get(url, { 'if-match': '"other"' })).status).toBe(412);
  });

  it('has an entity tag made of the upstream’s where no hash is stated, and gives that back', async () => {
    const { seed, upstream } = await open(fileAnswer(content, { etag: '"v1:gz"' }));
    const url = await seed();
    const etag = String((await get(url)).headers.etag);
    expect(etag).toBe('"u.v1:gz"');
    const same = await get(url, { 'if-none-match': `"x", ${etag}` });
    expect([same.status, same.headers.etag]).toEqual([304, etag]);
    expect(upstream.requests.at(-1)?.headers['if-none-match']).toBe('"v1:gz"');
    expect((await get(url, { 'if-match': etag })).status).toBe(200);
    expect((await get(url, { 'if-match': '"u.v0"' })).status).toBe(412);
    const part = await get(url, { range: 'bytes=0-3', 'if-range': etag });
    expect([part.status, upstream.requests.at(-1)?.headers['if-range']]).toEqual([206, '"v1:gz"']);
    expect((await get(url, { range: 'bytes=0-3', 'if-range': '"u.v0"' })).status).toBe(200);
    expect((await get(url, { range: 'bytes=0-3', 'if-range': 'W/"u.v1:gz"' })).status).toBe(200);
  });

  it('that has changed upstream is not said to be what the lists describe', async () => {
    const { seed } = await open(fileAnswer(content, { 'last-modified': 'Sat, 21 Nov 2026 09:00:00 GMT' }));
    const url = await seed({ length: 20, hash: hashOf('sha256', Buffer.from('what was there before')) });
    const { status, headers, body } = await get(url);
    expect([status, body.equals(content)]).toEqual([200, true]);
    expect(headers).toMatchObject({
      'content-length': '36',
      'last-modified': 'Sat, 21 Nov 2026 09:00:00 GMT',
      etag: '"u.v1"',
    });
    expect(headers['repr-digest']).toBeUndefined();
    // A part that completes other bytes would be poison.
    const before = `"${hashOf('sha256', Buffer.from('what was there before')).slice(8)}"`;
    const rest = await get(url, { range: 'bytes=10-', 'if-range': before });
    expect([rest.status, rest.body.equals(content)]).toEqual([200, true]);
  });

  it('that nobody describes further has what its server says, and else what is stated', async () => {
    const answer: Answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream', 'transfer-encoding': 'chunked' });
      response.end(content);
    };
    const { seed } = await open(answer);
    const bare = await get(await seed({ mediaType: null, name: '1-a' }));
    expect(bare.headers['content-type']).toBe('application/octet-stream');
    expect(bare.headers['content-length']).toBeUndefined();
    const described = await get(await seed({ length: 36, name: '2-b' }));
    expect(described.headers).toMatchObject({ 'content-type': 'application/pdf', 'content-length': '36' });
  });

  it('quirk 35: that comes compressed though nobody asked is unpacked, an archive is left as it is', async () => {
    const answer: Answer = (_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', etag: '"v1"', 'content-type': 'text/plain' });
      response.end(gzipSync(content));
    };
    const { seed } = await open(answer);
    const plain = await get(await seed({ name: '1-a.txt', mediaType: 'text/plain' }), { range: 'bytes=0-3' });
    expect([plain.status, plain.body.equals(content), plain.headers.etag]).toEqual([200, true, 'W/"u.v1"']);
    expect(plain.headers['content-encoding']).toBeUndefined();
    const archive = await get(await seed({ name: '2-a.tar.gz', mediaType: 'application/gzip' }));
    expect(archive.body.equals(gzipSync(content))).toBe(true);
  });
});

describe('what goes upstream', () => {
  it('has no credentials and nothing of whoever asks', async () => {
    const { seed, upstream } = await open(fileAnswer(content));
    await get(await seed(), {
      authorization: 'Bearer secret',
      cookie: 'a=b',
      referer: 'https://h/',
      'x-forwarded-for': '1.2.3.4',
      'accept-encoding': 'gzip, br',
      'user-agent': 'somebody',
    });
    expect(upstream.requests[0]?.headers).toEqual({
      host: `127.0.0.1:${upstream.port}`,
      connection: 'keep-alive',
      'user-agent': 'rsbridge/test',
      accept: '*/*',
      'accept-encoding': 'identity',
    });
  });
});

describe('a file of HTML, SVG or anything else that may be active', () => {
  it.each(['text/html; charset=utf-8', 'image/svg+xml', 'application/xml', 'text/plain'])(
    'does not run in our origin: %s',
    async (type) => {
      const { seed } = await open(fileAnswer(Buffer.from('<p>x</p>'), { 'content-type': type }));
      const [mediaType = ''] = type.split(';');
      const { status, headers } = await get(await seed({ mediaType, name: '1-a.html' }));
      expect([status, headers['content-type']]).toEqual([200, type]);
      expect(headers['content-security-policy']).toMatch(/^sandbox;/);
      expect(headers['x-content-type-options']).toBe('nosniff');
    },
  );
});
