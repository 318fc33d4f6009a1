import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type House, openHouse, seedResource } from '../../house/server/fixture.ts';

let house: House;
beforeEach(async () => {
  house = await openHouse();
});
afterEach(() => house.close());

const base = 'https://bridge.example.org/rs';
const item = `${base}/kyushu/items/oai:repo.example.org:1`;
const landingPage = 'http://dx.doi.org/10.5555/12345678';
const profile = 'http://www.openarchives.org/OAI/2.0/oai_dc/';
const local = (uri: string) => uri.slice(base.length);
const file = 'kyushu/items/oai:repo.example.org:1/files/1-a.pdf';
const record = 'kyushu/items/oai:repo.example.org:1/oai_dc.xml';

/** An item with two formats, and files that are linked with them both ways. */
async function seedItem(files = 1): Promise<void> {
  const names = Array.from({ length: files }, (_, index) => `${index + 1}-a.pdf`);
  const paths = names.map((name) => `kyushu/items/oai:repo.example.org:1/files/${name}`);
  const described = paths.map((href) => ({ rel: 'describes', href }));
  const links = [...described, { rel: 'profile', href: profile }];
  await seedResource(house.database, { links, landingPage, collections: ['theses'] });
  await seedResource(house.database, { format: 'mods', links: described });
  await seedResource(house.database, { format: 'gone', deletedAt: '2026-11-21T10:00:00Z' });
  for (const name of names) {
    await seedResource(house.database, {
      kind: 'file',
      name,
      mediaType: 'application/pdf',
      links: [
        ...['gone', 'mods', 'oai_dc'].map((format) => ({
          rel: 'describedby',
          href: `kyushu/items/oai:repo.example.org:1/${format}.xml`,
          type: 'application/xml',
        })),
        { rel: 'via', href: 'https://repo.example.org/bitstream/1/a.pdf' },
        { rel: 'collection', href: 'kyushu/collections/theses' },
      ],
    });
  }
}

async function linksOf(url: string): Promise<readonly string[]> {
  const { headers, statusCode } = await house.app.inject({ url, headers: { accept: 'text/html' } });
  expect(statusCode).toBe(200);
  return String(headers.link).split(/, (?=<)/);
}

const linksets = [
  `<${item}/linkset>; rel="linkset"; type="application/linkset"`,
  `<${item}/linkset.json>; rel="linkset"; type="application/linkset+json"`,
];
const xml = 'type="application/xml"';
const ore = 'http://www.openarchives.org/ore/terms/';
const maps = [
  { href: `${item}/resourcemap.atom`, type: 'application/atom+xml' },
  { href: `${item}/resourcemap.jsonld`, type: 'application/ld+json' },
];

describe('FAIR Signposting, level 2', () => {
  it('from the page of an item leads to its identifier, descriptions, files and link sets', async () => {
    await seedItem();
    expect(await linksOf(local(item))).toEqual([
      `<${item}/mods.xml>; rel="alternate"; ${xml}`,
      `<${item}/oai_dc.xml>; rel="alternate"; ${xml}`,
      '<https://doi.org/10.5555/12345678>; rel="cite-as"',
      '<https://schema.org/AboutPage>; rel="type"',
      `<${item}/mods.xml>; rel="describedby"; ${xml}`,
      `<${item}/oai_dc.xml>; rel="describedby"; ${xml}; profile="${profile}"`,
      ...maps.map(({ href, type }) => `<${href}>; rel="describedby"; type="${type}"; profile="${ore}"`),
      ...linksets,
      `<${base}/${file}>; rel="item"; type="application/pdf"`,
      `<${base}/kyushu/collections/theses>; rel="collection"`,
    ]);
  });

  it('from a file leads back to the page, and to every living description', async () => {
    await seedItem();
    expect(await linksOf(`/${file}`)).toEqual([
      `<${base}/timegate/${base}/${file}>; rel="timegate"`,
      `<${base}/timemap/link/${base}/${file}>; rel="timemap"; type="application/link-format"`,
      `<${base}/kyushu/capabilitylist.xml>; rel="resourcesync"`,
      `<${item}>; rel="collection"; type="text/html"`,
      `<${item}/mods.xml>; rel="describedby"; ${xml}`,
      `<${item}/oai_dc.xml>; rel="describedby"; ${xml}; profile="${profile}"`,
      ...linksets,
      '<https://repo.example.org/bitstream/1/a.pdf>; rel="via"',
      `<${base}/kyushu/collections/theses>; rel="collection"`,
    ]);
  });

  it('from metadata leads to the page and to every file that it describes', async () => {
    await seedItem(2);
    const links = await linksOf(`/${record}`);
    expect(links.filter((link) => link.includes('rel="describes"'))).toEqual([
      `<${item}>; rel="describes"; type="text/html"`,
      `<${base}/${file}>; rel="describes"`,
      `<${base}/${file.replace('1-a', '2-a')}>; rel="describes"`,
    ]);
    for (const link of linksets) expect(links).toContain(link);
  });

  it('with more files than a header has room for has them in the link set alone', async () => {
    await seedItem(150);
    for (const [url, rel] of [
      [local(item), 'item'],
      [`/${record}`, 'describes'],
    ] as const) {
      const links = await linksOf(url);
      expect(links.join(', ').length).toBeLessThan(8000);
      expect(links.filter((link) => link.includes('/files/') && link.includes(`rel="${rel}"`))).toEqual([]);
      for (const link of linksets) expect(links).toContain(link);
    }
    const { linkset } = (await house.app.inject(local(`${item}/linkset.json`))).json();
    expect(linkset[0].item).toHaveLength(150);
    // In the order of the upstream, not of the alphabet.
    expect(linkset[0].item[1].href).toBe(`${item}/files/2-a.pdf`);
  });
});

