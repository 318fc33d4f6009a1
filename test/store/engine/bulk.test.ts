import { beforeEach, expect, test } from 'vitest';
import { insertRows, type Row } from '../../../src/store/engine/bulk.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { sourceIdOf } from '../../../src/store/rows/one-source.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const sha256 = `sha-256:${'0a'.repeat(32)}`;

describeOnBoth('many rows in one statement', (open) => {
  let database: Database;

  beforeEach(() => {
    database = open().database;
  });

  const insert = (table: string, rows: readonly Row[]) =>
    database.transaction(async (trx) => {
      await insertRows(trx, table, rows);
    });

  test('have the same text, whatever is in it, and no text where there is none', async () => {
    await ensureSource(database, 'bulk', '2026-11-23T00:00:00Z');
    const source_id = (await sourceIdOf(database.writer, 'bulk')) ?? 0;
    const identifiers = ['NULL', '{a,b}', '"quoted" \\x41 \\\\', 'zwölf 漢字 😀', "it's ?", ' ', '\\', '1'];
    const rows = identifiers.map((identifier, index) => ({
      source_id,
      identifier,
      datestamp: index % 2 === 0 ? null : identifier,
      unsettled: index % 2,
      landing_due: null,
      restated: 0,
    }));
    await insert('item', rows);
    const stored = await database
      .writer('item')
      .select(Object.keys(rows[0] ?? {}))
      .where({ source_id })
      .orderBy('id');
    expect(stored).toEqual(rows);
  });

  test('have the same octets, hashes and numbers', async () => {
    const blob = (hash: string, data: Uint8Array, length: number, base: string | null) => {
      return { hash, length, coding: 'identity', data, base };
    };
    const rows = [
      blob(sha256, Buffer.from([0, 255, 92, 120]), 2 ** 40 + 1, null),
      blob(`sha-256:${'f0'.repeat(32)}`, Buffer.alloc(0), 0, sha256),
      // What a repository states, and is no hash of ours.
      blob('md5:d41d8cd98f00b204e9800998ecf8427e', new Uint8Array(3).fill(7), 3, null),
    ];
    await insert('blob', rows);
    const stored: { data: Uint8Array }[] = await database
      .writer('blob')
      .select('hash', 'length', 'coding', 'data', 'base')
      .whereIn(
        'hash',
        rows.map(({ hash }) => hash),
      );
    const plain = (all: readonly { readonly data: Uint8Array }[]) =>
      new Set(all.map((row) => JSON.stringify({ ...row, data: [...row.data] })));
    expect(plain(stored)).toEqual(plain(rows));
  });
});
