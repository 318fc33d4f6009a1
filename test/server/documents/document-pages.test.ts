import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listTail, renderEntry, renderListHead } from '../../../src/publish/documents/entry-writer.ts';
import { renderListIndex } from '../../../src/publish/documents/list-index.ts';
import { renderSourceDescription } from '../../../src/publish/documents/source-description.ts';
import { type House, openHouse } from '../../house/server/fixture.ts';

/** What a person sees of a document, and what a program gets at the same address. */

let house: House;
beforeEach(async () => {
  house = await openHouse();
});
afterEach(() => house.close());

const base = 'https://bridge.example.org/rs';
const browser = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'user-agent': 'Mozilla/5.0 Firefox/140.0',
};
const set = { mirrors: [], mementos: 'metadata' } as const;

function get(url: string, headers: Record<string, string> = browser) {
  return house.app.inject({ url, headers });
}

function entryOf(n: number): string {
  const path = `kyushu/items/oai:r:${n}/oai_dc.xml`;
  const facts = { lastmod: '2026-11-21T04:38:07Z', hash: `sha-256:${'a'.repeat(64)}`, length: 1234 };
  const links = [{ rel: 'collection', href: 'kyushu/collections/c' }];
  return renderEntry(base, { kind: 'metadata', path, ...facts, mediaType: 'application/xml', links }, set);
}

function resourceList(entries: number): string {
  const up = `${base}/kyushu/capabilitylist.xml`;
  const head = renderListHead({ baseUrl: base, capability: 'resourcelist', up, at: '2026-11-21T04:00:00Z' });
  return head + Array.from({ length: entries }, (_, n) => entryOf(n)).join('') + listTail;
}

const locsIn = (body: string) =>
  [...body.matchAll(/<a class="mono" href="[^"]*\/items\/oai:r:(\d+)\/oai_dc\.xml"/g)].map(([, n]) =>
    Number(n),
  );
const wayIn = (body: string, rel: string) =>
  new RegExp(`<a rel="${rel}" href="([^"]*)"`).exec(body)?.[1]?.replaceAll('&amp;', '&');

