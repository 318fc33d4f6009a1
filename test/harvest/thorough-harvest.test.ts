import { beforeEach, expect, test } from 'vitest';
import { parseConfig, type SourceConfig } from '../../src/core/config/config.ts';
import type { HarvestOptions, HarvestSource } from '../../src/harvest/harvest-source.ts';
import { createLessonBook } from '../../src/harvest/lessons.ts';
import { thoroughHarvest } from '../../src/harvest/thorough-harvest.ts';
import type { Database } from '../../src/store/engine/database.ts';
import { countItems } from '../../src/store/pages/sweep.ts';
import { withdraw } from '../../src/store/removal/withdrawals.ts';
import { findSource } from '../../src/store/sources/sources.ts';
import { adapterOf, type FakeUpstream, fakeUpstream } from '../house/harvest/fake-upstream.ts';
import { describeOnBoth } from '../house/store/databases.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { now: () => new Date('2026-11-21T10:00:00Z'), sleep: async () => undefined };

let names = 0;

describeOnBoth('a thorough harvest', (open) => {
  let database: Database;
  let upstream: FakeUpstream;
  let source: HarvestSource;

  const run = (options: Partial<HarvestOptions> = {}) =>
    thoroughHarvest({ database, clock, log: silent }, source, {
      mode: 'incremental',
      stop: new AbortController().signal,
      signal: new AbortController().signal,
      ...options,
    });

  const items = async () =>
    countItems(database.reader, (await findSource(database.reader, source.name))?.id ?? 0);

  beforeEach(async () => {
    database = open().database;
    names += 1;
    const name = `thorough-${names}`;
    const raw = { sources: { [name]: { url: 'http://127.0.0.1/oai' } } };
    upstream = fakeUpstream(35, ['mods', 'oai_dc']);
    upstream.counts = true;
    source = {
      name,
      config: parseConfig(raw).sources[name] as SourceConfig,
      adapter: adapterOf(upstream),
      lessons: createLessonBook(clock),
    };
    await run();
  });

  test('is one look where nothing is missing', async () => {
    expect(await run()).toMatchObject([{ mode: 'incremental' }]);
    expect(upstream.begun).toEqual([]);
  });

  test('looks for what is missing at once, and only then', async () => {
    upstream.items.delete('id:4');
    upstream.tombstones.add('id:4');
    upstream.items.delete('id:5');
    expect(await run()).toMatchObject([
      { mode: 'incremental', deleted: 0 },
      { mode: 'identifiers', state: 'succeeded', deleted: 4 },
    ]);
    expect(await items()).toBe(33);
    expect(await run()).toHaveLength(1);
  });

  test('does not look again for what is known to be left out', async () => {
    for (const id of ['id:1', 'id:2']) upstream.unlisted.add(id);
    expect(await run()).toMatchObject([{}, { mode: 'identifiers', deleted: 0 }]);
    expect(await run()).toHaveLength(1);
    // One more.
    upstream.items.delete('id:3');
    expect(await run()).toMatchObject([{}, { deleted: 2 }]);
    expect(await run()).toHaveLength(1);
    upstream.unlisted.clear();
    expect(await run()).toHaveLength(1);
    expect(source.lessons.get('items-omitted')).toBeUndefined();
  });

  test('looks for what is missing where as many were withdrawn here, or could not be read', async () => {
    const { id: sourceId = 0 } = (await findSource(database.reader, source.name)) ?? {};
    const at = '2026-11-21T10:00:00Z';
    await withdraw(database, { source: source.name, identifier: 'id:1', path: undefined }, undefined, at);
    // Not one that is published all the same.
    for (const [place, identifier] of [
      ['id:new', 'id:new'],
      ['id:2', 'id:2'],
      ['at:3', null],
    ])
      await database.writer('unreadable').insert({
        ...{ source_id: sourceId, place, identifier, format: '', code: 'record-quarantined' },
        ...{ message: 'no', run_id: 1, first_at: at, last_at: at },
      });
    upstream.items.set('id:new', new Map([['oai_dc', 'damaged']]));
    upstream.broken.add('id:new');
    expect(await run()).toHaveLength(1);
    expect(await items()).toBe(34);
    upstream.items.delete('id:4');
    expect(await run()).toMatchObject([{}, { mode: 'identifiers', deleted: 2 }]);
    expect(await run()).toHaveLength(1);
  });

  test('is a plain one for those who say where to begin or to stop, and where nobody counts', async () => {
    upstream.items.delete('id:4');
    expect(await run({ limit: 5 })).toHaveLength(1);
    expect(await run({ since: '2026-01-01T00:00:00Z' })).toHaveLength(1);
    upstream.counts = false;
    expect(await run()).toHaveLength(1);
    expect(await items()).toBe(35);
  });
});
