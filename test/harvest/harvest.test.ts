import { beforeEach, expect, test } from 'vitest';
import type { Adapter, Page, PageRequest, RepositoryInfo, SourceItem } from '../../src/core/adapter.ts';
import { parseConfig, type SourceConfig } from '../../src/core/config/config.ts';
import { BridgeError } from '../../src/core/errors.ts';
import { dryRun } from '../../src/harvest/dry-run.ts';
import { harvest } from '../../src/harvest/harvest.ts';
import type { HarvestOptions, HarvestSource } from '../../src/harvest/harvest-source.ts';
import { createLessonBook } from '../../src/harvest/lessons.ts';
import type { HarvestReport } from '../../src/harvest/report.ts';
import { acceptDeletions } from '../../src/harvest/vanished/accept-deletions.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { latestRun, listRuns } from '../../src/store/runs/runs.ts';
import { listCounts } from '../../src/store/sources/counts.ts';
import { settingsOfRun } from '../../src/store/sources/run-settings.ts';
import { findSource, loadLessons } from '../../src/store/sources/sources.ts';
import { describeOnBoth } from '../house/store/databases.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** An upstream in memory that speaks the adapter contract: five items a page, a checkpoint behind each. */
interface Upstream {
  items: Map<string, string>;
  deletedRecords: RepositoryInfo['deletedRecords'];
  formats: string[];
  /** Fails instead of delivering this page (from 0), once. */
  failAt: number | undefined;
  problems: Page['problems'];
  /** How many it says that it has. */
  stated: number | undefined;
  requests: PageRequest[];
}

const pageSize = 5;

function adapterOf(upstream: Upstream): Adapter {
  return {
    identify: async () => ({
      name: 'Upstream',
      protocol: 'test',
      protocolVersion: '1',
      deletedRecords: upstream.deletedRecords,
      granularity: 'second',
      formats: upstream.formats.map((name) => ({ name, selected: true, offered: true })),
    }),
    async *collections() {},
    item: async () => undefined,
    async *identifiers() {
      for (const format of upstream.formats) {
        const entries = [...upstream.items.keys()].map((identifier) => ({
          identifier,
          datestamp: undefined,
          collections: [],
          deleted: false,
        }));
        yield { format, entries, checkpoint: undefined, problems: [] };
      }
    },
    async *pages(request) {
      upstream.requests.push(request);
      const all = upstream.formats.flatMap((format) =>
        [...upstream.items].map((entry) => [format, ...entry] as const),
      );
      const start = Number(request.checkpoint?.next ?? 0);
      for (let next = start; next < all.length; next += pageSize) {
        if (upstream.failAt !== undefined && next / pageSize >= upstream.failAt) {
          upstream.failAt = undefined;
          throw new BridgeError('upstream-cut-off', 'the page ended early', { retryable: true });
        }
        yield {
          items: all.slice(next, next + pageSize).map(([format, id, body]) => toItem(format, id, body)),
          checkpoint: { next: next + pageSize },
          problems: next === start ? upstream.problems : [],
          asOf: '2026-11-21T09:59:58Z',
          ...(next + pageSize >= all.length ? { statedTotal: upstream.stated } : {}),
        };
      }
    },
  };
}

function toItem(format: string, identifier: string, body: string): SourceItem {
  return {
    identifier,
    datestamp: '2020-01-01T00:00:00Z',
    collections: [],
    speaksFor: { formats: [format], files: undefined },
    deleted: false,
    metadata: [{ format, content: Buffer.from(`<${format}>${body}</${format}>`) }],
    files: [],
  };
}

let names = 0;

