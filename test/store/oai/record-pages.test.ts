import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../src/store/engine/database.ts';
import { forgetOrder, orderedUpTo } from '../../../src/store/oai/record-order.ts';
import {
  countRecords,
  type RecordList,
  RecordsNotInOrder,
  readLastRecord,
  readRecords,
} from '../../../src/store/oai/record-pages.ts';
import { wholeItems } from '../../../src/store/oai/stored-item.ts';
import { readJournal } from '../../../src/store/sources/journal.ts';
import { OaiHouse } from '../../house/server/oai-house.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

describeOnBoth('Pages of records', (open) => {
  let house: OaiHouse;
  let database: Database;
  let list: RecordList;
  beforeAll(async () => {
    ({ database } = open());
    house = await OaiHouse.open(database);
    list = { sourceId: house.sourceId, format: 'oai_dc', spec: undefined, until: undefined };
  });
  afterAll(() => house?.close());

  const identifiers = async (of: RecordList, after = 0, limit = 1000) =>
    (await readRecords(database.reader, of, after, limit)).records.map(({ identifier }) => identifier);
  const some = (from: number, to: number, told = {}) =>
    Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`oai:a:${from + index}`, told]));

  test('are the same, whether the records are in order, or not yet, or in part', async () => {
    await house.tell(some(0, 30, { collections: ['x:y'] }));
    house.pass(1);
    await house.tell(some(10, 20, { collections: ['z'], title: 'new' }));
    const expected = [
      ...Array(10).keys(),
      ...[20, 21, 22, 23, 24, 25, 26, 27, 28, 29],
      ...[10, 11, 12, 13, 14, 15, 16, 17, 18, 19],
    ].map((number) => `oai:a:${number}`);
    const look = async () => {
      expect(await identifiers(list)).toEqual(expected);
      expect(await identifiers({ ...list, spec: 'x' })).toEqual(expected.slice(0, 20));
      expect(await identifiers({ ...list, spec: 'z' })).toEqual(expected.slice(20));
      expect(await identifiers({ ...list, until: '2026-11-21T10:00:00Z' })).toEqual(expected.slice(0, 20));
      // Nothing has a file here: items move as their records do.
      const items = { ...list, format: wholeItems };
      expect(await identifiers(items)).toEqual(expected);
      expect(await identifiers({ ...items, spec: 'z' })).toEqual(expected.slice(20));
      expect(await identifiers({ ...items, until: '2026-11-21T10:00:00Z' })).toEqual(expected.slice(0, 20));
      expect(await readRecords(database.reader, list, 0, 29)).toMatchObject({ more: true });
      expect(await readRecords(database.reader, list, 0, 30)).toMatchObject({ more: false });
    };
    await look();
    await house.order();
    await look();
    house.pass(1);
    await house.tell(some(0, 1, { deleted: true }));
    expect((await identifiers(list)).at(-1)).toBe('oai:a:0');
    expect(await identifiers(list)).toHaveLength(30);
    const journal = await readJournal(database.reader, house.source);
    const counted = async () => {
      const whole = { ...list, format: wholeItems };
      const lists = [list, { ...list, spec: 'x' }, { ...list, spec: 'z' }, whole, { ...whole, spec: 'x' }];
      const [seq = 0, middle] = [journal?.seq, 35];
      const counts: unknown[] = [];
      for (const one of lists)
        for (const [after, upTo] of [
          [0, seq],
          [middle, seq],
          [0, middle],
        ] as const)
          counts.push(await countRecords(database.reader, one, after, upTo));
      return counts;
    };
    const before = await counted();
    expect(before.slice(0, 4)).toEqual([30, 6, 24, 20]);
    await house.order();
    expect(await counted()).toEqual(before);
    expect(await orderedUpTo(database.reader, house.sourceId)).toBe(journal?.seq);
    expect(await countRecords(database.reader, list, 0, journal?.seq ?? 0)).toBe(30);
    expect(await countRecords(database.reader, { ...list, spec: 'x' }, 0, journal?.seq ?? 0)).toBe(20);
    expect((await readLastRecord(database.reader, list, 1_000_000))?.identifier).toBe('oai:a:0');
    const items = { ...list, format: wholeItems };
    expect(await countRecords(database.reader, items, 0, journal?.seq ?? 0)).toBe(30);
    const last = await readLastRecord(database.reader, items, 1_000_000);
    expect(last).toMatchObject({ identifier: 'oai:a:0', format: 'ore', whole: true, deleted: true });
  });

  test('are refused where the journal has gone too far ahead, until the order has followed', async () => {
    const rows = Array.from({ length: 21_000 }, (_, index) => index);
    const journal = await readJournal(database.reader, house.source);
    const { seq = 0 } = journal ?? {};
    // Changes of what is no metadata: nothing of them is listed.
    const change = {
      source_id: house.sourceId,
      resource_id: 0,
      at: house.now,
      kind: 'updated',
      lastmod: '',
      links: '[]',
    };
    for (let from = 0; from < rows.length; from += 500)
      await database
        .writer('change')
        .insert(rows.slice(from, from + 500).map((index) => ({ ...change, seq: seq + 1 + index })));
    await database
      .writer('source')
      .where({ id: house.sourceId })
      .update({ journal_seq: seq + rows.length });
    await expect(readRecords(database.reader, list, 0, 100)).rejects.toThrow(RecordsNotInOrder);
    expect(await identifiers(list, 0, 5)).toHaveLength(5);
    const answer = await house.app.inject(`/${house.source}/oai?verb=ListRecords&metadataPrefix=oai_dc`);
    expect(answer.statusCode).toBe(503);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    await house.order();
    expect(await identifiers(list)).toHaveLength(30);
  });

  test('are found by the key of their order, in the partition of their source', async () => {
    const asked: string[] = [];
    const note = ({ sql, bindings = [] }: { sql: string; bindings?: readonly unknown[] }) => {
      if (sql.includes('from oai_record')) asked.push(filled(sql, bindings));
    };
    database.reader.on('query', note);
    await identifiers(list, 0, 10);
    await identifiers({ ...list, spec: 'x' }, 5, 10);
    await identifiers({ ...list, format: wholeItems }, 0, 10);
    database.reader.removeListener('query', note);
    expect(asked).toHaveLength(3);
    for (const sql of asked) {
      const plan = await planOf(database, sql);
      if (database.client === 'sqlite') {
        expect(plan).toMatch(
          /SEARCH oai_record USING PRIMARY KEY \(source_id=\? AND format=\? AND spec=\? AND seq>\? AND seq<\?\)/,
        );
        expect(plan.replace('SCAN place', '')).not.toMatch(/SCAN|TEMP B-TREE/);
      } else {
        // No more of them than a page has, whatever else is joined to them.
        expect(plan).toMatch(/Limit[^\n]*\n\s*->\s+Index (?:Only )?Scan using oai_record_p\d+_pkey/i);
        expect(plan).not.toMatch(/Seq Scan|Sort/);
        for (const table of ['oai_record', 'resource', 'item', 'change'])
          expect(new Set(plan.match(new RegExp(`on ${table}_p\\d+\\b`, 'g')))).toHaveProperty('size', 1);
      }
    }
  });

  test('are forgotten with their source', async () => {
    while (await forgetOrder(database, house.sourceId));
    expect(await database.reader('oai_record').where({ source_id: house.sourceId })).toEqual([]);
    expect(await orderedUpTo(database.reader, house.sourceId)).toBe(0);
  });
});

/** The statement with its values in it. */
function filled(sql: string, bindings: readonly unknown[]): string {
  let next = 0;
  return sql.replace(/\$\d+|\?/g, () => {
    const value = bindings[next];
    next += 1;
    return typeof value === 'number' ? String(value) : `'${String(value)}'`;
  });
}

/** As it would be with so many rows that no table is read as a whole. */
async function planOf(database: Database, sql: string): Promise<string> {
  if (database.client === 'sqlite') {
    const rows: { detail: string }[] = await database.reader.raw(`explain query plan ${sql}`);
    return rows.map(({ detail }) => detail).join('\n');
  }
  return database.transaction(async (trx) => {
    for (const way of ['seqscan', 'sort', 'hashjoin', 'mergejoin', 'bitmapscan'])
      await trx.raw(`set local enable_${way} = off`);
    const { rows }: { rows: { 'QUERY PLAN': string }[] } = await trx.raw(`explain ${sql}`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
}
