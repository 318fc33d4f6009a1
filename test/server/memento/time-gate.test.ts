import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exchange, type House, openHouse, seedResource } from '../../house/server/fixture.ts';
import { fileAnswer } from '../../house/server/loopback-upstream.ts';
import { ask, base, byRelation, seedPast } from '../../house/server/past-house.ts';
import { openProxiedHouse } from '../../house/server/proxied-house.ts';

let house: House;
beforeEach(async () => {
  house = await openHouse();
});
afterEach(() => house.close());

const steps = [
  { datetime: '2026-01-01T00:00:00Z', content: '<dc>1</dc>' },
  { datetime: '2026-02-01T00:00:00Z', content: '<dc>2</dc>' },
  { datetime: '2026-03-01T00:00:00Z', content: null },
  { datetime: '2026-04-01T00:00:00Z', content: '<dc>4</dc>' },
  { datetime: '2026-05-01T00:00:00Z', content: '<dc>5</dc>' },
];

const gate = (uri: string, at?: string) =>
  ask(house, `${base}/timegate/${uri}`, at === undefined ? {} : { 'accept-datetime': at });
const mementoOf = (uri: string, digits: string) => `${base}/memento/${digits}/${uri}`;

describe('a TimeGate', () => {
  it.each([
    ['Thu, 01 Jan 2026 00:00:00 GMT', '20260101000000'],
    ['Sat, 31 Jan 2026 23:59:59 GMT', '20260101000000'],
    ['Sun, 01 Feb 2026 00:00:00 GMT', '20260201000000'],
    ['Wed, 01 Apr 2026 00:00:00 GMT', '20260401000000'],
    // ME-04: before the first and after the last, the future included.
    ['Mon, 01 Jan 0001 00:00:00 GMT', '20260101000000'],
    ['Fri, 31 Dec 9999 23:59:59 GMT', '20260501000000'],
    // ME-03: a weekday that is not that of the date.
    ['Tue, 10 Apr 2026 00:00:00 GMT', '20260401000000'],
    // ME-05.
    [undefined, '20260501000000'],
    ['', '20260501000000'],
  ])('leads from %s to the memento of %s', async (at, digits) => {
    const { uri } = await seedPast(house.database, steps);
    const { status, headers, body } = await gate(uri, at);
    expect([status, headers.location, body]).toEqual([302, mementoOf(uri, digits), '']);
    expect(headers['content-length']).toBe('0');
  });

  it('ME-09, ME-17: names each memento around once, with all that it is', async () => {
    const { uri } = await seedPast(house.database, steps);
    const { headers } = await gate(uri, 'Sun, 01 Feb 2026 00:00:00 GMT');
    expect(headers.link?.split(/, (?=<)/)).toEqual([
      `<${uri}>; rel="original"`,
      `<${base}/timegate/${uri}>; rel="timegate"`,
      `<${base}/timemap/link/${uri}>; rel="timemap"; type="application/link-format"; from="Thu, 01 Jan 2026 00:00:00 GMT"; until="Fri, 01 May 2026 00:00:00 GMT"`,
      `<${mementoOf(uri, '20260101000000')}>; rel="first prev memento"; datetime="Thu, 01 Jan 2026 00:00:00 GMT"`,
      `<${mementoOf(uri, '20260201000000')}>; rel="memento"; datetime="Sun, 01 Feb 2026 00:00:00 GMT"`,
      `<${mementoOf(uri, '20260401000000')}>; rel="next memento"; datetime="Wed, 01 Apr 2026 00:00:00 GMT"`,
      `<${mementoOf(uri, '20260501000000')}>; rel="last memento"; datetime="Fri, 01 May 2026 00:00:00 GMT"`,
    ]);
  });

  it('of one memento says that it is the first and the last', async () => {
    const { uri } = await seedPast(house.database, steps.slice(0, 1));
    const [memento, ...others] = byRelation((await gate(uri)).links, 'memento');
    expect([memento?.rel, others]).toEqual([['first', 'last', 'memento'], []]);
  });

  it('says of a time at which it was deleted what was before and after', async () => {
    const { uri } = await seedPast(house.database, steps);
    const { status, headers, links, body } = await gate(uri, 'Sun, 15 Mar 2026 00:00:00 GMT');
    expect([status, headers.vary]).toEqual([404, 'accept-datetime, Accept']);
    expect(JSON.parse(body)).toMatchObject({
      code: 'not-found',
      detail: expect.stringContaining('2026-03-15T00:00:00Z'),
    });
    expect(byRelation(links, 'prev')[0]?.href).toBe(mementoOf(uri, '20260201000000'));
    expect(byRelation(links, 'next')[0]?.href).toBe(mementoOf(uri, '20260401000000'));
    expect(byRelation(links, 'original').map(({ href }) => href)).toEqual([uri]);
    expect(headers['memento-datetime']).toBeUndefined();
  });

  it('answers for what is deleted, too (ME-08)', async () => {
    const { uri, path } = await seedPast(house.database, steps.slice(0, 3));
    const original = await ask(house, `/${path}`);
    expect(original.status).toBe(410);
    expect(byRelation(original.links, 'timegate')[0]?.href).toBe(`${base}/timegate/${uri}`);
    expect(byRelation(original.links, 'timemap')[0]?.href).toBe(`${base}/timemap/link/${uri}`);
    expect((await gate(uri)).headers.location).toBe(mementoOf(uri, '20260201000000'));
    expect((await gate(uri, 'Mon, 01 Jun 2026 00:00:00 GMT')).status).toBe(404);
  });

  it.each([
    'Tue, 20 Mar 2001 20:35:00 +0000',
    '2001-03-20T20:35:00Z',
    'yesterday',
    'Tue, 31 Feb 2026 00:00:00 GMT',
  ])('ME-02: refuses %s, and says where it belongs all the same', async (at) => {
    const { uri } = await seedPast(house.database, steps);
    const { status, headers, links, body } = await gate(uri, at);
    expect([status, headers.vary]).toEqual([400, 'accept-datetime, Accept']);
    expect(JSON.parse(body)).toMatchObject({ code: 'bad-request' });
    for (const relation of ['original', 'timegate', 'timemap']) {
      expect(byRelation(links, relation)).toHaveLength(1);
    }
  });

  it.each([
    ['Thu, 01 Jan 2026 00:00:00 GMT', 'Thu, 01 Jan 2026 00:00:00 GMT'],
    ['Thu, 01 Jan 2026 00:00:00 GMT', 'Sun, 01 Feb 2026 00:00:00 GMT'],
    ['Thu, 01 Jan 2026 00:00:00 GMT', ''],
    ['', ''],
  ])('refuses two times, even the same: %j and %j', async (one, other) => {
    const { uri } = await seedPast(house.database, steps);
    const answer = await exchange(
      await house.origin(),
      `GET /timegate/${uri} HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAccept-Datetime: ${one}\r\naccept-datetime: ${other}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/^vary: accept-datetime/im);
    expect(answer).toContain('rel="original"');
  });

  it.each([
    'https://bridge.example.org/rs/kyushu/items/oai:nobody/oai_dc.xml',
    'https://elsewhere.example.org/',
    'ftp://bridge.example.org/rs/x',
    'nonsense',
    '%00',
    '%zz',
    '%ff%fe',
    '',
  ])('knows nothing of %j (ME-07)', async (uri) => {
    const { status, headers } = await gate(uri);
    expect([status, headers.vary, headers.link]).toEqual([404, 'accept-datetime, Accept', undefined]);
  });

  it('of a resource without any memento says so, and where it belongs', async () => {
    const { path } = await seedResource(house.database);
    const { status, links } = await gate(`${base}/${path}`);
    expect([status, links.length]).toEqual([404, 3]);
  });

  it('says the same on HEAD', async () => {
    const { uri } = await seedPast(house.database, steps);
    const target = `${base}/timegate/${uri}`;
    const [get, head] = [await ask(house, target), await ask(house, target, {}, 'HEAD')];
    for (const name of ['location', 'link', 'vary', 'cache-control', 'content-length']) {
      expect(head.headers[name]).toBe(get.headers[name]);
    }
  });

  it('leads to us by our own name, whatever the request calls us', async () => {
    const { uri } = await seedPast(house.database, steps);
    const answer = await exchange(
      await house.origin(),
      `GET /timegate/${uri} HTTP/1.1\r\nHost: evil.example.net\r\nX-Forwarded-Host: evil.example.net\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).not.toContain('evil');
  });

  it('is asked by pages of other origins, whose browsers ask first whether they may', async () => {
    const { path, uri } = await seedPast(house.database, steps);
    for (const target of [`/timegate/${uri}`, `/${path}`, `/memento/20260101000000/${uri}`]) {
      const { status, headers } = await ask(
        house,
        target,
        {
          origin: 'https://elsewhere.example.org',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'accept-datetime',
        },
        'OPTIONS',
      );
      expect(status).toBe(204);
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers['access-control-allow-methods']).toBe('GET, HEAD');
      expect(headers['access-control-allow-headers']).toMatch(/Accept-Datetime/);
    }
    const { headers } = await gate(uri);
    expect(headers['access-control-expose-headers']).toMatch(/Memento-Datetime/);
    // What no page of another origin may read is not promised to any.
    const { statusCode } = await request(`${await house.origin()}/livez`, {
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'GET' },
    });
    expect(statusCode).toBe(405);
  });
});

