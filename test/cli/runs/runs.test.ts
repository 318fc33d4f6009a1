import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BridgeError } from '../../../src/core/errors.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { endRun, startRun } from '../../../src/store/runs/runs.ts';
import { noteSettings } from '../../../src/store/sources/run-settings.ts';
import { ensureSource, findSource } from '../../../src/store/sources/sources.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { placeMigrated } from '../../house/store/databases.ts';

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-runs-'));
let database: Database;
const runs = (...args: readonly string[]) => runMain(directory, ['runs', ...args]);

beforeAll(async () => {
  database = openDatabase({ client: 'sqlite', file: placeMigrated(join(directory, 'test.db')) });
  const source = `{ url: 'http://127.0.0.1:9/oai' }`;
  writeFileSync(
    join(directory, 'rsbridge.yaml'),
    `database: { client: sqlite, file: test.db }\ndirectory: ${directory}\nsources: { kyushu: ${source}, new: ${source} }\n`,
  );
  await ensureSource(database, 'kyushu', '2026-11-20T09:00:00Z');
  const sourceId = (await findSource(database.reader, 'kyushu'))?.id ?? 0;
  const begin = (startedAt: string) =>
    startRun(database.writer, { sourceId, mode: 'full', selection: '{}', since: undefined, startedAt });
  const good = await begin('2026-11-20T10:00:00Z');
  await database.writer('source').where({ id: sourceId }).update({ item_count: 9 });
  await database.writer('run').where({ id: good.id }).update({ items: 8, created: 8, stated_total: 9 });
  await endRun(database.writer, good.id, { state: 'succeeded', at: '2026-11-20T10:01:30Z' });
  await noteSettings(database.writer, good, [['pageSize', 5]]);
  const bad = await begin('2026-11-21T10:00:00Z');
  await noteSettings(database.writer, bad, [['pageSize', 6]]);
  const error = new BridgeError('upstream-cut-off', 'the page ended early');
  await endRun(database.writer, bad.id, { state: 'failed', at: '2026-11-21T10:00:05Z', error });
});
afterAll(async () => {
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});

test('runs are listed, the newest first', async () => {
  const { code, stdout } = await runs('kyushu');
  expect(code).toBe(0);
  const [last, first] = stdout.trim().split('\n');
  expect(last).toMatch(
    /^run 2 {2}2026-11-21T10:00:00Z {2}full, failed, 5 s: 0 records read, .*ended early \[upstream-cut-off\]$/,
  );
  expect(first).toBe(
    'run 1  2026-11-20T10:00:00Z  full, succeeded, 90 s: 8 records read, 8 created, 0 updated, 0 deleted, 0 problems',
  );
  expect((await runs('kyushu', '--limit', '1')).stdout.trim().split('\n')).toHaveLength(1);
  const [json = ''] = (await runs('kyushu', '--json')).stdout.split('\n');
  expect(JSON.parse(json)).toMatchObject({ source: 'kyushu', id: 2, kind: 'full', state: 'failed' });
  expect((await runs('new')).stdout).toBe('new was not read yet\n');
  expect((await runs('nowhere')).code).toBe(2);
});

test('counts are listed day by day, with the difference to the repository’s own', async () => {
  expect((await runs('kyushu', '--counts')).stdout).toBe(
    [
      '2026-11-20  9 items, 8 records read in full, 9 by its own count',
      '2026-11-21  9 items',
      'on 2026-11-20 a harvest of everything read 8 records, 1 fewer than the 9 the repository says that it has\n',
    ].join('\n'),
  );
  const lines = (await runs('kyushu', '--counts', '--json')).stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { source: 'kyushu', day: '2026-11-20', items: 9, records: 8, stated: 9 },
    { source: 'kyushu', day: '2026-11-21', items: 9 },
  ]);
  expect((await runs('new', '--counts')).stdout).toContain('new: nothing yet');
});

test('two runs are compared', async () => {
  const { code, stdout } = await runs('kyushu', '--compare', '2');
  expect(code).toBe(0);
  const lines = stdout.split('\n');
  expect(lines[0]).toBe('run 1 of kyushu: full, succeeded, began 2026-11-20T10:00:00Z');
  expect(lines[1]).toMatch(/^run 2 of kyushu: full, failed, .*ended early \[upstream-cut-off\]$/);
  expect(lines).toContain('  seconds                  90         5       -85');
  expect(lines).toContain('  by its own count          9         –');
  expect(lines).toContain('1 setting changed between the two:');
  expect(lines).toContain('  pageSize: 5 → 6');
  expect((await runs('kyushu', '--compare', '1')).stdout).toContain(
    'there is no run of the same kind before it',
  );
  expect((await runs('kyushu', '--compare', '1', '--with', '2')).stdout).toBe(stdout);
  const json = JSON.parse((await runs('kyushu', '--compare', '2', '--json')).stdout);
  expect(json).toMatchObject({
    ...{ source: 'kyushu', before: { id: 1, items: 8, seconds: 90 }, after: { id: 2, state: 'failed' } },
    settings: [{ key: 'pageSize', before: 5, after: 6 }],
  });
  expect(await runs('kyushu', '--compare', '99')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('rsbridge runs kyushu lists them'),
  });
  expect((await runs('kyushu', '--with', '1')).code).toBe(2);
  expect((await runs('kyushu', '--compare', '1', '--counts')).code).toBe(2);
});
