import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { runs } from '../../house/runs.ts';
import { errorsIn, OaiHouse, tokenIn } from '../../house/server/oai-house.ts';
import { OaiJointHouse } from '../../house/server/oai-joint-house.ts';
import { oaiSchemas, openOaiSchema } from '../../house/server/oai-schema.ts';
import { migratedSqlite } from '../../house/store/databases.ts';

const codes = [
  'badVerb',
  'badArgument',
  'badResumptionToken',
  'cannotDisseminateFormat',
  'idDoesNotExist',
  'noRecordsMatch',
  'noMetadataFormats',
  'noSetHierarchy',
];

describe.skipIf(oaiSchemas === undefined)('Every OAI-PMH response is valid by the schemas', () => {
  const { config, drop } = migratedSqlite();
  let database: Database;
  let house: OaiHouse;
  let validate: (response: string) => void;
  let token = '';
  beforeAll(async () => {
    validate = openOaiSchema();
    database = openDatabase(config);
    house = await OaiHouse.open(database);
    house.offer = {
      adminEmail: 'admin@bridge.example.org',
      namespace: 'repo.example.org',
      rights: 'https://creativecommons.org/publicdomain/zero/1.0/?a=b&c=d',
      icon: 'https://repo.example.org/logo.png?a=b&c=d',
      friends: ['other'],
    };
    await house.name({ 'a:b': 'B & <more> \u{b}', 'not a spec': 'Odd', '%41': '' });
    const many = Array.from({ length: 130 }, (_, number) => [
      `oai:repo.example.org:${number}`,
      { collections: number % 2 === 0 ? ['a:b', 'a', 'not a spec'] : ['%41'], formats: ['oai_dc', 'simple'] },
    ]);
    await house.tell({
      ...Object.fromEntries(many),
      'oai:a:+%2B𠮷\u{3042}': { title: 'x' },
      'no uri "<&>\u{7f}': {},
      'http://[::1': {},
      'http://host:port/': {},
      'a#b#c': {},
    });
    house.files = { mode: 'link', perItem: 100, verify: false, landingPages: false };
    await house.tell({ 'oai:repo.example.org:files': { files: ['a.pdf', 'b.pdf'] } });
    house.pass(1);
    await house.tell({ 'oai:repo.example.org:1': { deleted: true, formats: ['oai_dc', 'simple'] } });
    house.pass(1);
    token = tokenIn(await house.ask('verb=ListRecords&metadataPrefix=oai_dc')) ?? '';
  });
  afterAll(async () => {
    await house?.close();
    await database?.close();
    await drop();
  });

  test('whatever is right', async () => {
    const given = { metadataPrefix: 'oai_dc' };
    for (const query of [
      { verb: 'Identify' },
      { verb: 'ListSets' },
      { verb: 'ListMetadataFormats' },
      { verb: 'ListMetadataFormats', identifier: 'oai:a:+%2B𠮷\u{3042}' },
      { verb: 'ListRecords', ...given },
      { verb: 'ListRecords', resumptionToken: token },
      {
        verb: 'ListIdentifiers',
        metadataPrefix: 'simple',
        from: '2026-11-21',
        until: '2026-11-21',
        set: 'a',
      },
      { verb: 'GetRecord', identifier: 'oai:repo.example.org:1', ...given },
      { verb: 'GetRecord', identifier: 'oai:repo.example.org:2', ...given },
      { verb: 'ListRecords', metadataPrefix: 'ore' },
      { verb: 'ListIdentifiers', metadataPrefix: 'ore', set: 'a' },
      { verb: 'GetRecord', identifier: 'oai:repo.example.org:1', metadataPrefix: 'ore' },
      { verb: 'GetRecord', identifier: 'oai:repo.example.org:files', metadataPrefix: 'ore' },
    ]) {
      const answer = await house.ask(query);
      expect(errorsIn(answer)).toEqual([]);
      validate(answer);
    }
  });

  test('whatever is right of all sources together', async () => {
    const joint = await OaiJointHouse.open(database, 2);
    await joint.of(0).name({ 'a:b': 'B & <more> \u{b}', 'not a spec': 'Odd' });
    const some = Array.from({ length: 130 }, (_, number) => [
      `oai:a:${number}`,
      { collections: number % 2 === 0 ? ['a:b', 'not a spec'] : [], formats: ['oai_dc', 'simple'] },
    ]);
    await joint.of(0).tell(Object.fromEntries(some));
    await joint.of(1).tell({ 'no uri "<&>\u{7f}': {}, 'oai:b:1': { deleted: true } });
    await joint.order();
    const given = { metadataPrefix: 'oai_dc' };
    const first = await joint.ask({ verb: 'ListRecords', ...given });
    for (const query of [
      { verb: 'Identify' },
      { verb: 'ListSets' },
      { verb: 'ListMetadataFormats' },
      { verb: 'ListRecords', resumptionToken: tokenIn(first) ?? '' },
      { verb: 'ListIdentifiers', metadataPrefix: 'simple', set: `${joint.of(0).source}:a` },
      { verb: 'GetRecord', identifier: 'oai:a:1', ...given },
    ]) {
      const answer = await joint.ask(query);
      expect(errorsIn(answer)).toEqual([]);
      validate(answer);
    }
    validate(first);
    for (const query of ['', 'verb=GetRecord&identifier=x%22', 'verb=ListRecords&metadataPrefix=no'])
      validate(await joint.ask(query));
    await joint.close();
  });

  test('a validator that refuses nothing would not be one', async () => {
    const answer = await house.ask('verb=Identify');
    expect(() => validate(answer.replace('<granularity>', '<granular>'))).toThrow();
  });

  const value = fc.oneof(
    fc.constantFrom(
      '',
      'oai_dc',
      'simple',
      'ore',
      'none',
      'all',
      'a',
      'a:b',
      'a b',
      'not~20a~20spec',
      'unknown',
    ),
    fc.constantFrom(
      '2026-11-21',
      '2026-11-21T10:00:00Z',
      '2026-11-20',
      '2026-02-30',
      '0000-01-01',
      '9999-12-31',
    ),
    fc.constantFrom('oai:repo.example.org:1', 'oai:a:b', 'invalid"id', 'oai:a:+%2B𠮷\u{3042}', 'TOKEN'),
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.string({
      unit: fc.constantFrom(...'\u{0}\u{1}\u{b}<>&"\']]>%+:/?#[]@\u{fffe}\u{ffff}\u{85}\u{2028}'),
    }),
  );
  const names = ['identifier', 'metadataPrefix', 'from', 'until', 'set', 'resumptionToken'];
  const argument = fc.tuple(
    fc.oneof(
      { arbitrary: fc.constantFrom(...names), weight: 8 },
      fc.string({ unit: 'binary', maxLength: 8 }),
    ),
    value,
  );
  const verb = fc.oneof(
    {
      arbitrary: fc.constantFrom(
        ...['Identify', 'ListSets', 'ListMetadataFormats', 'ListIdentifiers', 'ListRecords', 'GetRecord'],
      ),
      weight: 9,
    },
    fc.string({ unit: 'binary', maxLength: 8 }),
  );

  test('any arguments in any order', async () => {
    const request = fc.tuple(fc.array(verb, { maxLength: 2 }), fc.array(argument, { maxLength: 4 }));
    await fc.assert(
      fc.asyncProperty(request, fc.boolean(), async ([given, some], byForm) => {
        const pairs = [...given.map((name) => ['verb', name]), ...some];
        const text = new URLSearchParams(
          pairs.map(([name = '', told = '']): [string, string] => [name, told === 'TOKEN' ? token : told]),
        ).toString();
        const answer = byForm ? await house.post(text) : await house.ask(text);
        validate(answer);
        for (const code of errorsIn(answer)) expect(codes).toContain(code);
        if (given.length !== 1) expect(errorsIn(answer)).toEqual(['badVerb']);
      }),
      { numRuns: runs(300, 1000) },
    );
  });

  test('any octets', async () => {
    const octets = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
    const beginning = fc.constantFrom(
      '',
      'verb=',
      'verb=GetRecord&metadataPrefix=oai_dc&identifier=',
      'verb=ListRecords&resumptionToken=',
      'verb=ListIdentifiers&metadataPrefix=oai_dc&set=',
    );
    await fc.assert(
      fc.asyncProperty(beginning, octets, async (start, rest) => {
        const answer = await house.app.inject({
          method: 'POST',
          url: `/${house.source}/oai`,
          payload: Buffer.from(`${start}${rest}`, 'latin1'),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        });
        expect(answer.statusCode).toBe(200);
        validate(answer.body);
        const escaped = Array.from(
          Buffer.from(rest, 'latin1'),
          (octet) => `%${octet.toString(16).padStart(2, '0')}`,
        );
        validate(await house.ask(`${start}${escaped.join('')}`));
      }),
      { numRuns: runs(200, 800) },
    );
  });
});
