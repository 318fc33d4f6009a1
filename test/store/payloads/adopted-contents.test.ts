import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addSeconds } from '../../../src/core/datetime.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { useBucket } from '../../../src/store/objects/object-contents.ts';
import { auditPayloads } from '../../../src/store/payloads/blob-audit.ts';
import { readContents } from '../../../src/store/payloads/contents.ts';
import { hasNewDamage, isKeptWhole } from '../../../src/store/payloads/damaged-contents.ts';
import { releaseVersions } from '../../../src/store/payloads/released.ts';
import { removeUnreferenced } from '../../../src/store/payloads/unreferenced-blobs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { type Fault, type FaultProxy, startFaultProxy } from '../../house/objects/fault-proxy.ts';
import { type OpenedStore, openStore } from '../../house/objects/opened.ts';
import { type ObjectServer, startVersitygw, versitygw } from '../../house/objects/versitygw.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { keepContent } from '../../house/store/kept-content.ts';

describe.skipIf(!versitygw)('contents in an object storage', () => {
  let server: ObjectServer;
  let proxy: FaultProxy;
  let opened: OpenedStore;
  let directory: string;
  let now: string;
  beforeAll(async () => {
    server = await startVersitygw();
    proxy = await startFaultProxy(server.endpoint);
    opened = openStore(proxy.endpoint, { attempts: 2, prefix: '' });
  });
  afterAll(async () => {
    opened?.close();
    await proxy?.close();
    await server?.close();
  });
  beforeEach(() => {
    now = '2026-11-21T10:00:00Z';
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-adopted-'));
    takeNew(true);
  });
  afterEach(() => {
    proxy.fault = () => undefined;
    useBucket(directory, undefined);
    rmSync(directory, { recursive: true, force: true });
    rmSync(join(server.directory, 'blobs'), { recursive: true, force: true });
  });

  const takeNew = (takesNew: boolean) =>
    useBucket(directory, { store: opened.store, takesNew, redirectSeconds: 0, now: () => now });
  const files = (root: string): string[] =>
    existsSync(root)
      ? readdirSync(root, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
      : [];
  const objects = () => files(join(server.directory, 'blobs'));
  const failing = (status: number, code: string) => (): Fault => ({ kind: 'answer', status, code });

  describeOnBoth('of a mirror', (open) => {
    let database: Database;
    beforeEach(async () => {
      ({ database } = open());
      await database.writer('blob').delete();
      await database.writer('doomed_object').delete();
      await database.writer('released').delete();
    });

    async function read(hash: string): Promise<string> {
      const chunks: Uint8Array[] = [];
      for await (const { content } of readContents(database.reader, directory, [{ path: 'a.pdf', hash }])) {
        for await (const chunk of content.coding === 'file' ? content.chunks : [content.bytes])
          chunks.push(Buffer.from(chunk));
      }
      return Buffer.concat(chunks).toString();
    }
    const doomed = (): Promise<{ key: string; due_at: string }[]> =>
      database.reader('doomed_object').select('key', 'due_at');
    const remove = (urgent = false) =>
      removeUnreferenced({ database, directory, followedUpTo: new Map(), now, urgent });

    async function giveUp(hash: string): Promise<void> {
      const name = `given-up-${randomUUID()}`;
      await ensureSource(database, name, now);
      const { id } = await database.reader('source').where({ name }).first('id');
      await database.transaction(async (trx) => {
        await trx('version').insert({ source_id: id, resource_id: id, seq: 1, at: now, lastmod: now, hash });
        await releaseVersions(trx, id, [{ resourceId: id, seq: 1, endSeq: 2, hash }], now);
      });
    }

    test('are there once, under a name by their hash, and nothing stays on the disk', async () => {
      const { hash } = await keepContent(database, directory, 'a large file');
      await keepContent(database, directory, 'a large file');
      const hex = createHash('sha256').update('a large file').digest('hex');
      expect(objects()).toHaveLength(1);
      expect(objects()[0]).toContain(`/blobs/${hex.slice(0, 2)}/${hex.slice(2, 4)}/${hex}-`);
      expect(files(directory)).toEqual([]);
      expect(await read(hash)).toBe('a large file');
      expect(await isKeptWhole(database.reader, directory, hash, 12)).toBe(true);
      expect(await doomed()).toEqual([]);
      const audit = auditPayloads(database.reader, directory);
      expect(await audit.next()).toMatchObject({
        done: true,
        value: { payloads: 1, bytes: 12, stored: 0, files: 1 },
      });
    });

    test('which are the same, and come at one time, are there once', async () => {
      const kept = await Promise.all(
        ['same', 'same', 'same'].map((text) => keepContent(database, directory, text)),
      );
      expect(await read(kept[0]?.hash ?? '')).toBe('same');
      now = addSeconds(now, 9 * 86_400);
      await remove();
      expect(objects()).toHaveLength(1);
      expect(await read(kept[0]?.hash ?? '')).toBe('same');
    });

    test.each([
      ['refuses', failing(403, 'AccessDenied'), 'objects-refused'],
      ['is not able to', failing(503, 'SlowDown'), 'objects-unavailable'],
      ['breaks the connection after writing', (): Fault => ({ kind: 'deaf' }), 'objects-unavailable'],
    ])(
      'that the storage %s write are not said to be there, and leave nothing for ever',
      async (_, fault, code) => {
        proxy.fault = fault;
        await expect(keepContent(database, directory, 'unlucky')).rejects.toMatchObject({ code });
        expect(await database.reader('blob')).toEqual([]);
        // What was downloaded is still there for the next attempt.
        expect(files(directory)).toHaveLength(1);
        proxy.fault = () => undefined;
        now = addSeconds(now, 8 * 86_400);
        await remove();
        expect([objects(), await doomed()]).toEqual([[], []]);
        const { hash } = await keepContent(database, directory, 'unlucky');
        expect(await read(hash)).toBe('unlucky');
      },
    );

    test('stay for whoever downloads them when nothing refers to them any more', async () => {
      const { hash } = await keepContent(database, directory, 'given up');
      await giveUp(hash);
      now = addSeconds(now, 4 * 86_400);
      expect(await remove()).toEqual({ contents: 1, bytes: 8 });
      expect([objects().length, (await doomed()).length]).toEqual([1, 1]);
      // The same bytes come again, under another name, and what was doomed goes.
      await keepContent(database, directory, 'given up');
      expect(objects()).toHaveLength(2);
      now = addSeconds(now, 3 * 86_400);
      await remove();
      expect([objects().length, await doomed()]).toEqual([1, []]);
      expect(await read(hash)).toBe('given up');
    });

    test('are deleted once the storage answers again', async () => {
      const { hash } = await keepContent(database, directory, 'given up');
      await giveUp(hash);
      now = addSeconds(now, 4 * 86_400);
      await remove();
      now = addSeconds(now, 4 * 86_400);
      proxy.fault = failing(503, 'SlowDown');
      await remove();
      expect(objects()).toHaveLength(1);
      proxy.fault = () => undefined;
      await remove();
      expect(objects()).toEqual([]);
    });

    test.each([
      ['missing', (file: string) => rmSync(file)],
      ['shorter', (file: string) => truncateSync(file, 3)],
      ['damaged', (file: string) => writeFileSync(file, readFileSync(file, 'utf8').replace('w', 'v'))],
    ])('that are %s are found out, and kept anew', async (_, damage) => {
      const { hash, length } = await keepContent(database, directory, 'whole');
      damage(objects()[0] ?? '');
      await expect(read(hash)).rejects.toMatchObject({ code: 'content-damaged' });
      expect(await hasNewDamage(directory)).toBe(true);
      expect(await isKeptWhole(database.reader, directory, hash, length)).toBe(false);
      await keepContent(database, directory, 'whole');
      expect(await read(hash)).toBe('whole');
      expect(await isKeptWhole(database.reader, directory, hash, length)).toBe(true);
      now = addSeconds(now, 3 * 86_400);
      await remove();
      expect(objects()).toHaveLength(1);
    });

    test.each([
      ['503', failing(503, 'SlowDown')],
      ['403', failing(403, 'AccessDenied')],
      ['a bucket that is gone', failing(404, 'NoSuchBucket')],
      ['a bare 404', (): Fault => ({ kind: 'answer', status: 404 })],
      ['silence', (): Fault => ({ kind: 'reset' })],
    ])('are not damaged because of %s', async (_, fault) => {
      const { hash, length } = await keepContent(database, directory, 'whole');
      proxy.fault = fault;
      await expect(read(hash)).rejects.toMatchObject({ code: expect.stringMatching(/^objects-/) });
      await expect(isKeptWhole(database.reader, directory, hash, length)).rejects.toThrow();
      expect(await hasNewDamage(directory)).toBe(false);
      proxy.fault = () => undefined;
      expect(await read(hash)).toBe('whole');
    });

    test('may be on the disk, too: the database says where each is', async () => {
      takeNew(false);
      const onDisk = await keepContent(database, directory, 'on the disk');
      takeNew(true);
      const inBucket = await keepContent(database, directory, 'in the bucket');
      await keepContent(database, directory, 'on the disk');
      takeNew(false);
      await keepContent(database, directory, 'in the bucket');
      expect(await read(onDisk.hash)).toBe('on the disk');
      expect(await read(inBucket.hash)).toBe('in the bucket');
      expect([objects().length, files(directory).length]).toEqual([1, 1]);
      // What is lost there is kept here.
      rmSync(objects()[0] ?? '');
      await keepContent(database, directory, 'in the bucket');
      expect(await read(inBucket.hash)).toBe('in the bucket');
      expect(files(directory)).toHaveLength(2);
    });

    test('without the storage in the configuration say so, and are not damaged', async () => {
      const { hash } = await keepContent(database, directory, 'whole');
      useBucket(directory, undefined);
      await expect(read(hash)).rejects.toMatchObject({ code: 'objects-refused' });
      expect(await hasNewDamage(directory)).toBe(false);
    });
  });
});
