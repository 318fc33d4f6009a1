import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { Level } from '../../house/chain/level.ts';

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
async function follow(before: Level, name: string, source: Record<string, unknown> = {}): Promise<Level> {
  const level = await Level.open(name, {
    adapter: 'resourcesync',
    url: before.set,
    files: { mode: 'proxy' },
    ...source,
  });
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
  for (const { vias } of (await second.metadata()).values()) expect(vias).toHaveLength(1);
  const again = await second.turn('full');
  expect(again).toMatchObject({ state: 'succeeded', created: 0, updated: 0, deleted: 0 });
});

test('edits travel through two bridges, a turn each', async () => {
  const { repository, first } = await begin(25, 7);
  await first.turn('full');
  const second = await follow(first, 'west');
  const third = await follow(second, 'nation');
  await second.turn();
  await third.turn();
  await expectEqual(third, first);
  for (let round = 0; round < 6; round += 1) {
    for (let edit = 0; edit < 4; edit += 1) repository.edit();
    await first.turn();
    await second.turn();
    if (round === 2) await second.restart();
    const report = await third.turn();
    expect(report).toMatchObject({ state: 'succeeded', problems: 0 });
    await expectEqual(third, first);
  }
});
