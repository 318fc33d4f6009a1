import { beforeEach, expect, test } from 'vitest';
import type { SourceItem, SourceVersion } from '../../../src/core/adapter.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { acquireLease, type Lease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { readJournal } from '../../../src/store/sources/journal.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { listPriorVersions } from '../../house/store/prior-versions-of.ts';
import { readBlob } from '../../house/store/read-blob.ts';

let sources = 0;
const now = { iso: '2026-11-21T10:00:00Z', milliseconds: Date.parse('2026-11-21T10:00:00Z') };

describeOnBoth('what items were before', (open) => {
  let database: Database;
  let source: string;
  let lease: Lease;

  async function store(...items: SourceItem[]): Promise<void> {
    const { sourceId } = lease;
    const selection = { selection: '{}', since: undefined, startedAt: now.iso };
    const run = await startRun(database.writer, { sourceId, mode: 'full', ...selection });
    const page = { items: items.map((entry) => mapItem(source, entry)), problems: [], checkpoint: {} };
    await storePage(database, lease, run, page, now);
  }

  const past = () => listPriorVersions(database.reader, source, 'x');
  const seq = async () => (await readJournal(database.reader, source))?.seq;

  /** What is read or written in the tables of versions meanwhile. */
  async function queries(work: () => Promise<void>): Promise<readonly string[]> {
    const seen: string[] = [];
    const note = ({ sql }: { sql: string }) => {
      if (/prior_/.test(sql)) seen.push(sql.split(' ', 1)[0] ?? '');
    };
    database.writer.on('query', note);
    await work();
    database.writer.removeListener('query', note);
    return seen;
  }

  beforeEach(async () => {
    database = open().database;
    sources += 1;
    source = `versions-${sources}`;
    await ensureSource(database, source, now.iso);
    lease = await acquireLease(database, source, now.milliseconds);
  });

  test('are kept with their metadata, and no change tells of it', async () => {
    await store(item({ versions: [version(1), version(2)] }));
    expect(await past()).toMatchObject([
      {
        number: 1,
        createdAt: '2021-01-01T00:00:00Z',
        upstreamUrl: 'https://repo.example.org/items/1',
        metadata: [
          { format: 'json', mediaType: 'application/json', length: 9, profile: undefined },
          { format: 'oai_dc', mediaType: 'application/xml', length: 14, profile: 'http://example.org/dc' },
        ],
        files: [
          { url: 'https://repo.example.org/a1', name: 'a.pdf', sequence: 1, length: 3, hash: 'md5:00' },
          { url: 'https://repo.example.org/b1', name: 'b.pdf', sequence: 2 },
        ],
      },
      { number: 2, createdAt: '2022-01-01T00:00:00Z' },
    ]);
    const [first] = await past();
    const bytes = await readBlob(database.reader, first?.metadata[1]?.hash ?? '');
    expect(Buffer.from(bytes ?? []).toString()).toBe('<dc>was 1</dc>');
    expect(await seq()).toBe(1);
  });

  test('cost nothing where nobody speaks of them, and little where nothing is new', async () => {
    await store(item({ versions: [version(1), version(2)] }), item({ identifier: 'y' }));
    expect(await queries(() => store(item({}), item({ identifier: 'y' })))).toEqual([]);
    expect(await past()).toHaveLength(2);
    const again = () => store(item({ versions: [version(1), version(2)] }), item({ identifier: 'y' }));
    expect(await queries(again)).toEqual(['select', 'select']);
    expect(await past()).toHaveLength(2);
  });

  test('are replaced as a whole when they are others', async () => {
    await store(item({ versions: [version(1), version(2)] }));
    await store(item({ versions: [version(2), version(3, 'other')] }));
    expect((await past()).map(({ number }) => number)).toEqual([2, 3]);
    await store(item({ versions: [version(2, 'now'), version(3, 'other')] }));
    const [second] = await past();
    expect(Buffer.from((await readBlob(database.reader, second?.metadata[1]?.hash ?? '')) ?? [])).toEqual(
      Buffer.from('<dc>now 2</dc>'),
    );
    await store(item({ versions: [] }));
    expect(await past()).toEqual([]);
    expect(await seq()).toBe(1);
  });

  test('outlive the item', async () => {
    await store(item({ versions: [version(1)] }));
    await store(item({ deleted: true, metadata: [] }));
    expect(await seq()).toBe(2);
    expect(await past()).toHaveLength(1);
    await store(item({}));
    expect(await past()).toHaveLength(1);
  });

  test('stated in a muddle are stored all the same, each once', async () => {
    const twice = { ...version(1), metadata: [...version(1).metadata, ...version(1).metadata] };
    await store(item({ versions: [version(1), twice, { ...version(2), metadata: [], files: [] }] }));
    expect((await past()).map(({ metadata, files }) => [metadata.length, files.length])).toEqual([
      [2, 2],
      [0, 0],
    ]);
    const again = () =>
      store(item({ versions: [version(1), twice, { ...version(2), metadata: [], files: [] }] }));
    expect(await queries(again)).toEqual(['select', 'select']);
    expect(await listPriorVersions(database.reader, source, 'nobody')).toEqual([]);
  });

  test('of what was never here nothing is kept', async () => {
    await store(item({ deleted: true, metadata: [], versions: [version(1)] }));
    expect(await past()).toEqual([]);
  });
});

function version(number: number, body = 'was'): SourceVersion {
  const url = (name: string) => `https://repo.example.org/${name}${number}`;
  return {
    number,
    createdAt: `202${number}-01-01T00:00:00Z`,
    upstreamUrl: `https://repo.example.org/items/${number}`,
    metadata: [
      {
        format: 'oai_dc',
        content: Buffer.from(`<dc>${body} ${number}</dc>`),
        profile: 'http://example.org/dc',
      },
      { format: 'json', content: Buffer.from(`{"${body}":${number}}`), mediaType: 'application/json' },
    ],
    files: [
      { url: url('b'), name: 'b.pdf', sequence: 7 },
      { url: url('a'), name: 'a.pdf', sequence: 3, length: 3, hash: 'md5:00', mediaType: 'application/pdf' },
    ],
  };
}

function item(more: Partial<SourceItem>): SourceItem {
  return {
    identifier: 'x',
    datestamp: '2026-01-01T00:00:00Z',
    collections: [],
    speaksFor: { formats: ['oai_dc'], files: undefined },
    deleted: false,
    metadata: [{ format: 'oai_dc', content: Buffer.from('<dc/>') }],
    files: [],
    ...more,
  };
}
