import { beforeEach, expect, test } from 'vitest';
import type { Adapter, SourceFile, SourceItem } from '../../../src/core/adapter.ts';
import { parseConfig, type SourceConfig } from '../../../src/core/config/config.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { harvest } from '../../../src/harvest/harvest.ts';
import type { HarvestSource } from '../../../src/harvest/harvest-source.ts';
import { createLessonBook } from '../../../src/harvest/lessons.ts';
import type { HarvestReport } from '../../../src/harvest/report.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import type { DueFile } from '../../../src/store/files/due-files.ts';
import { listChanges } from '../../../src/store/reading/listing.ts';
import { adapterOf, fakeUpstream } from '../../house/harvest/fake-upstream.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
let seconds = 0;
const clock = {
  now: () => new Date(Date.parse('2026-11-21T10:00:00Z') + seconds * 1000),
  sleep: async () => undefined,
};

const uuid = (index: number) => `ba7d4e0f-1c2b-4f3a-9d8e-${String(index).padStart(12, '0')}`;
const count = 12;
const upstreamItems = Array.from({ length: count }, (_, index) => index);

let names = 0;

describeOnBoth('a source that moves between OAI-PMH and REST', (open) => {
  let database: Database;
  let source: HarvestSource;
  let told: number;
  /** URLs that were asked for. */
  let asked: string[];
  let refused: Set<string>;
  let isDown: boolean;

  function configure(settings: Partial<SourceConfig>, adapter: Adapter): void {
    const { name } = source;
    const config = parseConfig({ sources: { [name]: { url: 'http://127.0.0.1/x', ...settings } } });
    source = { ...source, config: config.sources[name] as SourceConfig, adapter };
  }

  async function run(mode: 'full' | 'incremental' = 'incremental'): Promise<HarvestReport> {
    seconds += 3600;
    const never = new AbortController().signal;
    return harvest({ database, clock, log: silent }, source, { mode, stop: never, signal: never });
  }

  /** How many changes of which kind there were to which sort of resource. */
  async function news(): Promise<Record<string, number>> {
    const [set] = resourceSets(source.name);
    if (!set) throw new Error('a source has a set');
    const counts: Record<string, number> = {};
    for await (const page of listChanges(database.reader, set, { afterSeq: told })) {
      for (const { change, path, seq } of page) {
        const kind = `${change} ${path.includes('/files/') ? 'file' : (path.split('/').at(-1) ?? '')}`;
        counts[kind] = (counts[kind] ?? 0) + 1;
        told = seq;
      }
    }
    return counts;
  }

  const oai = (formats: readonly string[] = ['oai_dc', 'xoai']): Adapter => ({
    ...adapterOf(fakeUpstream(0, formats)),
    async *pages({ mode }) {
      if (mode === 'incremental') return;
      for (const [pass, format] of [...formats].reverse().entries()) {
        const items = upstreamItems.map((index) => byOai(index, format));
        const awaited = [...formats].reverse().slice(pass + 1);
        yield { items, awaited, checkpoint: { format }, problems: [], asOf: '2026-11-21T09:59:58Z' };
      }
    },
  });

  const rest = (access: (index: number) => SourceFile['access'] = () => 'open'): Adapter => ({
    ...adapterOf(fakeUpstream(0)),
    async *pages({ mode }) {
      if (mode === 'incremental') return;
      const items = upstreamItems.map((index) => byRest(index, access(index)));
      yield { items, checkpoint: {}, problems: [], asOf: '2026-11-21T09:59:58Z' };
    },
  });

  beforeEach(() => {
    database = open().database;
    names += 1;
    told = 0;
    asked = [];
    refused = new Set();
    isDown = false;
    const check = async (files: readonly DueFile[]) =>
      files.map(({ stated: _, ...file }) => {
        const checkedAt = clock.now().toISOString().replace('.000Z', 'Z');
        if (isDown) return { ...file, dueAt: checkedAt };
        asked.push(file.url);
        return refused.has(file.url)
          ? {
              ...file,
              outcome: 'refused' as const,
              failures: 1,
              checkedAt,
              reason: 'it asks for a login (401)',
            }
          : { ...file, outcome: 'confirmed' as const, failures: 0, checkedAt, length: 3 };
      });
    source = {
      name: `moved-${names}`,
      config: {} as SourceConfig,
      adapter: oai(),
      lessons: createLessonBook(clock),
      fileCheck: { check },
    };
    configure({ formats: ['oai_dc', 'xoai'] }, oai());
  });

  test('keeps what is the same, updates what differs, and loses the formats of the former', async () => {
    await run();
    expect(await news()).toEqual({
      'created oai_dc.xml': count,
      'created xoai.xml': count,
      'created file': count,
    });
    asked = [];
    configure({ adapter: 'dspace' }, rest());
    expect(await run()).toMatchObject({
      mode: 'full',
      state: 'succeeded',
      created: 3 * count,
      deleted: count,
    });
    expect(await news()).toEqual({
      'created dim.xml': count,
      'created json.json': count,
      'created qdc.xml': count,
      'deleted xoai.xml': count,
      'updated file': count,
      'updated oai_dc.xml': count,
    });
    expect(asked).toEqual([]);
    const rows = await database.reader('item').join('source', 'source.id', 'item.source_id');
    expect(rows.filter(({ name }) => name === source.name)).toHaveLength(count);
    await run('full');
    expect(await news()).toEqual({});

    // And back again, in the default formats of what is there.
    configure({ formats: ['oai_dc'] }, oai(['oai_dc']));
    expect(await run()).toMatchObject({ mode: 'full', state: 'succeeded', deleted: 3 * count });
    expect(await news()).toEqual({
      'deleted dim.xml': count,
      'deleted json.json': count,
      'deleted qdc.xml': count,
      'updated file': count,
      'updated oai_dc.xml': count,
    });
    await run('full');
    expect(await news()).toEqual({});
  });

  test('publishes what only the server knows to be open once it said so, however many there are', async () => {
    configure(
      { adapter: 'dspace', files: { checksPerRun: 1, verify: false } as SourceConfig['files'] },
      rest(() => 'unknown'),
    );
    refused.add(contentOf(2)).add(contentOf(3));
    await run();
    expect(await news()).toMatchObject({ 'created file': count - 2 });
    expect(asked).toHaveLength(count);
    // In an incremental run nobody asks again, in a full one everybody is.
    await run();
    expect(asked).toHaveLength(count);
    refused.delete(contentOf(2));
    refused.add(contentOf(5));
    asked = [];
    await run('full');
    expect(asked).toHaveLength(count);
    expect(await news()).toMatchObject({ 'created file': 1, 'deleted file': 1 });
    // Silence is no answer.
    isDown = true;
    asked = [];
    await run('full');
    expect(asked).toEqual([]);
    expect(await news()).toEqual({});
  });

  test('asks in a part of a longer answer, too, when all of it is there', async () => {
    const { pages, ...others } = rest(() => 'unknown');
    const parts: Adapter = {
      ...others,
      async *pages(...request) {
        for await (const page of pages(...request)) yield { ...page, checkpoint: undefined };
      },
    };
    configure({ adapter: 'dspace' }, parts);
    await run();
    expect(asked).toHaveLength(count);
    expect(await news()).toMatchObject({ 'created file': count });
  });
});

