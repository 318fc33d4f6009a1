import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SourceItem } from '../../../src/core/adapter.ts';
import { withdraw } from '../../../src/store/removal/withdrawals.ts';
import { type House, openHouse, seedResource } from '../../house/server/fixture.ts';
import { type StoreAt, storing } from '../../house/server/stored-items.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const base = 'https://bridge.example.org/rs';
const dc = 'xmlns:dc="http://purl.org/dc/elements/1.1/"';
const first = '2026-11-20T08:00:00Z';
const second = '2026-11-20T09:00:00Z';
const page = 'https://repo.example.org/handle/3';

function record(title: string): NonNullable<SourceItem['metadata']>[number] {
  const content = `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" ${dc}><dc:title>${title}</dc:title><dc:creator>Doe, Jane</dc:creator></oai_dc:dc>`;
  return { format: 'oai_dc', content: Buffer.from(content) };
}

describeOnBoth('The Resource Map of an item', (open) => {
  let house: House;
  let store: StoreAt;
  beforeAll(async () => {
    house = await openHouse({ database: open().database });
    store = storing(open().database);
    await store(
      first,
      { identifier: 'oai:x:1', metadata: [record('A &amp; B')] },
      { identifier: 'oai:x:2', metadata: [record('B')] },
      { identifier: 'oai:x:3', landingPage: page, metadata: [record('C')] },
    );
    await seedFile('oai:x:1', '1-a.pdf');
    await seedFile('oai:x:1', '2-b.pdf');
    await seedFile('oai:x:2', '1-secret.pdf');
  });
  afterAll(() => house?.close());

  const seedFile = (identifier: string, name: string) => {
    const facts = {
      kind: 'file',
      format: 'file',
      mediaType: 'application/pdf',
      length: 17,
      keep: false,
    } as const;
    return seedResource(open().database, { ...facts, identifier, name });
  };
  const item = '/kyushu/items/oai:x:1';
  const get = (url: string, headers: Record<string, string> = {}) => house.app.inject({ url, headers });
  const json = async (of = item) => (await get(`${of}/resourcemap.jsonld`)).json();
  const told = async (of = item): Promise<string[]> =>
    (await json(of)).describes.aggregates.map((one: { '@id': string }) => one['@id']);

  test.each([
    ['*/*', '/resourcemap.atom'],
    ['application/atom+xml;type=entry', '/resourcemap.atom'],
    ['application/ld+json, application/atom+xml;q=0.5', '/resourcemap.jsonld'],
    ['application/json', '/resourcemap.jsonld'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', ''],
  ])('is where the Aggregation leads who asks for %s, by 303', async (accept, below) => {
    const { statusCode, headers, body } = await get(`${item}/aggregation`, { accept });
    expect([statusCode, headers.location, body]).toEqual([303, `${base}${item}${below}`, '']);
    expect(headers.vary).toBe('Accept');
    expect(headers.link).toContain(`<${base}${item}/resourcemap.atom>; rel="describedby"`);
  });

  test('is there in Atom and in JSON-LD, and leads to the item and the Aggregation', async () => {
    const atom = await get(`${item}/resourcemap.atom`);
    expect(atom.statusCode).toBe(200);
    expect(atom.headers['content-type']).toBe('application/atom+xml;type=entry');
    expect(atom.headers.link).toContain(`<${base}${item}>; rel="describes"; type="text/html"`);
    expect(atom.headers.link).toContain(
      `<${base}${item}/aggregation>; rel="http://www.openarchives.org/ore/terms/describes"`,
    );
    expect(atom.body).toContain(`<updated>${first}</updated>`);
    expect(atom.body).toContain('<title>A &amp; B</title>');
    expect(atom.body).toContain('<author><name>Doe, Jane</name></author>');
    expect(atom.body).toContain(`rel="alternate" href="${base}${item}"`);
    const condition = { 'if-none-match': String(atom.headers.etag) };
    expect((await get(`${item}/resourcemap.atom`, condition)).statusCode).toBe(304);
    const map = await get(`${item}/resourcemap.jsonld`);
    expect(map.headers['content-type']).toBe('application/ld+json');
    expect(map.headers.link).toContain(`<${base}${item}/resourcemap.atom>; rel="alternate"`);
    expect(map.json()).toMatchObject({
      '@id': `${base}${item}/resourcemap.jsonld`,
      modified: first,
      describes: {
        '@id': `${base}${item}/aggregation`,
        aggregates: [
          { '@id': `${base}${item}/files/1-a.pdf`, title: 'a.pdf', format: 'application/pdf', extent: 17 },
          { '@id': `${base}${item}/files/2-b.pdf` },
          { '@id': `${base}${item}/oai_dc.xml`, title: 'oai_dc' },
        ],
      },
    });
  });

  test('is found from the page of the item, in its head and in its JSON', async () => {
    const { body } = await get(item, { accept: 'text/html' });
    expect(body).toContain(`<link rel="aggregation" href="${base}${item}/aggregation">`);
    for (const [name, type] of [
      ['atom', 'application/atom+xml'],
      ['jsonld', 'application/ld+json'],
    ])
      expect(body).toContain(
        `<link rel="resourcemap" type="${type}" href="${base}${item}/resourcemap.${name}">`,
      );
    expect((await get(item, { accept: 'application/json' })).json()).toMatchObject({
      aggregation: `${base}${item}/aggregation`,
      resourceMaps: [
        { uri: `${base}${item}/resourcemap.atom` },
        { uri: `${base}${item}/resourcemap.jsonld` },
      ],
    });
  });

  test('has no file that is gone, or that the operator has withdrawn a moment ago', async () => {
    const { database } = open();
    const gone = database.writer('resource').where({ path: `${item.slice(1)}/files/2-b.pdf` });
    await gone.update({ deleted_at: first });
    expect(await told()).toEqual([`${base}${item}/files/1-a.pdf`, `${base}${item}/oai_dc.xml`]);
    expect((await json()).modified).toBe(first);
    await store(second, { identifier: 'oai:x:1', metadata: [record('A')] });
    expect((await json()).modified).toBe(second);
    const other = '/kyushu/items/oai:x:2';
    const path = `${other.slice(1)}/files/1-secret.pdf`;
    expect(await told(other)).toHaveLength(2);
    await withdraw(database, { source: 'kyushu', identifier: 'oai:x:2', path }, undefined, second);
    expect(await told(other)).toEqual([`${base}${other}/oai_dc.xml`]);
    expect((await get(`${other}/resourcemap.atom`)).body).not.toContain('secret');
    await withdraw(database, { source: 'kyushu', identifier: 'oai:x:2', path: undefined }, undefined, second);
    for (const name of ['aggregation', 'resourcemap.atom', 'resourcemap.jsonld']) {
      expect((await get(`${other}/${name}`)).statusCode).toBe(410);
      expect((await get(`/kyushu/items/none/${name}`)).statusCode).toBe(404);
    }
  });

  test('leads to the page at the repository where its files are there', async () => {
    const { database } = open();
    const uri = 'https://repo.example.org/bitstream/3/c.pdf';
    const { path } = await seedFile('oai:x:3', '1-c.pdf');
    await database.writer('resource').where({ path }).update({ path: uri });
    const { page: found, aggregates } = (await json('/kyushu/items/oai:x:3')).describes;
    expect(found).toBe(page);
    expect(aggregates[0]).toMatchObject({ '@id': uri, title: 'c.pdf' });
  });
});
