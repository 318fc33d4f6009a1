import { beforeEach, expect, test } from 'vitest';
import { parseConfig, type SourceConfig } from '../../../src/core/config/config.ts';
import { harvest } from '../../../src/harvest/harvest.ts';
import type {
  HarvestOptions,
  HarvestSource,
  IdentifierOptions,
} from '../../../src/harvest/harvest-source.ts';
import { identifierPass, type Skipped } from '../../../src/harvest/identifiers/identifier-pass.ts';
import { createLessonBook } from '../../../src/harvest/lessons.ts';
import type { HarvestReport } from '../../../src/harvest/report.ts';
import { acceptDeletions } from '../../../src/harvest/vanished/accept-deletions.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { acquireLease, releaseLease } from '../../../src/store/runs/leases.ts';
import { latestRun, listRuns } from '../../../src/store/runs/runs.ts';
import { findSource } from '../../../src/store/sources/sources.ts';
import { adapterOf, type FakeUpstream, fakeUpstream } from '../../house/harvest/fake-upstream.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { listProblems } from '../../house/store/told-problems.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { now: () => new Date('2026-11-21T10:00:00Z'), sleep: async () => undefined };

let names = 0;

describeOnBoth('a look through the identifiers', (open) => {
  let database: Database;
  let upstream: FakeUpstream;
  let source: HarvestSource;

  function connect(next: FakeUpstream): void {
    names += 1;
    const name = `listed-${names}`;
    upstream = next;
    source = {
      name,
      config: parseConfig({ sources: { [name]: { url: 'http://127.0.0.1/oai' } } }).sources[
        name
      ] as SourceConfig,
      adapter: adapterOf(next),
      lessons: createLessonBook(clock),
    };
  }

  const never = () => ({ stop: new AbortController().signal, signal: new AbortController().signal });
  const deps = () => ({ database, clock, log: silent });
  const run = (options: Partial<HarvestOptions> = {}): Promise<HarvestReport> =>
    harvest(deps(), source, { mode: 'incremental', ...never(), ...options });
  const look = (options: Partial<IdentifierOptions> = {}): Promise<HarvestReport | Skipped> =>
    identifierPass(deps(), source, { ...never(), ...options });

  const accept = () => acceptDeletions(deps(), source, { run: undefined, ...never() });

  const sourceId = async () => (await findSource(database.reader, source.name))?.id ?? 0;

  async function living(): Promise<number> {
    const [row] = await database
      .reader('resource')
      .where({ source_id: await sourceId() })
      .whereNull('deleted_at')
      .count({ count: '*' });
    return Number(row?.count);
  }

  beforeEach(() => {
    database = open().database;
    connect(fakeUpstream(35, ['mods', 'oai_dc']));
  });

  test('deletes items that are not listed any more, in all formats, and asks for nothing else', async () => {
    await run();
    upstream.items.delete('id:4');
    upstream.items.delete('id:30');
    expect(await look()).toMatchObject({ mode: 'identifiers', state: 'succeeded', items: 66, deleted: 4 });
    expect(upstream.asked).toEqual(['id:4', 'id:30']);
    expect(await living()).toBe(66);
    expect(await look()).toMatchObject({ state: 'succeeded', items: 66, deleted: 0, unchanged: 0 });
  });

  test('an item that is listed in one format alone is there, as far as this goes', async () => {
    await run();
    upstream.items.set('id:4', new Map([['oai_dc', '4']]));
    expect(await look()).toMatchObject({ deleted: 0 });
    expect(upstream.asked).toEqual([]);
    expect(await living()).toBe(70);
  });

  test('an item that never had the format that is listed is no matter of that list', async () => {
    upstream.listedFormats = ['mods'];
    upstream.items.set('id:4', new Map([['oai_dc', '4']]));
    await run();
    upstream.items.delete('id:5');
    expect(await look()).toMatchObject({ state: 'succeeded', items: 33, deleted: 2 });
    expect(upstream.asked).toEqual(['id:5']);
  });

  test('fetches what is listed but not here, whether it was never delivered or deleted here (quirks 18, 52)', async () => {
    upstream.unlisted.add('id:5');
    await run();
    const kept = upstream.items.get('id:6') ?? new Map();
    upstream.items.delete('id:6');
    await run({ mode: 'full' });
    expect(await living()).toBe(66);
    upstream.unlisted.clear();
    upstream.items.set('id:6', kept);
    upstream.asked.length = 0;
    expect(await look()).toMatchObject({ state: 'succeeded', created: 4 });
    expect(upstream.asked).toEqual(['id:5', 'id:6']);
    expect(await living()).toBe(70);
  });

  test('a tombstone in the list is asked for, and believed (quirk 58)', async () => {
    await run();
    upstream.items.delete('id:7');
    upstream.tombstones.add('id:7').add('id:never-seen');
    expect(await look()).toMatchObject({ state: 'succeeded', deleted: 2, created: 0 });
    expect(upstream.asked).toEqual(['id:7']);
  });

  test('what is listed and denied is a word for the operator, not a failure (quirk 69)', async () => {
    await run();
    upstream.items.set('id:new', new Map([['oai_dc', 'new']]));
    const { adapter } = source;
    source = { ...source, adapter: { ...adapter, item: async () => undefined } };
    const report = await look();
    expect(report).toMatchObject({ state: 'succeeded', created: 0, problems: 1 });
    expect(await listProblems(database.reader, (report as HarvestReport).runId, 5)).toMatchObject([
      { code: 'endpoint-quirk', message: expect.stringContaining('1 item that it lists') },
    ]);
  });

  test('of many that are not here, a hundred are fetched', async () => {
    connect(fakeUpstream(10));
    await run();
    for (let index = 10; index < 160; index += 1)
      upstream.items.set(`id:${index}`, new Map([['oai_dc', `${index}`]]));
    expect(await look()).toMatchObject({ created: 100, problems: 1 });
    expect(await look()).toMatchObject({ created: 50, problems: 0 });
    expect(await living()).toBe(160);
  });

  test('a list in doubt, or one that lacks too much, deletes nothing and asks for a person', async () => {
    await run();
    upstream.items.delete('id:7');
    upstream.problems = [{ code: 'list-doubtful', message: 'it ended early', format: 'oai_dc' }];
    expect(await look()).toMatchObject({ state: 'needs-attention', deleted: 0 });
    upstream.problems = [];
    for (let index = 0; index < 20; index += 1) upstream.items.delete(`id:${index}`);
    expect(await look()).toMatchObject({ state: 'needs-attention', deleted: 0, unseen: 40 });
    expect(upstream.asked).toEqual([]);
    expect(await accept()).toMatchObject({ pass: 'identifiers', asked: 20, deleted: 40, remaining: 0 });
    expect(upstream.asked).toHaveLength(20);
  });

  test('continues at its checkpoint, remembers what it found to fetch, and is no harvest to be continued', async () => {
    await run();
    upstream.items.delete('id:30');
    upstream.items.set('id:new', new Map([['mods', 'new']]));
    upstream.failAt = 5;
    await expect(look()).rejects.toMatchObject({ code: 'upstream-cut-off' });
    expect(await latestRun(database.reader, await sourceId())).toMatchObject({ mode: 'full' });
    expect(await run()).toMatchObject({ mode: 'incremental', state: 'succeeded' });
    expect(await look()).toMatchObject({ state: 'succeeded', items: 70, created: 1, deleted: 2 });
    expect(upstream.begun).toEqual([undefined, { next: 50 }]);
    expect(upstream.asked).toEqual(['id:new', 'id:30']);
    expect(
      (await listRuns(database.reader, await sourceId(), 9)).map(({ mode, state }) => [mode, state]),
    ).toEqual([
      ['incremental', 'succeeded'],
      ['identifiers', 'succeeded'],
      ['full', 'succeeded'],
    ]);
  });

  test('one that never gets any further begins anew after three tries', async () => {
    await run();
    upstream.failAt = 2;
    await expect(look()).rejects.toThrow();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      upstream.failAt = 0;
      await expect(look()).rejects.toThrow();
    }
    expect(await look()).toMatchObject({ state: 'succeeded', items: 70 });
    expect(upstream.begun.at(-1)).toBeUndefined();
  });

  test('does not come before the first full harvest, within an unfinished one, or after a change of selection', async () => {
    expect(await look()).toMatchObject({ skipped: expect.stringContaining('never been read') });
    expect(await run({ limit: 1 })).toMatchObject({ state: 'interrupted' });
    expect(await look()).toMatchObject({ skipped: expect.stringContaining('never been read') });
    await run();
    await run({ mode: 'full', limit: 1 });
    expect(await look()).toMatchObject({ skipped: expect.stringContaining('not come to its end') });
    await run();
    source = { ...source, config: { ...source.config, formats: ['oai_dc'] } };
    expect(await look()).toMatchObject({ skipped: expect.stringContaining('everything anew') });
    expect(upstream.begun).toEqual([]);
  });

  test('a full pass between its two parts is not disturbed, nor does it disturb', async () => {
    await run();
    upstream.failAt = 3;
    await expect(look()).rejects.toThrow();
    upstream.items.delete('id:1');
    expect(await run({ mode: 'full' })).toMatchObject({ state: 'succeeded', deleted: 2 });
    expect(await look()).toMatchObject({ state: 'succeeded', deleted: 0, created: 0 });
    expect(await run({ mode: 'full' })).toMatchObject({ state: 'succeeded', deleted: 0 });
    expect(await living()).toBe(68);
  });

  test('the first Ctrl-C finishes the page; whoever else holds the lease is not disturbed', async () => {
    await run();
    const stop = new AbortController();
    stop.abort();
    expect(await look({ stop: stop.signal })).toMatchObject({ state: 'interrupted', items: 10 });
    const lease = await acquireLease(database, source.name, clock.now().getTime());
    await expect(look()).rejects.toMatchObject({ code: 'lease-held' });
    await releaseLease(database, lease);
    expect(await look()).toMatchObject({ state: 'succeeded', items: 70 });
  });

  test('is the second list that leaves out what is there all the same, or the first', async () => {
    upstream.triage = 'each';
    await run();
    const omit = (id: string) => {
      upstream.unlisted.add(id);
      upstream.unaccounted.add(id);
    };
    omit('id:4');
    await run({ mode: 'full' });
    omit('id:5');
    expect(await look()).toMatchObject({ state: 'succeeded', deleted: 2, unseen: 4 });
    expect(await living()).toBe(68);
    expect(await run({ mode: 'full' })).toMatchObject({ state: 'succeeded', deleted: 2 });
    expect(await living()).toBe(66);
  });

  test('fetches nothing that is said to be left out of the list that has it', async () => {
    upstream.unlisted.add('id:5');
    await run();
    upstream.unlisted.clear();
    upstream.unaccounted.add('id:5');
    expect(await look()).toMatchObject({ state: 'succeeded', created: 0 });
    expect(upstream.asked).toEqual(['id:5']);
  });
});
