import { afterEach, beforeEach, expect, test } from 'vitest';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { checkSchema, migrate } from '../../../src/store/engine/migrate.ts';
import { openSqliteFile } from '../../../src/store/engine/sqlite-driver.ts';
import type { TakeoverProgress } from '../../../src/store/engine/takeover.ts';
import { applyRetention } from '../../../src/store/history/retention.ts';
import { readBlob } from '../../../src/store/payloads/blobs.ts';
import { listChanges, listResources } from '../../../src/store/reading/listing.ts';
import { acquireLease, releaseLease } from '../../../src/store/runs/leases.ts';
import { migratedSqlite } from '../../house/store/databases.ts';
import { Lives } from '../../house/store/lives.ts';
import { findHistory } from '../../house/store/one-history.ts';

const start = '2026-01-01T00:00:00Z';
const records = 40;
let database: Database;
let file: string;
let lives: Lives;
let drop: () => Promise<void>;

beforeEach(async () => {
  const made = migratedSqlite();
  drop = made.drop;
  file = made.config.client === 'sqlite' ? made.config.file : '';
  database = openDatabase(made.config);
  lives = await Lives.begin(database, 'of-before', start);
  for (let content = 1; content <= 4; content += 1) {
    await lives.store(Object.fromEntries(Array.from({ length: records }, (_, at) => [at, content + at])));
    lives.pass(86_400);
  }
  await applyRetention(database, lives.lease, { last: 2 }, lives.clock);
  await releaseLease(database, lives.lease);
});

afterEach(async () => {
  await database.close();
  await drop();
});

const columns = {
  released: ['hash'],
  blob: ['hash', 'base'],
  resource: ['hash'],
  version: ['hash'],
} as const;

/** What a version wrote that kept hashes as text. */
function age(): void {
  const plain = openSqliteFile(file);
  for (const [table, own] of Object.entries(columns))
    for (const column of own)
      plain.exec(
        `update ${table} set ${column} = 'sha-256:' || lower(hex(${column})) where typeof(${column}) = 'blob'`,
      );
  plain.exec(`drop table takeover; delete from schema_migration where name = '0032-takeover'`);
  plain.close();
}

/** How many hashes are octets, and how many are text. */
function count(): { readonly octets: number; readonly texts: number } {
  const plain = openSqliteFile(file);
  const found = { octets: 0, texts: 0 };
  for (const [table, own] of Object.entries(columns))
    for (const column of own) {
      const sum = `count(case typeof(${column}) when 'blob' then 1 end) as octets,
        count(case typeof(${column}) when 'text' then 1 end) as texts`;
      const row = plain.prepare(`select ${sum} from ${table}`).all()[0] as typeof found;
      found.octets += row.octets;
      found.texts += row.texts;
    }
  plain.close();
  return found;
}

async function everything(): Promise<unknown> {
  const said: unknown[] = [];
  for (const set of resourceSets(lives.source)) {
    for await (const page of listResources(database.reader, set)) said.push(page);
    for await (const page of listChanges(database.reader, set, { afterSeq: 0 })) said.push(page);
  }
  for (let record = 0; record < records; record += 1) {
    const history = await findHistory(database.reader, lives.pathOf(record));
    said.push(history);
    for (const { hash = '' } of history?.timeline.mementos ?? [])
      said.push(Buffer.from((await readBlob(database.reader, hash)) ?? []).toString());
  }
  return said;
}

test('hashes of a database of before become octets, and everything reads as before', async () => {
  const before = await everything();
  const { octets } = count();
  age();
  expect(count()).toEqual({ octets: 0, texts: octets });
  const progress: TakeoverProgress[] = [];
  await migrate(database, (step) => progress.push(step));
  expect(count()).toEqual({ octets, texts: 0 });
  expect(await everything()).toEqual(before);
  const done = progress.map((step) => step.done);
  expect(done).toEqual([...done].sort((a, b) => a - b));
  expect(progress.at(-1)).toEqual({ done: progress[0]?.total, total: progress[0]?.total });
  // Once.
  await migrate(database, () => {
    throw new Error('there is nothing left to take over');
  });
});

test('whoever is stopped in the middle leaves the rest to the next, and nobody reads it before', async () => {
  const before = await everything();
  const { octets } = count();
  age();
  for (const steps of [3, 4]) {
    let left = steps;
    const stopped = migrate(database, () => {
      left -= 1;
      if (left === 0) throw new Error('stopped');
    });
    await expect(stopped).rejects.toThrow('stopped');
    await expect(checkSchema(database)).rejects.toMatchObject({
      code: 'database-unavailable',
      message: expect.stringContaining('taken over'),
    });
  }
  const half = count();
  expect(half.octets).toBeGreaterThan(0);
  expect(half.texts).toBeGreaterThan(0);
  await migrate(database);
  await checkSchema(database);
  expect(count()).toEqual({ octets, texts: 0 });
  expect(await everything()).toEqual(before);
});

test('not while an earlier version is at work in it', async () => {
  age();
  const lease = await acquireLease(database, lives.source, Date.now());
  await expect(migrate(database)).rejects.toMatchObject({
    code: 'lease-held',
    message: expect.stringContaining(`process ${process.pid} `),
  });
  expect(count().octets).toBe(0);
  await releaseLease(database, lease);
  await migrate(database);
  expect(count().texts).toBe(0);
});
