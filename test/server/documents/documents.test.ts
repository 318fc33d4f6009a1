import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type House, lasting, openHouse, publishedSet } from '../../house/server/fixture.ts';

let house: House;
const xml = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"/>'.repeat(50);
const path = '/kyushu/resourcelist.xml';
const lastModified = 'Sat, 21 Nov 2026 11:57:00 GMT';

beforeEach(async () => {
  house = await openHouse();
  await house.publication.stage('kyushu/resourcelist.xml', xml);
});
afterEach(() => house.close());

async function get(headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET', at = path) {
  const response = await request((await house.origin()) + at, { headers, method });
  const body = Buffer.from(await response.body.arrayBuffer());
  return { status: response.statusCode, headers: response.headers, body };
}

const variant = (coding: 'plain' | 'gzip') => {
  const document = house.publication.documents.get('kyushu/resourcelist.xml');
  const found = document?.[coding];
  if (!found) throw new Error('not staged');
  return found;
};

describe('a published document', () => {
  it('is plain unless gzip is asked for, with every header a client needs', async () => {
    const { status, headers, body } = await get();
    expect(status).toBe(200);
    expect(body.toString()).toBe(xml);
    // RS-GEN-27: UTF-8 is the default of application/xml, and clients compare the type without parameters.
    expect(headers['content-type']).toBe('application/xml');
    expect(headers['content-length']).toBe(String(xml.length));
    expect(headers.etag).toBe(variant('plain').etag);
    expect(headers['last-modified']).toBe(lastModified);
    expect(headers.vary).toBe('Accept, Accept-Encoding');
    expect(headers['accept-ranges']).toBe('bytes');
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['access-control-expose-headers']).toContain('ETag');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers.server).toBe('resourcesync-bridge/1.2.3');
  });

  it('is gzipped for who accepts it, under an ETag of its own (HC-03)', async () => {
    const { headers, body } = await get({ 'accept-encoding': 'gzip, br' });
    expect(gunzipSync(body).toString()).toBe(xml);
    expect(headers['content-encoding']).toBe('gzip');
    expect(headers['content-length']).toBe(String(variant('gzip').length));
    expect(headers.etag).toBe(variant('gzip').etag);
    expect(headers.etag).not.toBe(variant('plain').etag);
    expect(headers.vary).toBe('Accept, Accept-Encoding');
  });

  it.each(['identity', 'gzip'])(
    'has the headers of GET on HEAD, and opens nothing (HC-07): %s',
    async (coding) => {
      const asked = { 'accept-encoding': coding };
      const [whole, head] = [await get(asked), await get(asked, 'HEAD')];
      const ofGet = lasting(whole.headers);
      const ofHead = lasting(head.headers);
      expect(ofHead).toEqual(ofGet);
      expect(head.body.byteLength).toBe(0);
      expect(house.publication.opened).toBe(1);
    },
  );

  it('is immutable for a year where its address carries its moment (HC-08)', async () => {
    await house.publication.stage('kyushu/changelist/20261101T000000Z.xml', xml, { immutable: true });
    const { headers } = await get({}, 'GET', '/kyushu/changelist/20261101T000000Z.xml');
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });
});

describe.each(['plain', 'gzip'] as const)('conditions on the %s variant', (coding) => {
  const asked = coding === 'gzip' ? { 'accept-encoding': 'gzip' } : {};
  const etagOf = (kind: string) =>
    kind === 'own' ? variant(coding).etag : variant(coding === 'gzip' ? 'plain' : 'gzip').etag;

  it.each([
    ['if-none-match', 'own', 304],
    ['if-none-match', 'other', 200],
    ['if-match', 'own', 200],
    ['if-match', 'other', 412],
  ])('%s with the ETag of its %s variant → %i', async (name, kind, expected) => {
    expect((await get({ ...asked, [name]: etagOf(kind) })).status).toBe(expected);
  });

  it.each([
    ['if-modified-since', lastModified, 304],
    ['if-modified-since', 'Sat, 21 Nov 2026 11:56:59 GMT', 200],
    ['if-unmodified-since', 'Sat, 21 Nov 2026 11:56:59 GMT', 412],
    ['if-unmodified-since', lastModified, 200],
  ])('%s: %s → %i', async (name, value, expected) => {
    expect((await get({ ...asked, [name]: value })).status).toBe(expected);
  });

  it('says with 304 what a cache needs and no more (HC-02)', async () => {
    const { headers, body } = await get({ ...asked, 'if-none-match': '*' });
    expect(body.byteLength).toBe(0);
    expect(headers).toMatchObject({
      etag: variant(coding).etag,
      vary: 'Accept, Accept-Encoding',
      'cache-control': 'no-cache',
      date: expect.any(String),
    });
    for (const name of ['content-type', 'content-length', 'content-encoding', 'last-modified']) {
      expect(headers[name]).toBeUndefined();
    }
  });
});