describe('a document that a person opens', () => {
  it('is a page, with links that can be followed', async () => {
    await house.publication.stage('kyushu/resourcelist.xml', resourceList(3));
    const { statusCode, headers, body } = await get('/kyushu/resourcelist.xml');
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers.vary).toBe('Accept, User-Agent, Accept-Language, Cookie');
    expect(headers['content-security-policy']).toContain("default-src 'none'; style-src 'sha256-");
    expect(body).toContain('<h1>Resource List</h1>');
    expect(body).toContain(`<a class="mono" href="${base}/kyushu/capabilitylist.xml">`);
    expect(body).toContain(`<a href="${base}/kyushu/about">kyushu</a>`);
    expect(body).toContain(`<a href="${base}/kyushu/items/oai:r:1">page of the item</a>`);
    expect(body).toContain(`<a href="${base}/kyushu/collections/c">collection</a>`);
    expect(body).toContain('<time datetime="2026-11-21T04:00:00Z">2026-11-21 04:00:00 UTC</time>');
    expect(body).toContain(`<a href="${base}/kyushu/resourcelist.xml?format=xml"`);
    expect(locsIn(body)).toEqual([0, 1, 2]);
    expect(body).not.toContain('rel="next"');
    expect(body).not.toMatch(/<script|\sstyle=/);
    expect((await get('/kyushu/resourcelist.xml?lang=ja')).body).toContain('<h1>リソースリスト</h1>');
  });

  it.each<[string, Record<string, string>]>([
    ['*/*', { accept: '*/*' }],
    ['no Accept', {}],
    ['XML', { accept: 'application/xml' }],
    ['XML before HTML', { accept: 'application/xml, text/html;q=0.9' }],
    ['a crawler', { ...browser, 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' }],
  ])('is the document for %s', async (_, headers) => {
    const text = resourceList(2);
    await house.publication.stage('kyushu/resourcelist.xml', text);
    const answer = await get('/kyushu/resourcelist.xml', headers);
    expect(answer.headers['content-type']).toBe('application/xml');
    expect(answer.body).toBe(text);
    expect(String(answer.headers.vary)).toMatch(/^Accept\b/);
    const asked = await get('/kyushu/resourcelist.xml?format=xml');
    expect(asked.body).toBe(text);
    expect(asked.body).toContain('<?xml-stylesheet');
  });

  it('of any length is read in pages, forward, back, and from the end', async () => {
    await house.publication.stage('kyushu/resourcelist.xml', resourceList(450));
    const seen: number[] = [];
    const pages: string[] = [];
    for (let way: string | undefined = ''; way !== undefined; way = wayIn(pages.at(-1) ?? '', 'next')) {
      const { body } = await get(`/kyushu/resourcelist.xml${way}`);
      pages.push(body);
      seen.push(...locsIn(body));
    }
    expect(seen).toEqual(Array.from({ length: 450 }, (_, n) => n));
    expect(pages).toHaveLength(5);
    const back = await get(`/kyushu/resourcelist.xml${wayIn(pages[2] ?? '', 'prev')}`);
    expect(locsIn(back.body)).toEqual(locsIn(pages[1] ?? ''));
    const last = await get(`/kyushu/resourcelist.xml${wayIn(pages[0] ?? '', 'last')}`);
    expect(locsIn(last.body).at(-1)).toBe(449);
    expect(wayIn(last.body, 'next')).toBeUndefined();
    // A place in the middle of an entry, behind the end, or that is none.
    expect(locsIn((await get('/kyushu/resourcelist.xml?from=700')).body)[0]).toBe(1);
    for (const query of ['?from=99999999', '?before=0', '?from=-1', '?from=x&before=']) {
      expect((await get(`/kyushu/resourcelist.xml${query}`)).statusCode).toBe(200);
    }
  });

  it('costs what the page costs, at the beginning, at the end and in a search', async () => {
    await house.publication.stage('kyushu/resourcelist.xml', resourceList(60_000));
    const document = await house.publication.find('kyushu/resourcelist.xml');
    let read = 0;
    const open = document?.plain.open;
    if (!document || !open) throw new Error('it was staged');
    const plain = {
      ...document.plain,
      open: (start: number, end: number) => {
        read += end - start;
        return open(start, end);
      },
    };
    house.publication.documents.set('kyushu/resourcelist.xml', { ...document, plain });
    expect(document.plain.length).toBeGreaterThan(30_000_000);
    for (const query of ['', '?from=20000000', `?before=${document.plain.length}`]) {
      read = 0;
      expect(locsIn((await get(`/kyushu/resourcelist.xml${query}`)).body)).toHaveLength(100);
      expect(read).toBeLessThan(400_000);
    }
    // Found where it is, a part of the document for each request.
    let asked = 0;
    let found: number[] = [];
    for (let way: string | undefined = '?q=oai:r:59999/'; way !== undefined; asked += 1) {
      read = 0;
      const { body } = await get(`/kyushu/resourcelist.xml${way}`);
      expect(read).toBeLessThan(17_000_000);
      found = [...found, ...locsIn(body)];
      way = wayIn(body, 'next');
    }
    expect(found).toEqual([59_999]);
    expect(asked).toBe(Math.ceil(document.plain.length / 16_777_216));
    expect(house.publication.openFiles).toBe(0);
  });

  it('is searched for any signs, as text', async () => {
    await house.publication.stage('kyushu/resourcelist.xml', resourceList(250));
    const first = await get('/kyushu/resourcelist.xml?q=oai:r:2');
    expect(locsIn(first.body)).toEqual([2, ...range(20, 29), ...range(200, 249)]);
    const all = await get('/kyushu/resourcelist.xml?q=oai_dc');
    expect(locsIn(all.body)).toEqual(range(0, 99));
    expect(locsIn((await get(`/kyushu/resourcelist.xml${wayIn(all.body, 'next')}`)).body)).toEqual(
      range(100, 199),
    );
    // The head of the document is no entry.
    expect(locsIn((await get('/kyushu/resourcelist.xml?q=capabilitylist')).body)).toEqual([]);
    const hostile = '<script>alert(1)</script>"&';
    const { body } = await get(`/kyushu/resourcelist.xml?q=${encodeURIComponent(hostile)}`);
    expect(body).toContain('No entry has these signs.');
    expect(body).toContain('&lt;script&gt;alert(1)');
    expect(body).not.toContain('<script');
  });

  it('that grows at its end is shown from there', async () => {
    const members = range(0, 249).map((n) => ({
      path: `kyushu/changelist/2026${String(n).padStart(4, '0')}.xml`,
      from: '2026-11-21T00:00:00Z',
      ...(n < 249 && { until: '2026-11-21T01:00:00Z' }),
    }));
    const index = renderListIndex(base, {
      capability: 'changelist',
      up: 'kyushu/capabilitylist.xml',
      times: { from: '2026-11-01T00:00:00Z' },
      members,
    });
    await house.publication.stage('kyushu/changelist-index.xml', index);
    const { body } = await get('/kyushu/changelist-index.xml');
    expect(body).toContain('<h1>Change List Index</h1>');
    const names = [...body.matchAll(/changelist\/2026(\d{4})\.xml</g)].map(([, n]) => Number(n));
    expect(names).toEqual(range(150, 249).reverse());
    expect(body).toContain('since 2026-11-21 00:00:00 UTC, open');
    const older = await get(`/kyushu/changelist-index.xml${wayIn(body, 'next')}`);
    expect(older.body).toContain('changelist/20260149.xml<');
  });

  it('of another kind names what it leads to', async () => {
    const sets = house.app && [{ path: 'kyushu', source: 'kyushu', title: 'K', filter: {}, ...set }];
    await house.publication.stage(
      '.well-known/resourcesync',
      renderSourceDescription(base, sets as never, 'about'),
    );
    const { body } = await get('/.well-known/resourcesync');
    expect(body).toContain('<h1>Source Description</h1>');
    expect(body).toContain(
      `<div>Capability List</div><a class="mono" href="${base}/kyushu/capabilitylist.xml">`,
    );
    await house.publication.stage('kyushu/nothing.xml', resourceList(0));
    expect((await get('/kyushu/nothing.xml')).body).toContain('It has no entries.');
  });
});

it('over a socket, a person and a program have each their own, however often they ask', async () => {
  const text = resourceList(2);
  await house.publication.stage('kyushu/resourcelist.xml', text);
  const origin = await house.origin();
  for (let round = 0; round < 3; round += 1) {
    const page = await request(`${origin}/kyushu/resourcelist.xml`, { headers: browser });
    expect(page.headers['content-type']).toContain('text/html');
    await page.body.dump();
    const document = await request(`${origin}/kyushu/resourcelist.xml`, { headers: { accept: '*/*' } });
    expect(await document.body.text()).toBe(text);
    const crawler = { ...browser, 'user-agent': 'Googlebot/2.1' };
    expect(await (await request(`${origin}/kyushu/resourcelist.xml`, { headers: crawler })).body.text()).toBe(
      text,
    );
  }
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, n) => from + n);
}
