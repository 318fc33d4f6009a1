import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runMain } from '../../house/cli/run-main.ts';
import { placeMigrated } from '../../house/store/databases.ts';

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-show-storage-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('what is kept and where is printed, every file counted', async () => {
  placeMigrated(join(directory, 'test.db'));
  writeFileSync(
    join(directory, 'rsbridge.yaml'),
    `database: { client: sqlite, file: test.db }\ndirectory: data\nsources: { kyushu: { url: 'http://127.0.0.1:9/oai' } }\n`,
  );
  mkdirSync(join(directory, 'data', 'publication', 'kyushu', '1'), { recursive: true });
  writeFileSync(join(directory, 'data', 'publication', 'kyushu', '1', 'list.xml'), 'x'.repeat(1500));
  const { code, stdout } = await runMain(directory, ['storage', 'show']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^SQLite, at 20/);
  expect(stdout).toMatch(/\n {2}size: [\d.]+ (?:kB|MB)\n/);
  expect(stdout).toMatch(/\n {2}of the data directory: .* free of /);
  expect(stdout).toContain('last backup that is known: none');
  expect(stdout).toContain('  Documents that are published, and those before them: 1 file, 1.5 kB');
  expect(stdout).toContain('documents and packages by source\n  kyushu: 1 file, 1.5 kB');
  expect(stdout).not.toContain('tables, with indexes');
  const json = JSON.parse((await runMain(directory, ['storage', 'show', '--json'])).stdout);
  expect(json).toMatchObject({
    database: { client: 'sqlite' },
    ...{ tables: [], items: 0, inBucket: [], waiting: 0 },
    files: { complete: true, sources: [{ name: 'kyushu', files: 1, bytes: 1500 }] },
  });
  expect(json.database.bytes).toBeGreaterThan(1000);
});
