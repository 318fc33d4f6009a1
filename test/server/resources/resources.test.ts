import { createHash } from 'node:crypto';
import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { type House, lasting, openHouse, seedResource } from '../../house/server/fixture.ts';

let house: House;
beforeEach(async () => {
  house = await openHouse();
});
afterEach(() => house.close());

const base = 'https://bridge.example.org/rs';
const item = `${base}/kyushu/items/oai:repo.example.org:1`;

async function get(path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') {
  const response = await request(`${await house.origin()}/${path}`, { headers, method });
  const body = Buffer.from(await response.body.arrayBuffer());
  return { status: response.statusCode, headers: response.headers, body };
}

describe('a metadata resource', () => {
  it('answers with its exact bytes and says everything the lists say of them', async () => {
    const { path, content, digest } = await seedResource(house.database, {
      content: '<dc>図書\r\n</dc>',
      links: [
        { rel: 'collection', href: 'kyushu/collections/col_1' },
        { rel: 'profile', href: 'http://www.openarchives.org/OAI/2.0/oai_dc/' },
        { rel: 'describes', href: 'https://repo.example.org/handle/1' },
      ],
    });
    const { status, headers, body } = await get(path);
    expect(status).toBe(200);
    expect(body.equals(content)).toBe(true);
    expect(headers['content-type']).toBe('application/xml');
    expect(headers['content-length']).toBe(String(content.byteLength));
    expect(headers['last-modified']).toBe('Fri, 20 Nov 2026 08:00:00 GMT');
    expect(headers.etag).toBe(`"${digest}"`);
    // DG-02: base64 of the very digest whose hex is the hash in the lists.
    const base64 = createHash('sha256').update(content).digest('base64');
    expect(headers['repr-digest']).toBe(`sha-256=:${base64}:`);
    // HC-11: what is synchronised is never content-coded on the way.
    expect(headers['cache-control']).toBe('no-cache, no-transform');
    expect(headers.vary).toBeUndefined();
    expect(headers['accept-ranges']).toBe('bytes');
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    // RS-DISC-06, RS-DISC-13: one link per Capability List that covers it, in one header line.
    expect(headers.link).toBe(
      [
        `<${base}/timegate/${item}/oai_dc.xml>; rel="timegate"`,
        `<${base}/timemap/link/${item}/oai_dc.xml>; rel="timemap"; type="application/link-format"`,
        `<${base}/kyushu/capabilitylist.xml>; rel="resourcesync"`,
        `<${base}/kyushu/metadata/capabilitylist.xml>; rel="resourcesync"`,
        `<${item}>; rel="describes"; type="text/html"`,
        '<http://www.openarchives.org/OAI/2.0/oai_dc/>; rel="profile"',
        `<${item}/linkset>; rel="linkset"; type="application/linkset"`,
        `<${item}/linkset.json>; rel="linkset"; type="application/linkset+json"`,
        '<https://repo.example.org/handle/1>; rel="describes"',
        `<${base}/kyushu/collections/col_1>; rel="collection"`,
      ].join(', '),
    );
  });

  it('RS-LN-03, RS-LN-07, RS-LN-09, RS-LN-26: leads to its other forms, copies and origin, what matters most first', async () => {
    const setsOf = (source: string) =>
      resourceSets(source, { mirrors: [{ url: 'https://mirror.example.net/rs' }, { url: base }] });
    const own = await openHouse({ setsOf });
    try {
      const links = [
        { rel: 'collection', href: 'kyushu/collections/col_1' },
        { rel: 'via', href: 'https://repo.example.org/oai?verb=GetRecord' },
        { rel: 'canonical', href: 'kyushu/items/oai:repo.example.org:1' },
        // What was delivered together may be gone by now.
        { rel: 'alternate', href: 'kyushu/items/oai:repo.example.org:1/gone.xml', type: 'application/xml' },
        { rel: 'profile', href: 'http://example.org/dc' },
      ];
      const { path } = await seedResource(own.database, { links });
      await seedResource(own.database, { format: 'mods' });
      await seedResource(own.database, { format: 'gone', deletedAt: '2026-11-21T10:00:00Z' });
      const { headers } = await own.app.inject({ url: `/${path}` });
      expect(String(headers.link).split(', ').slice(4)).toEqual([
        `<${item}>; rel="describes"; type="text/html"`,
        '<http://example.org/dc>; rel="profile"',
        `<${item}>; rel="canonical"`,
        `<${item}/linkset>; rel="linkset"; type="application/linkset"`,
        `<${item}/linkset.json>; rel="linkset"; type="application/linkset+json"`,
        `<${item}/mods.xml>; rel="alternate"; type="application/xml"`,
        '<https://repo.example.org/oai?verb=GetRecord>; rel="via"',
        `<https://mirror.example.net/rs/${path}>; rel="duplicate"`,
        `<${base}/kyushu/collections/col_1>; rel="collection"`,
      ]);
    } finally {
      await own.close();
    }
  });

  it('is never gzipped, whatever is accepted (HC-11)', async () => {
    const { path, content } = await seedResource(house.database);
    const { headers, body } = await get(path, { 'accept-encoding': 'gzip' });
    expect(headers['content-encoding']).toBeUndefined();
    expect(body.equals(content)).toBe(true);
  });

  it('has the headers of GET on HEAD (HC-07)', async () => {
    const { path } = await seedResource(house.database);
    const ofGet = lasting((await get(path)).headers);
    const ofHead = lasting((await get(path, {}, 'HEAD')).headers);
    expect(ofHead).toEqual(ofGet);
  });

  it('answers conditions and ranges', async () => {
    const { path, content, digest } = await seedResource(house.database);
    expect((await get(path, { 'if-none-match': `"${digest}"` })).status).toBe(304);
    expect((await get(path, { 'if-modified-since': 'Fri, 20 Nov 2026 08:00:00 GMT' })).status).toBe(304);
    expect((await get(path, { 'if-match': '"other"' })).status).toBe(412);
    const part = await get(path, { range: 'bytes=3-6' });
    expect([part.status, part.body.toString()]).toEqual([206, content.subarray(3, 7).toString()]);
    // DG-01: the digest of a part is still that of the whole.
    expect(part.headers['repr-digest']).toContain('sha-256=:');
    expect((await get(path, { range: 'bytes=9999-' })).status).toBe(416);
  });

  it('is found under the percent-encoded forms of its address, with and without the path of baseUrl', async () => {
    const { path, content } = await seedResource(house.database, { identifier: 'oai:repo.example.org:1/2' });
    for (const form of [path, path.replaceAll(':', '%3A').replaceAll('~', '%7e'), `rs/${path}`]) {
      expect((await get(form)).body.equals(content)).toBe(true);
    }
  });

  it.each(['KYUSHU', 'kyushu/', '/kyushu'])('is not found in another spelling: %s', async (spelling) => {
    const { path } = await seedResource(house.database);
    expect((await get(path.replace('kyushu', spelling))).status).toBe(404);
  });

  it('cannot be made to send another header by what the upstream wrote', async () => {
    const { path } = await seedResource(house.database, {
      links: [
        { rel: 'describes', href: 'https://evil.example.org/>; rel="resourcesync"\r\nSet-Cookie: a=b' },
      ],
    });
    const { headers } = await get(path);
    expect(headers['set-cookie']).toBeUndefined();
    expect(String(headers.link).match(/rel="resourcesync"/g)).toHaveLength(2);
  });

  it('in a thousand collections still has a header that clients accept (WL-14)', async () => {
    const collections = Array.from({ length: 1000 }, (_, index) => ({
      rel: 'collection',
      href: `kyushu/collections/${index}`,
    }));
    const links = [...collections, { rel: 'describes', href: 'https://repo.example.org/1' }];
    const { path } = await seedResource(house.database, { links });
    const { status, headers } = await get(path);
    expect(status).toBe(200);
    expect(String(headers.link).length).toBeLessThanOrEqual(8000);
    expect(headers.link).toContain('rel="describes"');
  });
});

