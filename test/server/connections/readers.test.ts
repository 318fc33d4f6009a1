import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { asksForHtml } from '../../../src/server/http/negotiation.ts';
import {
  exchange,
  type House,
  openHouse,
  publishedSet,
  seedResource,
  sourceOverview,
} from '../../house/server/fixture.ts';

/** What people and programs ask for at one address. */
let house: House;
const base = 'https://bridge.example.org/rs';
const item = '/kyushu/items/oai:repo.example.org:1';
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

beforeEach(async () => {
  house = await openHouse({
    setsOf: (source, title) => (source === 'kyushu' ? resourceSets(source, { title }) : []),
  });
  house.sources.push(sourceOverview());
  await seedResource(house.database);
});
afterEach(() => house.close());

const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  house.app.inject({ method, url, headers });

describe('the name of a set', () => {
  it.each([
    ['/kyushu', '/kyushu/about'],
    ['/kyushu/', '/kyushu/about'],
    ['/rs/kyushu', '/kyushu/about'],
    ['/rs/kyushu/', '/kyushu/about'],
    ['/kyushu/metadata', '/kyushu/metadata/about'],
    ['/kyushu/metadata/?format=json', '/kyushu/metadata/about?format=json'],
  ])('leads to what is said about it: %s', async (url, about) => {
    for (const method of ['GET', 'HEAD'] as const) {
      const { statusCode, headers } = await get(url, {}, method);
      expect([statusCode, headers.location]).toEqual([302, `${base}${about}`]);
    }
    expect((await get(about)).statusCode).toBe(200);
  });

  it.each(['/nobody', '/nobody/', '/kyushu/nothing', '//kyushu', '/kyushu//', '/%6Byushu%2F'])(
    'that is none leads nowhere: %s',
    async (url) => {
      expect((await get(url)).statusCode).toBe(404);
    },
  );
});

describe('a page', () => {
  it.each([item, '/about', '/kyushu/about', '/kyushu/metadata/about'])(
    'need not be fetched again as long as it says the same: %s',
    async (url) => {
      const tags = new Set<unknown>();
      for (const accept of [browser, 'application/json']) {
        const vary = accept === browser ? 'Accept, Accept-Language, Cookie' : 'Accept';
        const first = await get(url, { accept });
        expect(first).toMatchObject({ statusCode: 200, headers: { vary } });
        const etag = String(first.headers.etag);
        expect(etag).toMatch(/^W\/"[0-9a-f]{32}"$/);
        tags.add(etag);
        const again = await get(url, { accept, 'if-none-match': etag });
        expect(again).toMatchObject({ statusCode: 304, body: '', headers: { etag, vary } });
        expect(again.headers['content-security-policy']).toBe(first.headers['content-security-policy']);
        expect((await get(url, { accept, 'if-none-match': etag }, 'HEAD')).statusCode).toBe(304);
        expect((await get(url, { accept }, 'HEAD')).headers).toMatchObject({
          etag,
          'content-length': String(Buffer.byteLength(first.body)),
        });
        expect((await get(url, { accept, 'if-none-match': '"other"' })).statusCode).toBe(200);
        expect((await get(url, { accept, 'if-match': '"other"' })).statusCode).toBe(412);
        expect((await get(url, { accept, 'if-match': '*' })).statusCode).toBe(200);
      }
      expect(tags.size).toBe(2);
    },
  );

  it('of an item that changed is another one', async () => {
    const { etag } = (await get(item, { accept: browser })).headers;
    await seedResource(house.database, { format: 'mods' });
    expect((await get(item, { accept: browser, 'if-none-match': String(etag) })).statusCode).toBe(200);
  });
});

describe('an item', () => {
  it.each(['application/linkset+json', 'application/linkset'])(
    'answers with its link set: %s',
    async (accept) => {
      const own = await get(`${item}/${accept.endsWith('json') ? 'linkset.json' : 'linkset'}`);
      for (const field of [accept, `${accept}, */*;q=0.1`]) {
        const { statusCode, headers, body } = await get(item, { accept: field });
        expect(statusCode).toBe(200);
        expect(headers).toMatchObject({
          'content-type': accept,
          vary: 'Accept',
          'content-location': `${base}${item}/${accept.endsWith('json') ? 'linkset.json' : 'linkset'}`,
          link: expect.stringContaining('rel="linkset"'),
        });
        expect(body).toBe(own.body);
      }
      expect((await get(item, { accept }, 'HEAD')).headers['content-type']).toBe(accept);
    },
  );

  it('is a page all the same for who takes anything', async () => {
    for (const accept of ['*/*', browser, 'text/html, application/linkset+json']) {
      expect((await get(item, { accept })).headers['content-type']).toMatch(/^text\/html/);
    }
  });
});

