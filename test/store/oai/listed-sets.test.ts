import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NamedSet } from '../../../src/oai/lists.ts';
import { listSets, sourceHasSets } from '../../../src/store/oai/listed-sets.ts';
import { OaiHouse } from '../../house/server/oai-house.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

describeOnBoth('Sets of a source', (open) => {
  let house: OaiHouse;
  beforeAll(async () => {
    house = await OaiHouse.open(open().database);
  });
  afterAll(() => house?.close());

  const walk = async (limit: number) => {
    const found: NamedSet[] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page = await listSets(house.database.reader, house.sourceId, after, limit);
      found.push(...page.sets);
      after = page.next;
    }
    return found.map(({ spec }) => spec);
  };

  test('are each there once, with what is above them, on pages of whatever length', async () => {
    expect(await sourceHasSets(house.database.reader, house.sourceId)).toBe(false);
    expect(await walk(2)).toEqual([]);
    const own = ['a', 'a:b:c', 'a:b:d', 'a:e', 'f:g', 'f:h', 'i:j', 'k', 'not a spec', 'z:%41'];
    await house.name(Object.fromEntries(own.map((spec) => [spec, ''])));
    expect(await sourceHasSets(house.database.reader, house.sourceId)).toBe(true);
    const all = ['a', 'a:b', 'a:b:c', 'a:b:d', 'a:e', 'f', 'f:g', 'f:h', 'i', 'i:j', 'k'];
    for (const limit of [1, 2, 3, 4, 5, 100])
      expect(await walk(limit)).toEqual([...all, 'not~20a~20spec', 'z~3A~2541']);
  });

  test('cost what one page has, however many there are', async () => {
    const many = Array.from({ length: 3000 }, (_, number) => `n${String(number).padStart(5, '0')}`);
    await house.name(Object.fromEntries(many.map((spec) => [spec, ''])));
    const asked: number[] = [];
    const note = (rows: unknown) => {
      if (Array.isArray(rows)) asked.push(rows.length);
      else if (rows && typeof rows === 'object' && 'rows' in rows)
        asked.push((rows.rows as unknown[]).length);
    };
    const { reader } = house.database;
    reader.on('query-response', note);
    const page = await listSets(reader, house.sourceId, 'n01000', 100);
    reader.removeListener('query-response', note);
    expect(page.sets.map(({ spec }) => spec)).toEqual(many.slice(1001, 1101));
    expect(asked).toEqual([101]);
  });
});
