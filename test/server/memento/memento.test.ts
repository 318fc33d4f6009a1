import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exchange, type House, lasting, now, openHouse } from '../../house/server/fixture.ts';
import { ask, base, byRelation, seedPast } from '../../house/server/past-house.ts';

let house: House;
beforeEach(async () => {
  house = await openHouse();
});
afterEach(() => house.close());

const steps = [
  { datetime: '2026-01-01T00:00:00Z', content: '<dc>図書</dc>' },
  { datetime: '2026-02-01T00:00:00Z', content: '<dc>2</dc>' },
  { datetime: '2026-03-01T00:00:00Z', content: null },
  { datetime: '2026-04-01T00:00:00Z', content: '<dc>4</dc>' },
];

const mementoOf = (uri: string, digits: string) => `${base}/memento/${digits}/${uri}`;
const memento = (uri: string, digits: string, headers: Record<string, string> = {}) =>
  ask(house, mementoOf(uri, digits), headers);

describe('a memento', () => {
  it('is the exact bytes of then, and says all that is known of them', async () => {
    const { uri } = await seedPast(house.database, steps);
    const { status, headers, body } = await memento(uri, '20260101000000');
    expect([status, body]).toEqual([200, '<dc>図書</dc>']);
    const digest = createHash('sha256').update('<dc>図書</dc>').digest();
    expect(headers).toMatchObject({
      'memento-datetime': 'Thu, 01 Jan 2026 00:00:00 GMT',
      'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT',
      'content-type': 'application/xml',
      'content-length': String(Buffer.byteLength('<dc>図書</dc>')),
      etag: `"${digest.toString('hex')}"`,
      'repr-digest': `sha-256=:${digest.toString('base64')}:`,
      'cache-control': 'public, max-age=31536000, immutable, no-transform',
      'accept-ranges': 'bytes',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    expect(headers.vary).toBeUndefined();
    expect(headers['content-location']).toBeUndefined();
    expect(headers.link?.split(/, (?=<)/)).toEqual([
      `<${uri}>; rel="original"`,
      `<${base}/timegate/${uri}>; rel="timegate"`,
      `<${base}/timemap/link/${uri}>; rel="timemap"; type="application/link-format"; from="Thu, 01 Jan 2026 00:00:00 GMT"; until="Wed, 01 Apr 2026 00:00:00 GMT"`,
      `<${mementoOf(uri, '20260101000000')}>; rel="first memento"; datetime="Thu, 01 Jan 2026 00:00:00 GMT"`,
      `<${mementoOf(uri, '20260201000000')}>; rel="next memento"; datetime="Sun, 01 Feb 2026 00:00:00 GMT"`,
      `<${mementoOf(uri, '20260401000000')}>; rel="last memento"; datetime="Wed, 01 Apr 2026 00:00:00 GMT"`,
    ]);
  });

  it('answers conditions and ranges; ME-12: whatever it replays says when it is of', async () => {
    const { uri } = await seedPast(house.database, steps);
    const { headers } = await memento(uri, '20260401000000');
    const same = await memento(uri, '20260401000000', { 'if-none-match': headers.etag ?? '' });
    expect([same.status, same.headers['memento-datetime'], same.headers.link]).toEqual([
      304,
      headers['memento-datetime'],
      headers.link,
    ]);
    const part = await memento(uri, '20260401000000', { range: 'bytes=4-4' });
    expect([part.status, part.body, part.headers['memento-datetime']]).toEqual([
      206,
      '4',
      headers['memento-datetime'],
    ]);
    const asked = await memento(uri, '20260401000000', {
      'accept-datetime': 'Thu, 01 Jan 2026 00:00:00 GMT',
    });
    expect(lasting(asked.headers)).toEqual(lasting(headers));
    // What is no state of the Original says of no moment that it was.
    for (const conditions of [{ 'if-match': '"other"' }, { range: 'bytes=999-' }]) {
      const refused = await memento(uri, '20260401000000', conditions as Record<string, string>);
      expect(refused.headers['memento-datetime']).toBeUndefined();
      expect(byRelation(refused.links, 'original')).toHaveLength(1);
    }
  });

  it('may change for ever no more once its second is over, by a clock that may be behind', async () => {
    const { uri } = await seedPast(house.database, [
      { datetime: '2026-11-21T11:59:59Z', content: '<dc>1</dc>' },
      { datetime: now, content: '<dc>2</dc>' },
      { datetime: '2026-11-21T12:30:00Z', content: '<dc>3</dc>' },
    ]);
    const cacheControl = async (digits: string) => (await memento(uri, digits)).headers['cache-control'];
    expect(await cacheControl('20261121115959')).toMatch(/immutable/);
    expect(await cacheControl('20261121120000')).toBe('no-cache, no-transform');
    expect(await cacheControl('20261121123000')).toBe('no-cache, no-transform');
    const ahead = await memento(uri, '20261121123000');
    expect(ahead.headers['memento-datetime']).toBe('Sat, 21 Nov 2026 12:30:00 GMT');
    // HC-01: never later than Date.
    expect(ahead.headers['last-modified']).toBe('Sat, 21 Nov 2026 12:00:00 GMT');
  });

  it('is not for ever where its repository may refuse it from now on: nobody keeps a file without asking', async () => {
    const { uri } = await seedPast(house.database, steps.slice(0, 1), { kind: 'file' });
    const { status, headers } = await memento(uri, '20260101000000');
    expect([status, headers['cache-control']]).toEqual([200, 'no-cache, no-transform']);
  });

  it('is not for ever while a clock that was set back may date another change into its second', async () => {
    const { uri } = await seedPast(house.database, [
      { datetime: '2026-11-21T11:59:58Z', content: '<dc>1</dc>' },
      { datetime: '2026-11-21T11:59:59Z', content: '<dc>2</dc>' },
    ]);
    const { writer } = house.database;
    await writer('source').update({ journal_at: '2026-11-21T11:59:59Z' });
    const cacheControl = async (digits: string) => (await memento(uri, digits)).headers['cache-control'];
    expect(await cacheControl('20261121115958')).toMatch(/immutable/);
    expect(await cacheControl('20261121115959')).toBe('no-cache, no-transform');
    await writer('source').update({ journal_at: now });
    expect(await cacheControl('20261121115959')).toMatch(/immutable/);
  });

  it.each([
    ['20260115000000', '20260101000000'],
    ['20260228235959', '20260201000000'],
    ['20300101000000', '20260401000000'],
    ['19991231235959', '20260101000000'],
  ])('between moments: %s leads to %s', async (digits, exact) => {
    const { uri } = await seedPast(house.database, steps);
    const { status, headers, links } = await memento(uri, digits);
    expect([status, headers.location]).toEqual([302, mementoOf(uri, exact)]);
    expect(headers['memento-datetime']).toBeUndefined();
    expect(headers.vary).toBeUndefined();
    expect(byRelation(links, 'original')).toHaveLength(1);
  });

  it.each([
    '20261301000000',
    '20260230000000',
    '20260101250000',
    '2026010100000',
    '202601010000000',
    '2026',
    'x',
  ])('of %s is no moment', async (digits) => {
    const { uri } = await seedPast(house.database, steps);
    const { status, body, links } = await memento(uri, digits);
    expect(status).toBe(400);
    expect(JSON.parse(body).detail).toContain('YYYYMMDDhhmmss');
    expect(byRelation(links, 'timemap')).toHaveLength(1);
  });

  it('of a time at which there was nothing names what was before and after', async () => {
    const { uri } = await seedPast(house.database, steps);
    for (const digits of ['20260301000000', '20260331235959']) {
      const { status, links } = await memento(uri, digits);
      expect(status).toBe(404);
      expect(byRelation(links, 'prev')[0]?.href).toBe(mementoOf(uri, '20260201000000'));
      expect(byRelation(links, 'next')[0]?.href).toBe(mementoOf(uri, '20260401000000'));
    }
  });

  it('that retention gave up says so, and names its neighbours', async () => {
    const kept = steps.slice(0, 2);
    const { uri } = await seedPast(house.database, [
      ...kept,
      { datetime: '2026-02-10T00:00:00Z', content: '<dc>dropped</dc>', droppedAt: now },
      { datetime: '2026-02-20T00:00:00Z', content: '<dc>last</dc>' },
    ]);
    const { status, links, body } = await memento(uri, '20260210000000');
    expect(status).toBe(404);
    expect(JSON.parse(body).detail).toContain('no longer kept');
    expect(byRelation(links, 'prev')[0]?.href).toBe(mementoOf(uri, '20260201000000'));
    expect(byRelation(links, 'next')[0]?.href).toBe(mementoOf(uri, '20260220000000'));
    expect((await memento(uri, '20260211000000')).headers.location).toBe(mementoOf(uri, '20260201000000'));
  });

  it('whose bytes are damaged is a logged problem that leads on to the others', async () => {
    const { uri } = await seedPast(house.database, steps);
    const hash = `sha-256:${createHash('sha256').update('<dc>2</dc>').digest('hex')}`;
    await house.database
      .writer('blob')
      .where({ hash })
      .update({ data: Buffer.from('x'), coding: 'identity' });
    const { status, headers, links, body } = await memento(uri, '20260201000000');
    expect([status, JSON.parse(body).code]).toEqual([500, 'content-damaged']);
    // HC-07
    expect(await ask(house, mementoOf(uri, '20260201000000'), {}, 'HEAD')).toMatchObject({ status });
    for (const name of ['memento-datetime', 'etag', 'content-location', 'repr-digest']) {
      expect(headers[name]).toBeUndefined();
    }
    expect(headers['cache-control']).toBe('no-cache');
    expect(byRelation(links, 'original')).toHaveLength(1);
    for (const relation of ['prev', 'next']) {
      expect((await ask(house, byRelation(links, relation)[0]?.href ?? '')).status).toBe(200);
    }
    expect(house.log).toContainEqual(expect.objectContaining({ code: 'content-damaged' }));
  });

  it('is understood in other spellings, and says which one is its own', async () => {
    const { uri, path } = await seedPast(house.database, steps);
    const canonical = mementoOf(uri, '20260101000000');
    for (const form of [
      `http://bridge.example.org/rs/${path}`,
      `HTTPS://Bridge.Example.ORG:443/rs/${path}`,
      `https:/bridge.example.org/rs/${path}`,
      encodeURIComponent(uri),
      uri.replaceAll('_', '%5F').replaceAll('~', '%7e'),
    ]) {
      const { status, headers, links } = await memento(form, '20260101000000');
      expect([status, headers['content-location']]).toEqual([200, canonical]);
      expect(byRelation(links, 'original')[0]?.href).toBe(uri);
    }
  });

  it('of a file goes out as the file does', async () => {
    const { uri } = await seedPast(
      house.database,
      [
        { datetime: '2026-01-01T00:00:00Z', content: '<script>1</script>' },
        { datetime: '2026-02-01T00:00:00Z', content: 'two' },
      ],
      { kind: 'file', name: '1-a.html', mediaType: 'text/html' },
    );
    const { status, headers, body } = await memento(uri, '20260101000000');
    expect([status, body]).toEqual([200, '<script>1</script>']);
    expect(headers['content-type']).toBe('text/html');
    expect(headers['content-security-policy']).toMatch(/^sandbox;/);
    expect(headers['content-disposition']).toBe('inline; filename="a.html"');
  });
});

describe('a version whose bytes are elsewhere', () => {
  const step = { datetime: '2026-01-01T00:00:00Z', content: 'a', keep: false };

  /** What every memento aggregator asks: the TimeGate, the TimeMap, the address that a memento would have. */
  async function expectNone(here: House, uri: string): Promise<void> {
    for (const target of [`/timegate/${uri}`, `${base}/memento/20260101000000/${uri}`]) {
      const { status, headers, links } = await ask(here, target);
      expect([status, headers['memento-datetime'], headers.location]).toEqual([404, undefined, undefined]);
      expect(byRelation(links, 'memento')).toEqual([]);
      for (const relation of ['original', 'timegate', 'timemap']) {
        expect(byRelation(links, relation)).toHaveLength(1);
      }
    }
    expect((await ask(here, `/timemap/link/${uri}`)).body).not.toContain('memento"');
  }

  it.each([
    'https://user:secret@repo.example.org/a',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://a\r\nb: c',
    'https://repo.example.org/bitstreams/1/content?x=1',
  ])('is no memento where nothing is handed through (%j)', async (upstreamUrl) => {
    const { uri } = await seedPast(house.database, [step], { kind: 'file', upstreamUrl });
    await expectNone(house, uri);
  });

  it('is no memento where files are only linked: the URL of the repository is the Original, and all there is', async () => {
    const own = await openHouse({ fileMode: () => 'link' });
    try {
      const url = 'https://repo.example.org/bitstream/1/caf%E9%20a,b.pdf?sequence=1&isAllowed=y';
      const { path } = await seedPast(own.database, [step], { kind: 'file', upstreamUrl: url });
      await own.database.writer('resource').where({ path }).update({ path: url });
      for (const form of [url, encodeURIComponent(url), url.replace('https://repo', 'https:/REPO')]) {
        const { status, links } = await ask(own, `/timegate/${form}`);
        expect([status, byRelation(links, 'original')[0]?.href]).toEqual([404, url]);
      }
      await expectNone(own, url);
    } finally {
      await own.close();
    }
  });
});

it('an address that an upstream made up ends no header', async () => {
  const { path } = await seedPast(house.database, steps);
  const hostile =
    'https://repo.example.org/a>; rel="original", <https://evil.example.org/\r\nSet-Cookie: a=b';
  await house.database.writer('resource').where({ path }).update({ path: hostile, kind: 'file' });
  const answer = await exchange(
    await house.origin(),
    `GET /timegate/${encodeURIComponent(hostile)} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  expect(answer).not.toMatch(/^(?:set-cookie|link):/im);
});