describe('a Change List Index', () => {
  const index = `<?xml version="1.0"?><sitemapindex><rs:ln rel="up" href="${base}/kyushu/capabilitylist.xml"/><rs:md capability="changelist" from="2026-11-01T00:00:00Z"/>
  <sitemap><loc>${base}/kyushu/changelist/20261101T000000Z.xml</loc><rs:md from="2026-11-01T00:00:00Z" until="2026-11-02T00:00:00Z"/></sitemap>
  <sitemap><loc>${base}/kyushu/changelist/20261102T000000Z.xml</loc><rs:md from="2026-11-02T00:00:00Z"/></sitemap></sitemapindex>`;
  const url = '/kyushu/changelist-index.xml';

  beforeEach(async () => {
    house.publication.published.push(publishedSet());
    await house.publication.stage('kyushu/changelist-index.xml', index);
  });

  it('answers a reader with its lists, the latest first, and what else helps', async () => {
    for (const accept of [browser, 'text/html']) {
      const { headers, body } = await get(url, { accept });
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        vary: expect.stringContaining('Accept'),
        'content-security-policy': expect.stringContaining("default-src 'none'"),
      });
      const links = [...body.matchAll(/href="([^"]+)"/g)].map(([, href]) => href);
      expect(links).toEqual(
        expect.arrayContaining([
          `${base}/kyushu/about`,
          `${base}/kyushu/changelist.xml`,
          `${base}${url}?format=xml`,
        ]),
      );
      const newest = links.indexOf(`${base}/kyushu/changelist/20261102T000000Z.xml`);
      expect(newest).toBeGreaterThan(0);
      expect(links.indexOf(`${base}/kyushu/changelist/20261101T000000Z.xml`)).toBeGreaterThan(newest);
      expect(body).toContain('open');
    }
  });

  it('is the document for every program, and by its own address', async () => {
    for (const headers of [
      {},
      { accept: '*/*' },
      { accept: 'application/xml' },
      { accept: 'text/xml, text/html' },
    ]) {
      const answer = await get(url, headers);
      expect(answer.body).toBe(index);
      expect(answer.headers.vary).toMatch(/\bAccept(?:,|$)/);
    }
    expect((await get(`${url}?format=xml`, { accept: browser })).body).toBe(index);
  });

  it('of years shows the latest lists, and says that there are more', async () => {
    const members = Array.from(
      { length: 3000 },
      (_, number) =>
        `<sitemap><loc>${base}/kyushu/changelist/${number}.xml</loc><rs:md from="2026-11-01T00:00:00Z" until="2026-11-02T00:00:00Z"/></sitemap>`,
    );
    await house.publication.stage(
      'kyushu/changelist-index.xml',
      `<sitemapindex><rs:md capability="changelist" from="2020-01-01T00:00:00Z"/>${members.join('\n')}</sitemapindex>`,
    );
    const { body } = await get(url, { accept: browser });
    expect(body).toContain('/changelist/2999.xml');
    expect(body).not.toContain('/changelist/0.xml"');
    expect(body).toContain('<a rel="next" href="?before=');
    expect(body.length).toBeLessThan(200_000);
  });
});

it.each([
  [browser, true],
  ['text/html', true],
  ['text/html, */*;q=0.5', true],
  ['text/html;q=0.5, */*;q=0.8', false],
  ['text/html, application/xml', false],
  // What Java's own client says unasked.
  ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', false],
  ['text/html, image/gif, image/jpeg, */*; q=0.2', false],
  ['*/*', false],
  ['', false],
  [undefined, false],
])('Accept: %s asks for a page: %s', (accept, expected) => {
  expect(asksForHtml(accept)).toBe(expected);
});

describe('header names', () => {
  it('are spelt as their RFCs spell them, of streams as of everything else', async () => {
    await house.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = house.app.server.address() as { port: number };
    await house.publication.stage('kyushu/resourcelist.xml', '<urlset/>');
    for (const path of ['/kyushu/resourcelist.xml', `${item}/linkset.json`, `${item}/oai_dc.xml`, '/about']) {
      for (const method of ['GET', 'HEAD']) {
        const request = `${method} /rs${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
        const [head = ''] = (await exchange(`http://127.0.0.1:${port}`, request)).split('\r\n\r\n', 1);
        const names = head
          .split('\r\n')
          .slice(1)
          .map((line) => line.split(':', 1)[0] ?? '');
        expect(names).toEqual(
          expect.arrayContaining(['Content-Type', 'Cache-Control', 'Content-Security-Policy']),
        );
        expect([path, method, names.filter((name) => /(?:^|-)[a-z]/.test(name))]).toEqual([path, method, []]);
      }
    }
  });
});

describe('metadata in a browser', () => {
  const policy =
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  it('may bring the style of the browser’s own tree along, and nothing else', async () => {
    const { headers } = await get(`${item}/oai_dc.xml`, { accept: browser });
    expect(headers['content-security-policy']).toBe(policy);
    const known = await get(`${item}/oai_dc.xml`, { 'if-none-match': String(headers.etag) });
    // What a cache has is updated by what a 304 says.
    expect(known).toMatchObject({ statusCode: 304, headers: { 'content-security-policy': policy } });
  });

  it('is byte for byte the same as for a program', async () => {
    const bytes = await Promise.all([browser, '*/*'].map((accept) => get(`${item}/oai_dc.xml`, { accept })));
    expect(bytes[0]?.rawPayload.equals(bytes[1]?.rawPayload ?? Buffer.of())).toBe(true);
  });
});