function contentOf(index: number): string {
  return `http://127.0.0.1/server/api/core/bitstreams/${uuid(index)}/content`;
}

const facts = { name: 'thesis.pdf', sequence: 1, mediaType: 'application/pdf', length: 3, hash: 'md5:00' };

function byOai(index: number, format: string): SourceItem {
  const url = `http://127.0.0.1/bitstreams/${uuid(index)}/download`;
  const isList = format === 'xoai';
  return {
    ...base(index),
    speaksFor: { formats: [format], files: { name: format, rank: isList ? 0 : 95 } },
    metadata: [document(index, format, 'oai')],
    files: [isList ? { ...facts, url } : { url, name: 'thesis.pdf', sequence: 1 }],
  };
}

function byRest(index: number, access: SourceFile['access']): SourceItem {
  const formats = ['oai_dc', 'dim', 'qdc', 'json'];
  return {
    ...base(index),
    speaksFor: { formats, files: { name: 'dspace', rank: 0 } },
    complete: true,
    metadata: formats.map((format) => document(index, format, 'rest')),
    files: [{ ...facts, url: contentOf(index), access }],
  };
}

function document(index: number, format: string, from: string): SourceItem['metadata'][number] {
  return format === 'json'
    ? { format, content: Buffer.from(`{"id":${index}}`), mediaType: 'application/json' }
    : { format, content: Buffer.from(`<${format}>${index} by ${from}</${format}>`) };
}

function base(index: number): Omit<SourceItem, 'speaksFor' | 'metadata' | 'files'> {
  return {
    identifier: `oai:127.0.0.1:1/${index}`,
    datestamp: '2020-01-01T00:00:00Z',
    collections: ['col_1_1'],
    deleted: false,
  };
}
