import { expect, test } from 'vitest';
import { anyIdentifier, findItem, findItemAt } from '../../../src/store/reading/items.ts';
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
    await saveInfo(database, source.id, {
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
});
