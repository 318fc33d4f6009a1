import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { saveInfo } from '../../../src/store/sources/sources.ts';
import {
  baseUrl,
  errorsIn,
  headersIn,
  identifiersIn,
  infoOfHouse,
  OaiHouse,
  tokenIn,
} from '../../house/server/oai-house.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const list = { verb: 'ListIdentifiers', metadataPrefix: 'oai_dc' };
const records = { verb: 'ListRecords', metadataPrefix: 'oai_dc' };

describeOnBoth('OAI-PMH of a source', (open) => {
  let house: OaiHouse;
  beforeAll(async () => {
    house = await OaiHouse.open(open().database);
    await house.name({ theses: 'Theses', 'letters:history': 'History', 'not a spec': 'Odd' });
    await house.tell({
      'oai:repo.example.org:1': { collections: ['theses'], formats: ['oai_dc', 'simple', 'json'] },
      'oai:repo.example.org:2': { collections: ['letters:history', 'not a spec'] },
      'oai:repo.example.org:a+b/%41~ü𠮷': { title: 'a & b' },
      'no uri at all': {},
    });
    house.pass(10);
    await house.tell({ 'oai:repo.example.org:2': { deleted: true } });
    house.pass(10);
    await house.order();
  });
  afterAll(() => house?.close());

  test('tells of itself', async () => {
    const answer = await house.ask('verb=Identify');
    expect(answer).toContain(`<request verb="Identify">${baseUrl}/${house.source}/oai</request>`);
    expect(answer).toContain('<repositoryName>Kyushu Repository &amp; more</repositoryName>');
    expect(answer).toContain(`<baseURL>${baseUrl}/${house.source}/oai</baseURL>`);
    expect(answer).toContain('<earliestDatestamp>2026-11-21T10:00:00Z</earliestDatestamp>');
    expect(answer).toContain('<deletedRecord>persistent</deletedRecord>');
    expect(answer).toContain('<repositoryIdentifier>repo.example.org</repositoryIdentifier>');
    expect(answer).toContain('<responseDate>2026-11-21T10:00:20Z</responseDate>');
  });

  test('lists records in the order of their last changes, and deleted ones with their sets', async () => {
    const answer = await house.ask(records);
    expect(headersIn(answer)).toEqual([
      'oai:repo.example.org:1 2026-11-21T10:00:00Z',
      'oai:repo.example.org:a+b/%41~ü𠮷 2026-11-21T10:00:00Z',
      'oai:repo.example.org:no%20uri%20at%20all 2026-11-21T10:00:00Z',
      'oai:repo.example.org:2 2026-11-21T10:00:10Z deleted',
    ]);
    expect(answer).toContain('<setSpec>letters:history</setSpec><setSpec>not~20a~20spec</setSpec></header>');
    expect(answer).toContain('xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/');
    expect(answer).not.toContain('as it came');
    expect(answer).not.toContain('<resumptionToken');
    expect(answer.match(/<originDescription harvestDate="[^"]+" altered="false">/g)).toHaveLength(2);
    expect(answer).toContain('<datestamp>2019-04-01</datestamp>');
  });

  test.each([
    ['theses', ['oai:repo.example.org:1']],
    ['letters', ['oai:repo.example.org:2']],
    ['letters:history', ['oai:repo.example.org:2']],
    ['not~20a~20spec', ['oai:repo.example.org:2']],
  ])('lists the set %s with all below it', async (set, expected) => {
    expect(identifiersIn(await house.ask({ ...list, set }))).toEqual(expected);
  });

  test('lists sets, those above others among them', async () => {
    const answer = await house.ask('verb=ListSets');
    const specs = [...answer.matchAll(/<setSpec>([^<]+)</g)].map(([, spec]) => spec);
    expect(specs).toEqual(['letters', 'letters:history', 'not~20a~20spec', 'theses']);
  });

  test.each([
    [{ from: '2026-11-21T10:00:10Z' }, 1],
    [{ from: '2026-11-21T10:00:01Z', until: '2026-11-21T10:00:10Z' }, 1],
    [{ until: '2026-11-21T10:00:09Z' }, 3],
    [{ from: '2026-11-21' }, 4],
    [{ from: '2026-11-21', until: '2026-11-21' }, 4],
    [{ from: '1970-01-01', until: '2999-12-31' }, 4],
  ])('takes bounds as inclusive: %o', async (bounds, count) => {
    expect(headersIn(await house.ask({ ...list, ...bounds }))).toHaveLength(count);
  });

  test('gives single records, deleted ones too, and by identifiers that need encoding', async () => {
    const get = (identifier: string, metadataPrefix = 'oai_dc') =>
      house.ask({ verb: 'GetRecord', identifier, metadataPrefix });
    expect(headersIn(await get('oai:repo.example.org:2'))).toEqual([
      'oai:repo.example.org:2 2026-11-21T10:00:10Z deleted',
    ]);
    for (const identifier of ['oai:repo.example.org:a+b/%41~ü𠮷', 'oai:repo.example.org:no%20uri%20at%20all'])
      expect(identifiersIn(await get(identifier))).toEqual([identifier]);
    // Not encoded, `+` arrives as a space.
    const raw = `verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:repo.example.org:a+b/%2541~%C3%BC%F0%A0%AE%B7`;
    expect(identifiersIn(await house.ask(raw))).toEqual(['oai:repo.example.org:a+b/%41~ü𠮷']);
    expect(identifiersIn(await get('oai:repo.example.org:1', 'simple'))).toHaveLength(1);
  });

  test('names the formats of all and of an item, and never JSON', async () => {
    const prefixes = async (query: object) =>
      [
        ...(await house.ask({ verb: 'ListMetadataFormats', ...query })).matchAll(/<metadataPrefix>([^<]+)/g),
      ].map(([, name]) => name);
    expect(await prefixes({})).toEqual(['oai_dc', 'simple', 'ore']);
    expect(await prefixes({ identifier: 'oai:repo.example.org:1' })).toEqual(['oai_dc', 'simple', 'ore']);
    expect(await prefixes({ identifier: 'oai:repo.example.org:2' })).toEqual(['oai_dc', 'ore']);
  });

  test.each([
    ['', ['badVerb']],
    ['verb=', ['badVerb']],
    ['junk', ['badVerb']],
    ['verb=identify', ['badVerb']],
    ['verb=Identify&verb=Identify', ['badVerb']],
    ['verb=Identify&junk=1', ['badArgument']],
    ['verb=Identify&set=', ['badArgument']],
    ['verb=ListRecords', ['badArgument']],
    ['verb=GetRecord&metadataPrefix=oai_dc', ['badArgument']],
    ['verb=GetRecord&identifier=oai:repo.example.org:1', ['badArgument']],
    ['verb=GetRecord&identifier=invalid%22id&metadataPrefix=oai_dc', ['badArgument']],
    ['verb=GetRecord&identifier=%FF&metadataPrefix=oai_dc', ['badArgument', 'badArgument']],
    ['verb=ListRecords&metadataPrefix=oai_dc&metadataPrefix=oai_dc', ['badArgument']],
    ['verb=ListRecords&metadataPrefix=oai_dc&set=', ['badArgument']],
    ['verb=ListRecords&metadataPrefix=oai_dc&set=a%20b', ['badArgument']],
    ['verb=ListRecords&metadataPrefix=oai_dc&from=yesterday', ['badArgument']],
    ['verb=ListRecords&metadataPrefix=oai_dc&from=2026-02-29', ['badArgument']],
    ['verb=ListRecords&metadataPrefix=oai_dc&from=2026-11-21T10:00:00.5Z', ['badArgument']],
    ['verb=ListRecords&metadataPrefix=oai_dc&from=2026-11-21T10:00:00z', ['badArgument']],
    ['verb=ListRecords&metadataPrefix=oai_dc&from=2026-11-21T24:00:00Z', ['badArgument']],
    ['verb=ListRecords&metadataPrefix=oai_dc&from=2026-11-21&until=2026-11-21T10:00:00Z', ['badArgument']],
    ['verb=ListRecords&metadataPrefix=oai_dc&from=2026-11-22&until=2026-11-21', ['badArgument']],
    ['verb=ListRecords&from=x&until=y', ['badArgument', 'badArgument', 'badArgument']],
    ['verb=ListRecords&metadataPrefix=oai_dc&until=2025-11-21', ['noRecordsMatch']],
    ['verb=ListRecords&metadataPrefix=oai_dc&from=2027-11-21', ['noRecordsMatch']],
    ['verb=ListRecords&metadataPrefix=oai_dc&set=unknown', ['noRecordsMatch']],
    ['verb=ListRecords&metadataPrefix=none', ['cannotDisseminateFormat']],
    ['verb=ListRecords&metadataPrefix=json', ['cannotDisseminateFormat']],
    ['verb=ListRecords&resumptionToken=junk', ['badResumptionToken']],
    ['verb=ListSets&resumptionToken=junk', ['badResumptionToken']],
    ['verb=ListRecords&resumptionToken=junk&until=2026-11-21', ['badArgument', 'badResumptionToken']],
    ['verb=GetRecord&identifier=oai:x:1&metadataPrefix=oai_dc', ['idDoesNotExist']],
    ['verb=GetRecord&identifier=oai:x:1&metadataPrefix=no', ['idDoesNotExist', 'cannotDisseminateFormat']],
    ['verb=GetRecord&identifier=oai:repo.example.org:2&metadataPrefix=simple', ['cannotDisseminateFormat']],
    ['verb=ListMetadataFormats&identifier=oai:x:1', ['idDoesNotExist']],
  ])('answers %s with %o', async (query, codes) => {
    const answer = await house.ask(query);
    expect(errorsIn(answer)).toEqual(codes);
    const isBad = codes.some((code) => code === 'badVerb' || code === 'badArgument');
    expect(answer.includes('<request>')).toBe(isBad);
  });

  test('reads forms, and the query of a POST with them', async () => {
    expect(await house.post('verb=Identify')).toContain('<Identify>');
    expect(errorsIn(await house.post('verb=Identify&verb=Identify'))).toEqual(['badVerb']);
    const posted = await house.post('{"verb":"Identify"}', 'application/json');
    expect(errorsIn(posted)).toEqual(['badVerb']);
    expect(posted).toContain('post arguments as application/x-www-form-urlencoded');
    expect(errorsIn(await house.post(''))).toEqual(['badVerb']);
    const answer = await house.app.inject({
      method: 'POST',
      url: `/${house.source}/oai?verb=ListIdentifiers`,
      payload: 'metadataPrefix=oai_dc',
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    });
    expect(headersIn(answer.body)).toHaveLength(4);
  });

  test('speaks HTTP as harvesters want it', async () => {
    const url = `/${house.source}/oai?verb=Identify`;
    const plain = await house.app.inject(url);
    expect(plain.headers['content-type']).toBe('text/xml; charset=utf-8');
    expect(plain.headers.vary).toContain('Accept-Encoding');
    const packed = await house.app.inject({ url, headers: { 'accept-encoding': 'gzip' } });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body);
    expect((await house.app.inject({ method: 'HEAD', url })).statusCode).toBe(200);
    expect((await house.app.inject(`/${house.source}/oai/?verb=Identify`)).body).toBe(plain.body);
    expect((await house.app.inject(`/${house.source}/oai`)).statusCode).toBe(200);
    const put = await house.app.inject({ method: 'PUT', url });
    expect([put.statusCode, put.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
  });
});

describeOnBoth('Lists of several pages', (open) => {
  let house: OaiHouse;
  const named = (number: number) => `oai:repo.example.org:${String(number).padStart(4, '0')}`;
  const all = Array.from({ length: 250 }, (_, number) => named(number));
  beforeAll(async () => {
    house = await OaiHouse.open(open().database);
    await house.tell(
      Object.fromEntries(all.map((identifier, index) => [identifier, { collections: [`s${index % 2}`] }])),
    );
    house.pass(10);
    await house.order();
  });
  afterAll(() => house?.close());

  test('are whole, with cursors and sizes, and end with an empty token', async () => {
    const pages = await house.walk(records);
    expect(pages.flatMap(identifiersIn)).toEqual(all);
    const tokens = pages.map((page) => /<resumptionToken([^>]*)>/.exec(page)?.[1]?.replace(/ exp\S+/, ''));
    expect(tokens).toEqual([
      ' completeListSize="250" cursor="0"',
      ' completeListSize="250" cursor="100"',
      ' completeListSize="250" cursor="200"',
    ]);
    expect(tokenIn(pages[2] ?? '')).toBe('');
    const token = tokenIn(pages[0] ?? '') ?? '';
    expect(token).toMatch(/^[A-Za-z0-9_-]{30,249}$/);
    expect(await house.ask({ verb: 'ListRecords', resumptionToken: token })).toBe(pages[1]);
    expect(errorsIn(await house.ask({ verb: 'ListIdentifiers', resumptionToken: token }))).toEqual([
      'badResumptionToken',
    ]);
    for (let place = 0; place < token.length; place += 7) {
      const changed = `${token.slice(0, place)}${token[place] === 'A' ? 'B' : 'A'}${token.slice(place + 1)}`;
      expect(errorsIn(await house.ask({ verb: 'ListRecords', resumptionToken: changed }))).toEqual([
        'badResumptionToken',
      ]);
    }
    expect((await house.walk({ ...records, set: 's1' })).flatMap(identifiersIn)).toEqual(
      all.filter((_, index) => index % 2 === 1),
    );
  });

  test('are answered by another process, and after a restart', async () => {
    const token = tokenIn(await house.ask(records)) ?? '';
    const { database } = house;
    const other = await OaiHouse.open(database, {
      oai: (name) => (name === house.source ? house.offer : undefined),
    });
    const answer = await other.app.inject(`/${house.source}/oai?verb=ListRecords&resumptionToken=${token}`);
    expect(identifiersIn(answer.body)).toEqual(all.slice(100, 200));
    await other.close();
  });

  test('that have lost all that was left send their last record again, and have no empty page', async () => {
    const until = house.now;
    const page = await house.ask({ ...records, until });
    house.pass(10);
    await house.tell(Object.fromEntries(all.slice(100).map((identifier) => [identifier, { title: 'new' }])));
    const token = { verb: 'ListRecords', resumptionToken: tokenIn(page) ?? '' };
    const last = await house.ask(token);
    expect(identifiersIn(last)).toEqual([named(99)]);
    expect(tokenIn(last)).toBe('');
    await house.tell(
      Object.fromEntries(all.slice(0, 100).map((identifier) => [identifier, { title: 'new' }])),
    );
    expect(errorsIn(await house.ask(token))).toEqual(['badResumptionToken']);
    // Without a bound they are met again.
    expect((await house.walk(list)).flatMap(identifiersIn)).toHaveLength(250);
  });
});

describeOnBoth('What is special', (open) => {
  let house: OaiHouse;
  beforeAll(async () => {
    house = await OaiHouse.open(open().database);
  });
  afterAll(() => house?.close());

  test('A source without sets says so when its first harvest has ended, and one without records has no list', async () => {
    const planned = { source: house.source, kind: 'harvest', schedule: '', due_at: 0 };
    await house.database.writer('due').insert(planned);
    for (const asked of ['verb=ListSets', 'verb=ListRecords&metadataPrefix=oai_dc&set=a']) {
      const { statusCode, headers } = await house.app.inject(`/${house.source}/oai?${asked}`);
      expect([statusCode, headers['retry-after']]).toEqual([503, '30']);
    }
    await house.complete();
    expect(errorsIn(await house.ask('verb=ListSets'))).toEqual(['noSetHierarchy']);
    expect(errorsIn(await house.ask({ ...list, set: 'a' }))).toEqual(['noSetHierarchy']);
    expect(errorsIn(await house.ask(list))).toEqual(['noRecordsMatch']);
    expect(await house.ask('verb=ListMetadataFormats')).toContain('<metadataPrefix>oai_dc<');
  });

  test('What cannot stand in an answer, or is damaged, is left out and logged', async () => {
    await house.tell({
      'oai:a:1': { content: '<record/>' },
      'oai:a:2': { content: '<x xmlns="http://www.openarchives.org/OAI/2.0/"/>' },
      'oai:a:3': { content: '<!DOCTYPE x [<!ENTITY e "f">]><x xmlns="urn:x">&e;</x>' },
      'oai:a:4': {},
      'oai:a:5': { title: 'damaged' },
    });
    const row = await house.database
      .reader('resource')
      .where({ source_id: house.sourceId })
      .where('path', 'like', '%a:5%')
      .first('hash');
    await house.database.writer('blob').where({ hash: row.hash }).delete();
    expect(identifiersIn(await house.ask(records))).toEqual(['oai:a:4']);
    const left = house.log.filter(({ msg }) => msg === 'a record was left out of an OAI-PMH response');
    expect(left.map(({ identifier }) => identifier)).toEqual(['oai:a:5', 'oai:a:1', 'oai:a:2', 'oai:a:3']);
  });

  test('What the operator has withdrawn is a tombstone at once', async () => {
    await house.database
      .writer('resource')
      .where({ source_id: house.sourceId })
      .where('path', 'like', '%a:4%')
      .update({ withdrawn_at: house.now });
    const answer = await house.ask({ verb: 'GetRecord', identifier: 'oai:a:4', metadataPrefix: 'oai_dc' });
    expect(headersIn(answer)).toEqual(['oai:a:4 2026-11-21T10:00:00Z deleted']);
    expect(answer).not.toContain('<metadata>');
  });

  test('A source that is not offered, or was never read, or has no Dublin Core, does not answer', async () => {
    const status = async () => (await house.app.inject(`/${house.source}/oai?verb=Identify`)).statusCode;
    const { offer } = house;
    house.offer = undefined;
    expect(await status()).toBe(404);
    house.offer = offer;
    expect(await status()).toBe(200);
    await saveInfo(house.database.writer, house.sourceId, { ...infoOfHouse, formats: [] });
    expect(await status()).toBe(404);
    await house.database.writer('source').where({ id: house.sourceId }).update({ info: null });
    const answer = await house.app.inject(`/${house.source}/oai?verb=Identify`);
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
  });
});
