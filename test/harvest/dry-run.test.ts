import { beforeEach, expect, test } from 'vitest';
import type { SourceItem } from '../../src/core/adapter.ts';
import { parseConfig } from '../../src/core/config/config.ts';
import { type DryRunReport, dryRun } from '../../src/harvest/dry-run.ts';
import { harvest } from '../../src/harvest/harvest.ts';
import type { HarvestOptions, HarvestSource } from '../../src/harvest/harvest-source.ts';
import { createLessonBook } from '../../src/harvest/lessons.ts';
import type { HarvestReport } from '../../src/harvest/report.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { readJournal } from '../../src/store/sources/journal.ts';
import { adapterOf, type FakeUpstream, fakeUpstream } from '../house/harvest/fake-upstream.ts';
import { describeOnBoth } from '../house/store/databases.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { now: () => new Date('2026-11-21T10:00:00Z'), sleep: async () => undefined };
let names = 0;

describeOnBoth('a dry run', (open) => {
  let database: Database;
  let upstream: FakeUpstream;
  let source: HarvestSource;
  let name: string;
  /** By identifier. */
  let files: Map<string, readonly string[]>;

  const counts = ({
    mode,
    items,
    created,
    updated,
    deleted,
    unchanged,
    problems,
    unseen,
  }: HarvestReport | DryRunReport) => ({
    ...{ mode, items, created, updated, deleted, unchanged, problems, unseen },
  });

  function configure(settings: { readonly formats?: string[]; [key: string]: unknown }): void {
    upstream = { ...upstream, formats: settings.formats ?? ['oai_dc', 'mods'] };
    const adapter = adapterOf(upstream);
    const pages: typeof adapter.pages = async function* (request, signal) {
      for await (const page of adapter.pages({ ...request, mode: 'full' }, signal))
        yield { ...page, items: page.items.map(withFiles) };
    };
    const raw = { sources: { [name]: { url: 'http://127.0.0.1/oai', ...settings } } };
    const config = parseConfig(raw).sources[name];
    if (!config) throw new Error('no source');
    source = { name, config, adapter: { ...adapter, pages }, lessons: createLessonBook(clock) };
  }

  function withFiles(item: SourceItem): SourceItem {
    const named = (files.get(item.identifier) ?? []).map((file, index) => ({
      ...{ url: `https://repo.example.org/${item.identifier}/${file}`, name: file, sequence: index + 1 },
    }));
    const origin = { name: 'oai_dc', rank: 90 };
    return { ...item, files: named, speaksFor: { formats: item.speaksFor.formats, files: origin } };
  }

  /** What a dry run says, and what the run then does: the same, and nothing is written before. */
  async function both(mode: 'full' | 'incremental' = 'full'): Promise<HarvestReport> {
    const { signal } = new AbortController();
    const options: HarvestOptions = { mode, stop: signal, signal };
    const deps = { database, clock, log: silent };
    const before = await readJournal(database.reader, name);
    const said = await dryRun(deps, source, options);
    expect(await readJournal(database.reader, name)).toEqual(before);
    const done = await harvest(deps, source, options);
    expect(counts(said)).toEqual(counts(done));
    return done;
  }

  beforeEach(() => {
    names += 1;
    name = `dry-${names}`;
    database = open().database;
    upstream = fakeUpstream(40, ['oai_dc', 'mods']);
    files = new Map([
      ['id:1', ['a.pdf', 'b.pdf']],
      ['id:2', ['c.pdf']],
    ]);
    configure({});
  });

  test('says what the run does: new, changed, gone, back, and too much at once', async () => {
    expect(await both()).toMatchObject({ created: 83 });
    expect(await both()).toMatchObject({ created: 0, updated: 0, deleted: 0 });
    upstream.items.delete('id:5');
    upstream.items.set(
      'id:6',
      new Map([
        ['oai_dc', 'changed'],
        ['mods', '6'],
      ]),
    );
    files.set('id:1', ['b.pdf']);
    upstream.unlisted.add('id:7');
    upstream.broken.add('id:8');
    upstream.items.delete('id:8');
    expect((await both()).deleted).toBeGreaterThan(1);
    for (let index = 10; index < 39; index += 1) upstream.items.delete(`id:${index}`);
    expect(await both()).toMatchObject({ deleted: 0, unseen: expect.any(Number) });
  });

  test('says what another configuration does: formats, files, collections', async () => {
    await both();
    configure({ files: { mode: 'link' } });
    await both();
    configure({ files: { mode: 'none' } });
    expect((await both()).deleted).toBeGreaterThan(0);
    configure({ formats: ['mods'] });
    expect((await both('incremental')).deleted).toBeGreaterThan(30);
    configure({ formats: ['oai_dc', 'mods'] });
    await both('incremental');
    configure({ collections: ['a'] });
    await both('incremental');
  });
});
