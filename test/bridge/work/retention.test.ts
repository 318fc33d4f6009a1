import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { list, provide, record, repository } from '../../house/adapters/scripted-provider.ts';
import { runMain } from '../../house/cli/run-main.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-retention-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('harvests give up what `mementos.keep` does not cover, and bytes days later; `status` says how many', async () => {
  let edition = 0;
  const edited = () => record('oai:a:1', `<dc:title>oai:a:1 ${edition}</dc:title>`);
  const { url } = await provide(repository(() => list([edited()])));
  const configure = (mementos: object, more = {}) =>
    writeFileSync(
      join(directory, 'rsbridge.yaml'),
      stringify({ sources: { repo: { url, mementos, ...more } } }),
    );
  const harvest = async () => {
    edition += 1;
    expect((await runMain(directory, ['harvest', '--full'])).code).toBe(0);
    // Moments are told apart by the second; the test does not wait for the next.
    await database.writer.raw(
      'update version set at = ?, lastmod = ? where seq = (select max(seq) from version)',
      [`2026-01-0${edition}T00:00:00Z`, `2026-01-0${edition}T00:00:00Z`],
    );
  };
  configure({ keep: 'all' });
  expect((await runMain(directory, ['harvest', '--dry-run'])).code).toBe(0);
  const database = openDatabase({ client: 'sqlite', file: join(directory, 'data/rsbridge.db') });
  onTestFinished(() => database.close());
  for (let count = 0; count < 4; count += 1) await harvest();
  const kept = async () => {
    const rows: { seq: number }[] = await database.reader('version').whereNull('dropped_at').select('seq');
    return rows.map(({ seq }) => seq);
  };
  expect(await kept()).toEqual([1, 2, 3, 4]);
  expect((await runMain(directory, ['status'])).stdout).not.toContain('given up');

  configure({ keep: { last: 2 } });
  await harvest();
  expect(await kept()).toEqual([1, 4, 5]);
  expect((await runMain(directory, ['status'])).stdout).toMatch(
    /^ {2}2 versions are given up \(mementos\.keep\)$/m,
  );
  expect((await runMain(directory, ['status', '--json'])).stdout).toContain('"versionsGivenUp":2');

  const blobs = async () => (await database.reader('blob').select('hash')).length;
  expect(await blobs()).toBe(5);
  const daysLater = () =>
    database.writer('released').whereNotNull('due_at').update({ due_at: '2026-01-01T00:00:00Z' });
  await daysLater();
  await harvest();
  expect(await kept()).toEqual([1, 5, 6]);
  // Dumps are to be published, and there is no package yet of what these changes made.
  expect(await blobs()).toBe(6);
  configure({ keep: { last: 2 } }, { dumps: [] });
  await daysLater();
  await harvest();
  expect(await kept()).toEqual([1, 6, 7]);
  expect(await blobs()).toBe(4);
});
