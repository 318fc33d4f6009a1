import { expect, test } from 'vitest';
import { listHarvesters } from '../../../src/store/oai/harvesters.ts';
import { OaiHouse } from '../../house/server/oai-house.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

describeOnBoth('Who harvests by OAI-PMH', (open) => {
  test('is written down with what was asked last, and added up; of very many names the last ones stay', async () => {
    const { database } = open();
    const house = await OaiHouse.open(database);
    const ask = async (query: string, headers: Record<string, string>) =>
      house.app.inject({ url: `/${house.source}/oai?${query}`, headers });
    await house.tell({ 'oai:a:1': {}, 'oai:a:2': {} });
    const list = 'verb=ListRecords&metadataPrefix=oai_dc';
    const metha = { 'user-agent': 'metha/0.3\t\u{e9}', from: 'me@example.org' };
    await ask(list, metha);
    house.pass(60);
    await ask(`${list}&from=2026-11-21`, metha);
    await ask('verb=Identify', { 'user-agent': 'looks only' });
    await ask(list, { 'user-agent': '' });
    await house.app.close();
    const known = (await listHarvesters(database.reader, [house.source])).get(house.source);
    expect(known).toEqual([
      {
        ...{ agent: '', sender: '', requests: 1, records: 2, lastFrom: undefined },
        ...{ firstAt: '2026-11-21T10:01:00Z', lastAt: '2026-11-21T10:01:00Z' },
      },
      {
        ...{ agent: 'metha/0.3 \u{e9}', sender: 'me@example.org', requests: 2, records: 4 },
        ...{
          firstAt: '2026-11-21T10:00:00Z',
          lastAt: '2026-11-21T10:01:00Z',
          lastFrom: '2026-11-21T00:00:00Z',
        },
      },
    ]);

    const other = await OaiHouse.open(database);
    await other.tell({ 'oai:a:1': {} });
    for (let number = 0; number < 210; number += 1) {
      if (number === 205) other.pass(60);
      await other.app.inject({
        url: `/${other.source}/oai?${list}`,
        headers: { 'user-agent': `made up ${number}` },
      });
    }
    await other.close();
    const names = (await listHarvesters(database.reader, [other.source])).get(other.source) ?? [];
    expect(names).toHaveLength(200);
    expect(names.slice(0, 5).map(({ agent }) => agent)).toEqual(
      [205, 206, 207, 208, 209].map((number) => `made up ${number}`),
    );
    await house.close();
  });
});
