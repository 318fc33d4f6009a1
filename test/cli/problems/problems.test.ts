import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawRecord } from '../../../src/core/problem.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { findAsked, listOpenAsks } from '../../../src/store/runs/asked.ts';
import { storeUnreadable } from '../../../src/store/runs/unreadable.ts';
import { ensureSource, findSource } from '../../../src/store/sources/sources.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { placeMigrated } from '../../house/store/databases.ts';

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-problems-'));
const now = '2026-11-23T10:00:00Z';
let database: Database;
const problems = (...args: readonly string[]) => runMain(directory, ['problems', ...args]);

beforeAll(async () => {
  database = openDatabase({ client: 'sqlite', file: placeMigrated(join(directory, 'test.db')) });
  writeFileSync(
    join(directory, 'rsbridge.yaml'),
    `database: { client: sqlite, file: test.db }\ndirectory: ${directory}\nsources: { kyushu: { url: 'http://127.0.0.1:9/oai' } }\n`,
  );
  await ensureSource(database, 'kyushu', now);
  const id = (await findSource(database.reader, 'kyushu'))?.id ?? 0;
  const bad = (identifier: string, reason: string) => ({
    ...({ code: 'record-quarantined', format: 'oai_dc', identifier, raw: rawRecord('<a></b>') } as const),
    message: `The record ${identifier} cannot be read: ${reason}.`,
  });
  const met = { run: { id: 1 }, at: now };
  const all = [bad('oai:r:1', 'torn'), bad('oai:r:2', 'torn'), bad('=oai:r:3', 'empty')];
  await database.transaction((trx) => storeUnreadable(trx, id, all, [], met));
});
afterAll(async () => {
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});

const causes = async () =>
  (await problems('kyushu', '--causes', '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; message: string; count: number });

test('causes are listed with their ids, and the records of one', async () => {
  const found = await causes();
  expect(found.map(({ message, count }) => [message, count])).toEqual([
    ['The record … cannot be read: torn.', 2],
    ['The record … cannot be read: empty.', 1],
  ]);
  expect((await problems('kyushu', '--causes')).stdout).toContain(
    `  ${found[0]?.id}  2 records: The record …`,
  );
  const some = await problems('kyushu', '--cause', found[1]?.id ?? '', '--json');
  expect(some.stdout.trim().split('\n')).toHaveLength(1);
  expect(some.stdout).toContain('=oai:r:3');
});

test('a file for spreadsheets has a line for each, and no formula', async () => {
  const { code, stdout } = await problems('kyushu', '--csv');
  expect(code).toBe(4);
  const lines = stdout.trim().split('\r\n');
  expect(lines).toHaveLength(4);
  expect(lines[3]).toMatch(/^"'=oai:r:3",/);
  expect(await problems('--csv')).toMatchObject({ code: 2, stderr: expect.stringContaining('SOURCE --csv') });
  expect((await problems('kyushu', '--csv', '--cause', 'nothing')).code).toBe(2);
});

test('one is asked for again, those of a cause, or all; and what is not there is refused', async () => {
  const [torn] = await causes();
  const task = async (...args: readonly string[]) => {
    const { code, stdout } = await problems('kyushu', '--try-again', '--json', ...args);
    expect(code).toBe(0);
    return findAsked(database.reader, (JSON.parse(stdout) as { task: number }).task);
  };
  expect(await task('--item', 'oai:r:1')).toMatchObject({ kind: 'item', what: 'oai:r:1', state: 'waiting' });
  expect(await task('--cause', torn?.id ?? '')).toMatchObject({ kind: 'problems', what: torn?.message });
  expect(await task()).toMatchObject({ kind: 'problems', what: undefined });
  expect((await problems('kyushu', '--try-again', '--cause', 'nothing')).code).toBe(2);
  expect((await problems('--try-again')).code).toBe(2);
  expect(await problems('nobody', '--try-again')).toMatchObject({ code: 2 });
  expect(await listOpenAsks(database.reader, 'kyushu')).toHaveLength(3);
});
