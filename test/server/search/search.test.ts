import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { html, renderPage } from '../../../src/server/html/html.ts';
import { createReader } from '../../../src/server/words/reader.ts';
import { followJournal, readFollowed } from '../../../src/store/search/following.ts';
import { type House, openHouse, sourceOverview } from '../../house/server/fixture.ts';
import { type StoreAt, storing } from '../../house/server/stored-items.ts';

let house: House;
let stores: Map<string, StoreAt>;
const base = 'https://bridge.example.org/rs';
const searched = new Set<string>();

beforeEach(async () => {
  stores = new Map();
  searched.clear();
  for (const source of ['kyushu', 'hokkaido']) searched.add(source);
  house = await openHouse({ search: { has: (source) => searched.has(source) } });
  house.sources.push(sourceOverview(), sourceOverview({ name: 'hokkaido', title: 'Hokkaido' }));
});
afterEach(() => house.close());

async function get(url: string, accept = 'text/html') {
  return house.app.inject({ url, headers: { accept } });
}

async function search(query: string) {
  return (await get(`/search?${query}`, 'application/json')).json();
}

const content = (title: string, more = '') =>
  Buffer.from(
    `<dc xmlns="urn:dc"><title>${title}</title><creator>Nakaya, U</creator><date>1949</date>${more}</dc>`,
  );

async function store(source: string, identifier: string, title: string, rest: object = {}): Promise<void> {
  const metadata = [{ format: 'oai_dc', content: content(title) }];
  const into = stores.get(source) ?? storing(house.database, source);
  stores.set(source, into);
  await into('2026-11-20T08:00:00Z', { identifier, metadata, ...rest });
}

async function follow(): Promise<void> {
  for (;;) {
    const behind = (await readFollowed(house.database.reader)).find(
      ({ seq, journalSeq }) => seq < journalSeq,
    );
    if (!behind) return;
    await followJournal(house.database, house.directory, behind);
  }
}