describe('a resource that has no representation', () => {
  it('is gone once deleted, and still says which lists tell of it', async () => {
    const { path } = await seedResource(house.database, { deletedAt: '2026-11-21T10:00:00Z' });
    const { status, headers, body } = await get(path);
    expect(status).toBe(410);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(headers['last-modified']).toBe('Sat, 21 Nov 2026 10:00:00 GMT');
    expect(headers.link).toContain(`<${base}/kyushu/capabilitylist.xml>; rel="resourcesync"`);
    expect(headers.etag).toBeUndefined();
    expect(JSON.parse(body.toString())).toMatchObject({
      type: 'about:blank',
      title: 'Gone',
      status: 410,
      code: 'gone',
      advice: expect.any(String),
    });
  });

  it('was never modified later than now (HC-01)', async () => {
    const { path } = await seedResource(house.database, { deletedAt: '2027-01-01T00:00:00Z' });
    expect((await get(path)).headers['last-modified']).toBe('Sat, 21 Nov 2026 12:00:00 GMT');
  });

  it('is not found when nobody knows it', async () => {
    expect((await get('kyushu/items/oai:x:1/oai_dc.xml')).status).toBe(404);
  });

  it.each(['data', 'missing'])('is a logged problem when its content is damaged: %s', async (damage) => {
    const { path, digest } = await seedResource(house.database);
    const blob = house.database.writer('blob').where({ hash: `sha-256:${digest}` });
    await (damage === 'data' ? blob.update({ data: Buffer.from('x'), coding: 'identity' }) : blob.delete());
    const { status, headers, body } = await get(path);
    expect(status).toBe(500);
    expect(JSON.parse(body.toString())).toMatchObject({ code: 'content-damaged' });
    expect(headers.etag).toBeUndefined();
    expect(headers['repr-digest']).toBeUndefined();
    expect(house.log).toContainEqual(
      expect.objectContaining({ msg: 'request failed', code: 'content-damaged' }),
    );
  });
});
