import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DatabaseConfig } from '../../../src/core/config/config.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import { repeatedly } from '../../../src/store/drivers/statement-names.ts';
import { insertRows } from '../../../src/store/engine/bulk.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { acquireLease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { migratedPostgres } from '../../house/store/databases.ts';

let made: Awaited<ReturnType<typeof migratedPostgres>>;
let database: Database;

beforeAll(async () => {
  made = await migratedPostgres();
});

afterAll(() => made.drop());

beforeEach(async () => {
  database = openDatabase({ ...made.config, poolSize: 1 } as DatabaseConfig);
  await database.writer('moment').delete();
  await add(0);
});

afterEach(() => database.close());

/** The same statement each time. */
function add(seq: number): Promise<unknown> {
  return database.transaction((trx) =>
    insertRows(trx, 'moment', [{ source_id: 1, at: `2026-01-01T00:00:0${seq}Z`, seq }]),
  );
}

function seqs(): Promise<number[]> {
  return database.reader('moment').orderBy('seq').pluck('seq');
}

test('rows that are added again and again are one statement to PostgreSQL', async () => {
  for (const seq of [1, 2, 3]) await add(seq);
  const told = 'select statement from pg_prepared_statements where statement like ?';
  const { rows } = await database.reader.raw(told, ['insert into "moment"%']);
  expect(rows).toHaveLength(1);
  expect(await seqs()).toEqual([0, 1, 2, 3]);
});

test('a transaction is done again where a later release has given a table other columns', async () => {
  let attempts = 0;
  const all = () =>
    database.transaction((trx) => {
      attempts += 1;
      return trx('moment').where({ source_id: 1 }).modify(repeatedly).select('*');
    });
  expect(await all()).toHaveLength(1);
  await database.writer.raw('alter table moment add column more integer');
  expect(await all()).toMatchObject([{ seq: 0, more: null }]);
  expect(attempts).toBe(3);
});

test('and where the connection has forgotten what it was told', async () => {
  let attempts = 0;
  await database.transaction(async (trx) => {
    attempts += 1;
    if (attempts === 1) await trx.raw('deallocate all');
    await insertRows(trx, 'moment', [{ source_id: 1, at: '2026-01-01T00:00:01Z', seq: 1 }]);
  });
  expect(attempts).toBe(2);
  expect(await seqs()).toEqual([0, 1]);
});

test('what a page reads of tables that grow has no name: a way that suits an empty one would be kept to', async () => {
  const [iso, milliseconds] = ['2026-01-01T00:00:00Z', Date.UTC(2026, 0, 1)];
  await ensureSource(database, 'alpha', iso);
  const lease = await acquireLease(database, 'alpha', milliseconds);
  const { sourceId } = lease;
  const begun = { sourceId, mode: 'full', selection: '{}', since: undefined, startedAt: iso } as const;
  const run = await startRun(database.writer, begun);
  for (const number of [1, 2]) {
    const content = Buffer.from(`<dc>${number}</dc>`);
    const record = { format: 'oai_dc', content, mediaType: 'application/xml' };
    const item = mapItem('alpha', {
      identifier: `oai:${number}`,
      datestamp: iso,
      deleted: false,
      collections: ['set'],
      metadata: [record],
      files: [],
      speaksFor: { formats: ['oai_dc'], files: undefined },
    });
    const page = { items: [item], problems: [], checkpoint: { token: 'next' } };
    await storePage(database, lease, run, page, { iso, milliseconds });
  }
  const { rows } = await database.reader.raw('select statement from pg_prepared_statements');
  const read = rows.flatMap(({ statement }: { statement: string }) =>
    statement.startsWith('insert into') ? [] : /(?:from|update) "(\w+)"/.exec(statement)?.[1],
  );
  expect([...new Set(read)].sort()).toEqual(['private_scope', 'run', 'source']);
});
