import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { contentOf, type ObjectContent, type ObjectStore } from '../../src/core/payloads/object-store.ts';
import { type FaultProxy, oneAfterTheOther, startFaultProxy } from '../house/objects/fault-proxy.ts';
import { type OpenedStore, openStore } from '../house/objects/opened.ts';
import {
  accessKeyId,
  type ObjectServer,
  secretAccessKey,
  startVersitygw,
  versitygw,
} from '../house/objects/versitygw.ts';

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function bytesOf(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function read(store: ObjectStore, key: string, range = {}): Promise<Buffer | undefined> {
  const found = await store.get(key, range);
  return found && bytesOf(found.body);
}

describe.skipIf(!versitygw)('a bucket of a real object storage', () => {
  let server: ObjectServer;
  let proxy: FaultProxy;
  const opened: OpenedStore[] = [];
  const open = (...args: Parameters<typeof openStore>): OpenedStore => {
    const one = openStore(...args);
    opened.push(one);
    return one;
  };
  let store: ObjectStore;
  beforeAll(async () => {
    server = await startVersitygw();
    proxy = await startFaultProxy(server.endpoint);
    ({ store } = open(proxy.endpoint));
  });
  afterEach(() => {
    proxy.fault = () => undefined;
  });
  afterAll(async () => {
    for (const one of opened) one.close();
    await proxy?.close();
    await server?.close();
  });

  test('what was put is there, whole and in parts, until it is deleted', async () => {
    const bytes = randomBytes(300_000);
    const key = "odd/name with + and ' é~.bin";
    expect(await store.put(key, contentOf(bytes, hashOf(bytes)))).toMatchObject({ kind: 'stored' });
    for (const [start, end] of [[0], [100, 250_000], [299_999]]) {
      const found = await read(store, key, { start, end });
      expect(hashOf(found as Buffer)).toBe(hashOf(bytes.subarray(start, end)));
    }
    expect(await store.head(key)).toMatchObject({ length: 300_000, etag: expect.stringContaining('"') });
    await store.delete(key);
    await store.delete(key);
    expect(await store.get(key)).toBeUndefined();
    expect(await store.head(key)).toBeUndefined();
  });

  test('an empty object is one', async () => {
    await store.put('empty', contentOf(new Uint8Array()));
    expect(await read(store, 'empty')).toEqual(Buffer.alloc(0));
  });

  test('bytes that are not what their hash says are not stored', async () => {
    const put = store.put('wrong', contentOf(Buffer.from('one'), hashOf(Buffer.from('other'))));
    await expect(put).rejects.toMatchObject({ code: 'objects-refused' });
    expect(await store.get('wrong')).toBeUndefined();
  });

  test('a condition decides who writes', async () => {
    const content = (text: string) => contentOf(Buffer.from(text));
    const first = await store.put('pointer', content('1'), { ifAbsent: true });
    expect(first.kind).toBe('stored');
    expect(await store.put('pointer', content('2'), { ifAbsent: true })).toEqual({ kind: 'conflict' });
    const etag = first.kind === 'stored' ? first.etag : undefined;
    expect(await store.put('pointer', content('3'), { ifMatch: etag })).toMatchObject({ kind: 'stored' });
    expect(await store.put('pointer', content('4'), { ifMatch: etag })).toEqual({ kind: 'conflict' });
    expect(await store.put('none', content('5'), { ifMatch: etag })).toEqual({ kind: 'conflict' });
    expect(String(await read(store, 'pointer'))).toBe('3');
  });

  test('of writers at one time exactly one wins', async () => {
    const puts = Array.from({ length: 12 }, (_, n) =>
      store.put('race', contentOf(Buffer.from(String(n))), { ifAbsent: true }),
    );
    const kinds = (await Promise.all(puts)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'stored')).toHaveLength(1);
  });

  test('a long content is sent in parts, each once more when it fails', async () => {
    const bytes = randomBytes(12 * 1024 ** 2 + 17);
    const inParts = open(proxy.endpoint, { partBytes: 5 * 1024 ** 2 });
    let failures = 0;
    proxy.fault = ({ path }) => {
      if (!path.includes('partNumber=2') || failures++ > 0) return undefined;
      return { kind: 'reset' };
    };
    const before = proxy.asked.length;
    await inParts.store.put('long', contentOf(bytes, hashOf(bytes)));
    expect(hashOf((await read(store, 'long')) as Buffer)).toBe(hashOf(bytes));
    const parts = proxy.asked.slice(before).filter(({ path }) => path.includes('partNumber='));
    expect(parts.map(({ path }) => /partNumber=(\d)/.exec(path)?.[1])).toEqual(['1', '2', '2', '3']);
  });

  test('an upload that fails leaves nothing', async () => {
    const inParts = open(proxy.endpoint, { partBytes: 5 * 1024 ** 2 });
    proxy.fault = ({ path }) =>
      path.includes('partNumber=2') ? { kind: 'answer', status: 403, code: 'AccessDenied' } : undefined;
    const put = inParts.store.put('given-up', contentOf(Buffer.alloc(6 * 1024 ** 2)));
    await expect(put).rejects.toMatchObject({ code: 'objects-refused' });
    expect(proxy.asked.at(-1)).toMatchObject({
      method: 'DELETE',
      path: expect.stringContaining('uploadId='),
    });
    expect(await store.get('given-up')).toBeUndefined();
  });

  test('all names are listed, page after page', async () => {
    const names = Array.from({ length: 1005 }, (_, n) => `many/${String(n).padStart(4, '0')} é`);
    for (let at = 0; at < names.length; at += 50) {
      await Promise.all(names.slice(at, at + 50).map((name) => store.put(name, contentOf(Buffer.from('x')))));
    }
    const listed: string[] = [];
    for await (const { key, length } of store.list('many/')) {
      expect(length).toBe(1);
      listed.push(key);
    }
    expect(listed).toEqual(names);
  });

  test('a presigned address needs no credentials, and has the media type', async () => {
    await store.put('signed', contentOf(Buffer.from('<a/>')), { mediaType: 'text/plain' });
    const answer = await fetch(store.presigned('signed', { seconds: 60, mediaType: 'application/xml' }));
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'application/xml',
      '<a/>',
    ]);
  });

  test.each([
    ['500', { kind: 'answer', status: 500, code: 'InternalError' }],
    ['503', { kind: 'answer', status: 503, code: 'SlowDown' }],
    ['429 of a proxy', { kind: 'answer', status: 429 }],
    ['a reset', { kind: 'reset' }],
  ] as const)('%s is asked again, with longer waits', async (_, fault) => {
    const { store: patient, waits } = open(proxy.endpoint);
    proxy.fault = oneAfterTheOther(fault, fault, fault);
    await patient.put('patient', contentOf(Buffer.from('at last')));
    expect(waits).toHaveLength(3);
    expect(waits[2]).toBeGreaterThan(waits[0] ?? 0);
    proxy.fault = oneAfterTheOther(fault, fault);
    expect(String(await read(patient, 'patient'))).toBe('at last');
  });

  test('a conditional write whose answer is lost is told from one that somebody else made', async () => {
    proxy.fault = oneAfterTheOther({ kind: 'deaf' });
    const ours = await store.put('deaf', contentOf(Buffer.from('ours')), { ifAbsent: true });
    expect(ours.kind).toBe('stored');
    proxy.fault = oneAfterTheOther({ kind: 'reset' });
    const theirs = await store.put('deaf', contentOf(Buffer.from('theirs')), { ifAbsent: true });
    expect(theirs.kind).toBe('conflict');
    expect(String(await read(store, 'deaf'))).toBe('ours');
  });

  test('a body that is cut is continued where it broke', async () => {
    const bytes = randomBytes(900_000);
    await store.put('cut', contentOf(bytes));
    proxy.fault = oneAfterTheOther({ kind: 'cut', after: 300_000 }, { kind: 'cut', after: 250_000 });
    expect(hashOf((await read(store, 'cut')) as Buffer)).toBe(hashOf(bytes));
    proxy.fault = oneAfterTheOther({ kind: 'cut', after: 1000 });
    const part = (await read(store, 'cut', { start: 10, end: 700_000 })) as Buffer;
    expect(hashOf(part)).toBe(hashOf(bytes.subarray(10, 700_000)));
  });

  test('what changes while it is read is never mixed', async () => {
    await store.put('changing', contentOf(randomBytes(500_000)));
    let asked = 0;
    proxy.fault = ({ method }) =>
      method === 'GET' && asked++ === 0 ? { kind: 'cut', after: 100_000 } : undefined;
    const found = await store.get('changing');
    await open(server.endpoint).store.put('changing', contentOf(randomBytes(500_000)));
    await expect(bytesOf(found?.body as Readable)).rejects.toMatchObject({
      code: expect.stringMatching(/^objects-/),
    });
  });

  test('what does not come back is unavailable, and says where and why', async () => {
    proxy.fault = () => ({ kind: 'answer', status: 503, code: 'SlowDown' });
    await expect(store.get('any')).rejects.toMatchObject({
      code: 'objects-unavailable',
      retryable: true,
      message: expect.stringMatching(
        /^the bucket bridge at 127\.0\.0\.1:\d+ is not able to read any now \(SlowDown/,
      ),
    });
    proxy.fault = () => ({ kind: 'reset' });
    await expect(store.head('any')).rejects.toMatchObject({ code: 'objects-unavailable' });
    const silent = open(proxy.endpoint, { attempts: 1 }, { timeoutSeconds: 1 });
    proxy.fault = () => ({ kind: 'silent' });
    await expect(silent.store.get('any')).rejects.toMatchObject({ code: 'objects-unavailable' });
  });

  test.each([
    ['AccessDenied', 403, 'does not allow to read any (AccessDenied'],
    ['InvalidAccessKeyId', 403, 'does not accept the credentials'],
    ['NoSuchBucket', 404, 'there is no bucket for'],
    ['PermanentRedirect', 301, 'sends us elsewhere'],
  ])('%s is for a person, and nothing is missing because of it', async (code, status, message) => {
    proxy.fault = () => ({ kind: 'answer', status, code });
    await expect(store.get('any')).rejects.toMatchObject({
      code: 'objects-refused',
      message: expect.stringContaining(message),
    });
  });

  test('a 404 that does not say what is missing is no missing object', async () => {
    proxy.fault = () => ({ kind: 'answer', status: 404 });
    await expect(store.get('any')).rejects.toMatchObject({ code: 'objects-refused' });
    await expect(store.head('any')).rejects.toMatchObject({ code: 'objects-refused' });
    await expect(store.put('any', contentOf(Buffer.from('x')))).rejects.toMatchObject({
      code: 'objects-refused',
    });
  });

  test('a clock that is wrong is said to be, by how much', async () => {
    const ahead = open(server.endpoint, {}, { shift: 3_600_000 });
    const put = ahead.store.put('early', contentOf(Buffer.from('x')));
    await expect(put).rejects.toMatchObject({
      code: 'objects-refused',
      message: expect.stringMatching(/the clock of this machine differs by (3599|360\d) seconds .* \(NTP\)$/),
    });
  });

  test('a bucket that is gone is neither empty nor written to', async () => {
    renameSync(server.directory, `${server.directory}-gone`);
    try {
      await expect(store.get('pointer')).rejects.toMatchObject({ code: 'objects-refused' });
      await expect(store.head('pointer')).rejects.toMatchObject({ code: 'objects-refused' });
      await expect(store.list('').next()).rejects.toMatchObject({ code: 'objects-refused' });
      const conditional = store.put('pointer', contentOf(Buffer.from('x')), { ifMatch: '"a"' });
      await expect(conditional).rejects.toMatchObject({ code: 'objects-refused' });
    } finally {
      renameSync(`${server.directory}-gone`, server.directory);
    }
    expect(await store.get('pointer')).toBeDefined();
  });

  test('credentials that were replaced count from the next request on', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'rsbridge-test-'));
    const credentialsFile = join(directory, 'credentials');
    const write = (secret: string) =>
      writeFileSync(credentialsFile, `aws_access_key_id=${accessKeyId}\naws_secret_access_key=${secret}\n`);
    write('the-secret-of-last-week');
    const rotated = open(proxy.endpoint, { credentialsFile });
    const refused = rotated.store.head('pointer');
    await expect(refused).rejects.toMatchObject({ code: 'objects-refused' });
    expect(String(await refused.catch((error) => error))).not.toContain('last-week');
    // While the request is under way, the file gets the ones that are right.
    proxy.fault = () => {
      write(secretAccessKey);
      proxy.fault = () => undefined;
      return undefined;
    };
    expect(await rotated.store.head('pointer')).toBeDefined();
    rmSync(directory, { recursive: true });
  });

  test('memory stays flat, however long an object is', async () => {
    mkdirSync(join(server.directory, 'rs'), { recursive: true });
    const mebibyte = randomBytes(1024 ** 2);
    const length = 128 * 1024 ** 2;
    const content: ObjectContent = {
      length,
      open: async function* (start, end) {
        for (let at = start; at < end; ) {
          const chunk = mebibyte.subarray(at % 1024 ** 2, Math.min(1024 ** 2, (at % 1024 ** 2) + end - at));
          at += chunk.byteLength;
          yield chunk;
        }
      },
    };
    const direct = open(server.endpoint).store;
    let peak = 0;
    const look = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().arrayBuffers);
    }, 5);
    const before = process.memoryUsage().arrayBuffers;
    await direct.put('huge', content);
    let came = 0;
    for await (const chunk of (await direct.get('huge'))?.body ?? []) came += chunk.byteLength;
    clearInterval(look);
    expect(came).toBe(length);
    expect(peak - before).toBeLessThan(64 * 1024 ** 2);
  });
});