describe('the link set of an item (RFC 9264)', () => {
  it('says in JSON what leads from the page, and back to it', async () => {
    await seedItem();
    const { headers, body } = await house.app.inject(local(`${item}/linkset.json`));
    expect(headers['content-type']).toBe('application/linkset+json');
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(JSON.parse(body)).toEqual({
      linkset: [
        {
          anchor: item,
          'cite-as': [{ href: 'https://doi.org/10.5555/12345678' }],
          type: [{ href: 'https://schema.org/AboutPage' }],
          describedby: [
            { href: `${item}/mods.xml`, type: 'application/xml' },
            { href: `${item}/oai_dc.xml`, type: 'application/xml', profile: [profile] },
            ...maps.map((map) => ({ ...map, profile: [ore] })),
          ],
          item: [{ href: `${base}/${file}`, type: 'application/pdf' }],
          collection: [{ href: `${base}/kyushu/collections/theses` }],
        },
        { anchor: `${item}/mods.xml`, describes: [{ href: item, type: 'text/html' }] },
        { anchor: `${item}/oai_dc.xml`, describes: [{ href: item, type: 'text/html' }] },
        ...maps.map(({ href }) => ({ anchor: href, describes: [{ href: item, type: 'text/html' }] })),
        { anchor: `${base}/${file}`, collection: [{ href: item, type: 'text/html' }] },
      ],
    });
  });

  it('says the same in the syntax of a Link header', async () => {
    await seedItem();
    const { headers, body } = await house.app.inject(local(`${item}/linkset`));
    expect(headers['content-type']).toBe('application/linkset');
    const lines = body.trimEnd().split(',\n');
    expect(lines).toHaveLength(13);
    expect(lines[0]).toBe(`<https://doi.org/10.5555/12345678>; anchor="${item}"; rel="cite-as"`);
    expect(lines.at(-1)).toBe(`<${item}>; anchor="${base}/${file}"; rel="collection"; type="text/html"`);
  });

  it('has a head, and is gone, or was never there, as its item', async () => {
    await seedItem();
    const head = await house.app.inject({ method: 'HEAD', url: local(`${item}/linkset.json`) });
    expect([head.statusCode, head.body]).toEqual([200, '']);
    expect((await house.app.inject('/kyushu/items/oai:x:1/linkset')).statusCode).toBe(404);
    expect((await house.app.inject(local(`${item}/linkset.xml`))).statusCode).toBe(404);
    await house.database.writer('resource').update({ deleted_at: '2026-11-21T10:00:00Z' });
    expect((await house.app.inject(local(`${item}/linkset`))).statusCode).toBe(410);
  });
});

describe('files that are published where they lie (mode link)', () => {
  it('are linked by their own addresses', async () => {
    const url = 'https://repo.example.org/files/%E5%9B%B3.pdf';
    const links = [{ rel: 'describes', href: url }];
    await seedResource(house.database, {
      links,
      collections: ['theses'],
      landingPage: 'https://repo.example.org/1',
    });
    await seedResource(house.database, { kind: 'file', mediaType: 'application/pdf' });
    await house.database.writer('resource').where({ kind: 'file' }).update({ path: url });
    expect(await linksOf(local(item))).toContain(`<${url}>; rel="item"; type="application/pdf"`);
    const view = (await house.app.inject(`${local(item)}?format=json`)).json();
    expect(view).toMatchObject({ files: 1, landingPages: ['https://repo.example.org/1'] });
    expect(view.resources[1]).toMatchObject({ uri: url, name: '図.pdf' });
    const page = await house.app.inject({
      url: '/kyushu/collections/theses',
      headers: { accept: 'text/html' },
    });
    expect(page.body).toContain(` href="${url}">`);
    expect(page.body).toContain('2 resources, 1 file among them');
    const rest = await house.app.inject(
      `/kyushu/collections/theses?after=${encodeURIComponent(url)}&format=json`,
    );
    expect(rest.json().resources).toEqual([]);
  });
});

describe('the page of an item with files', () => {
  it('shows their names, types and sizes beside the metadata', async () => {
    await seedItem(2);
    const { body } = await house.app.inject({ url: local(item), headers: { accept: 'text/html' } });
    expect(body).toContain('<h2>Metadata</h2>');
    expect(body).toContain('<h2>2 files</h2>');
    expect(body).toContain(
      `<a href="${base}/${file}">a.pdf</a></td><td class="wide soft">application/pdf</td>`,
    );
    expect(body).toContain(`<a class="mono" href="${landingPage}">`);
  });
});
