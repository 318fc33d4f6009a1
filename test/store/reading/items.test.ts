import { expect, test } from 'vitest';
import {
  anyIdentifier,
  findItem,
  findItemAt,
  findItems,
  type StoredItem,
} from '../../../src/store/reading/items.ts';
import { listItemResources, listResourcesOfItems } from '../../../src/store/reading/resources.ts';
import { saveInfo } from '../../../src/store/sources/sources.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { ToldSource } from '../../house/store/told-source.ts';

const long = `oai:repo.example.org:${'x'.repeat(300)}`;

describeOnBoth('an item', (open) => {
  test('is found by its name, and by the segment of its address, however long the name is', async () => {
    const { database } = open();
    const { reader } = database;
    const source = await ToldSource.open(database, 'kyoto');
    expect(await anyIdentifier(reader, 'kyoto')).toBeUndefined();
    await source.tell({ 'oai:1/2': { collections: ['b', 'a'] }, [long]: {} });
    const item = await findItem(reader, 'kyoto', 'oai:1/2');
    expect(item).toMatchObject({
      source: 'kyoto',
      identifier: 'oai:1/2',
      datestamp: source.now,
      collections: [
        { spec: 'a', name: 'a' },
        { spec: 'b', name: 'b' },
      ],
      resources: [{ path: 'kyoto/items/oai:1~2F2/oai_dc.xml' }],
    });
    expect(await findItemAt(reader, 'kyoto', 'oai:1~2F2')).toEqual(item);
    expect(await findItemAt(reader, 'nara', 'oai:1~2F2')).toBeUndefined();
    expect(await findItemAt(reader, 'kyoto', 'oai:1~00')).toBeUndefined();
    expect(await findItemAt(reader, 'kyoto', 'oai:1~2')).toBeUndefined();
    const [segment = ''] = (await source.living())
      .map((path) => path.split('/')[0])
      .filter((one) => one !== 'oai:1~2F2');
    expect(segment).toMatch(/~\.[0-9a-f]{64}$/);
    // Nothing in it tells the name: that takes the formats that the source may have.
    expect(await findItemAt(reader, 'kyoto', segment)).toBeUndefined();
    await saveInfo(database.writer, source.id, {
      name: 'Kyoto',
      protocol: 'OAI-PMH 2.0',
      deletedRecords: 'persistent',
      granularity: 'seconds',
      earliestDatestamp: undefined,
      formats: [{ name: 'mods' }, { name: 'oai_dc' }],
    } as never);
    expect(await findItemAt(reader, 'kyoto', segment)).toMatchObject({ identifier: long });
    expect(await findItemAt(reader, 'kyoto', segment.replace(/.$/, 'g'))).toBeUndefined();
    expect(['oai:1/2', long]).toContain(await anyIdentifier(reader, 'kyoto'));
  });

  test('many are read together, each as by itself, however few rows are read at a time', async () => {
    const { database } = open();
    const { reader } = database;
    const source = await ToldSource.open(database, 'nara');
    await (await ToldSource.open(database, 'other')).tell({ 'oai:3': { collections: ['z'] } });
    const files = (count: number) =>
      Array.from({ length: count }, (_, index) => `https://x.example.org/${count}-${index}`);
    const told = [0, 7, 2, 1, 9, 3].map((count, index) => [
      `oai:${index}`,
      { files: files(count), collections: index % 2 === 0 ? [] : ['b', 'a'] },
    ]);
    await source.tell(Object.fromEntries(told));
    await source.tell({ 'oai:2': { deleted: true } });
    const identifiers = ['oai:5', 'oai:none', ...told.map(([identifier]) => String(identifier))];
    const found: StoredItem[] = [];
    for await (const items of findItems(reader, 'nara', identifiers)) found.push(...items);
    expect(found.map(({ identifier }) => identifier).sort()).toEqual(told.map(([name]) => name));
    for (const item of found) expect(item).toEqual(await findItem(reader, 'nara', item.identifier));

    const ids = (await reader('item').where({ source_id: source.id }).pluck('id')).map(Number);
    for (const rows of [1, 2, 3, 8, 100]) {
      const all = new Map<number, unknown>();
      for await (const some of listResourcesOfItems(reader, source.id, [...ids, 999_999], rows)) {
        for (const [id, resources] of some) {
          expect(all.has(id)).toBe(false);
          all.set(id, resources);
        }
      }
      expect(all.get(999_999)).toEqual([]);
      for (const id of ids) expect(all.get(id)).toEqual(await listItemResources(reader, source.id, id));
    }
  });
});
