import { afterEach, beforeEach, expect, test } from 'vitest';
import { DueRunner } from '../../src/bridge/work/due-runner.ts';
import { quietTurns } from '../../src/harvest/quiet-turns.ts';
import { turnsOf } from '../../src/harvest/turns.ts';
import { openDatabase } from '../../src/store/engine/database.ts';
import { listDue } from '../../src/store/runs/due.ts';
import { Level } from '../house/chain/level.ts';
import { capabilityList, resourceList, sha256, WrittenSource } from '../house/resourcesync/written-source.ts';
import { migratedSqlite } from '../house/store/databases.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

let source: WrittenSource;
const list = (...numbers: number[]) =>
  source.put(
    '/list.xml',
    resourceList(
      numbers
        .map(
          (n) =>
            `<url><loc>${source.origin}/${n}.xml</loc><rs:md hash="${sha256(`<n>${n}</n>`)}" type="application/xml"/></url>`,
        )
        .join(''),
    ),
  );

beforeEach(async () => {
  source = await WrittenSource.open();
  opened.push(source);
  source.put('/cap.xml', capabilityList(source.origin, { resourcelist: '/list.xml' }));
  for (const n of [1, 2]) source.put(`/${n}.xml`, `<n>${n}</n>`);
  list(1);
});

async function follow(resourcesync: object): Promise<Level> {
  const level = await Level.open('still', {
    ...{ adapter: 'resourcesync', url: `${source.origin}/cap.xml`, resourcesync },
  });
  opened.push(level);
  await level.turn('full');
  return level;
}

test('the longer nothing changes, the more turns are left out, up to what is configured; with a change none', async () => {
  const level = await follow({ quietTurns: 3 });
  const turns: number[] = [];
  for (let turn = 0; turn < 13; turn += 1) {
    await level.turn();
    turns.push(await quietTurns(level.bridge, 'still'));
  }
  expect(turns).toEqual([0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2]);
  list(1, 2);
  await level.turn();
  expect(await quietTurns(level.bridge, 'still')).toBe(0);
});

test('who wants each turn has it', async () => {
  const level = await follow({ quietTurns: 1 });
  for (let turn = 0; turn < 5; turn += 1) await level.turn();
  expect(await quietTurns(level.bridge, 'still')).toBe(0);
});

test('turns that are left out move the next one', async () => {
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const database = openDatabase(migratedSqlite().config);
  opened.push(database);
  let now = Date.parse('2026-11-23T00:00:01Z');
  const runner = new DueRunner({
    ...{ database, log: quiet, holder: 'one', places: 2, chance: () => 0 },
    now: async () => now,
    steady: () => now,
    rest: async ({ kind }) => (kind === 'harvest' ? 2 : 0),
    perform: async () => 'done',
  });
  const after = (moment: number) => turnsOf('*/15 * * * *', 'UTC').after(moment);
  const schedule = { place: 0, atMostMs: 0, after };
  runner.follow([
    { source: 'still', kind: 'harvest', schedule, text: 'quarters' },
    { source: 'other', kind: 'full', schedule, text: 'quarters' },
  ]);
  await runner.look();
  now = Date.parse('2026-11-23T00:15:00Z');
  await runner.look();
  await runner.stop();
  now += 1000;
  await runner.look();
  await runner.stop();
  const due = (await listDue(database.reader, now)).map(({ source, dueAt = 0 }) => [
    source,
    new Date(dueAt).toISOString().slice(11, 16),
  ]);
  expect(Object.fromEntries(due)).toEqual({ still: '01:00', other: '00:30' });
});
