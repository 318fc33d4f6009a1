import { beforeEach, describe, expect, test } from 'vitest';
import { parseConfig, type SourceConfig } from '../../../src/core/config/config.ts';
import { harvest } from '../../../src/harvest/harvest.ts';
import type { HarvestOptions, HarvestSource } from '../../../src/harvest/harvest-source.ts';
import { createLessonBook } from '../../../src/harvest/lessons.ts';
import type { HarvestReport } from '../../../src/harvest/report.ts';
import { acceptDeletions } from '../../../src/harvest/vanished/accept-deletions.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { listRuns } from '../../../src/store/runs/runs.ts';
import { findSource, loadLessons } from '../../../src/store/sources/sources.ts';
import { adapterOf, type FakeUpstream, fakeUpstream } from '../../house/harvest/fake-upstream.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { listProblems } from '../../house/store/told-problems.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { now: () => new Date('2026-11-21T10:00:00Z'), sleep: async () => undefined };

let names = 0;

describeOnBoth('what a full pass did not see', (open) => {
  let database: Database;
  let upstream: FakeUpstream;
  let source: HarvestSource;

  function connect(next: FakeUpstream, settings: Partial<SourceConfig> = {}): void {
    names += 1;
    const name = `vanished-${names}`;
    const raw = { sources: { [name]: { url: 'http://127.0.0.1/oai', ...settings } } };
    upstream = next;
    source = {
      name,
      config: parseConfig(raw).sources[name] as SourceConfig,
      adapter: adapterOf(next),
      lessons: createLessonBook(clock),
    };
  }

  const run = (options: Partial<HarvestOptions> = {}): Promise<HarvestReport> =>
    harvest({ database, clock, log: silent }, source, {
      mode: 'full',
      stop: new AbortController().signal,
      signal: new AbortController().signal,
      ...options,
    });

  const accept = () =>
    acceptDeletions({ database, clock, log: silent }, source, {
      run: undefined,
      stop: new AbortController().signal,
      signal: new AbortController().signal,
    });

  async function living(): Promise<string[]> {
    const stored = await findSource(database.reader, source.name);
    const rows: { identifier: string; format: string }[] = await database
      .reader('resource')
      .join('item', 'item.id', 'resource.item_id')
      .where({ 'resource.source_id': stored?.id ?? 0 })
      .whereNull('deleted_at')
      .select('item.identifier', 'resource.format');
    return rows.map(({ identifier, format }) => `${identifier} ${format}`);
  }

  /** What is kept from everybody with its past. */
  async function refused(): Promise<string[]> {
    const stored = await findSource(database.reader, source.name);
    return database
      .reader('resource')
      .join('item', 'item.id', 'resource.item_id')
      .where({ 'resource.source_id': stored?.id ?? 0 })
      .whereNotNull('resource.refused_at')
      .pluck('item.identifier');
  }

  const lessons = async () => (await loadLessons(database.reader, source.name)).map(({ key }) => key);
  const problems = async ({ runId }: HarvestReport) =>
    (await listProblems(database.reader, runId, 10)).map(({ code, identifier }) => `${code} ${identifier}`);

  beforeEach(() => {
    database = open().database;
    connect(fakeUpstream(40));
  });

  test('is asked for before it is deleted, one by one (quirk 58)', async () => {
    await run();
    for (const id of ['id:7', 'id:8', 'id:9']) upstream.items.delete(id);
    upstream.tombstones.add('id:9');
    expect(await run()).toMatchObject({ state: 'succeeded', deleted: 3, unseen: 3 });
    expect(upstream.asked).toEqual(['id:7', 'id:8', 'id:9']);
    expect(await living()).toHaveLength(37);
    expect(await lessons()).toEqual([]);
  });

  test('stays when it is there after all, as it is now, and the lists are known to leave out things (quirk 18)', async () => {
    await run();
    upstream.unlisted.add('id:3');
    upstream.items.set('id:3', new Map([['oai_dc', 'changed']]));
    upstream.items.delete('id:4');
    const report = await run();
    expect(report).toMatchObject({ state: 'succeeded', updated: 1, deleted: 1 });
    expect(await living()).toHaveLength(39);
    expect(await lessons()).toEqual(['list-omissions']);
    expect(await problems(report)).toEqual(['endpoint-quirk undefined']);
    upstream.unlisted.clear();
    await run();
    expect(await lessons()).toEqual([]);
  });

  test('and of which the answer is an error stays, and is asked for again (quirk 69)', async () => {
    await run();
    for (const id of ['id:1', 'id:2']) upstream.items.delete(id);
    upstream.broken.add('id:1');
    const report = await run();
    expect(report).toMatchObject({ state: 'succeeded', deleted: 1, problems: 1 });
    expect(await problems(report)).toEqual(['record-quarantined id:1']);
    expect(await living()).toContain('id:1 oai_dc');
    upstream.broken.clear();
    expect(await run()).toMatchObject({ deleted: 1, problems: 0 });
    expect(upstream.asked).toEqual(['id:1', 'id:2', 'id:1']);
  });

  test('a server that fails again and again is not asked any more in this run', async () => {
    await run();
    for (let index = 0; index < 15; index += 1) {
      upstream.items.delete(`id:${index}`);
      upstream.broken.add(`id:${index}`);
    }
    expect(await run()).toMatchObject({ state: 'succeeded', deleted: 0, problems: 6 });
    expect(upstream.asked).toHaveLength(5);
    expect(await living()).toHaveLength(40);
    // The next run begins with the others.
    await run();
    expect(new Set(upstream.asked).size).toBe(10);
  });

  test('is believed to be gone, however much it is, when a hundred samples are (quirk 57)', async () => {
    connect(fakeUpstream(1500));
    await run();
    for (let index = 0; index < 140; index += 1) upstream.items.delete(`id:${index}`);
    expect(await run()).toMatchObject({ state: 'succeeded', deleted: 140 });
    expect(upstream.asked).toHaveLength(100);
  });

  test('is not believed to be gone where one of the samples lives: the rest waits for its turn', async () => {
    connect(fakeUpstream(1500));
    await run();
    for (let index = 0; index < 140; index += 1) {
      if (index === 50) upstream.unlisted.add('id:50');
      else upstream.items.delete(`id:${index}`);
    }
    const report = await run();
    expect(report).toMatchObject({ state: 'succeeded', deleted: 99, problems: 2 });
    // Those that were not asked for come first now, the one that lives last.
    expect(await run()).toMatchObject({ state: 'succeeded', deleted: 40 });
    expect(upstream.asked.slice(100)).toHaveLength(41);
    expect(upstream.asked.at(-1)).toBe('id:50');
    expect(await living()).toHaveLength(1361);
  });

  test('of an upstream that keeps tombstones goes only when it was asked for (a lying `persistent`)', async () => {
    connect(fakeUpstream(1500));
    upstream.deletedRecords = 'persistent';
    await run();
    for (let index = 0; index < 120; index += 1) upstream.items.delete(`id:${index}`);
    expect(await run()).toMatchObject({ state: 'succeeded', deleted: 100, problems: 1 });
    expect(await lessons()).toEqual(['traceless-deletions']);
    expect(await run()).toMatchObject({ state: 'succeeded', deleted: 20, problems: 0 });
  });

  test('confirmation does not disarm the fuse: a server without its index denies everything', async () => {
    for (const deletedRecords of ['no', 'persistent'] as const) {
      connect(fakeUpstream(40));
      upstream.deletedRecords = deletedRecords;
      await run();
      for (let index = 0; index < 30; index += 1) upstream.items.delete(`id:${index}`);
      expect(await run()).toMatchObject({ state: 'needs-attention', deleted: 0, unseen: 30 });
      expect(upstream.asked).toEqual([]);
      expect(await accept()).toMatchObject({ asked: 30, deleted: 30, remaining: 0 });
    }
  });

  test('a repository that names its items by another host is told of as such (OAI-PMH, Unique Identifier)', async () => {
    const named = (host: string) => (n: number) => `oai:${host}:${n}`;
    const all = Array.from({ length: 40 }, (_, n) => n);
    const put = (nameOf: (n: number) => string) => {
      upstream.items.clear();
      for (const n of all) upstream.items.set(nameOf(n), new Map([['oai_dc', `${n}`]]));
    };
    put(named('old.example.org'));
    const refusal = async (report: HarvestReport) => {
      const stored = await findSource(database.reader, source.name);
      const [latest] = await listRuns(database.reader, stored?.id ?? 0, 1);
      expect(latest?.id).toBe(report.runId);
      return latest?.error?.message ?? '';
    };
    await run();
    put(named('new.example.org'));
    expect(await refusal(await run())).toContain(
      'seems to have renamed its items: oai:old.example.org:0 is oai:new.example.org:0 now',
    );
    expect(await living()).toHaveLength(80);
    // Another repository at the same address is none of its kind.
    put((n) => `oai:other.example.org:x${n}`);
    const other = await refusal(await run());
    expect(other).toContain('no longer in the list');
    expect(other).not.toContain('renamed');
  });

  test('a format that vanished from one item goes, the others stay', async () => {
    connect(fakeUpstream(10, ['mods', 'oai_dc']));
    await run();
    upstream.items.set('id:5', new Map([['oai_dc', '5']]));
    upstream.unlisted.add('id:6 mods');
    expect(await run()).toMatchObject({ state: 'succeeded', deleted: 1, unseen: 2 });
    expect(await living()).not.toContain('id:5 mods');
    expect(await living()).toEqual(expect.arrayContaining(['id:5 oai_dc', 'id:6 mods']));
    expect(await lessons()).toEqual(['list-omissions']);
  });

  test('what lives in another collection by now is gone from ours (quirk 66)', async () => {
    connect(fakeUpstream(10), { collections: ['a'] });
    for (const id of upstream.items.keys()) upstream.collections.set(id, ['a:b']);
    await run();
    for (const id of ['id:1', 'id:2']) upstream.unlisted.add(id);
    upstream.collections.set('id:1', ['c']);
    expect(await run()).toMatchObject({ state: 'succeeded', deleted: 1 });
    expect(await living()).toContain('id:2 oai_dc');
  });

  test('what comes back is created again (quirk 61)', async () => {
    await run();
    const kept = upstream.items.get('id:7') ?? new Map();
    upstream.items.delete('id:7');
    expect(await run()).toMatchObject({ deleted: 1 });
    upstream.items.set('id:7', kept);
    expect(await run()).toMatchObject({ created: 1, deleted: 0 });
  });

  test('the record of another item is no answer', async () => {
    await run();
    upstream.items.delete('id:7');
    const { adapter } = source;
    source = { ...source, adapter: { ...adapter, item: (_, signal) => adapter.item('id:8', signal) } };
    expect(await run()).toMatchObject({ state: 'succeeded', deleted: 0, problems: 1 });
  });

  test('the first Ctrl-C ends the asking, and deletes no more than was confirmed', async () => {
    await run();
    for (const id of ['id:1', 'id:2', 'id:3']) upstream.items.delete(id);
    const stop = new AbortController();
    const { adapter } = source;
    const item: typeof adapter.item = (identifier, signal) => {
      stop.abort();
      return adapter.item(identifier, signal);
    };
    // The pages are over when the first item is asked for.
    source = { ...source, adapter: { ...adapter, item } };
    expect(await run({ stop: stop.signal })).toMatchObject({ deleted: 1 });
    expect(await living()).toHaveLength(39);
  });

  describe('where the upstream can say what became of each item', () => {
    const messages = async ({ runId }: HarvestReport) =>
      (await listProblems(database.reader, runId, 2000)).map(({ message }) => message);

    function vanish(from: number, to: number): void {
      for (let index = from; index < to; index += 1) upstream.items.delete(`id:${index}`);
    }

    beforeEach(() => {
      connect(fakeUpstream(1500), { requestsPerHost: 2 });
      upstream.triage = 'each';
    });

    test('every one is asked for, however many, and those that are there stay', async () => {
      await run();
      vanish(0, 140);
      upstream.unlisted.add('id:200');
      upstream.tombstones.add('id:7');
      const report = await run();
      expect(report).toMatchObject({ state: 'succeeded', deleted: 140, unseen: 141 });
      expect(upstream.asked).toHaveLength(141);
      expect(await living()).toHaveLength(1360);
      // That a list lags is no reason to distrust lists for ever.
      expect(await lessons()).toEqual([]);
      expect(await run()).toMatchObject({ state: 'succeeded', deleted: 0, unseen: 1 });
    });

    test('of which nobody can say anything stays, and with it all that was not asked for', async () => {
      await run();
      vanish(0, 40);
      for (const index of [3, 4]) upstream.broken.add(`id:${index}`);
      const report = await run();
      expect(report).toMatchObject({ state: 'succeeded', deleted: 38, suspected: 2 });
      expect((await messages(report)).filter((message) => /gave no clear answer/.test(message))).toHaveLength(
        1,
      );
      expect(await living()).toContain('id:3 oai_dc');
      upstream.broken.clear();
      expect(await run()).toMatchObject({ deleted: 2 });
      // Five failures in a row, and the server is left alone.
      vanish(40, 100);
      for (let index = 50; index < 100; index += 1) upstream.broken.add(`id:${index}`);
      upstream.asked.length = 0;
      expect(await run()).toMatchObject({ state: 'succeeded', deleted: 10 });
      expect(upstream.asked.length).toBeLessThan(20);
      expect(await living()).toHaveLength(1450);
    });

    test('a person looks first where much would go at once', async () => {
      await run();
      vanish(0, 500);
      await expect(run()).resolves.toMatchObject({ state: 'needs-attention', deleted: 0, unseen: 500 });
      // So many show that it is not that they were withdrawn.
      expect(upstream.asked).toHaveLength(100);
    });

    test('what is hidden by its own word goes, however much it is', async () => {
      await run();
      for (let index = 0; index < 510; index += 1) {
        upstream.items.delete(`id:${index}`);
        if (index >= 5) upstream.tombstones.add(`id:${index}`);
      }
      expect(await run()).toMatchObject({ state: 'succeeded', deleted: 510, unseen: 510 });
      expect(await living()).toHaveLength(990);
    });

    test('what is there though no list has it goes when a second list leaves it out, too', async () => {
      await run();
      upstream.items.set('id:5', new Map([['oai_dc', 'changed']]));
      for (const id of ['id:5', 'id:6']) {
        upstream.unlisted.add(id);
        upstream.unaccounted.add(id);
      }
      const first = await run();
      expect(first).toMatchObject({ state: 'succeeded', deleted: 0, updated: 0, unseen: 2 });
      expect(await messages(first)).toEqual([
        expect.stringMatching(/^id:5 is missing from its list, but is there/),
        expect.stringMatching(/^id:6 is missing from its list, but is there/),
      ]);
      expect(await lessons()).toEqual([]);
      // One is listed again, and new; the other is not.
      upstream.unlisted.delete('id:6');
      upstream.unaccounted.delete('id:6');
      expect(await run()).toMatchObject({ state: 'succeeded', deleted: 1, updated: 0, unseen: 1 });
      expect(await living()).toHaveLength(1499);
      // Somebody has hidden it there: its past is for nobody either, until a list has it again.
      expect(await refused()).toEqual(['id:5']);
      upstream.unlisted.delete('id:5');
      upstream.unaccounted.delete('id:5');
      expect(await run()).toMatchObject({ state: 'succeeded', created: 1 });
      expect(await refused()).toEqual([]);
      // It was missing only once: for that one it begins anew.
      upstream.unlisted.add('id:6');
      upstream.unaccounted.add('id:6');
      expect(await run()).toMatchObject({ deleted: 0, unseen: 1 });
      expect(await run()).toMatchObject({ deleted: 1, unseen: 1 });
    });

    test('a list in doubt takes nothing away, but what is gone by its own word goes', async () => {
      await run();
      vanish(0, 5);
      upstream.unlisted.add('id:6');
      upstream.unaccounted.add('id:6');
      const { adapter } = source;
      source = {
        ...source,
        adapter: {
          ...adapter,
          async *pages(...request) {
            for await (const page of adapter.pages(...request))
              yield { ...page, problems: [{ code: 'list-doubtful', message: 'it ended early' }] };
          },
        },
      };
      for (const deleted of [5, 0, 0])
        expect(await run()).toMatchObject({ state: 'needs-attention', deleted });
      expect(await living()).toHaveLength(1495);
      // So much at once is for a person to see, whoever says so.
      vanish(10, 500);
      upstream.asked.length = 0;
      expect(await run()).toMatchObject({ state: 'needs-attention', deleted: 0 });
      expect(upstream.asked).toHaveLength(100);
    });

    test('a list that was in doubt is not the first of two', async () => {
      await run();
      upstream.unlisted.add('id:6');
      upstream.unaccounted.add('id:6');
      const { adapter } = source;
      source = {
        ...source,
        adapter: {
          ...adapter,
          async *pages(...request) {
            for await (const page of adapter.pages(...request)) {
              yield { ...page, problems: [{ code: 'list-doubtful', message: 'it ended early' }] };
            }
          },
        },
      };
      expect(await run()).toMatchObject({ state: 'needs-attention', deleted: 0 });
      source = { ...source, adapter };
      expect(await run()).toMatchObject({ deleted: 0, unseen: 1 });
      expect(await run()).toMatchObject({ deleted: 1, unseen: 1 });
    });
  });
});