describe('an Original', () => {
  it('that is a file leads to its past, be it mirrored or handed through', async () => {
    const proxied = await openProxiedHouse({ '/file': fileAnswer(Buffer.from('<dc>1</dc>')) });
    try {
      const upstreamUrl = `${proxied.upstream.origin}/file`;
      const { path } = await seedPast(proxied.house.database, steps.slice(0, 1), {
        ...{ kind: 'file', upstreamUrl },
      });
      const { status, links } = await ask(proxied.house, `/${path}`);
      expect(status).toBe(200);
      for (const relation of ['timegate', 'timemap']) expect(byRelation(links, relation)).toHaveLength(1);
    } finally {
      await proxied.close();
    }
    const mirrored = await seedPast(house.database, steps.slice(0, 1), { kind: 'file' });
    expect(byRelation((await ask(house, `/${mirrored.path}`)).links, 'timegate')).toHaveLength(1);
  });

  it('says of its past before anything else, of which there may be more than a header has room for', async () => {
    const links = Array.from({ length: 500 }, (_, index) => ({
      rel: 'collection',
      href: `kyushu/collections/${index}`,
    }));
    const { path } = await seedPast(house.database, steps, { links });
    const relations = (await ask(house, `/${path}`)).links.map(({ rel }) => rel[0]);
    expect(relations.slice(0, 3)).toEqual(['timegate', 'timemap', 'resourcesync']);
  });
});

