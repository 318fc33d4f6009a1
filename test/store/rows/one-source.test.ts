import { afterEach, expect, test } from 'vitest';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { applyRetention } from '../../../src/store/history/retention.ts';
import { listHistories } from '../../../src/store/history/timelines.ts';
import { listChanges, listResources } from '../../../src/store/reading/listing.ts';
import { findWithMetadata } from '../../../src/store/reading/resources.ts';
import { purgeSource } from '../../../src/store/removal/removed-sources.ts';
import { type Asked, scattered } from '../../house/postgres/asked.ts';
import { migratedPostgres } from '../../house/store/databases.ts';
import { Lives } from '../../house/store/lives.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

test('what is asked and stored of a source concerns its partitions alone', async () => {
  const { config, drop } = await migratedPostgres();
  cleanups.push(drop);
  const database = openDatabase(config);
  cleanups.push(() => database.close());
  const lives = await Lives.begin(database, 'kyoto', '2026-01-01T00:00:00Z');
  const other = await Lives.begin(database, 'osaka', '2026-01-01T00:00:00Z', 'kyoto');
  await other.store({ 1: 1 });
  await lives.store({ 1: 1, 2: 2 });

  const asked: Asked[] = [];
  database.writer.on('query', (query: { sql: string; bindings?: readonly unknown[] }) =>
    asked.push({ sql: query.sql, bindings: [...(query.bindings ?? [])] }),
  );
  lives.pass(86_400);
  await lives.store({ 1: 3, 2: undefined, 3: 3 });
  await lives.store({ 1: 3 });
  await applyRetention(database, lives.lease, { last: 1 }, lives.clock);
  for (let round = 0; round < 2; round += 1) {
    await listHistories(database.reader, lives.pathOf(1));
    await findWithMetadata(database.reader, lives.pathOf(1));
  }
  for (const set of resourceSets('kyoto')) {
    for await (const page of listResources(database.reader, set)) expect(page).toHaveLength(2);
    for await (const page of listChanges(database.reader, set, { afterSeq: 0 })) expect(page).toHaveLength(5);
  }
  await purgeSource(database, lives.lease, lives.clock, new AbortController().signal);

  const statements = new Map(asked.map((one) => [one.sql, one]));
  const found: string[] = [];
  for (const one of statements.values()) {
    if (!/^\s*(select|insert|update|delete)/i.test(one.sql)) continue;
    const tables = await scattered(database, one);
    if (tables.length > 0) found.push(`${tables.join(' ')}: ${one.sql}`);
  }
  expect(statements.size).toBeGreaterThan(30);
  expect(found).toEqual([]);
});
