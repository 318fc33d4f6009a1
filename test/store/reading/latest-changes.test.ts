import { expect, test } from 'vitest';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { listChanges } from '../../../src/store/reading/listing.ts';
import { hearStatements, planOf } from '../../house/postgres/asked.ts';
import { seedChanges, seedSource } from '../../house/publish/seed.ts';
import { migratedPostgres } from '../../house/store/databases.ts';

test('a page of the latest changes is read in the order of the journal, and not the whole source for each', async () => {
  const { config, drop } = await migratedPostgres();
  const database = openDatabase(config);
  const at = '2026-11-21T12:00:00Z';
  await seedSource(database, 'large');
  await seedChanges(
    database,
    'large',
    Array.from({ length: 1200 }, (_, number) => ({ name: `n${number}`, at })),
  );
  await database.writer.raw('analyze');
  const [set] = resourceSets('large', {});
  const heard = hearStatements();
  const seqs: number[] = [];
  try {
    const range = { afterSeq: 700, latestOnly: true };
    if (set)
      for await (const page of listChanges(database.reader, set, range, 20))
        seqs.push(...page.map(({ seq }) => seq));
  } finally {
    heard.stop();
  }
  expect(seqs).toEqual(Array.from({ length: 500 }, (_, number) => 701 + number));
  const [asked] = [...heard.statements.values()].filter(({ sql }) => sql.includes('last_seq'));
  if (!asked) throw new Error('nothing was asked');
  const plan = await planOf(database, asked);
  expect(plan).toContain('Limit');
  // PostgreSQL 15 sorts versions, of which there are none, and joins them.
  expect(plan).not.toMatch(/Sort Key:(?! version\.)/);
  await database.close();
  await drop();
});
