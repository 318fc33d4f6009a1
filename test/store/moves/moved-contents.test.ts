import { existsSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addSeconds } from '../../../src/core/datetime.ts';
import { forCrowd } from '../../../src/core/either-signal.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { type Move, moveContents, removeFormerFiles } from '../../../src/store/moves/moved-contents.ts';
import { useBucket } from '../../../src/store/objects/object-contents.ts';
import { readContents } from '../../../src/store/payloads/contents.ts';
import { removeUnreferenced } from '../../../src/store/payloads/unreferenced-blobs.ts';
import { type FaultProxy, startFaultProxy } from '../../house/objects/fault-proxy.ts';
import { type OpenedStore, openStore } from '../../house/objects/opened.ts';
import { type ObjectServer, startVersitygw, versitygw } from '../../house/objects/versitygw.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { keepContent } from '../../house/store/kept-content.ts';

describe.skipIf(!versitygw)('contents that are moved', () => {
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
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-moved-'));
    useBucket(directory, { store: opened.store, takesNew: false, redirectSeconds: 0, now: () => now });
  });
  afterEach(() => {
    proxy.fault = () => undefined;
    useBucket(directory, undefined);
    rmSync(directory, { recursive: true, force: true });
    rmSync(join(server.directory, 'blobs'), { recursive: true, force: true });
  });

  const files = (root: string): string[] =>
    existsSync(root)
      ? readdirSync(root, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
      : [];
  const objects = () => files(join(server.directory, 'blobs'));
  const signal = forCrowd(new AbortController().signal);

  describeOnBoth('between the disk and an object storage', (open) => {
    let database: Database;
    const texts = Array.from({ length: 70 }, (_, n) => `content ${n}`);
    let hashes: string[];
    beforeEach(async () => {
      ({ database } = open());
      await database.writer('blob').delete();
      await database.writer('doomed_object').delete();
      hashes = [];
      for (const text of texts) hashes.push((await keepContent(database, directory, text)).hash);
    });

    const move = (to: Move['to'], others: Partial<Move> = {}) =>
      moveContents({ database, directory, to, signal, ...others });

    async function readAll(): Promise<string[]> {
      const read: string[] = [];
      const owners = hashes.map((hash) => ({ path: hash, hash }));
      for await (const { content } of readContents(database.reader, directory, owners)) {
        const chunks: Uint8Array[] = [];
        for await (const chunk of content.coding === 'file' ? content.chunks : [])
          chunks.push(Buffer.from(chunk));
        read.push(Buffer.concat(chunks).toString());
      }
      return read;
    }

    test('are served all the while, there and back, and nothing is left behind', async () => {
      const bytes = texts.join('').length;
      expect(await move('s3')).toEqual({ contents: 70, bytes, damaged: [] });
      expect([objects().length, files(directory).length]).toEqual([70, 70]);
      expect(await readAll()).toEqual(texts);
      expect(await removeFormerFiles({ database, directory, signal })).toBe(70);
      expect(files(directory)).toEqual([]);
      expect(await readAll()).toEqual(texts);
      expect(await move('s3')).toEqual({ contents: 0, bytes: 0, damaged: [] });
      expect(await move('disk')).toEqual({ contents: 70, bytes, damaged: [] });
      expect(await removeFormerFiles({ database, directory, signal })).toBe(0);
      expect(await readAll()).toEqual(texts);
      expect(objects()).toHaveLength(70);
      now = addSeconds(now, 3 * 86_400);
      await removeUnreferenced({ database, directory, followedUpTo: new Map(), now });
      expect([objects().length, files(directory).length]).toEqual([0, 70]);
      expect(await readAll()).toEqual(texts);
    });

    test.each(['s3', 'disk'] as const)(
      'to %s: what is stopped by a fault goes on where it was',
      async (to) => {
        if (to === 'disk') await move('s3');
        let asked = 0;
        proxy.fault = () => {
          asked += 1;
          return asked > 66 ? { kind: 'answer', status: 503, code: 'SlowDown' } : undefined;
        };
        await expect(move(to)).rejects.toMatchObject({ code: 'objects-unavailable' });
        proxy.fault = () => undefined;
        expect(await readAll()).toEqual(texts);
        const rest = await move(to);
        expect(rest.contents).toBeGreaterThan(0);
        expect(rest.contents).toBeLessThan(70);
        expect(await readAll()).toEqual(texts);
        now = addSeconds(now, 9 * 86_400);
        await removeUnreferenced({ database, directory, followedUpTo: new Map(), now });
        await removeFormerFiles({ database, directory, signal });
        expect([objects().length, files(directory).length]).toEqual(to === 's3' ? [70, 0] : [0, 70]);
        expect(await readAll()).toEqual(texts);
      },
    );

    test('that are damaged stay where they are, and are told', async () => {
      truncateSync(files(directory)[0] ?? '', 2);
      const moved = await move('s3');
      expect([moved.contents, moved.damaged.length]).toEqual([69, 1]);
      writeFileSync(objects()[0] ?? '', 'other');
      const back = await move('disk');
      expect([back.contents, back.damaged.length]).toEqual([68, 1]);
    });

    test('by two at one time are moved once', async () => {
      const [one, other] = await Promise.all([move('s3'), move('s3')]);
      expect(one.contents + other.contents).toBe(70);
      now = addSeconds(now, 9 * 86_400);
      await removeUnreferenced({ database, directory, followedUpTo: new Map(), now });
      expect(objects()).toHaveLength(70);
      expect(await readAll()).toEqual(texts);
    });

    test('without an object storage: said so', async () => {
      useBucket(directory, undefined);
      await expect(move('s3')).rejects.toMatchObject({ code: 'objects-refused' });
    });
  });
});
