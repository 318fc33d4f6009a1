import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addSeconds } from '../../../src/core/datetime.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { listChangedStates } from '../../../src/store/history/resource-states.ts';
import { applyRetention } from '../../../src/store/history/retention.ts';
import { contentFile } from '../../../src/store/payloads/content-files.ts';
import { callForMending, setAside } from '../../../src/store/payloads/damaged-contents.ts';
import { claimPayloads, releaseVersions } from '../../../src/store/payloads/released.ts';
import { releaseForGood } from '../../../src/store/payloads/released-for-good.ts';
import { removeUnreferenced } from '../../../src/store/payloads/unreferenced-blobs.ts';
import { fillTable } from '../../../src/store/schema/backfill.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { keepContent } from '../../house/store/kept-content.ts';
import { Lives } from '../../house/store/lives.ts';
import { findHistory } from '../../house/store/one-history.ts';
import { readBlob } from '../../house/store/read-blob.ts';

const now = '2026-11-21T10:00:00Z';
const later = '2026-11-25T10:00:00Z';

/** Ids that no source has come to. */
let resources = 1_000_000;
let kins = 0;
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-unreferenced-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describeOnBoth('what nothing refers to any more', (open) => {
  const remove = (database: Database, at = later) =>
    removeUnreferenced({ database, directory, followedUpTo: new Map(), now: at });

  /** A mirrored file that was given up. */
  async function giveUp(database: Database, text: string): Promise<string> {
    await ensureSource(database, 'first', now);
    const { hash } = await keepContent(database, directory, text);
    await database.transaction(async (trx) => {
      resources += 1;
      const row = { source_id: 1, resource_id: resources, seq: 1, at: now, lastmod: now, hash };
      await trx('version').insert(row);
      const version = { resourceId: row.resource_id, seq: row.seq, endSeq: 2, hash };
      expect(await releaseVersions(trx, 1, [version], now)).toBe(1);
    });
    return hash;
  }

  const isThere = async (database: Database, hash: string) => ({
    row: (await database.reader('blob').where({ hash }).first('hash')) !== undefined,
    file: existsSync(contentFile(directory, hash)),
  });

  test('a content that is a file goes with its file', async () => {
    const { database } = open();
    const hash = await giveUp(database, 'a file');
    expect(await remove(database, addSeconds(now, 86_400))).toEqual({ contents: 0, bytes: 0 });
    expect(await isThere(database, hash)).toEqual({ row: true, file: true });
    expect(await remove(database)).toEqual({ contents: 1, bytes: 6 });
    expect(await isThere(database, hash)).toEqual({ row: false, file: false });
    expect(await database.reader('released').where({ hash })).toEqual([]);
  });

  test('what is due goes, and what is needed stays, also while the indexes are being built', async () => {
    const { database } = open();
    const hashes: string[] = [];
    for (const text of ['built: goes', 'built: of a file', 'built: a base'])
      hashes.push(await giveUp(database, text));
    const [, file = '', base = ''] = hashes;
    const remote = { source_id: 1, url: 'http://built/', outcome: 'confirmed', content_hash: file };
    await database.writer('remote_file').insert(remote);
    const difference = { hash: 'sha-256:built', length: 1, coding: 'delta', data: Buffer.alloc(1), base };
    await database.writer('blob').insert(difference);
    await database.writer.raw(fillTable);
    const building = { name: '0060-content-indexes' };
    await database.writer('backfill').insert(building);
    expect((await remove(database)).contents).toBe(1);
    await database.writer('backfill').where(building).delete();
    expect(await isThere(database, hashes[0] ?? '')).toEqual({ row: false, file: false });
    for (const hash of [file, base]) expect(await isThere(database, hash)).toEqual({ row: true, file: true });
    await database.writer('remote_file').where({ content_hash: file }).delete();
    await database.writer('blob').where({ base }).delete();
    expect((await remove(database, addSeconds(later, 40 * 86_400))).contents).toBe(2);
  });

  test('what many resources were, and one of them is, stays until that one is something else', async () => {
    const { database } = open();
    const hash = await giveUp(database, 'of many');
    const again = { source_id: 1, seq: 1, at: now, lastmod: now, hash, dropped_at: now };
    const ids = [1, 2, 3].map((number) => 2_000_000 + number);
    for (const resource_id of ids) await database.writer('version').insert({ ...again, resource_id });
    const resource = {
      source_id: 1,
      item_id: 1,
      kind: 'metadata',
      format: 'oai_dc',
      links: '[]',
      lastmod: now,
    };
    const own = { ...resource, id: ids[1], path: 'of-many', last_seq: 1, version_count: 1, hash };
    await database.writer('resource').insert(own);
    expect((await remove(database)).contents).toBe(0);
    await database.writer('resource').where({ path: 'of-many' }).delete();
    expect((await remove(database, addSeconds(later, 40 * 86_400))).contents).toBe(1);
  });

  test('a content that was damaged goes with what was set aside of it', async () => {
    const { database } = open();
    const aside = () => readdirSync(join(directory, 'blobs', 'damaged'));
    const hashes = [await giveUp(database, 'damaged'), await giveUp(database, 'damaged and known')];
    await setAside(directory, hashes[1] ?? '');
    await callForMending(database, directory, now);
    await setAside(directory, hashes[0] ?? '');
    expect(aside().sort()).toEqual(
      [hashes[0]?.slice(8), `${hashes[1]?.slice(8)}.known`].sort((a = '', b = '') => (a < b ? -1 : 1)),
    );
    expect((await remove(database)).contents).toBe(2);
    expect(aside()).toEqual([]);
  });

  test('a crash between the row and the file leaves a file, which goes the next time', async () => {
    const { database } = open();
    const hash = await giveUp(database, 'half gone');
    await database.writer('blob').where({ hash }).delete();
    await remove(database);
    expect(await isThere(database, hash)).toEqual({ row: false, file: false });
    expect(await database.reader('released').where({ hash })).toEqual([]);
  });

  test('a file that is stored again at that moment stays', async () => {
    const { database } = open();
    const hash = await giveUp(database, 'stored again');
    await database.writer('blob').where({ hash }).delete();
    await claimPayloads(database.writer, [hash]);
    await remove(database);
    expect(await isThere(database, hash)).toEqual({ row: false, file: true });
    await keepContent(database, directory, 'stored again');
    await remove(database);
    expect(await isThere(database, hash)).toEqual({ row: true, file: true });
    // Nobody has come to refer to it.
    await remove(database, addSeconds(later, 4 * 86_400));
    expect(await isThere(database, hash)).toEqual({ row: false, file: false });
  });

  test.each([
    ['resource', 'hash', { source_id: 1, item_id: 1, path: 'x', kind: 'file', format: 'file' }],
    [
      'prior_representation',
      'hash',
      { source_id: 1, item_id: 1, number: 1, kind: 'metadata', format: 'oai_dc', sequence: 0 },
    ],
    ['remote_file', 'content_hash', { source_id: 1, url: 'http://x/', outcome: 'confirmed' }],
    ['blob', 'base', { hash: 'sha-256:delta', length: 1, coding: 'delta', data: Buffer.alloc(1) }],
  ])('what %s refers to stays, and goes when that is gone', async (table, column, row) => {
    const { database } = open();
    const hash = await giveUp(database, table);
    const more = table === 'resource' ? { lastmod: now, links: '[]', last_seq: 1, version_count: 1 } : {};
    await database.writer(table).insert({ ...row, ...more, [column]: hash });
    expect((await remove(database)).contents).toBe(0);
    expect(await isThere(database, hash)).toEqual({ row: true, file: true });
    await database
      .writer(table)
      .where({ [column]: hash })
      .delete();
    expect((await remove(database)).contents).toBe(0);
    expect((await remove(database, addSeconds(later, 40 * 86_400))).contents).toBe(1);
  });

  /** Versions that were given up, and are due; and somebody who has none of them yet. */
  async function beginHeir(database: Database, contents: readonly number[]): Promise<Lives> {
    kins += 1;
    const former = await Lives.begin(database, `former-${kins}`, now);
    for (const content of [0, ...contents, 99]) {
      former.pass(1);
      await former.store({ 1: content });
    }
    await applyRetention(database, former.lease, { last: 1 }, former.clock);
    return Lives.begin(database, `heir-${kins}`, later, former.source);
  }

  test('a patch goes with the resource that it is of, unless a resource of another source has the same', async () => {
    const { database } = open();
    const begin = async (name: string) => {
      const lives = await Lives.begin(database, name, now, 'patched');
      lives.patches = true;
      for (const content of [1, 2]) {
        lives.pass(60);
        await lives.store({ 1: content });
      }
      return lives;
    };
    const patchOf = async ({ source }: Lives) => {
      const everything = { afterSeq: 0, seq: Number.MAX_SAFE_INTEGER };
      for await (const { patches } of listChangedStates(database.reader, source, everything))
        return patches[0]?.hash ?? '';
      return '';
    };
    const release = ({ lease: { sourceId } }: Lives) =>
      database.transaction(async (trx) => {
        const rows = () => trx('resource').where({ source_id: sourceId });
        await releaseForGood(trx, sourceId, await rows(), later);
        await rows().update({ withdrawn_at: later });
      });
    const [patched, alike] = [await begin('patched'), await begin('alike')];
    const hash = await patchOf(patched);
    expect(hash).toMatch(/^sha-256:/);
    expect(await patchOf(alike)).toBe(hash);
    await release(patched);
    await remove(database);
    expect(await readBlob(database.reader, hash)).toBeDefined();
    await release(alike);
    await remove(database, addSeconds(later, 40 * 86_400));
    expect(await readBlob(database.reader, hash)).toBeUndefined();
  });

  async function readCurrent(lives: Lives, record: number): Promise<Uint8Array | undefined> {
    const history = await findHistory(lives.database.reader, lives.pathOf(record));
    return readBlob(lives.database.reader, history?.timeline.mementos.at(-1)?.hash ?? '');
  }

  test('a harvest that stores the same payload after its table was read keeps it', async () => {
    const { database } = open();
    const contents = [1, 2];
    const heir = await beginHeir(database, contents);
    let left = [...contents];
    const interrupting: Database = {
      ...database,
      // Every table has been read when the removal begins; between its transactions somebody stores.
      transaction: async (work) => {
        const [content, ...others] = left;
        left = others;
        if (content !== undefined) await heir.store({ [content]: content });
        return database.transaction(work);
      },
    };
    await remove(interrupting);
    expect(left).toEqual([]);
    for (const content of contents) expect(await readCurrent(heir, content)).toBeDefined();
    expect(await database.reader('released').whereNull('due_at').first('id')).toBeDefined();
  });

  test('a harvest that is just storing the same payload is not waited for, and keeps it', async () => {
    const { database, config } = open();
    // On SQLite there is one writer.
    if (config.client === 'sqlite') return;
    const heir = await beginHeir(database, [1, 2]);
    const slow: Database = {
      ...database,
      transaction: (work) =>
        database.transaction(async (trx) => {
          const result = await work(trx);
          expect((await remove(database)).contents).toBe(1);
          return result;
        }),
    };
    await new Lives(slow, heir.source, heir.lease, heir.kin, later).store({ 1: 1 });
    expect(await readCurrent(heir, 1)).toBeDefined();
  });
});
