import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useBucket } from '../../../src/store/objects/object-contents.ts';
import { type FaultProxy, startFaultProxy } from '../../house/objects/fault-proxy.ts';
import { type OpenedStore, openStore } from '../../house/objects/opened.ts';
import { type ObjectServer, startVersitygw, versitygw } from '../../house/objects/versitygw.ts';
import { type House, lasting, openHouse, seedResource } from '../../house/server/fixture.ts';
import { keepContent } from '../../house/store/kept-content.ts';

const content = Buffer.alloc(3_000_000, 'abcdefghij');
const url = 'https://repo.example.org/a.csv';

describe.skipIf(!versitygw)('a mirrored file in an object storage', () => {
  let server: ObjectServer;
  let proxy: FaultProxy;
  let opened: OpenedStore;
  let house: House;
  beforeAll(async () => {
    server = await startVersitygw();
    proxy = await startFaultProxy(server.endpoint);
    opened = openStore(proxy.endpoint, { attempts: 2 });
  });
  afterAll(async () => {
    opened?.close();
    await proxy?.close();
    await server?.close();
  });
  beforeEach(async () => {
    house = await openHouse();
    send(0);
  });
  afterEach(async () => {
    proxy.fault = () => undefined;
    useBucket(house.directory, undefined);
    await house.close();
    rmSync(join(server.directory, 'rs'), { recursive: true, force: true });
  });

  const send = (redirectSeconds: number) =>
    useBucket(house.directory, {
      store: opened.store,
      takesNew: true,
      redirectSeconds,
      now: () => '2026-11-21T10:00:00Z',
    });

  async function get(path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') {
    const response = await request(`${await house.origin()}/${path}`, { headers, method });
    const body = Buffer.from(await response.body.arrayBuffer());
    return { status: response.statusCode, headers: response.headers, body };
  }

  async function seed(bytes = content) {
    await keepContent(house.database, house.directory, bytes);
    return seedResource(house.database, {
      kind: 'file',
      name: '1-a.csv',
      mediaType: 'text/csv',
      content: bytes.toString(),
      keep: false,
      upstreamUrl: url,
    });
  }

  test('answers as one on the disk does: whole, in parts, on conditions', async () => {
    const { path, digest } = await seed();
    const { status, headers, body } = await get(path);
    expect([status, body.equals(content)]).toEqual([200, true]);
    expect(headers).toMatchObject({
      'content-type': 'text/csv',
      'content-length': '3000000',
      etag: `"${digest}"`,
      'accept-ranges': 'bytes',
    });
    expect(lasting((await get(path, {}, 'HEAD')).headers)).toEqual(lasting(headers));
    expect((await get(path, { 'if-none-match': `"${digest}"` })).status).toBe(304);
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 1],
      ['bytes=500000-2600000', 500_000, 2_600_001],
      ['bytes=-7', 2_999_993, 3_000_000],
    ] as const) {
      const part = await get(path, { range });
      expect([part.status, part.body.equals(content.subarray(start, end))]).toEqual([206, true]);
    }
  });

  test('may be empty', async () => {
    const { path } = await seed(Buffer.alloc(0));
    const { status, headers, body } = await get(path);
    expect([status, headers['content-length'], body.byteLength]).toEqual([200, '0', 0]);
  });

  test('comes whole though the connection behind it breaks', async () => {
    const { path } = await seed();
    let breaks = 0;
    proxy.fault = () => (breaks++ < 3 ? { kind: 'cut', after: 700_000 } : undefined);
    const { status, body } = await get(path);
    expect([status, body.equals(content)]).toEqual([200, true]);
    expect(breaks).toBe(4);
  });

  test.each([
    ['503', { kind: 'answer', status: 503, code: 'SlowDown' }],
    ['403', { kind: 'answer', status: 403, code: 'AccessDenied' }],
    ['a reset', { kind: 'reset' }],
  ] as const)('while the storage answers with %s is not to be had now', async (_, fault) => {
    const { path } = await seed();
    proxy.fault = () => fault;
    for (const method of ['GET', 'HEAD'] as const) {
      const { status, headers } = await get(path, {}, method);
      expect([status, headers['retry-after']]).toEqual([503, '10']);
    }
    expect((await get(path)).body.toString()).not.toContain('secret');
    proxy.fault = () => undefined;
    expect((await get(path)).status).toBe(200);
  });

  test('with a wrong byte in it never looks complete, and does not go out again', async () => {
    const { path, digest } = await seed();
    const places = readdirSync(server.directory, { recursive: true, encoding: 'utf8' });
    const place = join(server.directory, places.find((name) => name.includes(`${digest}-`)) ?? '');
    const bytes = readFileSync(place);
    bytes[10] = 0;
    writeFileSync(place, bytes);
    await expect(get(path)).rejects.toThrow();
    await expect.poll(async () => (await get(path, { range: 'bytes=0-9' })).status).toBe(500);
    expect((await get(path, {}, 'HEAD')).status).toBe(500);
  });

  test('is had there by whoever is sent there, if that is configured', async () => {
    const { path, digest } = await seed();
    send(60);
    const { status, headers, body } = await get(path);
    expect([status, headers['cache-control'], body.byteLength]).toEqual([307, 'private, no-store', 0]);
    const there = await request(String(headers.location), { headers: { range: 'bytes=0-9' } });
    expect([there.statusCode, there.headers['content-type'], await there.body.text()]).toEqual([
      206,
      'text/csv',
      'abcdefghij',
    ]);
    expect((await get(path, { 'if-none-match': `"${digest}"` })).status).toBe(304);
    expect((await get(path, {}, 'HEAD')).status).toBe(200);
  });

  test.each([0, 60])(
    'that is withheld is neither served nor told the way to (redirect of %s s)',
    async (seconds) => {
      const { path } = await seed();
      send(seconds);
      const { id } = await house.database.reader('source').where({ name: 'kyushu' }).first('id');
      const hash = `sha-256:${createHash('sha256').update(content).digest('hex')}`;
      await house.database.writer('remote_file').insert({
        ...{ source_id: id, url, outcome: 'refused', failures: 0, content_hash: hash },
      });
      const asked = proxy.asked.length;
      const { status, headers } = await get(path);
      expect([status, headers.location]).toEqual([503, undefined]);
      expect(proxy.asked.length).toBe(asked);
    },
  );
});
