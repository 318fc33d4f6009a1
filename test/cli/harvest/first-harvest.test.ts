import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { withLinks } from '../../../src/store/rows/link-forms.ts';
import { runMain } from '../../house/cli/run-main.ts';

const clock = { now: () => new Date(), sleep: async () => undefined };

test.each(['mirror', 'proxy', 'link'])(
  'in mode %s no record is created and then updated for what we learn of its files',
  async (mode) => {
    const directory = mkdtempSync(join(tmpdir(), 'rsbridge-first-'));
    const repository = createSampleRepository({ clock, records: 60 });
    const { url } = await repository.listen(0);
    onTestFinished(async () => {
      await repository.close();
      rmSync(directory, { recursive: true });
    });
    const source = `{ url: ${url}, requestsPerHost: 2, files: { mode: ${mode}, checksPerRun: 5 } }`;
    writeFileSync(
      join(directory, 'rsbridge.yaml'),
      `network: { allow: [127.0.0.1] }\nsources:\n  sample: ${source}\n`,
    );
    expect(await runMain(directory, ['harvest'])).toMatchObject({ code: 0 });
    expect(await runMain(directory, ['harvest', '--full'])).toMatchObject({ code: 0 });
    const database = openDatabase({ client: 'sqlite', file: join(directory, 'data/rsbridge.db') });
    onTestFinished(() => database.close());
    const updated = await database
      .reader('change')
      .join('resource', 'resource.id', 'change.resource_id')
      .where({ 'change.kind': 'updated', 'resource.kind': 'metadata' })
      .select('resource.path');
    expect(updated).toEqual([]);
    // All the same, everybody who looks now is told which files a record describes.
    const rows: { path: string; links: string }[] = await database
      .reader('resource')
      .where({ kind: 'metadata' })
      .select('path', 'links');
    await withLinks(database.reader, rows, ['links']);
    const describing = rows.filter(({ links }) => /"describes".*files/.test(links));
    if (mode !== 'link') expect(describing.length).toBeGreaterThan(10);
  },
  120_000,
);
