import { expect, test } from 'vitest';
import { lastChangesOf } from '../../../src/store/oai/last-changes.ts';
import { payload, storing } from '../../house/server/stored-items.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

describeOnBoth('The last change of an item', (open) => {
  test('is that of any of its formats, deleted ones too', async () => {
    const { database } = open();
    const store = storing(database);
    const identifiers = ['oai:x:1', 'oai:x:2', 'oai:none'];
    const read = async (source = 'kyushu') =>
      Object.fromEntries(await lastChangesOf(database.reader, source, identifiers));
    expect(await read()).toEqual({});
    const both = [payload('a'), payload('a', 'mods')];
    const first = '2026-11-20T08:00:00Z';
    await store(first, { metadata: both }, { identifier: 'oai:x:2', metadata: both });
    expect(await read()).toEqual({ 'oai:x:1': first, 'oai:x:2': first });
    const second = '2026-11-20T09:00:00Z';
    await store(second, { metadata: [payload('b', 'mods')] });
    expect(await read()).toEqual({ 'oai:x:1': second, 'oai:x:2': first });
    const third = '2026-11-20T10:00:00Z';
    await store(third, { identifier: 'oai:x:2', deleted: true });
    expect(await read()).toEqual({ 'oai:x:1': second, 'oai:x:2': third });
    expect(await read('other')).toEqual({});
  });
});
