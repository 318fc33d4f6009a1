import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { settleTally } from '../../../src/store/tally/file-tally.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { migratedPostgres, migratedSqlite } from '../../house/store/databases.ts';
import { ToldSource } from '../../house/store/told-source.ts';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

test.each(['sqlite', 'pg'] as const)(
  'rsbridge check finds numbers of files that are wrong, and counts anew, on %s',
  async (kind) => {
    const directory = mkdtempSync(join(tmpdir(), 'rsbridge-check-'));
    cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
    const { config, drop } = kind === 'sqlite' ? migratedSqlite() : await migratedPostgres();
    cleanups.push(drop);
    const repository = createSampleRepository({ clock: systemClock, records: 1 });
    const { url } = await repository.listen(0);
    cleanups.push(() => repository.close());
    const sources = { kyoto: { url, schedule: false } };
    writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify({ directory, database: config, sources }));
    const database = openDatabase(config);
    cleanups.push(() => database.close());
    const source = await ToldSource.open(database, 'kyoto');
    await source.tell({ 1: { files: ['http://127.0.0.1:9/1.pdf', 'http://127.0.0.1:9/2.pdf'] } });
    await source.close();
    await settleTally(database, source.id);
    const check = async (about = 'files of kyoto') => {
      const { stdout } = await runMain(directory, ['check', '--json']);
      const lines = stdout.trim().split('\n');
      return lines.map((line) => JSON.parse(line)).filter((line) => line.check === about);
    };
    expect(await check()).toEqual([]);
    await database.writer('file_tally').where({ source_id: source.id }).update({ files: 7 });
    expect(await check()).toMatchObject([
      { ok: false, message: expect.stringContaining('they were counted anew, and are right now') },
    ]);
    expect(await check()).toEqual([]);
    // Too many are refused at once.
    const now = '2026-11-22T10:00:00Z';
    const withheld = { outcome: 'refused', checked_at: now, withheld_at: now };
    await database.writer('remote_file').where({ source_id: source.id }).update(withheld);
    await database.writer('source').where({ id: source.id }).update({ fuse_at: now });
    expect(await check('withheld from kyoto')).toMatchObject([
      {
        ok: false,
        message: expect.stringContaining(`not served since ${now}`),
        mend: 'rsbridge refused kyoto',
      },
    ]);
    expect((await runMain(directory, ['doctor'])).stdout).toContain('rsbridge refused kyoto');
  },
);
