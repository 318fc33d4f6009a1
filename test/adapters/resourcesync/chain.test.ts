import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import type { DatabaseConfig } from '../../../src/core/config/config.ts';
import { createRandom } from '../../../src/core/draws/random.ts';
import { createSampleRepository, type SampleRepository } from '../../../src/demo/sample-repository.ts';
import { listCollections } from '../../../src/store/sources/collections.ts';
import { Level } from '../../house/chain/level.ts';
import { runs } from '../../house/runs.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

vi.setConfig({ testTimeout: 300_000 });

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function begin(records: number, seed: number, source: Record<string, unknown> = {}) {
  const repository = createSampleRepository({ clock: systemClock, seed, records });
  open.push(repository);
  const { url } = await repository.listen();
  const first = await Level.open('kyushu', { url, files: { mode: 'proxy' }, ...source });
  open.push(first);
  return { repository, first };
}

/** A bridge that follows another. */
async function follow(
  before: Level,
  name: string,
  source: Record<string, unknown> = {},
  database?: DatabaseConfig,
): Promise<Level> {
  const level = await Level.open(
    name,
    {
      adapter: 'resourcesync',
      url: before.set,
      files: { mode: 'proxy' },
      ...source,
    },
    database,
  );
  open.push(level);
  return level;
}

async function expectEqual(last: Level, first: Level): Promise<void> {
  expect(await last.metadata()).toEqual(await first.metadata());
  const [copied, own] = [await last.files(), await first.files()];
  expect([...copied.keys()].sort()).toEqual([...own.keys()].sort());
  expect(copied).toEqual(own);
}

test('a bridge follows another: the same payloads, sets and files, and one via to the repository', async () => {
  const { first } = await begin(30, 1);
  await first.turn('full');
  const second = await follow(first, 'west');
  const report = await second.turn('full');
  expect(report).toMatchObject({ state: 'succeeded', problems: 0 });
  await expectEqual(second, first);
  const names = await listCollections(first.bridge.database.reader, 'kyushu');
  // Those that records are in, by their names; nothing links to what these are parts of.
  const taken = await listCollections(second.bridge.database.reader, 'west');
  expect(taken).toContainEqual({ spec: 'faculty:science', name: 'Faculty of Science' });
  expect(names).toEqual(expect.arrayContaining([...taken]));
  for (const { vias } of (await second.metadata()).values()) expect(vias).toHaveLength(1);
  const again = await second.turn('full');
  expect(again).toMatchObject({ state: 'succeeded', created: 0, updated: 0, deleted: 0 });
});

/** @param seed of the edits, and of who is interrupted */
async function liveThrough(
  levels: readonly Level[],
  repository: SampleRepository,
  seed: number,
  rounds: number,
) {
  const random = createRandom(seed);
  const [first, ...others] = levels;
  const last = others.at(-1);
  if (!first || !last) throw new Error('a chain has ends');
  for (let round = 0; round < rounds; round += 1) {
    // Of two states within one second who saw both dates the later one by the moment at which it saw it.
    const begun = Math.floor(Date.now() / 1000);
    await vi.waitUntil(() => Date.now() / 1000 >= begun + 1, { timeout: 10_000, interval: 50 });
    const edits = 1 + Math.floor(random() * 6);
    for (let edit = 0; edit < edits; edit += 1) repository.edit();
    for (const level of levels) {
      const dice = random();
      // Stopped after a page, as by a crash; what was in memory is gone.
      if (dice < 0.2) await level.turn(dice < 0.1 ? 'full' : 'incremental', 1);
      if (dice < 0.3) await level.restart();
      if (dice > 0.85 && level !== first) await level.identifiers();
      if (dice > 0.7) await level.publish('always');
      await level.turn(dice > 0.6 && dice < 0.75 ? 'full' : 'incremental');
    }
    await expectEqual(last, first);
  }
}

describeOnBoth('a chain of three bridges', (database) => {
  test('the last equals the first after any history, a turn of each later', async () => {
    const seed = 11;
    const { repository, first } = await begin(15, seed);
    await first.turn('full');
    const second = await follow(first, 'west');
    const third = await follow(second, 'nation', {}, database().config);
    await second.turn();
    await third.turn();
    await expectEqual(third, first);
    await liveThrough([first, second, third], repository, seed, runs(4));
  });
});

test.each(['proxy', 'link', 'mirror'] as const)(
  'files in mode %s on the way: the last has the same',
  async (mode) => {
    const { repository, first } = await begin(14, 5);
    await first.turn('full');
    const second = await follow(first, 'west', { files: { mode } });
    const third = await follow(second, 'nation');
    for (let round = 0; round < 2; round += 1) {
      for (const level of [second, third]) await level.turn();
      const [copied, own] = [await third.files(), await first.files()];
      expect(copied.size).toBe(own.size);
      expect(facts(copied, mode)).toEqual(facts(own, mode));
      expect([...(await third.metadata()).keys()].sort()).toEqual(
        [...(await first.metadata()).keys()].sort(),
      );
      for (let edit = 0; edit < 5; edit += 1) repository.edit();
      await first.turn();
    }
  },
);

/** What was downloaded has a hash that we made. */
function facts(files: Awaited<ReturnType<Level['files']>>, mode: string) {
  return [...files.values()]
    .map(({ hash, length, vias }) => `${vias.join(' ')} ${length} ${mode === 'mirror' ? '' : hash}`)
    .sort();
}
