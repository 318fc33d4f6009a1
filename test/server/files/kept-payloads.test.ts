import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { forCrowd } from '../../../src/core/either-signal.ts';
import { movePayloads } from '../../../src/store/moves/moved-payloads.ts';
import { useBucket } from '../../../src/store/objects/object-contents.ts';
import { type FaultProxy, startFaultProxy } from '../../house/objects/fault-proxy.ts';
import { type OpenedStore, openStore } from '../../house/objects/opened.ts';
import { type ObjectServer, startVersitygw, versitygw } from '../../house/objects/versitygw.ts';
import { type House, lasting, openHouse, seedResource } from '../../house/server/fixture.ts';

/** One that is read whole, and one that is streamed. */
const lengths = [100_000, 3_000_000] as const;

describe.skipIf(!versitygw)('metadata in an object storage', () => {
  let server: ObjectServer;
  let proxy: FaultProxy;
  let opened: OpenedStore;
  let house: House;
  beforeAll(async () => {
    server = await startVersitygw();
    proxy = await startFaultProxy(server.endpoint);
  });
  afterAll(async () => {
    await proxy?.close();
    await server?.close();
  });
  beforeEach(async () => {
    house = await openHouse();
    use();
  });
  afterEach(async () => {
    proxy.fault = () => undefined;
    useBucket(house.directory, undefined, house.database);
    await house.close();
    opened.close();
    rmSync(join(server.directory, 'rs'), { recursive: true, force: true });
  });

  /** As a process that has just begun: nothing is in memory. */
  function use(): void {
    opened?.close();
    opened = openStore(proxy.endpoint, { attempts: 2 });
    useBucket(
      house.directory,
      {
        ...{ store: opened.store, takesNew: false, payloadsAbove: 50_000, redirectSeconds: 60 },
        now: () => '2026-11-21T10:00:00Z',
      },
      house.database,
    );
  }

  async function get(path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') {
    const response = await request(`${await house.origin()}/${path}`, { headers, method });
    const body = Buffer.from(await response.body.arrayBuffer());
    return { status: response.statusCode, headers: response.headers, body };
  }

  async function seed(length: number) {
    const text = randomBytes(Math.ceil(length / 4))
      .toString('hex')
      .repeat(2);
    const content = `<dc xmlns="urn:dc">${text.slice(0, length - 24)}</dc>`;
    const seeded = await seedResource(house.database, { content });
    const before = await get(seeded.path);
    const signal = forCrowd(new AbortController().signal);
    const moved = await movePayloads({ database: house.database, directory: house.directory, signal });
    expect([moved.payloads, before.body.equals(Buffer.from(content))]).toEqual([1, true]);
    use();
    return { ...seeded, before };
  }

  function damage(digest: string, change: (file: string) => void): void {
    const names = readdirSync(server.directory, { recursive: true, encoding: 'utf8' });
    change(join(server.directory, names.find((name) => name.includes(`${digest}-`)) ?? ''));
  }

  test.each(lengths)('of %s octets answers as it did from the database', async (length) => {
    const { path, content, digest, before } = await seed(length);
    const { status, headers, body } = await get(path);
    expect([status, body.equals(content)]).toEqual([200, true]);
    expect(lasting(headers)).toEqual(lasting(before.headers));
    expect(lasting((await get(path, {}, 'HEAD')).headers)).toEqual(lasting(headers));
    expect((await get(path, { 'if-none-match': `"${digest}"` })).status).toBe(304);
    for (const [range, start, end] of [
      ['bytes=0-0', 0, 1],
      ['bytes=50000-90000', 50_000, 90_001],
      ['bytes=-7', content.length - 7, content.length],
      [`bytes=${content.length - 1}-`, content.length - 1, content.length],
    ] as const) {
      const part = await get(path, { range });
      expect([part.status, part.body.equals(content.subarray(start, end))]).toEqual([206, true]);
    }
  });

  test.each(lengths)('of %s octets comes whole though the connection behind it breaks', async (length) => {
    const { path, content } = await seed(length);
    let breaks = 0;
    proxy.fault = () => (breaks++ < 3 ? { kind: 'cut', after: 10_000 } : undefined);
    expect((await get(path)).body.equals(content)).toBe(true);
    expect(breaks).toBe(4);
  });

  test.each([
    ['503', { kind: 'answer', status: 503, code: 'SlowDown' }],
    ['403', { kind: 'answer', status: 403, code: 'AccessDenied' }],
    ['a bucket that is gone', { kind: 'answer', status: 404, code: 'NoSuchBucket' }],
    ['a reset', { kind: 'reset' }],
  ] as const)('while the storage answers with %s is not to be had now', async (_, fault) => {
    for (const length of lengths) {
      const { path } = await seed(length);
      proxy.fault = () => fault;
      for (const method of ['GET', 'HEAD'] as const) {
        const { status, headers } = await get(path, {}, method);
        expect([status, headers['retry-after']]).toEqual([503, '10']);
      }
      proxy.fault = () => undefined;
      expect((await get(path)).status).toBe(200);
      await house.database.writer('resource').delete();
    }
  });

  test('that was read of late is served from memory meanwhile', async () => {
    const { path, content } = await seed(100_000);
    await get(path);
    proxy.fault = () => ({ kind: 'answer', status: 404, code: 'NoSuchBucket' });
    const { status, body } = await get(path);
    expect([status, body.equals(content)]).toEqual([200, true]);
    // What is withdrawn is in no memory.
    await house.database.writer('resource').where({ path }).update({ deleted_at: '2026-11-21T11:00:00Z' });
    expect((await get(path)).status).toBe(410);
  });

  test('is read there once for all who ask at one time', async () => {
    const { path, content } = await seed(100_000);
    const before = proxy.asked.length;
    const all = await Promise.all(Array.from({ length: 20 }, () => get(path)));
    expect(all.every(({ body }) => body.equals(content))).toBe(true);
    expect(proxy.asked.length).toBe(before + 1);
  });

  test('leaves no connection behind whoever asks for its headers alone, or goes', async () => {
    const { path, content } = await seed(3_000_000);
    for (let asked = 0; asked < 100; asked += 1) await get(path, {}, 'HEAD');
    for (let asked = 0; asked < 100; asked += 1) {
      const { body } = await request(`${await house.origin()}/${path}`);
      body.on('error', () => undefined).destroy();
    }
    expect((await get(path)).body.equals(content)).toBe(true);
  });

  test.each([
    ['missing', (file: string) => rmSync(file)],
    ['shorter', (file: string) => truncateSync(file, 1000)],
    ['other bytes', (file: string) => writeFileSync(file, Buffer.alloc(readFileSync(file).length))],
  ])('that is %s there is never handed out', async (_, change) => {
    for (const length of lengths) {
      const { path, digest } = await seed(length);
      damage(digest, change);
      const answer = await get(path).catch(() => ({ status: 500 }));
      expect(answer.status).toBe(500);
      await expect.poll(async () => (await get(path, { range: 'bytes=0-9' })).status).toBe(500);
      expect((await get(path, {}, 'HEAD')).status).toBe(500);
      await house.database.writer('resource').delete();
    }
  });
});
