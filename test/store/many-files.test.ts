import { expect, test } from 'vitest';
import type { StatedFile } from '../../src/core/files/published-files.ts';
import { insertRows } from '../../src/store/engine/bulk.ts';
import { readItemFiles, storeStatements } from '../../src/store/files/item-files.ts';
import { sourceIdOf } from '../../src/store/rows/one-source.ts';
import { ensureSource } from '../../src/store/sources/sources.ts';
import { describeOnBoth } from '../house/store/databases.ts';

/** More than are read, or written, at a time. */
const many = 12_001;
const mets = { name: 'mets', rank: 10 };
const dc = { name: 'oai_dc', rank: 50 };

describeOnBoth('items with very many files', (open) => {
  test('what is stated of them is read as it was stored, item by item', async () => {
    const { database } = open();
    const { writer } = database;
    await ensureSource(database, 'a', '2026-01-01T00:00:00Z');
    const sourceId = (await sourceIdOf(writer, 'a')) ?? 0;
    const lists = {
      few: [filesOf('few', 3, mets)],
      huge: [filesOf('huge', many, mets), filesOf('huge', 5_000, dc)],
      next: [filesOf('next', 5_000, dc)],
      none: [],
      last: [filesOf('last', 2, dc)],
    };
    const itemIds = new Map<string, number>();
    await database.transaction(async (trx) => {
      const items = Object.keys(lists).map((identifier) => ({ source_id: sourceId, identifier }));
      const written = await insertRows<{ id: number; identifier: string }>(trx, 'item', items, {
        returning: ['id', 'identifier'],
      });
      for (const { id, identifier } of written) itemIds.set(identifier, id);
      const restated = Object.entries(lists).flatMap(([identifier, origins]) =>
        origins.map((files) => {
          return { identifier, origin: files[0]?.origin ?? mets, files, replaces: [] };
        }),
      );
      await storeStatements(trx, sourceId, restated, itemIds, new Map());
    });

    const read = await readItemFiles(writer, sourceId, [...itemIds.values()]);

    const found = Object.keys(lists).map((name) => read.get(itemIds.get(name) ?? 0)?.files ?? []);
    expect(found.map(({ length }) => length)).toEqual([3, many + 5_000, 5_000, 0, 2]);
    expect(found).toEqual(Object.values(lists).map((origins) => origins.flat()));
  });
});

function filesOf(item: string, count: number, origin: StatedFile['origin']): StatedFile[] {
  return Array.from({ length: count }, (_, index) => ({
    origin,
    url: `https://a.example/${item}/${origin.name}/${index}.pdf`,
    name: `${index}.pdf`,
    sequence: index + 1,
    mediaType: 'application/pdf',
    length: 1000 + index,
    hash: undefined,
    access: undefined,
    availableAt: undefined,
    version: undefined,
  }));
}