describe('what is not handed out', () => {
  const mementosOf = () => ({ links: 'metadata' as const, keep: 'all' as const, ofDeleted: false });

  it('are the mementos of deleted metadata, where the source is set so', async () => {
    const own = await openHouse({ mementosOf });
    try {
      const { uri, path } = await seedPast(own.database, steps.slice(0, 3));
      const timeGate = await ask(own, `${base}/timegate/${uri}`);
      expect([timeGate.status, byRelation(timeGate.links, 'memento')]).toEqual([404, []]);
      expect(timeGate.body).toContain('not served any more');
      expect((await ask(own, mementoOf(uri, '20260101000000'))).status).toBe(410);
      expect((await ask(own, `${base}/timemap/link/${uri}`)).status).toBe(404);
      expect(byRelation((await ask(own, `/${path}`)).links, 'timegate')).toEqual([]);
    } finally {
      await own.close();
    }
  });

  it('are those of a deleted file, whatever is set', async () => {
    const { uri, path } = await seedPast(house.database, steps.slice(0, 3), { kind: 'file' });
    expect((await gate(uri)).status).toBe(404);
    expect((await ask(house, mementoOf(uri, '20260101000000'))).status).toBe(410);
    const original = await ask(house, `/${path}`);
    expect([original.status, byRelation(original.links, 'timegate')]).toEqual([410, []]);
  });

  it('does not end with a deletion that was taken back', async () => {
    const own = await openHouse({ mementosOf });
    try {
      const { uri } = await seedPast(own.database, steps);
      expect((await ask(own, mementoOf(uri, '20260101000000'))).status).toBe(200);
    } finally {
      await own.close();
    }
  });
});
