import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addSeconds } from '../../../src/core/datetime.ts';
import { forCrowd } from '../../../src/core/either-signal.ts';
import { insertRows } from '../../../src/store/engine/bulk.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { moveContents } from '../../../src/store/moves/moved-contents.ts';
import { movePayloads } from '../../../src/store/moves/moved-payloads.ts';
import { useBucket } from '../../../src/store/objects/object-contents.ts';
import { auditPayloads } from '../../../src/store/payloads/blob-audit.ts';
import { type BlobRow, packAgainst, packBlob } from '../../../src/store/payloads/blobs.ts';
import { readContents } from '../../../src/store/payloads/contents.ts';
import { removeUnreferenced } from '../../../src/store/payloads/unreferenced-blobs.ts';
import { type FaultProxy, startFaultProxy } from '../../house/objects/fault-proxy.ts';
import { type OpenedStore, openStore } from '../../house/objects/opened.ts';
import { type ObjectServer, startVersitygw, versitygw } from '../../house/objects/versitygw.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { keepContent } from '../../house/store/kept-content.ts';

const above = 2000;

describe.skipIf(!versitygw)('payloads that are moved', () => {
  let server: ObjectServer;
  let proxy: FaultProxy;
  let opened: OpenedStore;
  let directory: string;
  let now: string;
  beforeAll(async () => {
    server = await startVersitygw();
    proxy = await startFaultProxy(server.endpoint);
  });
  afterAll(async () => {
    await proxy?.close();
    await server?.close();
  });
  const objects = () => {
    const root = join(server.directory, 'blobs');
    const entries = existsSync(root) ? readdirSync(root, { recursive: true, withFileTypes: true }) : [];
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  };
  const signal = forCrowd(new AbortController().signal);

  describeOnBoth('between the database and an object storage', (open) => {
    let database: Database;
    /** By hash. */
    let contents: Map<string, Buffer>;
    /** Longer than the threshold, or told as a difference that is. */
    let large: string[];

    function use(payloadsAbove: number | undefined): void {
      opened?.close();
      opened = openStore(proxy.endpoint, { attempts: 2, prefix: '' });
      const bucket = { store: opened.store, takesNew: false, redirectSeconds: 0, now: () => now };
      useBucket(directory, { ...bucket, payloadsAbove }, database);
    }

    beforeEach(async () => {
      ({ database } = open());
      now = '2026-11-21T10:00:00Z';
      directory = mkdtempSync(join(tmpdir(), 'rsbridge-moved-'));
      for (const table of ['blob', 'doomed_object']) await database.writer(table).delete();
      use(above);
      contents = new Map();
      large = [];
      const rows: BlobRow[] = [];
      const keep = (content: Buffer, pack: (hash: string) => BlobRow, isLarge: boolean) => {
        const hash = `sha-256:${createHash('sha256').update(content).digest('hex')}`;
        contents.set(hash, content);
        rows.push(pack(hash));
        if (isLarge) large.push(hash);
        return hash;
      };
      for (const length of [0, 10, 1999, 2000, 2001, 5000, 70_000, 1_100_000]) {
        // What can be made smaller, and what cannot.
        for (const content of [Buffer.alloc(length, `text ${length}`), randomBytes(length)])
          keep(content, (hash) => packBlob(hash, content), length > above);
      }
      const base = Buffer.from(randomBytes(20_000).toString('hex'));
      const keyframe = {
        hash: keep(base, (hash) => packBlob(hash, base), true),
        content: base,
        packedLength: 20_000,
      };
      for (const more of [10, 4000]) {
        const content = Buffer.concat([base, randomBytes(more)]);
        keep(content, (hash) => packAgainst(hash, content, keyframe), more > above);
      }
      expect(rows.filter(({ coding }) => coding === 'delta')).toHaveLength(2);
      const distinct = new Map(rows.map((row) => [row.hash, { ...row }]));
      await database.transaction((trx) => insertRows(trx, 'blob', [...distinct.values()]));
    });
    afterEach(() => {
      proxy.fault = () => undefined;
      useBucket(directory, undefined, database);
      opened.close();
      rmSync(directory, { recursive: true, force: true });
      rmSync(join(server.directory, 'blobs'), { recursive: true, force: true });
    });

    const move = () => movePayloads({ database, directory, signal });
    const inBucket = async (): Promise<string[]> => {
      const rows: { hash: string }[] = await database
        .reader('blob')
        .where({ coding: 'object' })
        .select('hash');
      return rows.map(({ hash }) => hash).sort();
    };

    /** All of them are what they were. */
    async function expectRead(): Promise<void> {
      const owners = [...contents].map(([hash, { length }]) => ({ path: hash, hash, length }));
      for await (const { owner, content } of readContents(database.reader, directory, owners)) {
        const chunks: Uint8Array[] = [];
        for await (const chunk of content.coding === 'file' ? content.chunks : [content.bytes])
          chunks.push(Buffer.from(chunk));
        expect(Buffer.concat(chunks).equals(contents.get(owner.hash) ?? Buffer.alloc(1))).toBe(true);
      }
    }
    async function audit() {
      const damages: string[] = [];
      const payloads = auditPayloads(database.reader, directory);
      for (;;) {
        const next = await payloads.next();
        if (next.done) return { damages, ...next.value };
        damages.push(next.value.hash);
      }
    }
    const remove = () => removeUnreferenced({ database, directory, followedUpTo: new Map(), now });

    test('are read all the while, there and back, and nothing is left behind', async () => {
      expect(await audit()).toMatchObject({ damages: [], objects: 0, toMove: large.length });
      const bytes = large.reduce((sum, hash) => sum + (contents.get(hash)?.length ?? 0), 0);
      expect(await move()).toEqual({ payloads: large.length, bytes, damaged: [] });
      expect([await inBucket(), objects().length]).toEqual([[...large].sort(), large.length]);
      await expectRead();
      expect(await audit()).toMatchObject({ damages: [], objects: large.length, files: 0, toMove: 0 });
      expect(await move()).toEqual({ payloads: 0, bytes: 0, damaged: [] });
      // What is a mirrored file there, or on the disk, is no payload.
      expect(await moveContents({ database, directory, to: 'disk', signal })).toMatchObject({ contents: 0 });
      use(undefined);
      await expectRead();
      expect(await move()).toEqual({ payloads: large.length, bytes, damaged: [] });
      expect(await inBucket()).toEqual([]);
      await expectRead();
      // Whoever was about to read them there still does.
      expect(objects()).toHaveLength(large.length);
      now = addSeconds(now, 3 * 86_400);
      await remove();
      expect(objects()).toEqual([]);
      await expectRead();
    });

    test('go by the threshold of now', async () => {
      await move();
      use(10_000);
      const isLonger = (hash: string) => (contents.get(hash)?.length ?? 0) > 10_000;
      expect((await move()).payloads).toBe(large.filter((hash) => !isLonger(hash)).length);
      expect(await inBucket()).toEqual(large.filter(isLonger).sort());
      await expectRead();
    });

    test('beside mirrored files, which stay where they are', async () => {
      const file = await keepContent(database, directory, randomBytes(5000));
      await move();
      expect(await inBucket()).toEqual([...large].sort());
      await moveContents({ database, directory, to: 's3', signal });
      expect(await inBucket()).toContain(file.hash);
      use(undefined);
      await move();
      expect(await inBucket()).toEqual([file.hash]);
    });

    test.each(['there', 'back'])('%s: what is stopped by a fault goes on where it was', async (way) => {
      if (way === 'back') {
        await move();
        use(undefined);
      }
      let asked = 0;
      proxy.fault = () => {
        asked += 1;
        return asked > 4 ? { kind: 'answer', status: 503, code: 'SlowDown' } : undefined;
      };
      await expect(move()).rejects.toMatchObject({ code: 'objects-unavailable' });
      proxy.fault = () => undefined;
      await expectRead();
      await move();
      await expectRead();
      expect(await inBucket()).toEqual(way === 'there' ? [...large].sort() : []);
      now = addSeconds(now, 9 * 86_400);
      await remove();
      expect(objects()).toHaveLength(way === 'there' ? large.length : 0);
      await expectRead();
    });

    test('by two at one time are moved once', async () => {
      const both = await Promise.all([move(), move()]);
      expect(both.reduce((sum, { payloads }) => sum + payloads, 0)).toBe(large.length);
      now = addSeconds(now, 9 * 86_400);
      await remove();
      expect(objects()).toHaveLength(large.length);
      await expectRead();
    });

    test('that are damaged stay where they are, and are told', async () => {
      const [hash = ''] = large;
      await database
        .writer('blob')
        .where({ hash })
        .update({ data: Buffer.from('rubbish') });
      expect(await move()).toMatchObject({ payloads: large.length - 1, damaged: [hash] });
      const file = objects().find((name) => !name.includes(hash.slice(8))) ?? '';
      writeFileSync(file, Buffer.alloc(readFileSync(file).length));
      use(undefined);
      const back = await move();
      // Its differences are as damaged as it is.
      expect(back.payloads + back.damaged.length).toBe(large.length - 1);
      expect(back.damaged.length).toBe(1);
      expect((await audit()).damages).toEqual(expect.arrayContaining([hash, ...back.damaged]));
    });

    test('without an object storage: said so', async () => {
      useBucket(directory, undefined, database);
      await expect(move()).rejects.toMatchObject({ code: 'objects-refused' });
    });
  });
});
