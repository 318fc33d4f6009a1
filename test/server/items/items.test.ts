import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { toSegment } from '../../../src/core/segment.ts';
import { ensureSource, findSource, saveInfo } from '../../../src/store/sources/sources.ts';
import {
  type House,
  now,
  openHouse,
  publishedSet,
  seedResource,
  sourceOverview,
} from '../../house/server/fixture.ts';

let house: House;
const base = 'https://bridge.example.org/rs';
const sets = {
  sets: { theses: { collections: ['theses'] }, other: { collections: ['elsewhere'] } },
};

beforeEach(async () => {
  house = await openHouse({ setsOf: (source, title) => resourceSets(source, { title, ...sets }) });
});
afterEach(() => house.close());

const links = [
  { rel: 'describes', href: 'https://repo.example.org/handle/1' },
  { rel: 'via', href: 'https://repo.example.org/oai?verb=GetRecord' },
  { rel: 'collection', href: 'kyushu/collections/theses' },
];
const item = '/kyushu/items/oai:repo.example.org:1';
const ore = 'http://www.openarchives.org/ore/terms/';

async function get(url: string, accept = 'text/html') {
  return house.app.inject({ url, headers: { accept } });
}

describe('the page of an item', () => {
  beforeEach(async () => {
    await seedResource(house.database, { links, collections: ['theses'] });
    await seedResource(house.database, { format: 'mods', links });
    await seedResource(house.database, { format: 'gone', deletedAt: now });
    await seedResource(house.database, { kind: 'file' });
  });

  it('RS-LN-09: is the generic URI that leads to every specific one that is there', async () => {
    const { statusCode, headers } = await get(item);
    expect(statusCode).toBe(200);
    expect(headers.vary).toBe('Accept, Accept-Language, Cookie');
    const type = 'type="application/xml"';
    expect(String(headers.link).split(', ')).toEqual([
      `<${base}${item}/mods.xml>; rel="alternate"; ${type}`,
      `<${base}${item}/oai_dc.xml>; rel="alternate"; ${type}`,
      '<https://schema.org/AboutPage>; rel="type"',
      `<${base}${item}/mods.xml>; rel="describedby"; ${type}`,
      `<${base}${item}/oai_dc.xml>; rel="describedby"; ${type}`,
      `<${base}${item}/resourcemap.atom>; rel="describedby"; type="application/atom+xml"; profile="${ore}"`,
      `<${base}${item}/resourcemap.jsonld>; rel="describedby"; type="application/ld+json"; profile="${ore}"`,
      `<${base}${item}/linkset>; rel="linkset"; type="application/linkset"`,
      `<${base}${item}/linkset.json>; rel="linkset"; type="application/linkset+json"`,
      `<${base}${item}/files/1-a.pdf>; rel="item"; ${type}`,
      `<${base}/kyushu/collections/theses>; rel="collection"`,
    ]);
  });

  it('shows people and programs the same', async () => {
    const view = (await get(item, 'application/json')).json();
    expect(view).toMatchObject({
      uri: `${base}${item}`,
      source: 'kyushu',
      identifier: 'oai:repo.example.org:1',
      collections: [{ uri: `${base}/kyushu/collections/theses`, spec: 'theses', name: 'Collection theses' }],
      landingPages: ['https://repo.example.org/handle/1'],
      about: `${base}/kyushu/about`,
    });
    expect(view.resources).toHaveLength(3);
    expect(view.resources[1]).toMatchObject({
      uri: `${base}${item}/oai_dc.xml`,
      kind: 'metadata',
      format: 'oai_dc',
      mediaType: 'application/xml',
      upstream: 'https://repo.example.org/oai?verb=GetRecord',
    });
    const { body } = await get(item);
    for (const uri of [view.resources[1].uri, view.landingPages[0], view.collections[0].uri])
      expect(body).toContain(`href="${uri}"`);
    expect(body).not.toContain('gone.xml');
  });

  it.each(['application/xml', 'text/xml', 'application/xml, text/html;q=0.5'])(
    'sends who asks for %s on to the metadata',
    async (accept) => {
      const { statusCode, headers } = await get(item, accept);
      expect([statusCode, headers.location]).toEqual([303, `${base}${item}/mods.xml`]);
      expect(headers.vary).toBe('Accept');
    },
  );

  it('stays for a browser, for everything, and for who says so in the address', async () => {
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    for (const accept of [browser, '*/*']) expect((await get(item, accept)).statusCode).toBe(200);
    expect((await get(`${item}?format=json`, 'application/xml')).statusCode).toBe(200);
  });

  it('RS-DISC-03, RS-DISC-04, RS-DISC-13: links to the Capability Lists of published sets that have it', async () => {
    expect((await get(item)).body).not.toContain('rel="resourcesync"');
    const paths = ['kyushu', 'kyushu/sets/theses', 'kyushu/sets/other'];
    house.publication.published.push(...paths.map((path) => publishedSet(path)));
    const { body } = await get(item);
    expect(discovery(body)).toEqual([
      `${base}/kyushu/capabilitylist.xml`,
      `${base}/kyushu/sets/theses/capabilitylist.xml`,
    ]);
    expect((await get(item, 'application/json')).json().capabilityLists).toEqual(discovery(body));
  });
});

