import { beforeEach, expect, test } from 'vitest';
import { parseConfig, type SourceConfig } from '../../../src/core/config/config.ts';
import { harvest } from '../../../src/harvest/harvest.ts';
import type { HarvestOptions, HarvestSource } from '../../../src/harvest/harvest-source.ts';
import { identifierPass } from '../../../src/harvest/identifiers/identifier-pass.ts';
import { harvestItem } from '../../../src/harvest/items/one-item.ts';
import { createLessonBook } from '../../../src/harvest/lessons.ts';
import type { HarvestReport } from '../../../src/harvest/report.ts';
import {
  type Acceptance,
  type AcceptanceReport,
  acceptDeletions,
} from '../../../src/harvest/vanished/accept-deletions.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { latestFullPass } from '../../../src/store/runs/runs.ts';
import { countVanished, listVanished } from '../../../src/store/runs/vanished.ts';
import { findSource } from '../../../src/store/sources/sources.ts';
import { adapterOf, type FakeUpstream, fakeUpstream } from '../../house/harvest/fake-upstream.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
let time = Date.parse('2026-11-21T10:00:00Z');
const clock = { now: () => new Date(time), sleep: async () => undefined };
const never = () => ({ stop: new AbortController().signal, signal: new AbortController().signal });
let names = 0;

