import { existsSync } from 'node:fs';
import { mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contentFile } from '../../../src/store/payloads/content-files.ts';
import { type House, lasting, openHouse, seedResource } from '../../house/server/fixture.ts';
import { keepContent } from '../../house/store/kept-content.ts';

let house: House;
beforeEach(async () => {
  house = await openHouse();
});
afterEach(() => house.close());

const content = Buffer.alloc(1_000_000, 'abcdefghij');

async function get(path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') {
  const response = await request(`${await house.origin()}/${path}`, { headers, method });
  const body = Buffer.from(await response.body.arrayBuffer());
  return { status: response.statusCode, headers: response.headers, body };
}

async function seed(bytes = content) {
  await keepContent(house.database, house.directory, bytes);
  const seeded = await seedResource(house.database, {
    kind: 'file',
    name: '1-a.csv',
    mediaType: 'text/csv',
    content: bytes.toString(),
    keep: false,
  });
  return { ...seeded, file: contentFile(house.directory, `sha-256:${seeded.digest}`) };
}

describe('a mirrored file', () => {
  it('answers with its exact bytes and says everything the lists say of them', async () => {
    const { path, digest } = await seed();
    const { status, headers, body } = await get(path);
    expect([status, body.equals(content)]).toEqual([200, true]);
    expect(headers).toMatchObject({
      'content-type': 'text/csv',
      'content-length': '1000000',
      'last-modified': 'Fri, 20 Nov 2026 08:00:00 GMT',
      etag: `"${digest}"`,
      'repr-digest': `sha-256=:${Buffer.from(digest, 'hex').toString('base64')}:`,
      'accept-ranges': 'bytes',
      'content-disposition': 'inline; filename="a.csv"',
    });
    expect(headers['content-security-policy']).toMatch(/^sandbox;/);
    expect(lasting((await get(path, {}, 'HEAD')).headers)).toEqual(lasting(headers));
  });

  it('answers conditions and ranges', async () => {
    const { path, digest } = await seed();
    expect((await get(path, { 'if-none-match': `"${digest}"` })).status).toBe(304);
    expect((await get(path, { 'if-match': '"other"' })).status).toBe(412);
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 1],
      ['bytes=500000-600000', 500_000, 600_001],
      ['bytes=-7', 999_993, 1_000_000],
      ['bytes=0-', 0, 1_000_000],
    ] as const) {
      const part = await get(path, { range, 'if-range': `"${digest}"` });
      expect([part.status, part.body.equals(content.subarray(start, end))]).toEqual([206, true]);
      expect(part.headers['content-range']).toBe(`bytes ${start}-${end - 1}/1000000`);
    }
    expect((await get(path, { range: 'bytes=1000000-' })).status).toBe(416);
  });

  it('may be empty', async () => {
    const { path } = await seed(Buffer.alloc(0));
    const { status, headers, body } = await get(path);
    expect([status, headers['content-length'], body.byteLength]).toEqual([200, '0', 0]);
  });

  it('that has the bytes of a metadata record serves both', async () => {
    const { path } = await seed();
    const record = await seedResource(house.database, { content: content.toString(), keep: false });
    expect((await get(record.path)).body.equals(content)).toBe(true);
    expect((await get(path)).body.equals(content)).toBe(true);
  });

  it('small enough for the database is served from there', async () => {
    const { path, content: bytes } = await seedResource(house.database, { kind: 'file', content: 'a,b' });
    expect((await get(path)).body.equals(bytes)).toBe(true);
  });

  it.each(['missing', 'shorter', 'longer', 'a directory', 'unregistered'])(
    'is a logged problem when it is %s',
    async (how) => {
      const { path, file } = await seed();
      if (how === 'missing') await rm(file);
      if (how === 'shorter') await truncate(file, 10);
      if (how === 'longer') await writeFile(file, Buffer.concat([content, content]));
      if (how === 'a directory') {
        await rm(file);
        await mkdir(file);
      }
      if (how === 'unregistered') await house.database.writer('blob').delete();
      const { status, headers, body } = await get(path);
      expect(status).toBe(500);
      expect(JSON.parse(body.toString())).toMatchObject({ code: 'content-damaged' });
      for (const name of ['etag', 'repr-digest', 'content-disposition', 'link'])
        expect(headers[name]).toBeUndefined();
      expect(house.log).toContainEqual(
        expect.objectContaining({ msg: 'request failed', code: 'content-damaged' }),
      );
    },
  );

  it('with a wrong byte in it never looks complete', async () => {
    const { path, file } = await seed();
    const damaged = Buffer.from(content);
    damaged[10] = 0;
    await writeFile(file, damaged);
    await expect(get(path)).rejects.toThrow();
    // Once that is known, no part of it goes out either.
    await expect.poll(() => existsSync(file)).toBe(false);
    for (const headers of [{}, { range: 'bytes=500000-500009' }] as Record<string, string>[]) {
      const { status, body } = await get(path, headers);
      expect(status).toBe(500);
      expect(JSON.parse(body.toString())).toMatchObject({ code: 'content-damaged' });
    }
    expect((await get(path, {}, 'HEAD')).status).toBe(500);
  });

  it('of which the bytes come back is served again', async () => {
    const { path, file } = await seed();
    await rm(file);
    expect((await get(path)).status).toBe(500);
    await writeFile(file, content);
    expect((await get(path)).body.equals(content)).toBe(true);
  });

  it('is gone once deleted, and says which lists tell of it', async () => {
    const deletedAt = '2026-11-21T10:00:00Z';
    const { path } = await seedResource(house.database, { kind: 'file', deletedAt });
    const { status, headers } = await get(path);
    expect(status).toBe(410);
    expect(headers.link).toBe(
      '<https://bridge.example.org/rs/kyushu/capabilitylist.xml>; rel="resourcesync"',
    );
  });
});
