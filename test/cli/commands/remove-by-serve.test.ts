import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { list, provide, record, repository } from '../../house/adapters/scripted-provider.ts';
import { rsbridge } from '../../house/cli/processes.ts';
import { runMain } from '../../house/cli/run-main.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

/** More than one transaction deletes. */
const records = 1200;
let directory: string;
let url: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-remove-by-serve-'));
  const all = Array.from({ length: records }, (_, index) => record(`oai:a:${index}`));
  ({ url } = await provide(repository(() => list(all))));
  configure(['stays', 'goes']);
  const harvested = await run('harvest');
  expect(harvested.code, harvested.stderr).toBe(0);
  expect((await run('publish')).code).toBe(0);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const run = (...args: string[]) => runMain(directory, args);

function configure(names: readonly string[]): void {
  const source = { url, files: { mode: 'none' }, schedule: false, fullPass: false, identifierPass: false };
  const sources = Object.fromEntries(names.map((name) => [name, source]));
  const database = { client: 'sqlite', file: 'data/rsbridge.db', leaseSeconds: 5 };
  const file = { listen: { port: 0 }, directory: 'data', database, sources };
  writeFileSync(join(directory, 'rsbridge.yaml'), stringify(file));
}

test('whoever serves removes a source in the background, and goes on where one that was killed left it', async () => {
  configure(['stays']);
  const database = openDatabase({ client: 'sqlite', file: join(directory, 'data/rsbridge.db') });
  const left = async (table: string) => {
    const rows = await database
      .reader(table)
      .join('source', 'source.id', `${table}.source_id`)
      .where('source.name', 'goes')
      .count({ all: '*' });
    return Number(rows[0]?.all);
  };
  try {
    const asked = await run('remove', 'goes', '--at-once', '--by-serve');
    expect(asked).toMatchObject({ code: 0 });
    expect(asked.stdout).toContain('goes is removed by rsbridge serve from now on');
    expect(asked.stderr).toContain('no rsbridge serve works at this database now');
    expect(await left('resource')).toBe(records);

    const first = rsbridge(['serve', '--role', 'work', '--json'], directory);
    await expect
      .poll(() => database.reader('resource').whereNotNull('deleted_at').first('id'), {
        timeout: 60_000,
        interval: 5,
      })
      .toBeDefined();
    first.child.kill('SIGKILL');
    await first.finished;

    const second = rsbridge(['serve', '--role', 'work', '--json'], directory);
    await expect
      .poll(() => database.reader('source').select('name'), { timeout: 120_000 })
      .toEqual([{ name: 'stays' }]);
    second.child.kill('SIGTERM');
    await second.finished;
    expect(await database.reader('resource').count({ all: '*' })).toEqual([{ all: records }]);
    expect((await run('check')).stdout).not.toContain('goes');
  } finally {
    await database.close();
  }
});

test('a source that is configured again before its turn stays', async () => {
  configure(['stays']);
  expect((await run('remove', 'goes', '--by-serve')).code).toBe(0);
  configure(['stays', 'goes']);
  const served = rsbridge(['serve', '--role', 'work', '--json'], directory);
  const database = openDatabase({ client: 'sqlite', file: join(directory, 'data/rsbridge.db') });
  try {
    await expect
      .poll(() => database.reader('due').where({ kind: 'removal' }).first('due_at'), { timeout: 60_000 })
      .toEqual({ due_at: null });
    expect(await database.reader('resource').whereNotNull('deleted_at').first('id')).toBeUndefined();
  } finally {
    served.child.kill('SIGTERM');
    await served.finished;
    await database.close();
  }
});