describeOnBoth('what a person accepts to be gone', (open) => {
  let database: Database;
  let upstream: FakeUpstream;
  let source: HarvestSource;

  const deps = () => ({ database, clock, log: silent });
  const run = (options: Partial<HarvestOptions> = {}): Promise<HarvestReport> =>
    harvest(deps(), source, { mode: 'full', ...never(), ...options });
  const accept = (options: Partial<Acceptance> = {}): Promise<AcceptanceReport> =>
    acceptDeletions(deps(), source, { run: undefined, ...never(), ...options });
  const sourceId = async () => (await findSource(database.reader, source.name))?.id ?? 0;
  const suspects = async () =>
    (await listVanished(database.reader, await sourceId(), 0, 2000)).map(({ identifier }) => identifier);
  const state = async () => (await latestFullPass(database.reader, await sourceId()))?.state;

  async function living(): Promise<string[]> {
    const rows: { identifier: string; format: string }[] = await database
      .reader('resource')
      .join('item', 'item.id', 'resource.item_id')
      .where({ 'resource.source_id': await sourceId() })
      .whereNull('deleted_at')
      .select('item.identifier', 'resource.format');
    return rows.map(({ identifier, format }) => `${identifier} ${format}`);
  }

  function connect(next: FakeUpstream, settings: Partial<SourceConfig> = {}): void {
    names += 1;
    const name = `accepted-${names}`;
    upstream = next;
    source = {
      name,
      config: parseConfig({ sources: { [name]: { url: 'http://127.0.0.1/oai', ...settings } } }).sources[
        name
      ] as SourceConfig,
      adapter: adapterOf(next),
      lessons: createLessonBook(clock),
    };
  }

  function vanish(from: number, to: number): void {
    for (let index = from; index < to; index += 1) upstream.items.delete(`id:${index}`);
  }

  /** Every list is one item long, and says of the rest what `problem` says. */
  function doubt(problem: object): void {
    const { adapter } = source;
    const pages: typeof adapter.pages = async function* (...request) {
      for await (const page of adapter.pages(...request))
        yield { ...page, problems: [{ code: 'list-doubtful', message: 'it broke', ...problem }] };
    };
    source = { ...source, adapter: { ...adapter, pages } };
  }

  beforeEach(() => {
    database = open().database;
    connect(fakeUpstream(40));
  });

  test('is asked for once more: what is there stays, and of what nobody can say anything is not decided', async () => {
    await run();
    vanish(0, 26);
    for (let index = 26; index < 30; index += 1) upstream.unlisted.add(`id:${index}`);
    upstream.items.set('id:29', new Map([['oai_dc', 'changed']]));
    for (const id of ['id:3', 'id:7']) upstream.broken.add(id);
    const shown = await run();
    expect(shown).toMatchObject({ state: 'needs-attention', unseen: 30 });
    expect(await suspects()).toHaveLength(30);
    expect(await accept({ run: shown.runId })).toMatchObject({
      run: shown.runId,
      pass: 'full',
      asked: 30,
      deleted: 24,
      alive: ['id:26', 'id:27', 'id:28', 'id:29'],
      unanswered: 2,
      remaining: 2,
    });
    expect(await suspects()).toEqual(['id:3', 'id:7']);
    expect(await state()).toBe('needs-attention');
    upstream.broken.clear();
    expect(await accept({ run: shown.runId })).toMatchObject({ asked: 2, deleted: 2, remaining: 0 });
    expect(await state()).toBe('succeeded');
    expect(await living()).toHaveLength(14);
    expect(await accept()).toMatchObject({ pass: undefined, asked: 0, deleted: 0 });
  });

  test('is what that run showed: after another pass it has to be looked at again', async () => {
    await run();
    vanish(0, 25);
    const shown = await run();
    vanish(25, 30);
    time += 86_400_000;
    const later = await run();
    await expect(accept({ run: shown.runId })).rejects.toMatchObject({
      code: 'vanished-changed',
      message: expect.stringContaining(`--accept-deletions ${later.runId}`),
    });
    expect(await living()).toHaveLength(40);
    const [first] = await listVanished(database.reader, await sourceId(), 0, 1);
    const last = (await listVanished(database.reader, await sourceId(), 0, 100)).at(-1);
    expect(last?.since).toBe(last?.at);
    expect(first?.since).not.toBe(first?.at);
    expect(await accept()).toMatchObject({ run: later.runId, deleted: 30 });
  });

  test('never what may be in a part that could not be read: a window, a collection, a format', async () => {
    connect(fakeUpstream(40, ['mods', 'oai_dc']));
    for (let index = 0; index < 40; index += 1)
      upstream.collections.set(`id:${index}`, [index < 25 ? 'a:b' : 'c']);
    await run();
    for (let index = 0; index < 40; index += 1) upstream.unlisted.add(`id:${index}`);
    const listed = source;
    doubt({ format: 'oai_dc' });
    await run();
    expect((await listVanished(database.reader, await sourceId(), 0, 100))[0]?.formats).toEqual(['mods']);
    source = listed;
    doubt({ part: { collection: 'a' } });
    await run();
    expect(await suspects()).toHaveLength(15);
    source = listed;
    doubt({ part: { from: '2019-12-01T00:00:00Z', until: '2020-01-01T00:00:00Z' } });
    await run();
    expect(await suspects()).toEqual([]);
    source = listed;
    doubt({ part: { from: '2026-01-01T00:00:00Z' } });
    await run();
    expect(await suspects()).toHaveLength(40);
    source = listed;
    doubt({});
    expect(await run()).toMatchObject({ state: 'needs-attention' });
    expect(await suspects()).toEqual([]);
    expect(await accept()).toMatchObject({ asked: 0, deleted: 0 });
    expect(await living()).toHaveLength(80);
    // That it could not be read does not get better by that.
    expect(await state()).toBe('needs-attention');
  });

  test('is not what has come back since, in whatever harvest, and then nobody has to look', async () => {
    await run();
    const kept = new Map(upstream.items);
    vanish(0, 30);
    expect(await run()).toMatchObject({ state: 'needs-attention' });
    const { adapter } = source;
    const pages: typeof adapter.pages = async function* (request, signal) {
      for (const [id, formats] of kept) upstream.items.set(id, formats);
      yield* adapter.pages({ ...request, mode: 'full' }, signal);
    };
    source = { ...source, adapter: { ...adapter, pages } };
    expect(await run({ mode: 'incremental' })).toMatchObject({ mode: 'incremental', unchanged: 40 });
    expect(await countVanished(database.reader, await sourceId())).toMatchObject({ items: 0 });
    expect(await state()).toBe('succeeded');
  });

  test('a look through the identifiers shows, too, and so does a sample that was not enough', async () => {
    connect(fakeUpstream(1500));
    await run();
    vanish(0, 140);
    upstream.unlisted.add('id:150');
    upstream.broken.add('id:0');
    const report = await run();
    expect(report).toMatchObject({ state: 'succeeded' });
    const waiting = await suspects();
    expect(waiting.length).toBeGreaterThan(30);
    vanish(200, 1500);
    const look = await identifierPass(deps(), source, never());
    expect(look).toMatchObject({ state: 'needs-attention' });
    upstream.broken.clear();
    expect(await accept()).toMatchObject({ pass: 'identifiers', remaining: 0 });
    expect(await living()).toHaveLength(60);
  });

  test('what is interrupted continues, and a server that fails five times in a row is left alone', async () => {
    connect(fakeUpstream(300));
    await run();
    vanish(0, 250);
    const shown = await run();
    const stop = new AbortController();
    const onProgress = (asked: number) => {
      if (asked === 70) stop.abort();
    };
    expect(await accept({ stop: stop.signal, onProgress })).toMatchObject({ deleted: 70, remaining: 180 });
    for (let index = 0; index < 250; index += 1) upstream.broken.add(`id:${index}`);
    upstream.asked.length = 0;
    expect(await accept()).toMatchObject({ deleted: 0, unanswered: 5, remaining: 180 });
    expect(upstream.asked).toHaveLength(5);
    upstream.broken.clear();
    expect(await accept({ run: shown.runId })).toMatchObject({ deleted: 180, remaining: 0 });
    expect(await living()).toHaveLength(50);
  });

  test('without a clear answer it stays on the list, whoever asks again, until a person lets it go', async () => {
    connect(fakeUpstream(100));
    upstream.triage = 'each';
    await run();
    vanish(0, 9);
    for (let index = 0; index < 8; index += 1) upstream.unclear.add(`id:${index}`);
    const waiting = Array.from({ length: 8 }, (_, index) => `id:${index}`);
    const shown = await run();
    expect(shown).toMatchObject({ state: 'succeeded', deleted: 1, suspected: 8 });
    expect(await suspects()).toEqual(waiting);
    const [first] = await listVanished(database.reader, await sourceId(), 0, 1);
    expect(first).toMatchObject({ isUnclear: true, runId: shown.runId });
    // What could not be read is asked for again beside changes, and one by one.
    time += 2 * 3_600_000;
    await run({ mode: 'incremental' });
    await expect(harvestItem(deps(), source, 'id:0', never())).rejects.toThrow('404');
    expect(await suspects()).toEqual(waiting);
    expect(await living()).toHaveLength(99);
    expect(await accept({ run: shown.runId })).toMatchObject({
      ...{ asked: 8, deleted: 8, unclear: 8, unanswered: 0, remaining: 0 },
    });
    expect(await living()).toHaveLength(91);
  });

  test('no word of a person stands against an outage, nor for what nobody was told of', async () => {
    connect(fakeUpstream(100));
    upstream.triage = 'each';
    await run();
    vanish(0, 40);
    upstream.unclear.add('id:1');
    upstream.unclear.add('id:2');
    const shown = await run();
    expect(shown).toMatchObject({ state: 'needs-attention', deleted: 0 });
    // The repository answers now, but not about one that was never asked for before.
    await database.writer('unreadable').where({ place: 'id:id:2' }).delete();
    upstream.broken.add('id:1');
    expect(await accept()).toMatchObject({ deleted: 38, unclear: 0, unanswered: 2, remaining: 2 });
    expect(await suspects()).toEqual(['id:1', 'id:2']);
    // It has been shown as such since.
    expect(await accept()).toMatchObject({ deleted: 1, unclear: 1, unanswered: 1, remaining: 1 });
    expect(await suspects()).toEqual(['id:1']);
  });
});
