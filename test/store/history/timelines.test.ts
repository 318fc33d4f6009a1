import { createHash } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { SourceFile, SourceItem } from '../../../src/core/adapter.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { findHistories } from '../../../src/store/history/timelines.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { packBlob } from '../../../src/store/payloads/blobs.ts';
import { acquireLease, type Lease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { findHistory } from '../../house/store/one-history.ts';

let sources = 0;

describeOnBoth('timelines', (open) => {
  let database: Database;
  let source: string;
  let lease: Lease;

  async function store(at: string, ...items: SourceItem[]): Promise<void> {
    const selection = { selection: '{}', since: undefined, startedAt: at };
    const run = await startRun(database.writer, { sourceId: lease.sourceId, mode: 'full', ...selection });
    const files = { mode: 'proxy', perItem: 100, verify: false, landingPages: false } as const;
    const page = { items: items.map((one) => mapItem(source, one)), problems: [], checkpoint: {}, files };
    await storePage(database, lease, run, page, { iso: at, milliseconds: Date.parse(at) });
  }

  const pathOf = (name = 'oai_dc.xml') => `${source}/items/x/${name}`;
  const history = (name?: string) => findHistory(database.reader, pathOf(name));
  const moments = async (name?: string) =>
    (await history(name))?.timeline.mementos.map(({ datetime }) => datetime);

  beforeEach(async () => {
    database = open().database;
    sources += 1;
    source = `timelines-${sources}`;
    await ensureSource(database, source, '2026-11-01T00:00:00Z');
    lease = await acquireLease(database, source, Date.parse('2026-11-01T00:00:00Z'));
  });

  test('of several resources are looked for by their paths, however many the source has', async () => {
    await store('2026-11-02T00:00:00Z', item('<dc>1</dc>'));
    const asked: { readonly sql: string; readonly bindings: readonly string[] }[] = [];
    const listen = (query: (typeof asked)[number]) => asked.push(query);
    database.reader.on('query', listen);
    const found = await findHistories(database.reader, source, [pathOf(), pathOf('missing.xml')]);
    database.reader.off('query', listen);
    expect([...found.keys()]).toEqual([pathOf()]);
    // PostgreSQL has statistics of its own, and another statement.
    if (database.client !== 'sqlite') return;
    const { sql = '', bindings = [] } = asked[0] ?? {};
    const plan: { detail: string }[] = await database.reader.raw(`explain query plan ${sql}`, bindings);
    const searches = plan
      .map(({ detail }) => detail)
      .filter((detail) => /^SEARCH (?!version|prior)/.test(detail));
    expect(searches.map((detail) => detail.replace(/ USING.*\((.*)\)$/, ' by $1'))).toEqual([
      'SEARCH resource by path=?',
      'SEARCH source by rowid=?',
      'SEARCH item by rowid=?',
    ]);
  });

  test('have every payload from when it was ours, and deletions', async () => {
    await store('2026-11-02T00:00:00Z', item('<dc>1</dc>', { datestamp: '2025-05-05T05:05:05Z' }));
    await store('2026-11-03T00:00:00Z', item('<dc>1</dc>', { datestamp: '2026-11-02T12:00:00Z' }));
    await store('2026-11-04T00:00:00Z', item('<dc>2</dc>', { datestamp: '2026-11-03T12:00:00Z' }));
    await store('2026-11-05T00:00:00Z', item('', { deleted: true, metadata: [] }));
    expect(await history()).toMatchObject({
      source,
      identifier: 'x',
      path: pathOf(),
      kind: 'metadata',
      format: 'oai_dc',
      deletedAt: '2026-11-05T00:00:00Z',
      timeline: { gaps: [{ from: '2026-11-05T00:00:00Z' }], dropped: [] },
    });
    // Created when its upstream says, changed when ours did.
    expect(await moments()).toEqual(['2025-05-05T05:05:05Z', '2026-11-04T00:00:00Z']);
    await store('2026-11-06T00:00:00Z', item('<dc>1</dc>', { datestamp: '2026-11-05T12:00:00Z' }));
    const { deletedAt, timeline } = (await history()) ?? {};
    expect(deletedAt).toBeUndefined();
    expect(timeline?.gaps).toEqual([{ from: '2026-11-05T00:00:00Z', until: '2026-11-06T00:00:00Z' }]);
    expect(timeline?.mementos.at(-1)).toMatchObject({
      datetime: '2026-11-06T00:00:00Z',
      mediaType: 'application/xml',
      length: 10,
      hash: hashOf('<dc>1</dc>'),
    });
  });

  test('never go back where the clock does, and never ahead of it where the upstream does', async () => {
    await store('2026-11-04T00:00:00Z', item('<dc>1</dc>', { datestamp: '2027-01-01T00:00:00Z' }));
    await store('2026-11-02T00:00:00Z', item('<dc>2</dc>', { datestamp: '2026-11-01T12:00:00Z' }));
    await store('2026-11-05T00:00:00Z', item('<dc>3</dc>'));
    // The journal waits for the clock, but each version has a second of its own.
    const each = ['2026-11-04T00:00:00Z', '2026-11-04T00:00:01Z', '2026-11-05T00:00:00Z'];
    expect(await moments()).toEqual(each);
    expect((await history())?.timeline.mementos[1]?.hash).toBe(hashOf('<dc>2</dc>'));
  });

  test('have the last of what came within a second', async () => {
    await store('2026-11-02T00:00:00Z', item('<dc>1</dc>'));
    await store('2026-11-04T00:00:00Z', item('<dc>2</dc>'));
    await store('2026-11-04T00:00:00Z', item('<dc>3</dc>'));
    expect(await moments()).toHaveLength(2);
    expect((await history())?.timeline.mementos[1]?.hash).toBe(hashOf('<dc>3</dc>'));
  });

  test('leave out what retention has given up, and say when it was', async () => {
    for (const day of ['02', '03', '04']) await store(`2026-11-${day}T00:00:00Z`, item(`<dc>${day}</dc>`));
    await database
      .writer('version')
      .where({ lastmod: '2026-11-03T00:00:00Z' })
      .whereIn('resource_id', database.writer('resource').select('id').where({ path: pathOf() }))
      .update({ dropped_at: '2026-11-10T00:00:00Z' });
    expect(await moments()).toHaveLength(2);
    expect((await history())?.timeline.dropped).toEqual(['2026-11-03T00:00:00Z']);
  });

  test('of a file have what is kept, and where else it is now', async () => {
    const kept = packBlob(hashOf('1'), Buffer.from('1'));
    await database.writer('blob').insert(kept).onConflict('hash').ignore();
    await store('2026-11-02T00:00:00Z', item('<dc/>', { files: [file({ hash: hashOf('1'), length: 1 })] }));
    await store('2026-11-03T00:00:00Z', item('<dc/>', { files: [file({ hash: hashOf('22'), length: 2 })] }));
    await store('2026-11-04T00:00:00Z', item('<dc/>', { files: [file({ hash: hashOf('333'), length: 3 })] }));
    const mementos = (await history('files/1-a.pdf'))?.timeline.mementos;
    // Of the second nobody has the bytes any more.
    expect(mementos?.map(({ length, elsewhere }) => [length, elsewhere])).toEqual([
      [1, undefined],
      [3, 'https://repo.example.org/a.pdf'],
    ]);
  });

  test('reach back before the bridge as far as the upstream remembers, as long as the item is there', async () => {
    const versions = [1, 2].map((number) => ({
      number,
      createdAt: `202${number}-01-01T00:00:00Z`,
      metadata: [{ format: 'oai_dc', content: Buffer.from(`<dc>was ${number}</dc>`) }],
      files: [{ url: `https://repo.example.org/old/${number}`, name: 'a.pdf', sequence: 1 }],
    }));
    await store('2026-11-02T00:00:00Z', item('<dc>now</dc>', { versions, files: [file()] }));
    expect(await moments()).toEqual(['2021-01-01T00:00:00Z', '2022-01-01T00:00:00Z', '2026-01-01T00:00:00Z']);
    const files = (await history('files/1-a.pdf'))?.timeline.mementos;
    expect(files?.map(({ elsewhere }) => elsewhere)).toEqual([
      'https://repo.example.org/old/1',
      'https://repo.example.org/old/2',
      'https://repo.example.org/a.pdf',
    ]);
    await store('2026-11-03T00:00:00Z', item('', { deleted: true, metadata: [], files: [] }));
    expect(await moments()).toEqual(['2026-01-01T00:00:00Z']);
  });

  test('are read in one statement, or none where there is no such resource', async () => {
    await store('2026-11-02T00:00:00Z', item('<dc>1</dc>'));
    let asked = 0;
    const count = () => {
      asked += 1;
    };
    // From here on PostgreSQL knows in which partition the source is.
    await history();
    database.reader.on('query', count);
    await history();
    const nobody = await findHistory(database.reader, `${source}/items/nobody/oai_dc.xml`);
    database.reader.removeListener('query', count);
    // Where there is nothing PostgreSQL is asked whether the source has another id by now: each is a partition.
    expect([asked, nobody]).toEqual([database.client === 'pg' ? 3 : 2, undefined]);
    expect([...(await findHistories(database.reader, source, [pathOf(), 'x', pathOf()])).keys()]).toEqual([
      pathOf(),
    ]);
  });

  test('may be of thousands of versions', async () => {
    await store('2026-11-02T00:00:00Z', item('<dc>1</dc>'));
    const row: { id: number; source_id: number } | undefined = await database
      .writer('resource')
      .where({ path: pathOf() })
      .first('id', 'source_id');
    const own = { source_id: row?.source_id, resource_id: row?.id };
    const begin = Date.parse('2026-11-03T00:00:00Z');
    const rows = Array.from({ length: 5000 }, (_, index) => {
      const at = new Date(begin + index * 1000).toISOString().replace('.000Z', 'Z');
      return { ...own, seq: 1000 + index, at, lastmod: at, hash: hashOf('<dc>1</dc>') };
    });
    for (let from = 0; from < rows.length; from += 50) {
      await database.writer('version').insert(rows.slice(from, from + 50));
    }
    expect(await moments()).toHaveLength(5001);
  });
});

function hashOf(content: string): string {
  return `sha-256:${createHash('sha256').update(content).digest('hex')}`;
}

function file(facts: Partial<SourceFile> = {}): SourceFile {
  return { url: 'https://repo.example.org/a.pdf', name: 'a.pdf', sequence: 1, ...facts };
}

function item(content: string, more: Partial<SourceItem> = {}): SourceItem {
  return {
    identifier: 'x',
    datestamp: '2026-01-01T00:00:00Z',
    collections: [],
    speaksFor: { formats: ['oai_dc'], files: { name: 'xoai', rank: 10 } },
    deleted: false,
    metadata: [{ format: 'oai_dc', content: Buffer.from(content) }],
    files: [],
    ...more,
  };
}
