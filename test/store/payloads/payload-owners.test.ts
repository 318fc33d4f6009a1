import { expect, test } from 'vitest';
import { patchRelation } from '../../../src/core/resource.ts';
import {
  findPayloadOwners,
  listMissingPayloads,
  type PayloadOwner,
} from '../../../src/store/payloads/payload-owners.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { ToldSource } from '../../house/store/told-source.ts';

const hashOf = (digit: string) => `sha-256:${digit.repeat(64)}`;

describeOnBoth('whose payload something is', (open) => {
  test('a version, what the upstream remembers, or a patch; and of which of them nothing is kept', async () => {
    const { database } = open();
    const { reader, writer } = database;
    const source = await ToldSource.open(database, 'kyoto');
    await source.tell({ 1: { formats: { oai_dc: 'one' } }, 2: {} });
    const began = source.now;
    await source.tell({ 1: { formats: { oai_dc: 'two' } } });
    await source.tell({ 2: { deleted: true } });
    const [was, is, gone] = await reader('version')
      .where({ gone: 0 })
      .orderBy('seq')
      .pluck('hash')
      .then(([first, second, third]) => [first, third, second]);
    const item = await reader('item').where({ identifier: '1' }).first('id');
    const prior = { source_id: source.id, item_id: item.id, number: 1 };
    await writer('prior_version').insert({ ...prior, at: '2020-01-01T00:00:00Z' });
    await writer('prior_representation').insert([
      { ...prior, kind: 'metadata', format: 'mods', sequence: 0, hash: hashOf('a') },
      { ...prior, kind: 'file', format: 'file', sequence: 1, hash: hashOf('b') },
    ]);
    const links = [
      { rel: patchRelation, href: 'kyoto/patch', hash: hashOf('c') },
      { rel: 'collection', href: 'kyoto/collections/a', hash: hashOf('d') },
    ];
    const change = await reader('change').where({ kind: 'updated' }).first('seq', 'at');
    await writer('change')
      .where({ seq: change.seq, source_id: source.id })
      .update({ links: JSON.stringify(links) });
    const own = { source: 'kyoto', name: 'kyoto/items/1/oai_dc.xml', upstreamUrl: undefined };
    const of1 = [
      { ...own, hash: was, since: began, role: 'earlier' },
      { ...own, hash: is, since: change.at, role: 'current' },
    ];
    const of2 = { ...own, name: 'kyoto/items/2/oai_dc.xml', hash: gone, since: began, role: 'earlier' };
    const remembered = {
      hash: hashOf('a'),
      source: 'kyoto',
      name: '1 (mods)',
      since: '2020-01-01T00:00:00Z',
      role: 'prior',
    };
    const hashes = [was, is, gone, ...['a', 'b', 'c', 'd', 'e'].map(hashOf)];
    expect(await findPayloadOwners(reader, hashes)).toEqual([
      ...of1,
      of2,
      remembered,
      { hash: hashOf('c'), source: 'kyoto', name: own.name, since: change.at, role: 'patch' },
    ]);
    expect(await findPayloadOwners(reader, [is])).toEqual([of1[1]]);
    const missing = async () => {
      const found: PayloadOwner[] = [];
      for await (const some of listMissingPayloads(reader)) found.push(...some);
      return found;
    };
    expect(await missing()).toEqual([remembered]);
    await writer('blob').delete();
    expect(await missing()).toEqual([...of1, of2, remembered]);
    await writer('version').where({ hash: was }).update({ dropped_at: source.now });
    expect(await missing()).toEqual([of1[1], of2, remembered]);
    expect(await findPayloadOwners(reader, [was])).toEqual([]);
  });
});
