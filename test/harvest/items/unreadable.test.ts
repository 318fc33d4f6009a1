import { beforeEach, expect, test } from 'vitest';
import type { Problem } from '../../../src/core/adapter.ts';
import { parseConfig, type SourceConfig } from '../../../src/core/config/config.ts';
import { rawRecord } from '../../../src/core/problem.ts';
import { harvest } from '../../../src/harvest/harvest.ts';
import type { HarvestSource } from '../../../src/harvest/harvest-source.ts';
import { harvestItem } from '../../../src/harvest/items/one-item.ts';
import { createLessonBook } from '../../../src/harvest/lessons.ts';
import { acceptDeletions } from '../../../src/harvest/vanished/accept-deletions.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { listUnreadable } from '../../../src/store/runs/unreadable.ts';
import { findSource } from '../../../src/store/sources/sources.ts';
import { adapterOf, type FakeUpstream, fakeUpstream } from '../../house/harvest/fake-upstream.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
let names = 0;

describeOnBoth('records that could not be read', (open) => {
  let time: number;
  const clock = { now: () => new Date(time), sleep: async () => undefined };
  let database: Database;
  let upstream: FakeUpstream;
  let source: HarvestSource;
  /** Of the next full list. */
  let problems: Problem[];

  const never = () => ({ stop: new AbortController().signal, signal: new AbortController().signal });
  const deps = () => ({ database, clock, log: silent });
  const run = (mode: 'full' | 'incremental' = 'full') => {
    time += 3_600_000;
    return harvest(deps(), source, { mode, ...never() });
  };
  const ask = (identifier: string) => harvestItem(deps(), source, identifier, never());
  const sourceId = async () => (await findSource(database.reader, source.name))?.id ?? 0;
  const all = async () =>
    listUnreadable(database.reader, await sourceId(), { after: 0, limit: 100, raw: true });
  const named = async () => (await all()).map(({ identifier, format }) => `${identifier} ${format}`);

  function bad(identifier: string | undefined, text: string, more: Partial<Problem> = {}): Problem {
    const code = 'record-quarantined';
    return { code, message: `it is ${text}`, identifier, format: 'oai_dc', raw: rawRecord(text), ...more };
  }

  beforeEach(() => {
    time = Date.parse('2026-11-21T10:00:00Z');
    names += 1;
    const name = `unreadable-${names}`;
    database = open().database;
    upstream = fakeUpstream(10, ['mods', 'oai_dc']);
    problems = [];
    const adapter = adapterOf(upstream);
    const pages: typeof adapter.pages = async function* (request, signal) {
      let first = request.mode === 'full';
      for await (const page of adapter.pages(request, signal)) {
        yield { ...page, problems: first ? problems : [] };
        first = false;
      }
    };
    source = {
      name,
      config: parseConfig({ sources: { [name]: { url: 'http://127.0.0.1/oai' } } }).sources[
        name
      ] as SourceConfig,
      adapter: { ...adapter, pages },
      lessons: createLessonBook(clock),
    };
  });

  test('stay until they are read well, whatever runs come after, with cause, record and times', async () => {
    await run();
    problems = [bad('id:20', '<a'), bad(undefined, '<b')];
    const first = await run();
    await run('incremental');
    expect(await all()).toEqual([
      {
        id: expect.any(Number),
        identifier: 'id:20',
        format: 'oai_dc',
        code: 'record-quarantined',
        message: 'it is <a',
        cause: 'it is <a',
        runId: first.runId,
        firstSeenAt: '2026-11-21T12:00:00Z',
        lastSeenAt: '2026-11-21T12:00:00Z',
        rawLength: 2,
        raw: '<a',
      },
      expect.objectContaining({ identifier: undefined, raw: '<b' }),
    ]);
    const again = await run();
    expect((await all()).map(({ runId, firstSeenAt }) => [runId, firstSeenAt])).toEqual([
      [again.runId, '2026-11-21T12:00:00Z'],
      [again.runId, '2026-11-21T12:00:00Z'],
    ]);
    problems = [];
    upstream.items.set('id:20', new Map([['oai_dc', '20']]));
    await run();
    expect(await all()).toEqual([]);
  });

  test('are gone when a full pass does not meet them again, unless it could not read the part', async () => {
    problems = [bad('id:20', '<a'), bad(undefined, '<b'), bad('id:21', '<c', { format: 'mods' })];
    await run();
    problems = [{ code: 'list-doubtful', message: 'it broke', format: 'mods' }];
    await run();
    expect(await named()).toEqual(['id:21 mods']);
    problems = [];
    await run();
    expect(await named()).toEqual([]);
  });

  test('are gone when they are asked for again, are not there, and nothing of them is published', async () => {
    await run();
    source = { ...source, config: { ...source.config, adapter: 'resourcesync' } };
    problems = [bad('id:20', '<a'), bad('id:3', '<b'), bad('id:21', '<c')];
    upstream.unlisted.add('id:3 oai_dc');
    await run();
    upstream.items.delete('id:3');
    upstream.broken.add('id:21');
    await run('incremental');
    await run('incremental');
    expect(upstream.asked).toEqual(expect.arrayContaining(['id:20', 'id:3', 'id:21']));
    // Whether what is published is gone, the lists tell.
    const left = new Set((await all()).map(({ identifier }) => identifier));
    expect([...left].sort()).toEqual(['id:21', 'id:3']);
  });

  test('another format of the same record is no word on it; the item as a whole is', async () => {
    problems = [bad('id:3', '<a', { format: 'mods' }), bad('id:4', '{}', { format: undefined })];
    const { adapter } = source;
    const pages: typeof adapter.pages = async function* (request, signal) {
      for await (const page of adapter.pages(request, signal))
        yield { ...page, items: page.items.filter(({ speaksFor }) => speaksFor.formats[0] === 'oai_dc') };
    };
    source = { ...source, adapter: { ...adapter, pages } };
    await run();
    expect(await named()).toEqual(['id:3 mods']);
  });

  test('are kept up to 64 kB, without cutting a character', async () => {
    problems = [bad('id:20', `<${'é'.repeat(40_000)}`)];
    await run();
    const [one] = await all();
    expect(one?.rawLength).toBe(80_001);
    expect(Buffer.byteLength(one?.raw ?? '')).toBe(65_535);
    expect(one?.raw?.endsWith('é')).toBe(true);
  });

  test('one is read again when it is asked for: well, not yet, or gone', async () => {
    await run();
    problems = [bad('id:3', '<a'), bad('id:20', '<b'), bad('id:21', '<c')];
    upstream.unlisted.add('id:3 oai_dc');
    await run();
    upstream.items.set('id:20', new Map([['oai_dc', '20']]));
    expect(await ask('id:20')).toMatchObject({ outcome: 'stored', created: 1 });
    expect(await ask('id:21')).toMatchObject({ outcome: 'gone', deleted: 0 });
    upstream.broken.add('id:3');
    await expect(ask('id:3')).rejects.toMatchObject({ code: 'upstream-status' });
    const [left, ...none] = await all();
    expect(none).toEqual([]);
    expect(left).toMatchObject({
      identifier: 'id:3',
      message: expect.stringContaining('it answered 500'),
      raw: '<a',
      firstSeenAt: '2026-11-21T12:00:00Z',
    });
    upstream.broken.clear();
    expect(await ask('id:3')).toMatchObject({ outcome: 'stored', created: 0, updated: 0 });
    expect(await all()).toEqual([]);
    upstream.items.delete('id:3');
    expect(await ask('id:3')).toMatchObject({ outcome: 'gone', deleted: 2 });
    expect(await ask('id:3')).toMatchObject({ outcome: 'unknown', deleted: 0 });
    upstream.broken.add('id:99');
    await expect(ask('id:99')).rejects.toMatchObject({ code: 'upstream-status' });
    expect(await all()).toEqual([]);
  });

  test('what only a list can tell to be for everybody is not published on its own word', async () => {
    await run();
    upstream.items.set('id:20', new Map([['oai_dc', '20']]));
    upstream.unaccounted.add('id:20');
    expect(await ask('id:20')).toMatchObject({ outcome: 'unlisted', created: 0 });
  });

  test('one that a person accepts to be gone is no problem any more', async () => {
    source = { ...source, config: { ...source.config, deletionFuse: { share: 0.1, atLeast: 1 } } };
    problems = [bad('id:2', '<a')];
    upstream.unlisted.add('id:2 oai_dc');
    await run();
    problems = [{ code: 'list-doubtful', message: 'it broke', format: 'oai_dc' }];
    for (const id of ['id:1', 'id:2', 'id:3', 'id:4']) upstream.items.delete(id);
    await run();
    expect(await named()).toEqual(['id:2 oai_dc']);
    expect(await acceptDeletions(deps(), source, { run: undefined, ...never() })).toMatchObject({ asked: 4 });
    expect(await named()).toEqual([]);
  });
});
