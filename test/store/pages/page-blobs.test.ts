import { createHash, randomBytes } from 'node:crypto';
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
import { inflateRawSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addSeconds } from '../../../src/core/datetime.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { type ContentBucket, useBucket } from '../../../src/store/objects/object-contents.ts';
import { readContents } from '../../../src/store/payloads/contents.ts';
import { releaseVersions } from '../../../src/store/payloads/released.ts';
import { releaseForGood } from '../../../src/store/payloads/released-for-good.ts';
import { removeUnreferenced } from '../../../src/store/payloads/unreferenced-blobs.ts';
import { acquireLease } from '../../../src/store/runs/leases.ts';
import {
  type Fault,
  type FaultProxy,
  oneAfterTheOther,
  startFaultProxy,
} from '../../house/objects/fault-proxy.ts';
import { type OpenedStore, openStore } from '../../house/objects/opened.ts';
import { type ObjectServer, startVersitygw, versitygw } from '../../house/objects/versitygw.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { listProblems } from '../../house/store/told-problems.ts';
import { ToldSource } from '../../house/store/told-source.ts';

const hashOf = (text: string) =>
  `sha-256:${createHash('sha256').update(`<record>${text}</record>`).digest('hex')}`;

describe.skipIf(!versitygw)('payloads above a threshold', () => {
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

  const failing = (status: number, code: string) => (): Fault => ({ kind: 'answer', status, code });
  const files = (root: string): string[] =>
    existsSync(root)
      ? readdirSync(root, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
      : [];
  const objects = () => files(join(server.directory, 'blobs'));

  describeOnBoth('go to the object storage', (open) => {
    let database: Database;
    let source: ToldSource;
    let salt: string;
    let sources = 0;

    /** Another process, which remembers nothing. */
    function start(settings: Partial<ContentBucket> = {}): void {
      opened?.close();
      opened = openStore(proxy.endpoint, { attempts: 2, prefix: '' });
      const bucket = { store: opened.store, takesNew: false, redirectSeconds: 0, payloadsAbove: 2000 };
      useBucket(directory, { ...bucket, now: () => now, ...settings }, database);
    }

    beforeEach(async () => {
      ({ database } = open());
      for (const table of ['blob', 'doomed_object', 'released']) await database.writer(table).delete();
      directory = mkdtempSync(join(tmpdir(), 'rsbridge-payloads-'));
      salt = randomBytes(8).toString('hex');
      sources += 1;
      source = await ToldSource.open(database, `large-${sources}`);
      now = source.now;
      start();
    });
    afterEach(async () => {
      proxy.fault = () => undefined;
      await source.close();
      useBucket(directory, undefined, database);
      opened.close();
      rmSync(directory, { recursive: true, force: true });
      rmSync(join(server.directory, 'blobs'), { recursive: true, force: true });
    });

    /** About 4 kB that are alike within one test, and no others. */
    const large = (title: string) =>
      `${title}${Array.from({ length: 60 }, (_, index) => hashOf(salt + index)).join('')}`;
    const tell = (texts: Readonly<Record<string, string>>, mode?: 'full' | 'incremental') =>
      source.tell(
        Object.fromEntries(
          Object.entries(texts).map(([name, text]) => [name, { formats: { oai_dc: text } }]),
        ),
        mode,
      );
    const rowOf = (text: string) =>
      database
        .reader('blob')
        .where({ hash: hashOf(text) })
        .first();
    const doomed = (): Promise<{ key: string; due_at: string }[]> => database.reader('doomed_object');
    const seqOf = async () =>
      Number((await database.reader('source').where({ id: source.id }).first('journal_seq')).journal_seq);

    async function read(text: string): Promise<boolean> {
      for await (const { content } of readContents(database.reader, directory, [
        { path: 'it', hash: hashOf(text) },
      ]))
        if (content.coding !== 'file')
          return Buffer.from(content.bytes).toString() === `<record>${text}</record>`;
        else for await (const _ of content.chunks);
      return false;
    }
    const remove = (urgent = false) =>
      removeUnreferenced({ database, directory, followedUpTo: new Map(), now, urgent });

    test('deflated, under a name by their hash; smaller ones stay in the database', async () => {
      await tell({ a: large('one'), b: 'small' });
      const [object] = objects();
      const hex = hashOf(large('one')).replace('sha-256:', '');
      expect(objects()).toHaveLength(1);
      expect(object).toContain(`/blobs/${hex.slice(0, 2)}/${hex.slice(2, 4)}/${hex}-`);
      const packed = readFileSync(object ?? '');
      expect(inflateRawSync(packed).toString()).toBe(`<record>${large('one')}</record>`);
      expect(packed.byteLength).toBeLessThan(large('one').length);
      expect(await rowOf(large('one'))).toMatchObject({ coding: 'object', base: null });
      expect((await rowOf(large('one'))).data.byteLength).toBe(18);
      expect((await rowOf('small')).coding).not.toBe('object');
      expect(await doomed()).toEqual([]);
      expect([await read(large('one')), await read('small')]).toEqual([true, true]);
    });

    test('and the setting of now says which, while all are read', async () => {
      start({ payloadsAbove: undefined });
      await tell({ a: large('one') });
      start();
      await tell({ b: large('two') });
      start({ payloadsAbove: 100_000 });
      await tell({ c: large('three') });
      expect(objects()).toHaveLength(1);
      for (const title of ['one', 'two', 'three']) expect(await read(large(title))).toBe(true);
      useBucket(directory, undefined, database);
      await expect(read(large('two'))).rejects.toMatchObject({ code: 'objects-refused' });
      expect(await read(large('one'))).toBe(true);
    });

    test('once, whoever has the same bytes, and whenever they come again', async () => {
      const other = await ToldSource.open(database, `beside-${sources}`);
      const item = { formats: { oai_dc: large('one') } };
      await Promise.all([tell({ a: large('one'), b: large('one') }), other.tell({ a: item })]);
      await tell({ c: large('one') });
      await tell({ a: large('one'), b: large('one') }, 'full');
      now = addSeconds(now, 9 * 86_400);
      await remove();
      expect(objects()).toHaveLength(1);
      expect(await read(large('one'))).toBe(true);
      await other.close();
    });

    test('what an update changes is a difference in the database, from what is there', async () => {
      await tell({ a: large('one') });
      start();
      await tell({ a: large('two') });
      expect(await rowOf(large('two'))).toMatchObject({ coding: 'delta', base: hashOf(large('one')) });
      expect(objects()).toHaveLength(1);
      start();
      expect([await read(large('one')), await read(large('two'))]).toEqual([true, true]);
      // A difference that is longer than the threshold is none to keep: it is an object of its own.
      const [far, more] = [randomBytes(6000).toString('base64'), randomBytes(2400).toString('base64')];
      await tell({ a: far });
      await tell({ a: `${more}${far}` });
      expect([(await rowOf(far)).coding, (await rowOf(`${more}${far}`)).coding]).toEqual([
        'object',
        'object',
      ]);
      start();
      expect([await read(far), await read(`${more}${far}`)]).toEqual([true, true]);
    });

    test.each([
      ['503', failing(503, 'SlowDown'), 'objects-unavailable'],
      ['403', failing(403, 'AccessDenied'), 'objects-refused'],
      ['a bucket that is gone', failing(404, 'NoSuchBucket'), 'objects-refused'],
      ['silence', (): Fault => ({ kind: 'reset' }), 'objects-unavailable'],
      ['the answer lost', (): Fault => ({ kind: 'deaf' }), 'objects-unavailable'],
    ])(
      'or the page is not stored, where that fails with %s, and nothing of it is',
      async (_, fault, code) => {
        await tell({ z: 'before' });
        const [seq, blobs] = [await seqOf(), await database.reader('blob').count()];
        proxy.fault = fault;
        const page = { a: large('one'), b: large('two'), c: 'small' };
        await expect(tell(page)).rejects.toMatchObject({ code });
        expect([await seqOf(), await database.reader('blob').count()]).toEqual([seq, blobs]);
        proxy.fault = () => undefined;
        await tell(page);
        expect(await seqOf()).toBe(seq + 3);
        expect([await read(large('one')), await read(large('two'))]).toEqual([true, true]);
        // What came of the attempt is deleted some day.
        now = addSeconds(now, 9 * 86_400);
        await remove();
        expect([objects().length, await doomed()]).toEqual([2, []]);
      },
    );

    test('whose lease was lost meanwhile leave nothing behind', async () => {
      const steal = () => database.writer('source').where({ id: source.id }).update({ harvest_holder: null });
      const { put } = opened.store;
      start({ store: { ...opened.store, put: (...asked) => steal().then(() => put(...asked)) } });
      const storing = tell({ a: large('one') });
      await expect(storing).rejects.toMatchObject({ code: 'lease-lost' });
      expect([await rowOf(large('one')), await seqOf(), (await doomed()).length]).toEqual([undefined, 0, 1]);
      now = addSeconds(now, 9 * 86_400);
      await remove();
      expect([objects(), await doomed()]).toEqual([[], []]);
      expect(await acquireLease(database, source.name, Date.parse(now))).toMatchObject({
        source: source.name,
      });
    });

    test.each([
      ['missing', (file: string) => rmSync(file)],
      ['shorter', (file: string) => truncateSync(file, 30)],
      ['other bytes', (file: string) => writeFileSync(file, Buffer.alloc(readFileSync(file).byteLength))],
    ])('one that is %s there is found out, and comes again with a full pass', async (_, damage) => {
      await tell({ a: large('one') });
      await tell({ a: large('two') });
      const [file = ''] = objects();
      damage(file);
      start();
      for (const title of ['one', 'two'])
        await expect(read(large(title))).rejects.toMatchObject({ code: 'content-damaged' });
      const seq = await seqOf();
      const run = await tell({ a: large('two') }, 'full');
      expect((await listProblems(database.reader, run.id, 10)).map(({ code }) => code)).toEqual([
        'record-repaired',
      ]);
      expect([await read(large('two')), await seqOf()]).toEqual([true, seq]);
      expect((await rowOf(large('two'))).coding).toBe('object');
      await tell({ b: large('one') });
      await tell({ b: large('one') }, 'full');
      expect(await read(large('one'))).toBe(true);
      now = addSeconds(now, 9 * 86_400);
      await remove();
      expect([objects().length, objects().includes(file), await doomed()]).toEqual([2, false, []]);
      start();
      expect([await read(large('one')), await read(large('two'))]).toEqual([true, true]);
    });

    test('a full pass learns nothing from a storage that does not answer', async () => {
      await tell({ a: large('one') });
      start();
      proxy.fault = failing(503, 'SlowDown');
      await expect(tell({ a: large('one') }, 'full')).rejects.toMatchObject({ code: 'objects-unavailable' });
      proxy.fault = oneAfterTheOther({ kind: 'cut', after: 20 }, { kind: 'reset' });
      const run = await tell({ a: large('one') }, 'full');
      expect(await listProblems(database.reader, run.id, 10)).toEqual([]);
      expect(objects()).toHaveLength(1);
    });

    test('are there for whoever reads them until two days after nothing refers to them', async () => {
      await tell({ a: large('one'), b: randomBytes(3000).toString('hex') });
      await tell({ a: '' });
      const [version] = await database
        .reader('version')
        .where({ source_id: source.id, hash: hashOf(large('one')) })
        .select('resource_id', 'seq');
      await database.transaction((trx) =>
        releaseVersions(
          trx,
          source.id,
          [{ resourceId: version.resource_id, seq: version.seq, endSeq: 3, hash: hashOf(large('one')) }],
          now,
        ),
      );
      await remove();
      expect(await read(large('one'))).toBe(true);
      now = addSeconds(now, 4 * 86_400);
      expect(await remove()).toEqual({ contents: 1, bytes: `<record>${large('one')}</record>`.length });
      expect([objects().length, (await doomed()).length]).toEqual([2, 1]);
      // The same bytes come again, under another name.
      await tell({ c: large('one') });
      expect(objects()).toHaveLength(3);
      now = addSeconds(now, 3 * 86_400);
      proxy.fault = failing(503, 'SlowDown');
      await remove();
      expect(objects()).toHaveLength(3);
      proxy.fault = () => undefined;
      await remove();
      expect([objects().length, await doomed()]).toEqual([2, []]);
      expect(await read(large('one'))).toBe(true);
    });

    test('that are withdrawn for good are deleted at once, and what was told by them stays', async () => {
      await tell({ a: large('one') });
      await tell({ b: large('one'), a: large('two') });
      await tell({ b: large('three') });
      expect((await rowOf(large('three'))).base).toBe(hashOf(large('one')));
      const a = { source_id: source.id, hash: hashOf(large('two')) };
      const resource = await database.reader('resource').where(a).first('id', 'item_id', 'kind', 'format');
      await database.transaction((trx) => releaseForGood(trx, source.id, [resource], now));
      await database.writer('resource').where(a).update({ hash: null });
      await database
        .writer('version')
        .where({ source_id: source.id, hash: hashOf(large('one')) })
        .delete();
      start();
      await remove(true);
      expect([objects(), await doomed()]).toEqual([[], []]);
      expect([await rowOf(large('one')), await rowOf(large('two'))]).toEqual([undefined, undefined]);
      expect([await read(large('three')), (await rowOf(large('three'))).base]).toEqual([true, null]);
    });
  });
});
