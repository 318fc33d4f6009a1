import { afterEach, expect, test } from 'vitest';
import { DueRunner, type Ending } from '../../../src/bridge/work/due-runner.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { migratedSqlite } from '../../house/store/databases.ts';

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A process with so many places, and sources that are due and end when they are told to. */
async function process(places: number, sources: number) {
  const { config, drop } = migratedSqlite();
  const database = openDatabase(config);
  const now = Date.parse('2026-11-26T12:00:00Z');
  const begun: ((ending: Ending) => void)[] = [];
  let freed: () => void = () => {};
  let frees = 0;
  const runner = new DueRunner({
    ...{ database, log: quiet, holder: 'one', places, chance: () => 0 },
    now: async () => now,
    steady: () => now,
    begun: async () => new Set(),
    freed: () => {
      frees += 1;
      freed();
    },
    perform: () => new Promise((end) => begun.push(end)),
  });
  cleanups.push(
    drop,
    () => database.close(),
    () => {
      const ended = runner.stop();
      for (const end of begun) end('done');
      return ended;
    },
  );
  const schedule = { place: 0, atMostMs: 0, after: (moment: number) => moment + 3_600_000 };
  const names = Array.from({ length: sources }, (_, index) => `r${index}`);
  runner.follow(names.map((source) => ({ source, kind: 'harvest', schedule, text: 'hourly' })));
  await runner.look();
  return {
    runner,
    begun,
    frees: () => frees,
    whenFreed: () => new Promise<void>((resolve) => (freed = resolve)),
  };
}

test('who works to the full is told of a place that is free, and the next one begins', async () => {
  const { runner, begun, whenFreed } = await process(2, 3);
  expect(begun).toHaveLength(2);
  const told = whenFreed();
  begun[0]?.('done');
  await told;
  await runner.look();
  expect(begun).toHaveLength(3);
});

test('where there were places, nobody waits for one', async () => {
  const { runner, begun, frees } = await process(3, 2);
  for (const end of begun) end('done');
  await runner.stop();
  expect(frees()).toBe(0);
});
