import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { HarvestNotes } from '../../../src/server/oai/harvest-notes.ts';
import { listHarvesters } from '../../../src/store/oai/harvesters.ts';
import { sourceIdOf } from '../../../src/store/rows/one-source.ts';
import { OaiHouse } from '../../house/server/oai-house.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

describeOnBoth('Notes of who harvests', (open) => {
  test('what is on its way is waited for by whoever writes after it', async () => {
    const { database } = open();
    const house = await OaiHouse.open(database);
    await house.tell({ 'oai:a:1': {} });
    const sourceId = await sourceIdOf(database.reader, house.source);
    const warn = (what: object) => {
      throw new Error(JSON.stringify(what));
    };
    const notes = new HarvestNotes({ database, log: { warn } });
    const note = (agent: string) =>
      notes.note(
        { headers: { 'user-agent': agent } } as FastifyRequest,
        { journal: { at: '2026-11-21T10:00:00Z' }, sourceId } as Parameters<HarvestNotes['note']>[1],
        { request: { verb: 'ListRecords' }, held: [] } as unknown as Parameters<HarvestNotes['note']>[2],
      );
    for (let number = 0; number < 100; number += 1) note(`one of many ${number}`);
    void notes.write();
    note('the last one');
    await notes.write();
    expect((await listHarvesters(database.reader, [house.source])).get(house.source)).toHaveLength(101);
    await house.close();
  });
});
