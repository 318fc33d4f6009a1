import { expect, test } from 'vitest';
import { forgetCollections, storeCollections } from '../../../src/store/changes/item-writing.ts';
import {
  findCollection,
  findUnknownCollections,
  hasMembers,
  listCollectionResources,
  listCollections,
} from '../../../src/store/sources/collections.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { ToldSource } from '../../house/store/told-source.ts';

describeOnBoth('collections', (open) => {
  test('have what is published of their items, and the collections below them', async () => {
    const { database } = open();
    const { reader } = database;
    const source = await ToldSource.open(database, 'kyoto');
    const other = await ToldSource.open(database, 'nara');
    await other.tell({ 9: { collections: ['a'] } });
    await source.tell({
      1: { formats: { oai_dc: '1', mods: '1' }, collections: ['a'], files: ['https://x.example.org/1'] },
      2: { collections: ['a', 'b:c'] },
      3: { collections: ['a'] },
    });
    await source.tell({ 3: { deleted: true, collections: ['a'] }, 4: { collections: ['ab'] } });
    await storeCollections(database, source.id, [
      { spec: 'a', name: 'Theses', description: 'of all years' },
      { spec: 'd', name: '' },
    ]);
    const described = { source: 'kyoto', spec: 'a', name: 'Theses', description: 'of all years' };
    expect(await findCollection(reader, 'kyoto', 'a')).toEqual({
      ...described,
      resourceCount: 4,
      fileCount: 1,
      isLeast: false,
      isLarge: false,
    });
    expect(await findCollection(reader, 'kyoto', 'd')).toMatchObject({
      description: undefined,
      resourceCount: 0,
      fileCount: 0,
    });
    expect(await findCollection(reader, 'kyoto', 'b')).toBeUndefined();
    const page = async (after: string, limit: number) =>
      (await listCollectionResources(reader, 'kyoto', 'a', after, limit)).members.map(({ path }) =>
        path.replace('kyoto/items/', ''),
      );
    const all = await page('', 9);
    expect(all.slice(0, 3).toSorted()).toEqual(['1/files/1-a.pdf', '1/mods.xml', '1/oai_dc.xml']);
    expect(all.slice(3)).toEqual(['2/oai_dc.xml']);
    expect(await page(`kyoto/items/${all[1]}`, 9)).toEqual(all.slice(2));
    expect(await page('kyoto/items/nobody.xml', 2)).toEqual(all.slice(0, 2));
    const { members } = await listCollectionResources(reader, 'kyoto', 'a', '', 3);
    expect(members).toContainEqual({
      path: 'kyoto/items/1/files/1-a.pdf',
      kind: 'file',
      mediaType: undefined,
      length: undefined,
    });
    expect(members).toContainEqual({
      path: 'kyoto/items/1/mods.xml',
      kind: 'metadata',
      mediaType: 'application/xml',
      length: 18,
    });
    expect(await listCollectionResources(reader, 'kyoto', 'z', '', 3)).toEqual({
      members: [],
      next: undefined,
    });
    expect((await listCollections(reader, 'kyoto')).map(({ spec }) => spec)).toEqual(['a', 'ab', 'b:c', 'd']);
    expect(await listCollections(reader, 'kyoto', 1)).toEqual([{ spec: 'a', name: 'Theses' }]);
    // What the list does not have any more is known by what records call it, and by nothing else.
    await storeCollections(database, other.id, [{ spec: 'a', name: 'Maps', description: 'old ones' }]);
    await forgetCollections(database, source.id, new Set(['d']));
    expect(await findCollection(reader, 'kyoto', 'a')).toMatchObject({
      ...{ spec: 'a', name: 'a', description: undefined, resourceCount: 4 },
    });
    expect(await findCollection(reader, 'nara', 'a')).toMatchObject({ name: 'Maps' });
    expect(await findUnknownCollections(reader, 'kyoto', ['a', 'b', 'b:', 'c', 'b:c', 'a:b'])).toEqual([
      'b:',
      'c',
      'a:b',
    ]);
    expect(await hasMembers(reader, 'kyoto', ['b'])).toBe(true);
    expect(await hasMembers(reader, 'kyoto', ['z', 'd'])).toBe(false);
    expect(await hasMembers(reader, 'kyoto', ['d', 'a'])).toBe(true);
    expect(await hasMembers(reader, 'kyoto', [])).toBe(false);
  });

  test('are walked page by page, each member once, whatever was deleted', async () => {
    const { database } = open();
    const source = await ToldSource.open(database, 'nagoya');
    for (let turn = 0; turn < 3; turn += 1) {
      const numbers = Array.from({ length: 250 }, (_, index) => index + turn * 250);
      await source.tell(Object.fromEntries(numbers.map((number) => [number, { collections: ['a'] }])));
      const gone = turn === 1 ? numbers : numbers.filter((number) => number % 3 === 0);
      await source.tell(Object.fromEntries(gone.map((number) => [number, { deleted: true }])));
    }
    for (const limit of [7, 100, 333, 334, 1000]) {
      const paths: string[] = [];
      for (let next: string | undefined = ''; next !== undefined; ) {
        const page = await listCollectionResources(database.reader, 'nagoya', 'a', next, limit);
        expect(page.members.length).toBe(Math.min(limit, 333 - paths.length));
        paths.push(...page.members.map(({ path }) => path));
        next = page.next;
      }
      expect(new Set(paths).size).toBe(333);
    }
  });

  test('are counted as far as this is cheap, and a page ends behind very many dead items', async () => {
    const { database } = open();
    const { reader, writer } = database;
    const source = await ToldSource.open(database, 'osaka');
    await source.tell({ 1: { collections: ['a'] }, 2: { collections: ['a'] } });
    const collection = await reader('collection').where({ spec: 'a', source_id: source.id }).first();
    const [first] = await reader('item').where({ source_id: source.id }).orderBy('id').pluck('id');
    const last = await reader('item').where({ source_id: source.id }).max({ id: 'id' }).first();
    // Items of before, of which nothing was ever published, and a member behind them.
    const dead = Array.from({ length: 6000 }, (_, index) => Number(last?.id) + 1 + index);
    for (let from = 0; from < dead.length; from += 500) {
      const rows = dead.slice(from, from + 500);
      await writer('item').insert(
        rows.map((id) => ({ id, source_id: source.id, identifier: `dead ${id}`, unsettled: 0 })),
      );
      await writer('item_collection').insert(
        rows.map((id) => ({ source_id: source.id, item_id: id, collection_id: collection.id })),
      );
    }
    expect(await findCollection(reader, 'osaka', 'a')).toMatchObject({
      resourceCount: 2,
      isLeast: true,
      isLarge: true,
    });
    const page = await listCollectionResources(reader, 'osaka', 'a', '', 1);
    expect(page.members).toHaveLength(1);
    const rest = await listCollectionResources(reader, 'osaka', 'a', page.next ?? '', 5);
    expect(rest.members).toHaveLength(1);
    expect(rest.next).toBe(`~${Number(first) + 5000}`);
    expect(await listCollectionResources(reader, 'osaka', 'a', rest.next ?? '', 5)).toEqual({
      members: [],
      next: undefined,
    });
  });
});