describe('an item with metadata in JSON', () => {
  const json = { format: 'json', mediaType: 'application/json', content: '{"name":"x"}' };

  it('has it at its address, as what it is, and leads to it', async () => {
    await seedResource(house.database, json);
    await seedResource(house.database, { links });
    const { statusCode, headers, body } = await get(`${item}/json.json`, '*/*');
    expect([statusCode, headers['content-type'], body]).toEqual([200, 'application/json', json.content]);
    const alternate = `<${base}${item}/json.json>; rel="alternate"; type="application/json"`;
    expect((await get(`${item}/oai_dc.xml`)).headers.link).toContain(alternate);
    expect((await get(item)).headers.link).toContain(alternate);
    const linkset = (await get(`${item}/linkset.json`)).json();
    expect(linkset.linkset[0].describedby).toContainEqual({
      href: `${base}${item}/json.json`,
      type: 'application/json',
    });
    const view = (await get(item, 'application/json')).json();
    expect(view.resources[0]).toMatchObject({
      uri: `${base}${item}/json.json`,
      mediaType: 'application/json',
    });
    expect((await get(item)).body).toContain(`href="${base}${item}/json.json"`);
  });

  it('is not sent on to it in the place of XML', async () => {
    await seedResource(house.database, json);
    expect((await get(item, 'application/xml')).statusCode).toBe(200);
    await seedResource(house.database, { links });
    const { statusCode, headers } = await get(item, 'application/xml');
    expect([statusCode, headers.location]).toEqual([303, `${base}${item}/oai_dc.xml`]);
  });

  it('is found behind a shortened segment by it', async () => {
    const identifier = `oai:repo.example.org:${'x'.repeat(300)}`;
    await ensureSource(house.database, 'kyushu', now);
    const id = (await findSource(house.database.reader, 'kyushu'))?.id ?? 0;
    await saveInfo(house.database.writer, id, {
      ...info,
      formats: [{ name: 'json', selected: true, offered: true }],
    });
    await seedResource(house.database, { ...json, identifier });
    const found = await get(`/kyushu/items/${toSegment(identifier)}`, 'application/json');
    expect(found.json()).toMatchObject({ identifier });
  });
});

const info = {
  name: 'Repository',
  protocol: 'DSpace REST',
  protocolVersion: '7',
  deletedRecords: 'no',
  granularity: 'second',
} as const;

describe('an item', () => {
  it('is gone when everything of it is, and not found when nobody knows it', async () => {
    await seedResource(house.database, { deletedAt: now });
    expect((await get(item)).statusCode).toBe(410);
    for (const url of ['/kyushu/items/oai:x:1', '/other/items/oai:repo.example.org:1', `${item}/`])
      expect((await get(url)).statusCode).toBe(404);
  });

  it('is found under an address that was shortened', async () => {
    const identifier = `oai:x:${'é'.repeat(200)}`;
    await seedResource(house.database, { identifier });
    await ensureSource(house.database, 'kyushu', now);
    const source = await findSource(house.database.reader, 'kyushu');
    await saveInfo(house.database.writer, source?.id ?? 0, {
      name: 'K',
      protocol: 'OAI-PMH',
      protocolVersion: '2.0',
      deletedRecords: 'no',
      granularity: 'second',
      formats: [{ name: 'oai_dc', selected: true, offered: true }],
    });
    const { statusCode, body } = await get(`/kyushu/items/${toSegment(identifier)}`, 'application/json');
    expect([statusCode, JSON.parse(body).identifier]).toEqual([200, identifier]);
    expect((await get(`/kyushu/items/x~.${'0'.repeat(64)}`)).statusCode).toBe(404);
  });

  it('with a hostile identifier and links shows them as text', async () => {
    const identifier = '<script>alert(1)</script>';
    const hostile = [{ rel: 'describes', href: 'javascript:alert(1)' }];
    await seedResource(house.database, { identifier, links: hostile });
    const { body } = await get(`/kyushu/items/${toSegment(identifier)}`);
    expect(body).not.toMatch(/<script|href="javascript/);
    expect(body).toContain('&lt;script&gt;');
  });
});

describe('discovery on the other pages', () => {
  beforeEach(async () => {
    house.sources.push(sourceOverview());
    await seedResource(house.database, { collections: ['theses', 'faculty'] });
    for (const path of ['kyushu', 'kyushu/sets/theses']) house.publication.published.push(publishedSet(path));
  });

  const whole = `${base}/kyushu/capabilitylist.xml`;
  const theses = `${base}/kyushu/sets/theses/capabilitylist.xml`;
  it.each([
    ['/', [whole, theses]],
    ['/about', [whole, theses]],
    ['/kyushu/about', [whole]],
    ['/kyushu/metadata/about', []],
    ['/kyushu/sets/theses/about', [theses]],
    ['/kyushu/collections/theses', [whole, theses]],
    ['/kyushu/collections/faculty', [whole]],
    ['/nowhere', []],
  ])(
    'RS-DISC-03, RS-DISC-04: %s names the Capability Lists of published sets in its head',
    async (url, lists) => {
      const { body } = await get(url);
      expect(discovery(body.slice(0, body.indexOf('</head>')))).toEqual(lists);
      expect(discovery(body)).toEqual(lists);
    },
  );

  it('RS-DISC-09…12: robots.txt names the Resource List of every published set, and nothing else', async () => {
    const { body } = await get('/robots.txt');
    expect(body.match(/^Sitemap: .*$/gm)).toEqual([
      `Sitemap: ${base}/kyushu/resourcelist.xml`,
      `Sitemap: ${base}/kyushu/sets/theses/resourcelist.xml`,
    ]);
  });
});

function discovery(body: string): string[] {
  return Array.from(body.matchAll(/<link rel="resourcesync" href="([^"]*)">/g), ([, href = '']) => href);
}