describe('search', () => {
  beforeEach(async () => {
    await store('kyushu', 'oai:x:1', '雪の結晶', {
      collections: ['theses'],
      datestamp: '2026-11-01T00:00:00Z',
    });
    await store('kyushu', 'oai:x:2', 'Snow &lt;b&gt;crystals&lt;/b&gt;', {
      datestamp: '2026-11-02T00:00:00Z',
    });
    await store('hokkaido', 'oai:h:1', '雪と氷', { datestamp: '2026-11-03T00:00:00Z' });
    await follow();
  });

  it('finds items by words, in the script that they are in, and names them by their titles', async () => {
    const view = await search(`q=${encodeURIComponent('雪の結晶')}`);
    expect(view.items).toEqual([
      {
        uri: `${base}/kyushu/items/oai:x:1`,
        source: 'kyushu',
        identifier: 'oai:x:1',
        title: { text: '雪の結晶', language: 'ja' },
        creators: ['Nakaya, U'],
        date: '1949',
        lastmod: '2026-11-01T00:00:00Z',
      },
    ]);
    const { body, headers } = await get(`/search?q=${encodeURIComponent('雪')}`);
    expect(body).toContain(`<a href="${base}/kyushu/items/oai:x:1" lang="ja" dir="auto">雪の結晶</a>`);
    expect(body.indexOf('雪と氷')).toBeLessThan(body.indexOf('雪の結晶'));
    expect(headers['x-robots-tag']).toBe('noindex');
  });

  it('shows the newest of all without a question, and narrows by what is asked', async () => {
    const names = async (query: string) =>
      (await search(query)).items.map(({ identifier }: { identifier: string }) => identifier);
    expect(await names('')).toEqual(['oai:h:1', 'oai:x:2', 'oai:x:1']);
    expect(await names('q=&source=kyushu&year=&since=')).toEqual(['oai:x:2', 'oai:x:1']);
    expect(await names('source=kyushu&collection=theses')).toEqual(['oai:x:1']);
    expect(await names('year=1949&since=2026-11-02')).toEqual(['oai:h:1', 'oai:x:2']);
    expect(await names('metadata=mods')).toEqual([]);
    expect(await names('year=1950')).toEqual([]);
    expect(await names('q=...')).toEqual([]);
  });

  it('has a form that needs no script and is sent to where the page is from', async () => {
    const { body, headers } = await get('/search?q=snow&source=kyushu');
    expect(body).toContain('<form class="search" role="search" action="/rs/search">');
    expect(body).toContain('value="snow"');
    expect(body).toContain('<option value="kyushu" selected>');
    expect(String(headers['content-security-policy'])).toContain("form-action 'self'");
    expect(String((await get('/kyushu/items/oai:x:1')).headers['content-security-policy'])).toContain(
      "form-action 'none'",
    );
  });

  it('shows what was typed, and what was found, as text', async () => {
    const evil = '"><script>alert(1)</script> snow';
    const { body } = await get(
      `/search?q=${encodeURIComponent(evil)}&metadata=${encodeURIComponent('"><b>')}`,
    );
    expect(body).not.toContain('<script');
    expect(body).not.toContain('"><b>');
    expect((await get('/search?q=snow')).body).toContain('Snow &lt;b&gt;crystals&lt;/b&gt;');
  });

  it('refuses what has no bounds, and says why', async () => {
    const status = async (query: string) => (await get(`/search?${query}`)).statusCode;
    const many = Array.from({ length: 60 }, (_, n) => `w${n}`).join('+');
    expect(await status(`q=${many.slice(0, 190)}`)).toBe(400);
    expect(await status(`q=${'x'.repeat(201)}`)).toBe(400);
    expect(await status('since=yesterday')).toBe(400);
    expect(await status('year=19')).toBe(400);
    expect(await status('collection=theses')).toBe(400);
    expect(await status('source=nowhere')).toBe(404);
    expect(await status('source=kyushu&collection=nothing')).toBe(404);
    expect(await status('source=kyushu&collection=%00')).toBe(404);
    for (const query of [
      'q=%00',
      'q=%27%22%29',
      'after=9999999999999999',
      'metadata=%00',
      'q=AND+OR+NOT+NEAR',
    ])
      expect([query, await status(query)]).toEqual([query, 200]);
  });

  it('has nothing of a source that is not searched, and is nowhere where nothing is', async () => {
    searched.delete('hokkaido');
    expect((await search('')).items).toHaveLength(2);
    expect((await get('/search?source=hokkaido')).statusCode).toBe(404);
    const without = await openHouse();
    expect((await without.app.inject({ url: '/search' })).statusCode).not.toBe(200);
    expect((await without.app.inject({ url: '/', headers: { accept: 'text/html' } })).body).not.toContain(
      '/search',
    );
    await without.close();
    const page = { title: 'x', body: html`nothing` };
    expect(renderPage({ baseUrl: base, title: 'x', version: '1' }, page, createReader('en'))).not.toContain(
      '/search',
    );
  });

  it('pages', async () => {
    for (let n = 10; n < 40; n += 1) await store('kyushu', `oai:p:${n}`, `Paged ${n}`);
    await follow();
    const found: string[] = [];
    for (let uri: string | undefined = '/search?q=paged'; uri !== undefined; ) {
      const { items, next }: { items: { identifier: string }[]; next?: string } = (
        await get(uri, 'application/json')
      ).json();
      found.push(...items.map(({ identifier }) => identifier));
      uri = next?.slice(base.length);
    }
    expect(new Set(found).size).toBe(30);
    expect((await get('/search?q=paged')).body).toContain('rel="next"');
  });

  it('is linked from home and from the page of a source, which shows its newest items', async () => {
    expect((await get('/')).body).toContain('action="/rs/search"');
    const { body } = await get('/kyushu/about');
    expect(body).toContain('<input type="hidden" name="source" value="kyushu">');
    expect(body).toContain(`<a href="${base}/search?source=kyushu">`);
    expect(body).toContain('雪の結晶');
    expect(body).not.toContain('雪と氷');
  });

  it('names the items of a collection, which can be searched', async () => {
    const { members, search: address } = (await get('/kyushu/collections/theses', 'application/json')).json();
    expect(members[0]).toMatchObject({ title: { text: '雪の結晶', language: 'ja' } });
    expect(address).toBe(`${base}/search?source=kyushu&collection=theses`);
    expect((await get('/kyushu/collections/theses')).body).toContain(
      '<div lang="ja" dir="auto">雪の結晶</div>',
    );
  });

  it('has a source typed where they are too many to choose from', async () => {
    for (let n = 0; n < 100; n += 1) {
      searched.add(`more-${n}`);
      house.sources.push(sourceOverview({ name: `more-${n}` }));
    }
    expect((await search('')).sources).toEqual([]);
    const { body } = await get('/search?source=kyushu');
    expect(body).toContain('<input id="source" name="source" value="kyushu">');
    expect(body).not.toContain('<select');
  });

  it('says how far the index is while it is made', async () => {
    await house.database.writer('source').update({ journal_seq: 5000 }).where({ name: 'kyushu' });
    const { body } = await get('/search');
    expect(body).toContain('The index is being made, 0 % are done');
    expect((await search('')).index).toEqual({ done: 3, total: 5001 });
  });
});