describe('a part of a document (HC-04)', () => {
  it.each([
    ['bytes=0-9', 0, 10],
    ['bytes=10-', 10, xml.length],
    ['bytes=-7', xml.length - 7, xml.length],
  ])('%s is answered with these bytes alone', async (range, start, end) => {
    const { status, headers, body } = await get({ range });
    expect(status).toBe(206);
    expect(body.toString()).toBe(xml.slice(start, end));
    expect(headers['content-range']).toBe(`bytes ${start}-${end - 1}/${xml.length}`);
    expect(headers['content-length']).toBe(String(end - start));
    expect(headers.etag).toBe(variant('plain').etag);
  });

  it('that is not there is a problem that names the length', async () => {
    const { status, headers, body } = await get({ range: `bytes=${xml.length}-` });
    expect(status).toBe(416);
    expect(headers['content-range']).toBe(`bytes */${xml.length}`);
    expect(headers.etag).toBeUndefined();
    expect(JSON.parse(body.toString())).toMatchObject({ code: 'range-not-satisfiable', status: 416 });
  });

  it.each([
    ['several ranges', { range: 'bytes=0-1,4-5' }],
    ['an unknown unit', { range: 'lines=1-2' }],
    ['If-Range of another generation', { range: 'bytes=0-1', 'if-range': '"old"' }],
  ])('is not given for %s: the whole is', async (_name, headers) => {
    const { status, body } = await get(headers);
    expect([status, body.toString()]).toEqual([200, xml]);
  });

  it('is never a piece of a gzip stream', async () => {
    const { status, body } = await get({ range: 'bytes=0-1', 'accept-encoding': 'gzip' });
    expect([status, gunzipSync(body).toString()]).toEqual([200, xml]);
  });

  it('continues a download whose ETag is still right', async () => {
    const headers = { range: 'bytes=5-', 'if-range': variant('plain').etag };
    expect((await get(headers)).body.toString()).toBe(xml.slice(5));
  });
});

describe('a document that is not there', () => {
  beforeEach(() => {
    const dumps = ['resourcedump', 'changedump'].map((capability) => ({
      path: `kyushu/${capability}.xml`,
      capability,
      entries: 1,
      bytes: 1234,
      lastModified: '2026-11-21T11:57:00Z',
      from: '2026-11-01T00:00:00Z',
    }));
    const set = publishedSet();
    house.publication.published.push(
      { ...set, documents: [...set.documents, ...dumps] },
      publishedSet('kyushu/metadata'),
    );
  });

  it.each([
    ['/kyushu/resourcelist/20251101T000000Z/0001.xml', 410, 'kyushu/resourcelist.xml'],
    ['/kyushu/metadata/resourcelist/20251101T000000Z/0001.xml', 410, 'kyushu/metadata/resourcelist.xml'],
    ['/kyushu/resourcelist/20991101T000000Z/0001.xml', 404, 'kyushu/resourcelist.xml'],
    ['/kyushu/resourcelist/nonsense/0001.xml', 404, 'kyushu/resourcelist.xml'],
    ['/kyushu/resourcelist/20261121T023000Z/0009.xml', 404, 'kyushu/resourcelist.xml'],
    ['/kyushu/resourcedump/20251101T000000Z/0001.zip', 410, 'kyushu/resourcedump.xml'],
    ['/kyushu/resourcedump/20251101T000000Z/0001-manifest.xml', 410, 'kyushu/resourcedump.xml'],
    ['/kyushu/changelist/20200101T000000Z.xml', 410, 'kyushu/changelist-index.xml'],
    ['/kyushu/changelist/20200101T000000Z-2.xml', 410, 'kyushu/changelist-index.xml'],
    ['/kyushu/changelist/20261103T000000Z.xml', 404, 'kyushu/changelist-index.xml'],
    ['/kyushu/changedump/20261031T235959Z.zip', 410, 'kyushu/changedump.xml'],
    ['/kyushu/changedump/20261031T235959Z-manifest.xml', 410, 'kyushu/changedump.xml'],
    ['/kyushu/changedump/20261102T000000Z.zip', 404, 'kyushu/changedump.xml'],
    // What a set no longer offers at all is explained by its Capability List.
    ['/kyushu/metadata/resourcedump/20251101T000000Z/0001.zip', 410, 'kyushu/metadata/capabilitylist.xml'],
    ['/kyushu/metadata/resourcedump.xml', 404, 'kyushu/metadata/capabilitylist.xml'],
    ['/elsewhere/resourcelist/20251101T000000Z/0001.xml', 404, undefined],
    ['/kyushu/nothing.xml', 404, undefined],
  ])('%s → %i, leading to %s', async (at, status, current) => {
    const response = await get({}, 'GET', at);
    expect(response.status).toBe(status);
    expect(response.headers.link).toBe(
      current && `<https://bridge.example.org/rs/${current}>; rel="latest-version"`,
    );
    expect(JSON.parse(response.body.toString())).toMatchObject({
      code: status === 410 ? 'gone' : 'not-found',
    });
  });
});

