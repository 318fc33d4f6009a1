import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { applyRetention } from '../../../src/store/history/retention.ts';
import { describeOnBoth, migratedPostgres } from '../../house/store/databases.ts';
import { countGivenUp } from '../../house/store/given-up.ts';
import { Lives } from '../../house/store/lives.ts';
import { contentOfSources, repeating } from '../../house/store/repeating.ts';

let database: Database;
let drop: () => Promise<void>;

beforeAll(async () => {
  const made = await migratedPostgres();
  drop = made.drop;
  database = openDatabase(made.config);
});

afterAll(async () => {
  await database.close();
  await drop();
});

async function twoSources(prefix: string): Promise<readonly [string, string]> {
  const names = [`${prefix}-a`, `${prefix}-b`] as const;
  await database.writer('source').insert(names.map((name) => ({ name, journal_at: '2026-01-01T00:00:00Z' })));
  return names;
}

/** Resolves for all who wait once so many do. */
function meeting(guests: number): () => Promise<void> {
  let open: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  let come = 0;
  return () => {
    come += 1;
    if (come === guests) open();
    return all;
  };
}

test('the victim of a deadlock is run again, and both transactions are done', async () => {
  const [a, b] = await twoSources('deadlock');
  const meet = meeting(2);
  let attempts = 0;
  const increase = (first: string, second: string) =>
    database.transaction(async (trx) => {
      attempts += 1;
      await trx('source').where({ name: first }).increment('journal_seq', 1);
      await meet();
      await trx('source').where({ name: second }).increment('journal_seq', 1);
    });
  await Promise.all([increase(a, b), increase(b, a)]);
  expect(attempts).toBe(3);
  const rows = await database.reader('source').whereIn('name', [a, b]).select('journal_seq');
  expect(rows).toEqual([{ journal_seq: 2 }, { journal_seq: 2 }]);
});

test('what another transaction has changed under its feet is read anew', async () => {
  const [name] = await twoSources('stale');
  const one = () => database.writer('source').where({ name });
  const seen: number[] = [];
  await database.transaction(async (trx) => {
    await trx.raw('set transaction isolation level repeatable read');
    const row = await trx('source').where({ name }).first('journal_seq');
    seen.push(row.journal_seq);
    if (seen.length === 1) await one().update({ journal_seq: 10 });
    await trx('source')
      .where({ name })
      .update({ journal_seq: row.journal_seq + 1 });
  });
  expect(seen).toEqual([0, 10]);
  expect(await one().first('journal_seq')).toEqual({ journal_seq: 11 });
});

test('another failure is nobody`s to repeat', async () => {
  let attempts = 0;
  const work = database.transaction(async (trx) => {
    attempts += 1;
    await trx.raw('select 1 / 0');
  });
  await expect(work).rejects.toMatchObject({ code: '22012' });
  expect(attempts).toBe(1);
});

describeOnBoth('transactions that all have to be repeated', (open) => {
  test('leave what they would have left at once', async () => {
    const day = 86_400;
    const live = async (own: Database, source: string) => {
      const lives = await Lives.begin(own, source, '2026-01-01T00:00:00Z', 'kin');
      for (let content = 1; content <= 6; content += 1) {
        await lives.store({ 1: content, 2: content === 5 ? undefined : Math.ceil(content / 2) });
        lives.pass(day);
      }
      const first = await applyRetention(own, lives.lease, { last: 1 }, lives.clock);
      const second = await applyRetention(own, lives.lease, { last: 3 }, lives.clock);
      return { first, second, givenUp: await countGivenUp(own.reader, lives.lease.sourceId) };
    };
    const once = await live(open().database, 'once');
    expect(await live(repeating(open().database), 'twice')).toEqual(once);
    const [before, after] = await contentOfSources(open().database.reader, ['once', 'twice']);
    expect(after).toEqual(before);
  });
});
