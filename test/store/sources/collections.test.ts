import { expect, test } from 'vitest';
import { storeCollections } from '../../../src/store/changes/item-writing.ts';
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
    });
    expect(await findCollection(reader, 'kyoto', 'd')).toMatchObject({
      description: undefined,
      resourceCount: 0,
      fileCount: 0,
    });
    expect(await findCollection(reader, 'kyoto', 'b')).toBeUndefined();
    const page = async (after: string, limit: number) =>
      (await listCollectionResources(reader, 'kyoto', 'a', after, limit)).map(({ path }) =>
        path.replace('kyoto/items/', ''),
      );
    expect(await page('', 3)).toEqual(['1/files/1-a.pdf', '1/mods.xml', '1/oai_dc.xml']);
    expect(await page('kyoto/items/1/oai_dc.xml', 3)).toEqual(['2/oai_dc.xml']);
    const [file, mods] = await listCollectionResources(reader, 'kyoto', 'a', '', 2);
    expect(file).toMatchObject({ kind: 'file', mediaType: undefined, length: undefined });
    expect(mods).toMatchObject({ kind: 'metadata', mediaType: 'application/xml', length: 18 });
    expect(await listCollectionResources(reader, 'kyoto', 'z', '', 3)).toEqual([]);
    expect((await listCollections(reader, 'kyoto')).map(({ spec }) => spec)).toEqual(['a', 'ab', 'b:c', 'd']);
    expect(await listCollections(reader, 'kyoto', 1)).toEqual([{ spec: 'a', name: 'Theses' }]);
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
});
