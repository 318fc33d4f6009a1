import { expect, test } from 'vitest';
import { readFreeBytes, readTableSizes } from '../../../src/store/reading/database-size.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

describeOnBoth('what tables take', (open) => {
  test('is told by PostgreSQL, the largest first, partitions as one; SQLite tells what is empty', async () => {
    const { database } = open();
    const tables = await readTableSizes(database);
    const free = await readFreeBytes(database);
    if (database.client === 'sqlite') {
      expect(tables).toEqual([]);
      const text = 'x'.repeat(100_000);
      await database.writer('installation_fact').insert({ name: 'large', value: text, at: 1 });
      await database.writer('installation_fact').delete();
      expect((await readFreeBytes(database)) ?? 0).toBeGreaterThanOrEqual((free ?? 0) + 80_000);
      return;
    }
    expect(free).toBeUndefined();
    const names = tables.map(({ name }) => name);
    expect(names).toContain('version');
    expect(names.filter((name) => /_p\d+$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    const sizes = tables.map(({ bytes }) => bytes);
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect(sizes[0]).toBeGreaterThan(0);
    expect(tables.every(({ rows }) => Number.isInteger(rows) && rows >= 0)).toBe(true);
  });
});
