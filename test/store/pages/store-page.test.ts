import { createHash } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { Problem, SourceItem } from '../../../src/core/adapter.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { metadataPath } from '../../../src/core/uris.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { type PageResult, storePage } from '../../../src/store/pages/store-page.ts';
import { countItems, countUnseen, sweep } from '../../../src/store/pages/sweep.ts';
import {
  type ChangeEntry,
  listChanges,
  listResources,
  type ResourceEntry,
} from '../../../src/store/reading/listing.ts';
import { findWithMetadata } from '../../../src/store/reading/resources.ts';
import { acquireLease, type Lease, releaseLease } from '../../../src/store/runs/leases.ts';
import { latestRun, type Run, startRun } from '../../../src/store/runs/runs.ts';
import { readJournal } from '../../../src/store/sources/journal.ts';
import { countSource, ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { readBlob } from '../../house/store/read-blob.ts';

let sources = 0;

describeOnBoth('storePage', (open) => {
  let database: Database;
  let source: string;
  let lease: Lease;
  let run: Run;
  let now: string;

  const clock = (iso: string) => ({ iso, milliseconds: Date.parse(iso) });

  async function begin(mode: 'full' | 'incremental' = 'full'): Promise<void> {
    run = await startRun(database.writer, {
      sourceId: lease.sourceId,
      mode,
      selection: '{}',
      since: undefined,
      startedAt: now,
    });
  }

  function store(items: SourceItem[], problems: Problem[] = []): Promise<PageResult> {
    const page = {
      items: items.map((item) => mapItem(source, item)),
      problems,
      checkpoint: { token: 'next' },
    };
    return storePage(database, lease, run, page, clock(now));
  }

  async function changes(afterSeq = 0): Promise<ChangeEntry[]> {
    const [set] = resourceSets(source);
    if (!set) throw new Error('a source has a set');
    const entries: ChangeEntry[] = [];
    for await (const page of listChanges(database.reader, set, { afterSeq }, 3)) entries.push(...page);
    return entries;
  }

  async function resources(): Promise<ResourceEntry[]> {
    const [set] = resourceSets(source);
    if (!set) throw new Error('a source has a set');
    const entries: ResourceEntry[] = [];
    for await (const page of listResources(database.reader, set, 3)) entries.push(...page);
    return entries;
  }

  beforeEach(async () => {
    database = open().database;
    sources += 1;
    source = `source-${sources}`;
    now = '2026-11-21T10:00:00Z';
    await ensureSource(database, source, now);
    lease = await acquireLease(database, source, Date.parse(now));
    await begin();
  });

  test('a new item becomes a resource, a change, a version and a payload', async () => {
    expect(await store([item('oai:x:1', { collections: ['a', 'b'] })])).toMatchObject({
      items: 1,
      created: 1,
    });

    const path = metadataPath(source, 'oai:x:1', 'oai_dc');
    const stored = (await findWithMetadata(database.reader, path))?.resource;
    const content = Buffer.from('<dc>oai:x:1</dc>');
    const hash = `sha-256:${createHash('sha256').update(content).digest('hex')}`;
    expect(stored).toMatchObject({
      path,
      kind: 'metadata',
      lastmod: '2020-01-01T00:00:00Z',
      hash,
      length: content.byteLength,
      deletedAt: undefined,
    });
    expect(stored?.links.filter(({ rel }) => rel === 'collection')).toHaveLength(2);
    expect(Buffer.from((await readBlob(database.reader, hash)) ?? [])).toEqual(content);
    expect(await changes()).toMatchObject([{ seq: 1, change: 'created', datetime: now, path, hash }]);
  });

  test('a set that a record names twice is one, new and again', async () => {
    for (const collections of [
      ['a', 'b', 'a'],
      ['b', 'b'],
    ]) {
      await store([item('oai:x:1', { collections })]);
      await begin();
      const members = await database.reader('item_collection').where({ source_id: lease.sourceId });
      expect(members).toHaveLength(new Set(collections).size);
    }
  });

  test('storing the same page again writes no change', async () => {
    const items = Array.from({ length: 150 }, (_, index) => item(`oai:x:${index}`, { collections: ['a'] }));
    await store(items);
    now = '2026-11-21T11:00:00Z';
    // In the same run it counts once.
    const nothing = { items: 0, created: 0, updated: 0, deleted: 0, unchanged: 0 };
    expect(await store(items)).toMatchObject(nothing);
    await begin();
    expect(await store(items)).toMatchObject({ ...nothing, items: 150, unchanged: 150 });
    expect(await changes()).toHaveLength(150);
    expect((await readJournal(database.reader, source))?.at).toBe('2026-11-21T10:00:00Z');
  });

  test('a changed payload is an update that keeps the earlier bytes', async () => {
    await store([item('oai:x:1')]);
    now = '2026-11-21T11:00:00Z';
    await begin();
    expect(await store([item('oai:x:1', { body: 'new', datestamp: '2026-11-21T10:30:00Z' })])).toMatchObject({
      updated: 1,
    });
    const [created, updated] = await changes();
    // Until now the former bytes were handed out.
    expect(updated).toMatchObject({ change: 'updated', datetime: now, lastmod: now });
    expect(Buffer.from((await readBlob(database.reader, created?.hash ?? '')) ?? []).toString()).toBe(
      '<dc>oai:x:1</dc>',
    );
  });

  test('lastmod moves on when bytes change without the datestamp, and never lies in the future', async () => {
    await store([item('oai:x:1'), item('oai:x:2', { datestamp: '2030-01-01T00:00:00Z' })]);
    now = '2026-11-21T11:00:00Z';
    await begin();
    await store([item('oai:x:1', { body: 'new' })]);
    const byPath = new Map((await resources()).map((entry) => [entry.path, entry.lastmod]));
    expect(byPath.get(metadataPath(source, 'oai:x:1', 'oai_dc'))).toBe(now);
    expect(byPath.get(metadataPath(source, 'oai:x:2', 'oai_dc'))).toBe('2026-11-21T10:00:00Z');
  });

  test('a move between collections is an update with the same bytes and lastmod', async () => {
    await store([item('oai:x:1', { collections: ['a'] })]);
    now = '2026-11-21T11:00:00Z';
    await begin();
    expect(await store([item('oai:x:1', { collections: ['b'] })])).toMatchObject({ updated: 1 });
    const [created, updated] = await changes();
    expect(updated?.hash).toBe(created?.hash);
    expect(updated?.lastmod).toBe(created?.lastmod);
    expect(updated?.links).not.toEqual(created?.links);
  });

  test('a tombstone deletes what it speaks for and nothing else', async () => {
    await store([item('oai:x:1'), item('oai:x:1', { format: 'mods' })]);
    expect(await resources()).toHaveLength(2);
    now = '2026-11-21T11:00:00Z';
    expect(await store([item('oai:x:1', { deleted: true })])).toMatchObject({ deleted: 1 });
    expect((await resources()).map(({ path }) => path)).toEqual([metadataPath(source, 'oai:x:1', 'mods')]);
    expect((await changes()).at(-1)).toMatchObject({ change: 'deleted', hash: undefined, length: undefined });
  });

  test('a tombstone of something never seen is no news', async () => {
    expect(await store([item('oai:x:404', { deleted: true })])).toMatchObject({ deleted: 0 });
    expect(await changes()).toEqual([]);
  });

  test('a deleted item that comes back is created again, not before its deletion', async () => {
    await store([item('oai:x:1')]);
    now = '2026-11-21T11:00:00Z';
    await store([item('oai:x:1', { deleted: true, datestamp: '2026-11-21T10:59:00Z' })]);
    now = '2026-11-21T12:00:00Z';
    expect(await store([item('oai:x:1')])).toMatchObject({ created: 1 });
    expect((await changes()).map(({ change }) => change)).toEqual(['created', 'deleted', 'created']);
    expect((await resources())[0]?.lastmod).toBe('2026-11-21T12:00:00Z');
  });

  test('the same identifier twice in one page: the later word counts', async () => {
    await store([item('oai:x:1', { body: 'first' }), item('oai:x:1', { body: 'second' })]);
    const [only, ...others] = await changes();
    expect(others).toEqual([]);
    expect(only?.length).toBe('<dc>second</dc>'.length);
  });

  test('quirk 68: the same identifier on two pages does not flap; the first word stands and is reported', async () => {
    const first = () => store([item('oai:x:1', { body: 'first' })]);
    const second = () => store([item('oai:x:1', { body: 'second' })]);
    await first();
    expect(await second()).toMatchObject({ updated: 0, problems: 1 });
    await begin();
    expect(await first()).toMatchObject({ updated: 0, unchanged: 1 });
    expect(await second()).toMatchObject({ updated: 0 });
    expect(await changes()).toHaveLength(1);
    // What is newer by its datestamp is news, on whatever page.
    expect(
      await store([item('oai:x:1', { body: 'third', datestamp: '2026-11-20T00:00:00Z' })]),
    ).toMatchObject({
      updated: 1,
    });
  });

  test('what could not be read before is no repetition when the same run reads it', async () => {
    await store([item('oai:x:1', { body: 'first' })]);
    await begin();
    const problem = { code: 'record-quarantined', message: 'broken', identifier: 'oai:x:1' } as const;
    await store([], [problem]);
    const second = await store([item('oai:x:1', { body: 'second' })]);
    expect(second).toMatchObject({ updated: 1, problems: 0 });
  });

  test('what a server writes anew at each reading is no change, and the first bytes stay', async () => {
    const read = (time: string, more: { title?: string; collections?: string[] } = {}) => {
      const { title = 'a', collections = ['c'] } = more;
      const body = `<mets xmlns="http://www.loc.gov/METS/"><metsHdr CREATEDATE="${time}"/><dmdSec ID="${title}"/></mets>`;
      const { metadata, ...rest } = item('oai:x:1', { format: 'mets', collections });
      return { ...rest, metadata: metadata.map((one) => ({ ...one, content: Buffer.from(body) })) };
    };
    const bytesNow = async () => {
      const [entry] = await resources();
      const bytes = await readBlob(database.reader, entry?.hash ?? '');
      expect(bytes?.byteLength).toBe(entry?.length);
      return Buffer.from(bytes ?? []).toString();
    };
    await store([read('10:00')]);
    for (const mode of ['full', 'incremental'] as const) {
      await begin(mode);
      expect(await store([read('10:15')])).toMatchObject({ updated: 0, unchanged: 1, problems: 0 });
      // Nor is it a repetition when one list has it twice.
      expect(await store([read('10:16')])).toMatchObject({ updated: 0, problems: 0 });
    }
    expect(await changes()).toHaveLength(1);
    // Other links: the same bytes and the same version.
    await begin();
    expect(await store([read('10:30', { collections: ['c', 'd'] })])).toMatchObject({ updated: 1 });
    expect(await bytesNow()).toContain('10:00');
    await begin();
    expect(await store([read('10:45', { title: 'b' })])).toMatchObject({ updated: 1 });
    expect(await bytesNow()).toContain('10:45');
    await begin();
    expect(await store([read('11:00', { title: 'b' })])).toMatchObject({ updated: 0, unchanged: 1 });
    expect((await changes()).map(({ change }) => change)).toEqual(['created', 'updated', 'updated']);
  });

  test("the journal's clock never runs backwards, even if the machine's does", async () => {
    await store([item('oai:x:1')]);
    now = '2026-11-21T09:00:00Z';
    await store([item('oai:x:2')]);
    const times = (await changes()).map(({ datetime }) => datetime);
    expect(times).toEqual(['2026-11-21T10:00:00Z', '2026-11-21T10:00:00Z']);
    for (const entry of await changes()) expect(entry.lastmod <= entry.datetime).toBe(true);
  });

  test('a page is stored with its checkpoint and counts, or not at all', async () => {
    await store([item('oai:x:1')]);
    expect(await latestRun(database.reader, lease.sourceId)).toMatchObject({
      checkpoint: { token: 'next' },
      pages: 1,
      items: 1,
      created: 1,
    });
    await releaseLease(database, lease);
    await expect(store([item('oai:x:2')])).rejects.toMatchObject({ code: 'lease-lost' });
    expect(await latestRun(database.reader, lease.sourceId)).toMatchObject({ pages: 1 });
    expect(await resources()).toHaveLength(1);
  });

  test('a complete pass deletes what it did not see, and spares what it could not read', async () => {
    await store([item('oai:x:1'), item('oai:x:2'), item('oai:x:3')]);
    now = '2026-11-21T11:00:00Z';
    await begin();
    const quarantined = { code: 'record-quarantined', message: 'broken', identifier: 'oai:x:2' } as const;
    await store([item('oai:x:1')], [quarantined]);
    expect(await countUnseen(database.reader, lease.sourceId, run.id)).toEqual({ unseen: 1, total: 3 });
    const signal = new AbortController().signal;
    expect(await sweep(database, lease, run.id, {}, () => clock(now), signal)).toBe(1);
    expect((await changes()).at(-1)).toMatchObject({
      change: 'deleted',
      path: metadataPath(source, 'oai:x:3', 'oai_dc'),
    });
    expect(await resources()).toHaveLength(2);
  });

  test('the counts that are kept are those that counting would give', async () => {
    await store([item('oai:x:1'), item('oai:x:2'), item('oai:x:2', { format: 'mods' }), item('oai:x:3')]);
    now = '2026-11-21T11:00:00Z';
    await begin();
    await store([item('oai:x:1', { deleted: true }), item('oai:x:2', { body: 'new' }), item('oai:x:4')]);
    now = '2026-11-22T10:30:00Z';
    await begin();
    await store([item('oai:x:1'), item('oai:x:3', { deleted: true })]);
    expect(await countSource(database.reader, lease.sourceId, '2026-11-21T10:00:00Z')).toEqual({
      items: await countItems(database.reader, lease.sourceId),
      resources: (await resources()).length,
      changes: (await changes()).length,
    });
    const since = (moment: string) => countSource(database.reader, lease.sourceId, moment);
    expect(await since('2026-11-21T10:30:00Z')).toMatchObject({ changes: 5 });
    expect(await since('2026-11-22T10:30:00Z')).toMatchObject({ changes: 2 });
    expect(await since('2026-11-23T00:00:00Z')).toMatchObject({ changes: 0 });
  });

  test('more problems than are kept in words are still counted', async () => {
    const problems = Array.from({ length: 1200 }, (_, index) => ({
      code: 'record-repaired' as const,
      message: `record ${index}`,
      identifier: `oai:x:${index}`,
    }));
    await store([], problems);
    expect(await latestRun(database.reader, lease.sourceId)).toMatchObject({ problems: 1200 });
    const [kept] = await database.reader('problem').where({ run_id: run.id }).count({ count: '*' });
    expect(Number(kept?.count)).toBe(1000);
  });

  test('a full pass puts right what was damaged in the store, and says so', async () => {
    await store([item('oai:x:1'), item('oai:x:2')]);
    const [first] = await resources();
    const hash = first?.hash ?? '';
    await database
      .writer('blob')
      .where({ hash })
      .update({ coding: 'identity', data: Buffer.from('rubbish') });
    await expect(readBlob(database.reader, hash)).rejects.toMatchObject({ code: 'content-damaged' });
    await begin('full');
    expect(await store([item('oai:x:1'), item('oai:x:2')])).toMatchObject({ unchanged: 2, problems: 1 });
    expect(Buffer.from((await readBlob(database.reader, hash)) ?? []).toString()).toBe('<dc>oai:x:1</dc>');
    await begin('full');
    expect(await store([item('oai:x:1'), item('oai:x:2')])).toMatchObject({ unchanged: 2, problems: 0 });
  });

  test('what goes, goes now, and what comes back comes later: lastmod tells the order of changes', async () => {
    await store([item('oai:x:1')]);
    now = '2026-11-21T11:00:00Z';
    await begin('incremental');
    await store([item('oai:x:1', { deleted: true })]);
    now = '2026-11-21T12:00:00Z';
    await begin('incremental');
    await store([item('oai:x:1')]);
    expect((await changes()).map(({ change, lastmod }) => [change, lastmod])).toEqual([
      ['created', '2020-01-01T00:00:00Z'],
      ['deleted', '2026-11-21T11:00:00Z'],
      ['created', '2026-11-21T12:00:00Z'],
    ]);
  });

  test('a second writer is refused while the first lives, and takes over when it does not', async () => {
    await expect(acquireLease(database, source, Date.parse(now))).rejects.toMatchObject({
      code: 'lease-held',
    });
    const later = await acquireLease(database, source, Date.parse(now) + 61_000);
    await expect(store([item('oai:x:1')])).rejects.toMatchObject({ code: 'lease-lost' });
    lease = later;
    await store([item('oai:x:1')]);
  });

  test('an expiry from a clock that was far ahead holds nobody up', async () => {
    const tomorrow = Date.parse(now) + 86_400_000;
    await database.writer('source').where({ name: source }).update({
      harvest_holder: 'another host/1/x',
      harvest_expires: tomorrow,
    });
    lease = await acquireLease(database, source, Date.parse(now));
    await store([item('oai:x:1')]);
  });
});

interface ItemFacts {
  readonly body?: string;
  readonly format?: string;
  readonly datestamp?: string;
  readonly collections?: string[];
  readonly deleted?: boolean;
}

function item(identifier: string, facts: ItemFacts = {}): SourceItem {
  const { body = identifier, format = 'oai_dc', deleted = false } = facts;
  return {
    identifier,
    datestamp: facts.datestamp ?? '2020-01-01T00:00:00Z',
    collections: facts.collections ?? [],
    speaksFor: { formats: [format], files: undefined },
    deleted,
    metadata: deleted
      ? []
      : [{ format, content: Buffer.from(`<dc>${body}</dc>`), profile: 'http://example.org/' }],
    files: [],
  };
}