describe('a download', () => {
  const big = Buffer.alloc(24 * 1024 * 1024, '0123456789abcdefg');
  beforeEach(() => house.publication.stage('kyushu/big.xml', big));

  it('arrives complete', async () => {
    const { body } = await get({}, 'GET', '/kyushu/big.xml');
    expect(body.equals(big)).toBe(true);
    await expect.poll(() => house.publication.openFiles).toBe(0);
  });

  it('waits for a client that does not read, and closes its file when the client goes away', async () => {
    const response = await request(`${await house.origin()}/kyushu/big.xml`);
    response.body.on('error', () => undefined);
    expect(house.publication.openFiles).toBe(1);
    response.body.destroy();
    await expect.poll(() => house.publication.openFiles).toBe(0);
  });

  it('runs to its end while the server closes, and no connection holds the server after it', async () => {
    const response = await request(`${await house.origin()}/kyushu/big.xml`);
    const closed = house.app.close();
    const body = Buffer.from(await response.body.arrayBuffer());
    expect(body.equals(big)).toBe(true);
    await closed;
    await expect.poll(() => house.publication.openFiles).toBe(0);
    await expect(request(`${await house.origin()}/livez`)).rejects.toThrow();
  });

  /** From now on the plain variant of the big document is read from elsewhere. */
  async function readFrom(open: () => Readable) {
    const document = await house.publication.find('kyushu/big.xml');
    if (!document) throw new Error('not staged');
    house.publication.documents.set('kyushu/big.xml', { ...document, plain: { ...document.plain, open } });
  }

  it('that fails at once is a problem without the headers of what was not sent', async () => {
    await readFrom(
      () =>
        new Readable({
          read() {
            this.destroy(new Error('no secret-place'));
          },
        }),
    );
    const { status, headers, body } = await get({}, 'GET', '/kyushu/big.xml');
    expect(status).toBe(500);
    expect(JSON.parse(body.toString())).toMatchObject({ code: 'internal' });
    expect(body.toString()).not.toContain('secret-place');
    for (const name of ['etag', 'last-modified', 'accept-ranges']) expect(headers[name]).toBeUndefined();
    expect(house.log).toContainEqual(expect.objectContaining({ msg: 'request failed', level: 50 }));
  });

  it('that fails on the way is cut off, so that nobody takes it for complete, and logged', async () => {
    await readFrom(() =>
      Readable.from(
        (async function* () {
          yield Buffer.alloc(100_000);
          throw new Error('the disk is gone');
        })(),
      ),
    );
    await expect(get({}, 'GET', '/kyushu/big.xml')).rejects.toThrow();
    expect(house.log).toContainEqual(expect.objectContaining({ msg: 'the answer ended early', level: 50 }));
  });
});

describe('a document whose file gives way to the next before it is opened', () => {
  const next = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"/>';

  /** The first look finds what is just being replaced: its files are gone, and the pointer leads to the next. */
  async function replaceMeanwhile() {
    const before = await house.publication.find(path.slice(1));
    for (const coding of ['plain', 'gz']) rmSync(join(house.directory, `kyushu!resourcelist.xml.${coding}`));
    const find = house.publication.find.bind(house.publication);
    let looks = 0;
    house.publication.find = async (wanted) => {
      looks += 1;
      if (looks === 1) return before;
      if (looks === 2) await house.publication.stage('kyushu/resourcelist.xml', next);
      return find(wanted);
    };
  }

  it.each([
    ['whole', {}, 200, next],
    ['gzipped', { 'accept-encoding': 'gzip' }, 200, next],
    ['in part', { range: 'bytes=0-6' }, 206, '<urlset'],
  ])('is the next one, %s', async (_, asked, expected, content) => {
    await replaceMeanwhile();
    const { status, headers, body } = await get(asked);
    const isGzipped = headers['content-encoding'] === 'gzip';
    expect([status, String(isGzipped ? gunzipSync(body) : body)]).toEqual([expected, content]);
    expect(headers.etag).toBe(variant(isGzipped ? 'gzip' : 'plain').etag);
    expect(headers['content-length']).toBe(String(body.byteLength));
    expect(headers['content-range']).toBe(expected === 206 ? `bytes 0-6/${next.length}` : undefined);
    expect(house.log.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  });

  it('that is gone at every look is to be asked for again, and somebody has to look', async () => {
    rmSync(join(house.directory, 'kyushu!resourcelist.xml.plain'));
    const { status, headers, body } = await get();
    expect([status, headers['retry-after'], headers.etag]).toEqual([503, '1', undefined]);
    expect(JSON.parse(body.toString())).toMatchObject({ code: 'not-ready' });
    const told = house.log.filter(({ level }) => Number(level) >= 40);
    expect(told).toEqual([expect.objectContaining({ msg: 'a published file is gone', code: 'not-ready' })]);
  });
});
