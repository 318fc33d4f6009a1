import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';

let directory: string;
let one: Database;
let other: Database;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-retried-'));
  const file = join(directory, 'rsbridge.db');
  one = openDatabase({ client: 'sqlite', file });
  other = openDatabase({ client: 'sqlite', file });
  await one.writer.schema.createTable('counted', (table) => table.integer('value').notNullable());
  await one.writer('counted').insert({ value: 1 });
});

afterAll(async () => {
  await Promise.all([one.close(), other.close()]);
  rmSync(directory, { recursive: true, force: true });
});

/** @returns how often it was begun */
async function increase(inBetween: (turn: number) => Promise<unknown>): Promise<number> {
  let turns = 0;
  await one.transaction(async (trx) => {
    turns += 1;
    const { value } = await trx('counted').first('value');
    await inBetween(turns);
    await trx('counted').update({ value: value + 1 });
  });
  return turns;
}

it('on SQLite a transaction that read before another process wrote begins anew, and does not fail', async () => {
  const turns = await increase(async (turn) => {
    if (turn === 1) await other.transaction((trx) => trx('counted').update({ value: 10 }));
  });
  expect([turns, await one.reader('counted').first('value')]).toEqual([2, { value: 11 }]);
});

it('on SQLite a transaction that read and writes while another process is writing waits for it, and does not fail', async () => {
  let ended: Promise<void> | undefined;
  const turns = await increase(async (turn) => {
    if (turn > 1) return;
    await new Promise<void>((writing) => {
      ended = other.transaction(async (trx) => {
        await trx('counted').update({ value: 20 });
        writing();
        await setTimeout(500);
      });
    });
  });
  await ended;
  expect(turns).toBeGreaterThan(1);
  expect(await one.reader('counted').first('value')).toEqual({ value: 21 });
});
