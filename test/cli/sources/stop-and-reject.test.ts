import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listActs } from '../../../src/store/admin/audit.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { ensureSource, findSource } from '../../../src/store/sources/sources.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { seedResource } from '../../house/server/fixture.ts';
import { placeMigrated } from '../../house/store/databases.ts';

let directory: string;
let database: Database;
const at = '2026-11-23T00:00:00Z';

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-stop-'));
  const file = placeMigrated(join(directory, 'rsbridge.db'));
  const source = { url: 'https://repo.example.org/oai' };
  const config = {
    database: { client: 'sqlite', file },
    directory,
    sources: { kyushu: source, other: source },
  };
  writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify(config));
  database = openDatabase({ client: 'sqlite', file });
});
afterAll(async () => {
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});

const type = async (...words: string[]) => {
  const { code, stdout, stderr } = await runMain(directory, words);
  return { code, stdout, stderr };
};

test('what a running service does with a source is taken from it, and nothing of what it does not do', async () => {
  const held = { source: 'kyushu', kind: 'harvest', schedule: 'x', holder: 'elsewhere 1 x' };
  await database.writer('due').insert({ ...held, expires: Date.now() + 60_000 });
  const stopped = await type('sources', 'stop', 'kyushu', 'other');
  expect(stopped.code).toBe(0);
  expect(stopped.stdout).toMatch(/^kyushu: what is under way ends after its page/);
  expect(stopped.stdout).toMatch(/^other: no running rsbridge serve reads it/m);
  expect(await database.reader('due').where({ source: 'kyushu' }).first()).toMatchObject({ holder: null });
  expect(await type('sources', 'stop', 'nobody')).toMatchObject({ code: 2 });
  expect(await listActs(database.reader, { limit: 5 })).toMatchObject([
    { action: 'stop', what: 'kyushu other' },
  ]);
});

test('what a run did not find is kept, and what another one has shown is not meant', async () => {
  await ensureSource(database, 'kyushu', at);
  const stored = await findSource(database.reader, 'kyushu');
  await seedResource(database, { identifier: 'oai:a:1' });
  const { id, item_id } = await database.reader('resource').first('id', 'item_id');
  await database.writer('vanished').insert({
    ...{ resource_id: id, source_id: stored?.id, item_id, run_id: 812, pass: 'full', at, first_at: at },
  });
  expect((await type('vanished', 'kyushu')).stdout).toContain('rsbridge vanished kyushu --reject 812');
  expect((await type('vanished', 'kyushu')).stdout).not.toContain('no clear answer');
  await database.writer('unreadable').insert({
    ...{ source_id: stored?.id, place: 'id:oai:a:1', identifier: 'oai:a:1', format: '', run_id: 812 },
    ...{ code: 'record-quarantined', message: 'x', first_at: at, last_at: at },
  });
  expect((await type('vanished', 'kyushu')).stdout).toMatch(/oai:a:1 .*no clear answer$/m);
  const other = await type('vanished', 'kyushu', '--reject', '811');
  expect(other.code).not.toBe(0);
  expect(other.stderr).toContain('vanished-changed');
  expect(await database.reader('vanished')).toHaveLength(1);
  const kept = await type('vanished', 'kyushu', '--reject', '812');
  expect([kept.code, kept.stdout]).toEqual([
    0,
    'kyushu: 1 resource that run 812 did not find stays published, until a later harvest misses it again\n',
  ]);
  expect(await database.reader('vanished')).toEqual([]);
  expect(await database.reader('resource').whereNull('deleted_at')).toHaveLength(1);
  expect(await type('vanished', 'kyushu', '--reject', 'x')).toMatchObject({ code: 2 });
});