describeOnBoth('harvest', (open) => {
  let database: Database;
  let upstream: Upstream;
  let source: HarvestSource;
  const clock = { now: () => new Date('2026-11-21T10:00:00Z'), sleep: async () => undefined };

  const run = (options: Partial<HarvestOptions> = {}): Promise<HarvestReport> =>
    harvest({ database, clock, log: silent }, source, { ...never(), mode: 'incremental', ...options });

  const accept = () =>
    acceptDeletions({ database, clock, log: silent }, source, { run: undefined, ...never() });

  async function living(): Promise<number> {
    const stored = await findSource(database.reader, source.name);
    const [row] = await database
      .reader('resource')
      .where({ source_id: stored?.id ?? 0 })
      .whereNull('deleted_at')
      .count({ count: '*' });
    return Number(row?.count);
  }

  async function changes(): Promise<number> {
    const stored = await findSource(database.reader, source.name);
    const [row] = await database
      .reader('change')
      .where({ source_id: stored?.id ?? 0 })
      .count({ count: '*' });
    return Number(row?.count);
  }

  beforeEach(() => {
    database = open().database;
    names += 1;
    const name = `upstream-${names}`;
    upstream = {
      items: new Map(Array.from({ length: 50 }, (_, index) => [`id:${index}`, `${index}`])),
      deletedRecords: 'no',
      formats: ['oai_dc'],
      failAt: undefined,
      problems: [],
      stated: undefined,
      requests: [],
    };
    const config = parseConfig({ sources: { [name]: { url: 'http://127.0.0.1/oai' } } }).sources[
      name
    ] as SourceConfig;
    source = { name, config, adapter: adapterOf(upstream), lessons: createLessonBook(clock) };
  });

  test('the first run is full, the next is incremental from where the first began', async () => {
    expect(await run()).toMatchObject({ mode: 'full', state: 'succeeded', created: 50, pages: 10 });
    expect(await run()).toMatchObject({ mode: 'incremental', state: 'succeeded', created: 0, unchanged: 50 });
    expect(upstream.requests[1]).toMatchObject({ mode: 'incremental', since: '2026-11-21T09:59:58Z' });
    expect(await changes()).toBe(50);
  });

  test('as a first run grows, PostgreSQL looks at what has been stored by then', async () => {
    const looks: string[] = [];
    const listen = ({ sql }: { readonly sql: string }) => {
      if (sql.startsWith('analyze')) looks.push(sql);
    };
    const many = Array.from({ length: 1002 }, (_, index) => [`id:${index}`, `${index}`] as const);
    upstream.items = new Map(many);
    database.writer.on('query', listen);
    await run();
    database.writer.off('query', listen);
    const atSource = looks.filter((sql) => /\bresource_p\d+ \(source_id, /.test(sql));
    expect(atSource).toHaveLength(database.client === 'pg' ? 1 : 0);
    // As a whole, tables with partitions are looked at with their first thousand rows.
    const asAWhole = looks.filter((sql) => /\bresource \(source_id, /.test(sql));
    expect(asAWhole).toHaveLength(database.client === 'pg' ? 1 : 0);
  });

  test('that PostgreSQL cannot be told ends no harvest', async () => {
    const warned: string[] = [];
    const log = { ...silent, warn: (_: object, text: string) => void warned.push(text) };
    const isPg = database.client === 'pg';
    if (isPg) await database.writer.raw('alter table oai_record rename to not_there');
    try {
      const report = harvest({ database, clock, log }, source, { ...never(), mode: 'incremental' });
      expect(await report).toMatchObject({ state: 'succeeded', created: 50 });
    } finally {
      if (isPg) await database.writer.raw('alter table not_there rename to oai_record');
    }
    expect(warned).toEqual(isPg ? ['PostgreSQL was not told what has grown'] : []);
  });

  test('what there is, is counted at its end, with what the repository says that it has', async () => {
    upstream.stated = 53;
    await run();
    const { id = 0 } = (await findSource(database.reader, source.name)) ?? {};
    expect(await listCounts(database.reader, id)).toEqual([
      { day: '2026-11-21', items: 50, records: 50, stated: 53 },
    ]);
    upstream.items.set('id:new', 'new');
    await run();
    expect(await listCounts(database.reader, id)).toEqual([
      { day: '2026-11-21', items: 51, records: 50, stated: 53 },
    ]);
  });

  test('its requests and settings are written down, also of a run that was taken up again', async () => {
    let asked = 0;
    const presence = {
      begin: () => ({
        tell: () => undefined,
        end: () => undefined,
        requests: () => {
          asked += 10;
          return asked;
        },
      }),
    };
    const settings: (readonly [string, unknown])[] = [['pageSize', 5]];
    source = { ...source, shownSettings: () => settings };
    const tracked = () =>
      harvest({ database, clock, log: silent, presence }, source, { ...never(), mode: 'incremental' });
    upstream.failAt = 4;
    await expect(tracked()).rejects.toMatchObject({ code: 'upstream-cut-off' });
    await tracked();
    const { id = 0 } = (await findSource(database.reader, source.name)) ?? {};
    const [last] = await listRuns(database.reader, id, 5);
    expect(last).toMatchObject({ mode: 'full', state: 'succeeded', requests: 30 });
    expect(await settingsOfRun(database.reader, id, last?.id ?? 0)).toEqual([['pageSize', 5]]);
  });

  test('a run that broke off is continued at its checkpoint, and repeats no change', async () => {
    upstream.failAt = 4;
    await expect(run()).rejects.toMatchObject({ code: 'upstream-cut-off' });
    expect(await living()).toBe(20);
    expect((await findSource(database.reader, source.name))?.asOf).toBeUndefined();
    expect(await run()).toMatchObject({ mode: 'full', state: 'succeeded', pages: 10, created: 50 });
    expect(upstream.requests[1]?.checkpoint).toEqual({ next: 20 });
    expect(await changes()).toBe(50);
  });

  test('a checkpoint that leads nowhere is given up after three tries', async () => {
    upstream.failAt = 2;
    await expect(run()).rejects.toThrow();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      upstream.failAt = 0;
      await expect(run()).rejects.toThrow();
    }
    expect(await run()).toMatchObject({ state: 'succeeded', created: 40, unchanged: 10 });
    expect(upstream.requests.at(-1)?.checkpoint).toBeUndefined();
  });

  test('what a complete full pass does not see is deleted', async () => {
    await run();
    upstream.items.delete('id:7');
    upstream.items.delete('id:8');
    expect(await run({ mode: 'full' })).toMatchObject({ state: 'succeeded', deleted: 2, unseen: 2 });
    expect(await living()).toBe(48);
  });

  test('a pass that was cut off deletes nothing', async () => {
    await run();
    for (const id of ['id:1', 'id:2']) upstream.items.delete(id);
    upstream.failAt = 3;
    await expect(run({ mode: 'full' })).rejects.toThrow();
    expect(await living()).toBe(50);
    expect(await run({ mode: 'full' })).toMatchObject({ deleted: 2 });
    expect(await living()).toBe(48);
  });

  test('the fuse: too much vanishing at once is nobody’s decision but a person’s', async () => {
    await run();
    for (let index = 0; index < 30; index += 1) upstream.items.delete(`id:${index}`);
    expect(await run({ mode: 'full' })).toMatchObject({ state: 'needs-attention', deleted: 0, unseen: 30 });
    expect(await living()).toBe(50);
    const stored = await findSource(database.reader, source.name);
    expect(await latestRun(database.reader, stored?.id ?? 0)).toMatchObject({
      error: { code: 'deletions-refused' },
    });
    expect(await accept()).toMatchObject({ deleted: 30, remaining: 0 });
    expect(await latestRun(database.reader, stored?.id ?? 0)).toMatchObject({ state: 'succeeded' });
    expect(await living()).toBe(20);
  });

  test('where all that is missing may be in a part of the list that could not be read, nobody has to decide', async () => {
    await run();
    for (let index = 0; index < 30; index += 1) upstream.items.delete(`id:${index}`);
    upstream.problems = [{ code: 'list-doubtful', message: 'it ended with an error' }];
    expect(await run({ mode: 'full' })).toMatchObject({ state: 'needs-attention', deleted: 0, suspected: 0 });
    expect(await living()).toBe(50);
    const stored = await findSource(database.reader, source.name);
    expect(await latestRun(database.reader, stored?.id ?? 0)).toMatchObject({
      error: { code: 'oai-list-incomplete' },
    });
    upstream.problems = [];
    expect(await run({ mode: 'full' })).toMatchObject({ state: 'needs-attention', suspected: 30 });
    expect(await latestRun(database.reader, stored?.id ?? 0)).toMatchObject({
      error: { code: 'deletions-refused' },
    });
  });

  test('a few items may vanish from a small repository without a person, up to the configured number', async () => {
    upstream.items = new Map([...upstream.items].slice(0, 30));
    await run();
    for (let index = 0; index < 20; index += 1) upstream.items.delete(`id:${index}`);
    expect(await run({ mode: 'full' })).toMatchObject({ state: 'succeeded', deleted: 20 });
  });

  test('a record that could not even be named forbids deletions', async () => {
    await run();
    upstream.items.delete('id:7');
    upstream.problems = [{ code: 'record-quarantined', message: 'unreadable' }];
    expect(await run({ mode: 'full' })).toMatchObject({ state: 'needs-attention', deleted: 0, unseen: 1 });
    expect(await living()).toBe(50);
  });

  test('a doubtful list of a format that was always empty forbids nothing', async () => {
    await run();
    upstream.items.delete('id:7');
    upstream.problems = [{ code: 'list-doubtful', empty: true, message: 'nothing there', format: 'mods' }];
    expect(await run({ mode: 'full' })).toMatchObject({ state: 'succeeded', deleted: 1 });
    upstream.items.delete('id:8');
    upstream.problems = [{ code: 'list-doubtful', message: 'it ended early', format: 'oai_dc' }];
    expect(await run({ mode: 'full' })).toMatchObject({ state: 'needs-attention', deleted: 0 });
  });

  test('an upstream that keeps tombstones is taken at its word, until it does not even know the item', async () => {
    upstream.deletedRecords = 'persistent';
    await run();
    upstream.items.delete('id:7');
    const { adapter } = source;
    const item = async () => toItem('oai_dc', 'id:7', '7');
    source = { ...source, adapter: { ...adapter, item } };
    expect(await run({ mode: 'full' })).toMatchObject({ state: 'succeeded', deleted: 0 });
    expect(await living()).toBe(50);
    source = { ...source, adapter };
    expect(await run({ mode: 'full' })).toMatchObject({ state: 'succeeded', deleted: 1 });
  });

  test('a change of the configured formats is a full pass, and a format no longer wanted is deleted', async () => {
    upstream.formats = ['oai_dc', 'mods'];
    upstream.deletedRecords = 'persistent';
    expect(await run()).toMatchObject({ created: 100 });
    upstream.formats = ['oai_dc'];
    source = { ...source, config: { ...source.config, formats: ['oai_dc'] } };
    expect(await run()).toMatchObject({ mode: 'full', state: 'succeeded', deleted: 50 });
    expect(await living()).toBe(50);
  });

  test('a format that the upstream no longer lists is a loss, not a decision', async () => {
    upstream.formats = ['oai_dc', 'mods'];
    upstream.deletedRecords = 'persistent';
    await run();
    upstream.formats = ['oai_dc'];
    expect(await run()).toMatchObject({ mode: 'full', state: 'needs-attention', deleted: 0, unseen: 50 });
    // Still the question, although now the same as before is asked of an upstream that keeps tombstones.
    expect(await run({ mode: 'full' })).toMatchObject({ state: 'needs-attention', unseen: 50 });
    upstream.formats = ['mods', 'oai_dc'];
    expect(await run()).toMatchObject({ mode: 'full', state: 'succeeded', deleted: 0, unchanged: 100 });
    upstream.formats = ['oai_dc', 'mods'];
    expect(await run()).toMatchObject({ mode: 'incremental', unchanged: 100 });
  });

  test('other collections are another question: tombstones of the old one do not answer it', async () => {
    upstream.deletedRecords = 'persistent';
    await run();
    for (let index = 0; index < 10; index += 1) upstream.items.delete(`id:${index}`);
    source = { ...source, config: { ...source.config, collections: ['a'] } };
    expect(await run()).toMatchObject({ mode: 'full', state: 'succeeded', deleted: 10 });
  });

  test('--since behind the last good run leaves no gap for the next one', async () => {
    await run();
    await run({ since: '2026-11-21T09:59:59Z' });
    await run();
    expect(upstream.requests.map(({ since }) => since)).toEqual([
      undefined,
      '2026-11-21T09:59:59Z',
      '2026-11-21T09:59:58Z',
    ]);
  });

  test('an upstream that does not even introduce itself leaves a word, and the checkpoint as it was', async () => {
    upstream.failAt = 4;
    await expect(run()).rejects.toThrow();
    const { adapter } = source;
    const identify = async () => {
      throw new BridgeError('upstream-status', 'it answered 500');
    };
    source = { ...source, adapter: { ...adapter, identify } };
    await expect(run()).rejects.toMatchObject({ code: 'upstream-status' });
    expect((await findSource(database.reader, source.name))?.trouble).toMatchObject({
      code: 'upstream-status',
    });
    source = { ...source, adapter };
    expect(await run()).toMatchObject({ state: 'succeeded', created: 50 });
    expect(upstream.requests.at(-1)?.checkpoint).toEqual({ next: 20 });
    expect((await findSource(database.reader, source.name))?.trouble).toBeUndefined();
  });

  test('--limit stops early as if interrupted, and the next run goes on', async () => {
    expect(await run({ limit: 12 })).toMatchObject({ state: 'interrupted', items: 15 });
    expect(await run()).toMatchObject({ state: 'succeeded', items: 50, created: 50 });
    expect(await changes()).toBe(50);
  });

  test('the first Ctrl-C finishes the page, and does not wait for the next one', async () => {
    const stop = new AbortController();
    const report = await run({
      stop: stop.signal,
      onProgress: ({ run: { pages } }) => pages === 2 && stop.abort(),
    });
    expect(report).toMatchObject({ state: 'interrupted', pages: 2, items: 10 });
    expect(await living()).toBe(10);
  });

  test('a dry run says what would change and writes nothing', async () => {
    const options = { ...never(), mode: 'incremental' } as const;
    const deps = { database, clock, log: silent };
    expect(await dryRun(deps, source, options)).toMatchObject({ mode: 'full', created: 50 });
    expect(await findSource(database.reader, source.name)).toBeUndefined();
    await run();
    upstream.items.set('id:3', 'changed');
    expect(await dryRun(deps, source, options)).toMatchObject({
      mode: 'incremental',
      updated: 1,
      unchanged: 49,
    });
    expect(await changes()).toBe(50);
    const stored = await findSource(database.reader, source.name);
    expect(await listRuns(database.reader, stored?.id ?? 0, 10)).toHaveLength(1);
  });

  test('two harvests of one source do not run at once', async () => {
    const both = await Promise.allSettled([run(), run()]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'lease-held' },
    });
    expect(await changes()).toBe(50);
  });

  test('once another process has taken over, nothing more is written, neither that it has failed', async () => {
    await run({ limit: 10 });
    const holder = 'elsewhere/1/x';
    const { pages } = source.adapter;
    source = {
      ...source,
      adapter: {
        ...source.adapter,
        pages: async function* (request, signal) {
          // That one continues the run.
          const taken = { harvest_holder: holder, harvest_expires: clock.now().getTime() + 30_000 };
          await database.writer('source').where({ name: source.name }).update(taken);
          const running = { state: 'running', ended_at: null };
          await database.writer('run').where({ state: 'interrupted' }).update(running);
          source.lessons.learn('lesson', '1', 'It is slow.');
          yield* pages(request, signal);
        },
      },
    };
    await expect(run()).rejects.toMatchObject({ code: 'lease-lost' });
    const stored = await findSource(database.reader, source.name);
    expect(await latestRun(database.reader, stored?.id ?? 0)).toMatchObject({ state: 'running', items: 10 });
    expect(await loadLessons(database.reader, source.name)).toEqual([]);
    const held = await database.reader('source').where({ name: source.name }).pluck('harvest_holder');
    expect(held).toEqual([holder]);
    expect(await changes()).toBe(10);
  });
});

function never(): { stop: AbortSignal; signal: AbortSignal } {
  return { stop: new AbortController().signal, signal: new AbortController().signal };
}
