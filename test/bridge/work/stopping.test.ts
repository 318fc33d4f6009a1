import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { DueRunner } from '../../../src/bridge/work/due-runner.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { listDue } from '../../../src/store/runs/due.ts';
import { migratedSqlite } from '../../house/store/databases.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

test('who stops has written down of all work how it ended', async () => {
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const database = openDatabase(migratedSqlite().config);
  opened.push(database);
  let release = () => {};
  let writing: Promise<unknown> = Promise.resolve();
  const now = Date.parse('2026-11-23T00:15:00Z');
  const runner = new DueRunner({
    ...{ database, log: quiet, holder: 'one', places: 2, chance: () => 0 },
    now: async () => now,
    steady: () => now,
    // Somebody else writes when it ends.
    perform: () =>
      new Promise((resolve) => {
        writing = database.transaction(async () => {
          resolve('done');
          await new Promise<void>((end) => {
            release = end;
          });
        });
      }),
  });
  const schedule = { place: 0, atMostMs: 0, after: () => now + 60_000 };
  runner.follow([{ source: '', kind: 'publication', schedule, text: 'each minute' }]);
  await runner.look();
  await expect.poll(() => runner.has({ source: '', kind: 'publication' })).toBe(false);
  await setImmediate();
  const stopping = runner.stop();
  const first = await Promise.race([stopping.then(() => 'stopped'), setImmediate('waits')]);
  release();
  await Promise.all([stopping, writing]);
  expect(first).toBe('waits');
  expect(await listDue(database.reader, now)).toMatchObject([{ dueAt: now + 60_000 }]);
});
