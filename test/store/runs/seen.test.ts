import { statSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { checkpointSqlite } from '../../../src/store/engine/sqlite-dialect.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { countUnseen, listUnseenItems } from '../../../src/store/pages/sweep.ts';
import { acquireLease, type Lease } from '../../../src/store/runs/leases.ts';
import { type Run, startRun } from '../../../src/store/runs/runs.ts';
import { readSeen } from '../../../src/store/runs/seen.ts';
import { countVanished, recordVanished } from '../../../src/store/runs/vanished.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const now = { iso: '2026-11-21T10:00:00Z', milliseconds: Date.parse('2026-11-21T10:00:00Z') };
let sources = 0;

describeOnBoth('a full pass', (open) => {
  let database: Database;
  let lease: Lease;

  beforeEach(async () => {
    database = open().database;
    sources += 1;
    const source = `met-${sources}`;
    await ensureSource(database, source, now.iso);
    lease = await acquireLease(database, source, now.milliseconds);
  });

  async function pass(pages: readonly (readonly number[])[], mode: Run['mode'] = 'full') {
    const run = await startRun(database.writer, {
      sourceId: lease.sourceId,
      mode,
      selection: '{}',
      since: undefined,
      startedAt: now.iso,
    });
    const results = [];
    for (const numbers of pages) {
      const items = numbers.map((number) => mapItem(lease.source, item(number)));
      results.push(
        await storePage(database, lease, run, { items, problems: [], checkpoint: undefined }, now),
      );
    }
    return { run, results };
  }

  const resources = () => database.reader('resource').where({ source_id: lease.sourceId }).orderBy('id');
  const unseen = (run: Run) => listUnseenItems(database.reader, lease.sourceId, run.id, 100);

  test('in which nothing has changed writes no resource, and 20 bytes a record at most', async () => {
    const pages = Array.from({ length: 4 }, (_, page) => range(page * 1000, 1000));
    await pass(pages);
    const before = await resources();
    const { config } = open();
    if (config.client === 'sqlite') await checkpointSqlite(database.writer);
    const { run } = await pass(pages);
    if (config.client === 'sqlite') expect(statSync(`${config.file}-wal`).size / 4000).toBeLessThan(20);
    expect(await resources()).toEqual(before);
    expect(await countUnseen(database.reader, lease.sourceId, run.id)).toEqual({ total: 4000, unseen: 0 });
    await recordVanished(database, lease, run, now);
    expect(await countVanished(database.reader, lease.sourceId)).toMatchObject({ items: 0 });
  });

  test('knows what it has met itself, in whatever order it came', async () => {
    await pass([range(0, 70)]);
    const { run, results } = await pass([[69, 3, 31, 32, 64], range(0, 70)]);
    expect(results.map(({ items, unchanged }) => [items, unchanged])).toEqual([
      [5, 5],
      [65, 65],
    ]);
    const ids = (await resources()).map(({ id }) => id);
    expect((await readSeen(database.reader, lease.sourceId, run.id, ids)).size).toBe(70);
    expect(await unseen(run)).toEqual([]);
  });

  test('says of what it did not meet who met it last, however many passes ago', async () => {
    const first = await pass([range(0, 40)]);
    const second = await pass([range(1, 39)]);
    await recordVanished(database, lease, second.run, now);
    const third = await pass([range(2, 38)]);
    expect((await unseen(third.run)).map(({ lastSeenRun }) => lastSeenRun)).toEqual([
      first.run.id,
      second.run.id,
    ]);
    await recordVanished(database, lease, third.run, now);
    const bits = await database.reader('seen').where({ source_id: lease.sourceId }).distinct('run_id');
    expect(bits).toEqual([{ run_id: third.run.id }]);
    const fourth = await pass([range(3, 37)]);
    expect((await unseen(fourth.run)).map(({ lastSeenRun }) => lastSeenRun)).toEqual([
      first.run.id,
      second.run.id,
      third.run.id,
    ]);
  });

  test('of which a harvest of news comes after meets what that met', async () => {
    await pass([range(0, 3)]);
    const { run } = await pass([[0]]);
    await recordVanished(database, lease, run, now);
    expect(await countVanished(database.reader, lease.sourceId)).toMatchObject({ items: 2 });
    await pass([[1]], 'incremental');
    expect(await countVanished(database.reader, lease.sourceId)).toMatchObject({ items: 1 });
    expect((await unseen(run)).map(({ identifier }) => identifier)).toEqual(['oai:example.org:2']);
  });
});

function range(start: number, length: number): readonly number[] {
  return Array.from({ length }, (_, index) => start + index);
}

function item(number: number) {
  return {
    identifier: `oai:example.org:${number}`,
    datestamp: '2026-01-01T00:00:00Z',
    collections: ['one'],
    speaksFor: { formats: ['oai_dc'], files: undefined },
    deleted: false,
    metadata: [{ format: 'oai_dc', content: Buffer.from(`<dc>${number}</dc>`), profile: 'urn:x' }],
    files: [],
  };
}
