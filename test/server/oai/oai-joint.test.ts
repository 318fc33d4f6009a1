import { afterAll, beforeAll, expect, test } from 'vitest';
import { listHarvesters } from '../../../src/store/oai/harvesters.ts';
import { leaveJoint, readTaken } from '../../../src/store/oai/joint-order.ts';
import { baseUrl, errorsIn, headersIn, identifiersIn, tokenIn } from '../../house/server/oai-house.ts';
import { OaiJointHouse } from '../../house/server/oai-joint-house.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const list = { verb: 'ListIdentifiers', metadataPrefix: 'oai_dc' };
const records = { verb: 'ListRecords', metadataPrefix: 'oai_dc' };

/** Several may have one that is called so. */
const noUri = (source: string) => `oai:bridge.example.org:${source}:no%20uri%20at%20all`;

describeOnBoth('OAI-PMH of all sources together', (open) => {
  let house: OaiJointHouse;
  let [first, second, third] = ['', '', ''];
  beforeAll(async () => {
    house = await OaiJointHouse.open(open().database, 3);
    [first = '', second = '', third = ''] = house.members;
    await house.of(0).name({ theses: 'Theses', 'letters:history': 'History' });
    await house.of(0).tell({
      'oai:a:1': { collections: ['theses'], formats: ['oai_dc', 'simple', 'json'] },
      'oai:a:2': { collections: ['letters:history'] },
    });
    await house.of(1).tell({ 'oai:b:1': {}, 'no uri at all': {} });
    await house.order();
    house.pass(10);
    await house.of(2).tell({ 'oai:c:1': {} });
    await house.of(0).tell({ 'oai:a:2': { deleted: true } });
    await house.order();
  });
  afterAll(() => house?.close());

  test('tells of itself', async () => {
    const answer = await house.ask('verb=Identify');
    expect(answer).toContain(`<request verb="Identify">${baseUrl}/oai</request>`);
    expect(answer).toContain('<repositoryName>All of Kyushu</repositoryName>');
    expect(answer).toContain(`<baseURL>${baseUrl}/oai</baseURL>`);
    expect(answer).toContain('<earliestDatestamp>2026-11-21T10:00:00Z</earliestDatestamp>');
    expect(answer).toContain('<responseDate>2026-11-21T10:00:10Z</responseDate>');
    expect(answer).not.toContain('<repositoryIdentifier>');
  });

  test('lists what all of them have, in the order in which it changed, with the identifiers that it has there', async () => {
    const answer = await house.ask(records);
    expect(headersIn(answer)).toEqual([
      'oai:a:1 2026-11-21T10:00:00Z',
      'oai:b:1 2026-11-21T10:00:00Z',
      `${noUri(second)} 2026-11-21T10:00:00Z`,
      'oai:a:2 2026-11-21T10:00:10Z deleted',
      'oai:c:1 2026-11-21T10:00:10Z',
    ]);
    expect(answer).toContain(`<setSpec>${first}:theses</setSpec></header>`);
    expect(answer).toContain(`<setSpec>${first}:letters:history</setSpec></header>`);
    expect(answer).toContain(`<setSpec>${third}</setSpec></header>`);
    expect(answer.match(/<originDescription harvestDate="[^"]+" altered="false">/g)).toHaveLength(3);
  });

  test('has its sources as sets, and their sets below them', async () => {
    const answer = await house.ask('verb=ListSets');
    const specs = [...answer.matchAll(/<setSpec>([^<]+)</g)].map(([, spec]) => spec);
    // Their names are numbered, and "9" comes after "10".
    const own = [first, `${first}:letters`, `${first}:letters:history`, `${first}:theses`];
    expect(specs).toEqual([...own, second, third].sort());
    expect(answer).toContain(`<setName>The ${first}: Theses</setName>`);
    const of = async (set: string) => identifiersIn(await house.ask({ ...list, set }));
    expect(await of(first)).toEqual(['oai:a:1', 'oai:a:2']);
    expect(await of(`${first}:letters`)).toEqual(['oai:a:2']);
    expect(await of(`${first}:theses`)).toEqual(['oai:a:1']);
    expect(await of(third)).toEqual(['oai:c:1']);
    expect(errorsIn(await house.ask({ ...list, set: 'theses' }))).toEqual(['noRecordsMatch']);
    expect(errorsIn(await house.ask({ ...list, set: `${second}:theses` }))).toEqual(['noRecordsMatch']);
  });

  test.each([
    [{ from: '2026-11-21T10:00:10Z' }, () => ['oai:a:2', 'oai:c:1']],
    [{ from: '2026-11-21T10:00:11Z' }, () => []],
    [{ until: '2026-11-21T10:00:09Z' }, () => ['oai:a:1', 'oai:b:1', noUri(second)]],
    [{ from: '2026-11-21T10:00:01Z', until: '2026-11-21T10:00:10Z' }, () => ['oai:a:2', 'oai:c:1']],
  ])('takes bounds as inclusive: %o', async (bounds, expected) => {
    expect(identifiersIn(await house.ask({ ...list, ...bounds }))).toEqual(expected());
  });

  test('gives single records, and the formats of all and of an item', async () => {
    for (const identifier of ['oai:b:1', noUri(second), 'oai:a:2'])
      expect(
        identifiersIn(await house.ask({ verb: 'GetRecord', identifier, metadataPrefix: 'oai_dc' })),
      ).toEqual([identifier]);
    const prefixes = async (query: object) =>
      [
        ...(await house.ask({ verb: 'ListMetadataFormats', ...query })).matchAll(/<metadataPrefix>([^<]+)/g),
      ].map(([, name]) => name);
    expect(await prefixes({})).toEqual(['oai_dc', 'simple']);
    expect(await prefixes({ identifier: 'oai:a:1' })).toEqual(['oai_dc', 'simple']);
    expect(await prefixes({ identifier: 'oai:c:1' })).toEqual(['oai_dc']);
    const errors = async (query: Record<string, string>) => errorsIn(await house.ask(query));
    const get = { verb: 'GetRecord', metadataPrefix: 'simple' };
    expect(await errors({ ...get, identifier: 'oai:c:1' })).toEqual(['cannotDisseminateFormat']);
    for (const identifier of ['oai:x:1', noUri(first), noUri('none'), 'no uri at all'])
      expect(await errors({ ...get, metadataPrefix: 'oai_dc', identifier }), identifier).toEqual([
        identifier.includes(' ') ? 'badArgument' : 'idDoesNotExist',
      ]);
    expect(await errors({ ...list, metadataPrefix: 'none' })).toEqual(['cannotDisseminateFormat']);
    expect(await errors({ ...list, metadataPrefix: 'json' })).toEqual(['cannotDisseminateFormat']);
    expect(await errors({ verb: 'ListRecords', resumptionToken: 'junk' })).toEqual(['badResumptionToken']);
  });

  test('what has become private, or belongs to it no more, is gone from the next answer on, and is forgotten', async () => {
    house.members = [first, third];
    expect(identifiersIn(await house.ask(records))).toEqual(['oai:a:1', 'oai:a:2', 'oai:c:1']);
    expect(await house.ask('verb=ListSets')).not.toContain(second);
    expect(errorsIn(await house.ask({ ...list, set: second }))).toEqual(['noRecordsMatch']);
    const get = { verb: 'GetRecord', identifier: 'oai:b:1', metadataPrefix: 'oai_dc' };
    expect(errorsIn(await house.ask(get))).toEqual(['idDoesNotExist']);
    const { sourceId } = house.of(1);
    while (await leaveJoint(house.database, sourceId));
    expect(await house.database.reader('oai_joint_record').where({ source_id: sourceId })).toEqual([]);
    // Whatever comes back is new to whoever follows.
    house.members = [first, second, third];
    house.pass(5);
    await house.order();
    expect(headersIn(await house.ask({ ...list, from: house.now }))).toEqual([
      'oai:b:1 2026-11-21T10:00:15Z',
      `${noUri(second)} 2026-11-21T10:00:15Z`,
    ]);
  });

  test('what was withdrawn is a tombstone at once, and of a source that was removed nothing but tombstones is left', async () => {
    const { database } = house;
    await database
      .writer('resource')
      .where({ source_id: house.of(2).sourceId })
      .update({ withdrawn_at: house.now });
    expect(headersIn(await house.ask({ ...list, set: third }))).toEqual([
      'oai:c:1 2026-11-21T10:00:10Z deleted',
    ]);
    await database
      .writer('source')
      .where({ id: house.of(0).sourceId })
      .update({ removed_at: house.now });
    house.members = [second, third];
    expect(headersIn(await house.ask(list)).filter((header) => header.includes('oai:a:'))).toEqual([
      'oai:a:2 2026-11-21T10:00:10Z deleted',
    ]);
    await database
      .writer('source')
      .where({ id: house.of(0).sourceId })
      .update({ removed_at: null });
    house.members = [first, second, third];
  });

  test('each source is told who harvests it here', async () => {
    await house.app.inject({ url: `/oai?${new URLSearchParams(list)}`, headers: { 'user-agent': 'of all' } });
    await house.app.close();
    const known = await listHarvesters(house.database.reader, house.members);
    const told = house.members.map((source) => known.get(source)?.find(({ agent }) => agent === 'of all'));
    expect(told.map((one) => one?.records)).toEqual([2, 2, 1]);
  });
});

describeOnBoth('Lists of all sources in several pages', (open) => {
  let house: OaiJointHouse;
  beforeAll(async () => {
    house = await OaiJointHouse.open(open().database, 4);
    for (let round = 0; round < 3; round += 1)
      for (const [index, own] of house.houses.entries()) {
        await own.tell(
          Object.fromEntries(
            Array.from({ length: 25 }, (_, number) => [`oai:h${index}:${round * 25 + number}`, {}]),
          ),
        );
        await house.order();
        house.pass(1);
      }
  });
  afterAll(() => house?.close());

  test('are whole, with cursors and sizes, and end with an empty token', async () => {
    const pages = await house.walk(records);
    const found = pages.flatMap(identifiersIn);
    expect(found).toHaveLength(300);
    expect(new Set(found).size).toBe(300);
    const dates = pages.flatMap(headersIn).map((header) => header.split(' ')[1] ?? '');
    expect(dates).toEqual([...dates].sort());
    const tokens = pages.map((page) => /<resumptionToken([^>]*)>/.exec(page)?.[1]?.replace(/ exp\S+/, ''));
    expect(tokens).toEqual([
      ' completeListSize="300" cursor="0"',
      ' completeListSize="300" cursor="100"',
      ' completeListSize="300" cursor="200"',
    ]);
    expect(tokenIn(pages[2] ?? '')).toBe('');
    const token = tokenIn(pages[0] ?? '') ?? '';
    expect(await house.ask({ verb: 'ListRecords', resumptionToken: token })).toBe(pages[1]);
    // A list of one source is another list.
    const own = await house
      .of(0)
      .app.inject(`/${house.of(0).source}/oai?verb=ListRecords&resumptionToken=${token}`);
    expect(errorsIn(own.body)).toEqual(['badResumptionToken']);
  });

  test('a page costs as many statements, however many sources there are', async () => {
    const count = async () => {
      let statements = 0;
      const note = () => {
        statements += 1;
      };
      house.database.reader.on('query', note);
      await house.ask({ ...list, from: '2026-11-21T10:00:11Z' });
      house.database.reader.removeListener('query', note);
      return statements;
    };
    const before = await count();
    const more = await OaiJointHouse.open(house.database, 3);
    house.members = [...house.members, ...more.members];
    expect(await count()).toBe(before);
    expect((await readTaken(house.database.reader)).length).toBeGreaterThan(7);
    await more.close();
  });
});

describeOnBoth('items of two sources that are called the same, and are no URIs', (open) => {
  let house: OaiJointHouse;
  let [first, second] = ['', ''];
  beforeAll(async () => {
    house = await OaiJointHouse.open(open().database, 2);
    [first = '', second = ''] = house.members;
    for (const index of [0, 1]) await house.of(index).tell({ '42': { title: `of house ${index}` } });
    await house.order();
  });
  afterAll(() => house?.close());

  test('are two records, each with what its source has', async () => {
    const identifiers = [first, second].map((source) => `oai:bridge.example.org:${source}:42`);
    expect(identifiersIn(await house.ask(records)).sort()).toEqual(identifiers.toSorted());
    for (const [index, identifier] of identifiers.entries()) {
      const answer = await house.ask({ verb: 'GetRecord', identifier, metadataPrefix: 'oai_dc' });
      expect(identifiersIn(answer)).toEqual([identifier]);
      expect(answer).toContain(`<dc:title>of house ${index}</dc:title>`);
    }
    // At its own address it is called as before.
    const own = await house.of(0).app.inject(`/${first}/oai?verb=ListIdentifiers&metadataPrefix=oai_dc`);
    expect(identifiersIn(own.body)).toEqual(['oai:repo.example.org:42']);
  });
});
