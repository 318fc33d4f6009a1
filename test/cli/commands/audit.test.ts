import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { runMain } from '../../house/cli/run-main.ts';

const repositories = [1, 2].map(() => createSampleRepository({ clock: systemClock, records: 3 }));
let directory: string;
let urls: readonly string[];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-audit-'));
  urls = await Promise.all(repositories.map(async (one) => (await one.listen(0)).url));
  const sources = { repo: { url: urls[0], files: { mode: 'none' } } };
  writeFileSync(join(directory, 'rsbridge.yaml'), stringify({ sources }));
});

afterAll(async () => {
  await Promise.all(repositories.map((one) => one.close()));
  rmSync(directory, { recursive: true, force: true });
});

const log = async (...args: string[]) =>
  (await runMain(directory, ['admin', 'log', '--json', ...args])).stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { who: string; action: string; what?: string; address?: string });

/** The latest act after a command that has to end well. */
async function after(...args: string[]): Promise<readonly [string, string | undefined]> {
  const { code, stderr } = await runMain(directory, args);
  expect(code, `${args.join(' ')}: ${stderr}`).toBe(0);
  const [act] = await log('--limit', '1');
  expect(act?.who).toBe(`${userInfo().username}@${hostname()}`);
  expect(act?.address).toBeUndefined();
  return [act?.action ?? '', act?.what];
}

test('what is done at the command line is in the audit log, with who did it', {
  timeout: 240_000,
}, async () => {
  expect(await after('harvest')).toEqual(['harvest', 'repo']);
  expect(await after('harvest', 'repo', '--full')).toEqual(['full', 'repo']);
  expect(await after('harvest', 'repo', '--identifiers')).toEqual(['identifiers', 'repo']);
  expect(await after('harvest', 'repo', '--by-serve')).toEqual(['harvest', 'repo']);
  const item = await anItem();
  expect(await after('harvest', 'repo', '--item', item)).toEqual(['tried again', `repo: ${item}`]);
  expect(await after('publish')).toEqual(['published', undefined]);
  expect(await after('reload')).toEqual(['reloaded the configuration', undefined]);
  const second = urls[1] ?? '';
  expect(await after('sources', 'add', second, '--name', 'two')).toEqual(['added a source', `two ${second}`]);
  expect(await after('sources', 'edit', 'two', '--set', 'schedule=false')).toEqual([
    'changed a source',
    'two: schedule',
  ]);
  expect(await after('sources', 'pause', 'two')).toEqual(['pause', 'two']);
  expect(await after('sources', 'resume', 'two')).toEqual(['resume', 'two']);
  expect(await after('sources', 'remove', 'two')).toEqual(['removed a source', 'two']);
  const [action, what] = await after('withdraw', item, '--reason', 'a test');
  expect([action, what?.endsWith('(a test)')]).toEqual(['withdrew', true]);
  expect((await after('restore', item))[0]).toBe('restored');
  expect(await after('backup', 'copy.db')).toEqual(['made a backup', join(directory, 'copy.db')]);
});

test('what only looks, and what changes nothing, is not', { timeout: 120_000 }, async () => {
  const before = await log();
  for (const args of [
    ['status'],
    ['sources', 'list'],
    ['harvest', '--dry-run'],
    ['publish', '--dry-run'],
    ['withdraw', await anItem(), '--dry-run'],
    ['sources', 'edit', 'repo', '--set', 'schedule=false'],
  ])
    await runMain(directory, args);
  expect(await log()).toEqual(before);
});

test('the log is filtered', { timeout: 60_000 }, async () => {
  const acts = await log('--action', 'harvest');
  expect(acts.length).toBeGreaterThan(1);
  expect(new Set(acts.map(({ action }) => action))).toEqual(new Set(['harvest']));
  expect((await log('--find', 'TWO')).every(({ what }) => what?.includes('two'))).toBe(true);
  expect(await log('--since', '2999-01-01')).toEqual([]);
  const wrong = await runMain(directory, ['admin', 'log', '--action', 'dance']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('harvest')]);
});

async function anItem(): Promise<string> {
  const database = openDatabase({ client: 'sqlite', file: join(directory, 'data/rsbridge.db') });
  const row: { identifier: string } | undefined = await database.reader('item').first('identifier');
  await database.close();
  return row?.identifier ?? '';
}
