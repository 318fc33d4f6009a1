import { afterAll, beforeAll, expect, test } from 'vitest';
import { Follower } from '../../house/server/oai-follower.ts';
import { errorsIn, identifiersIn, OaiHouse } from '../../house/server/oai-house.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const list = { verb: 'ListIdentifiers', metadataPrefix: 'oai_dc' };

describeOnBoth('Sets that are configured here, as sets of OAI-PMH', (open) => {
  let house: OaiHouse;
  const offered = (sets: NonNullable<OaiHouse['offer']>['sets']) => {
    if (house.offer) house.offer = { ...house.offer, sets };
  };
  const of = async (name: string, metadataPrefix = 'oai_dc') =>
    identifiersIn(await house.ask({ ...list, metadataPrefix, set: `sets.${name}` }));
  beforeAll(async () => {
    house = await OaiHouse.open(open().database);
    offered([
      { name: 'history', title: 'History & more', collections: ['letters'] },
      { name: 'col', title: 'Collections', collections: ['col*'], formats: ['simple'] },
    ]);
    await house.name({ 'letters:history': 'History' });
    await house.tell({
      'oai:a:1': { collections: ['letters:history'] },
      'oai:a:2': { collections: ['letters'], formats: ['oai_dc', 'simple'] },
      'oai:a:3': { collections: ['col_1', 'lettersets'], formats: ['oai_dc', 'simple'] },
      'oai:a:4': {},
    });
  });
  afterAll(() => house?.close());

  const look = async () => {
    expect(await of('history')).toEqual(['oai:a:1', 'oai:a:2']);
    expect(await of('history', 'simple')).toEqual(['oai:a:2']);
    expect(await of('col', 'simple')).toEqual(['oai:a:3']);
    expect(errorsIn(await house.ask({ ...list, set: 'sets.col' }))).toEqual(['noRecordsMatch']);
  };

  test('have what they cover, whether the records are in order or not yet', async () => {
    await look();
    // All records, and not these sets.
    await house.order(1);
    await look();
    await house.order();
    await look();
    const spec = { spec: 'sets.history', source_id: house.sourceId };
    // Three records, and the two items that they are of.
    expect(await house.database.reader('oai_record').where(spec)).toHaveLength(5);
  });

  test('are listed first, and named in headers', async () => {
    const sets = [
      ...(await house.ask('verb=ListSets')).matchAll(/<setSpec>([^<]+)<\/setSpec><setName>([^<]+)</g),
    ];
    expect(sets.map(([, spec, name]) => `${spec} ${name}`)).toEqual([
      'sets.history History &amp; more',
      'sets.col Collections',
      'col_1 col_1',
      'letters letters',
      'letters:history History',
      'lettersets lettersets',
    ]);
    const answer = await house.ask({ verb: 'GetRecord', metadataPrefix: 'simple', identifier: 'oai:a:3' });
    expect(answer).toContain(
      '<setSpec>col_1</setSpec><setSpec>lettersets</setSpec><setSpec>sets.col</setSpec></header>',
    );
    const other = await house.ask({ verb: 'GetRecord', metadataPrefix: 'oai_dc', identifier: 'oai:a:3' });
    expect(other).not.toContain('sets.col');
  });

  test('follow what changes, tombstones among it', async () => {
    const follower = new Follower({ set: 'sets.history' });
    await follower.harvest(house, async () => {});
    expect([...follower.held.keys()]).toEqual(['oai:a:1', 'oai:a:2']);
    house.pass(5);
    await house.tell({ 'oai:a:5': { collections: ['letters'] }, 'oai:a:1': { deleted: true } });
    await follower.harvest(house, async () => {});
    expect([...follower.held.keys()]).toEqual(['oai:a:2', 'oai:a:5']);
    await house.order();
    expect(await of('history')).toEqual(['oai:a:2', 'oai:a:5', 'oai:a:1']);
  });

  test('that are others than before are put in order anew, and those that are gone are unknown', async () => {
    offered([{ name: 'history', title: 'History', collections: ['col_1'] }]);
    expect(await of('history')).toEqual(['oai:a:3']);
    await house.order();
    expect(await of('history')).toEqual(['oai:a:3']);
    expect(errorsIn(await house.ask({ ...list, metadataPrefix: 'simple', set: 'sets.col' }))).toEqual([
      'noRecordsMatch',
    ]);
    offered([]);
    await house.order();
    expect(errorsIn(await house.ask({ ...list, set: 'sets.history' }))).toEqual(['noRecordsMatch']);
    const rows = await house.database.reader('oai_record').where({ source_id: house.sourceId });
    expect(rows.filter(({ spec }: { spec: string }) => spec.startsWith('sets.'))).toEqual([]);
    expect(await house.database.reader('oai_own_set')).toEqual([]);
  });
});
