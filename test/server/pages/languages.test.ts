import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type House, now, openHouse, publishedSet, sourceOverview } from '../../house/server/fixture.ts';
import { base, seedPast } from '../../house/server/past-house.ts';

const steps = [
  { datetime: '2026-01-01T00:00:00Z', content: '<dc>1</dc>' },
  { datetime: '2026-02-01T00:00:00Z', content: '<dc>2</dc>' },
];

let house: House;
beforeEach(async () => {
  house = await openHouse();
  house.sources.push(
    sourceOverview({ stateIn: (language) => (language === 'ja' ? '最新の状態です' : 'up to date') }),
  );
  house.publication.published.push(publishedSet());
  await seedPast(house.database, steps, { identifier: 'oai:r:1', collections: ['c'] });
});
afterEach(() => house.close());

function get(url: string, headers: Record<string, string> = {}) {
  return house.app.inject({ url, headers: { accept: 'text/html', ...headers } });
}

const pages = ['/', '/about', '/kyushu/about', '/kyushu/collections/c', '/kyushu/items/oai:r:1'];
const history = `/timemap/html/${base}/kyushu/items/oai:r:1/oai_dc.xml`;

describe('pages in Japanese', () => {
  it.each([...pages, history])('%s', async (url) => {
    const { statusCode, body, headers } = await get(url, { 'accept-language': 'ja,en;q=0.7' });
    expect(statusCode).toBe(200);
    expect(body).toContain('<html lang="ja">');
    expect(headers['content-language']).toBe('ja');
    expect(String(headers.vary)).toContain('Accept-Language, Cookie');
    // Headings and labels.
    const labels = [...body.matchAll(/<(h1|h2|th|dt)\b[^>]*>([^<]+)</g)].map(([, , text = '']) => text);
    const names = ['University of Example', 'Kyushu Repository', 'oai:r:1'];
    for (const text of labels.filter((label) => !names.some((name) => label.includes(name))))
      if (!/^Collection c$/.test(text))
        expect(text).toMatch(/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u);
  });

  it('say what a source is doing, and when', async () => {
    const { body } = await get('/?lang=ja');
    expect(body).toContain('最新の状態です');
    expect(body).toContain('<time datetime="2026-11-21T11:57:00Z">3分前</time>');
    expect((await get('/')).body).toContain('up to date');
  });

  it('of what is not there', async () => {
    const { statusCode, body, headers } = await get('/nothing/at/all', { 'accept-language': 'ja' });
    expect(statusCode).toBe(404);
    expect(body).toContain('<html lang="ja">');
    expect(body).toContain('<h1>見つかりません</h1>');
    expect(body).toContain('<p>このアドレスには何もありません</p>');
    expect(body).toContain('not-found');
    expect(headers['content-language']).toBe('ja');
  });
});

describe('the language', () => {
  it('is chosen by the address, kept in a cookie, and wanted by the browser', async () => {
    const asked = await get('/about?lang=ja&page=1', { 'accept-language': 'en' });
    expect(asked.headers['content-language']).toBe('ja');
    expect(asked.headers['set-cookie']).toBe(
      'lang=ja; Path=/rs; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure',
    );
    expect(asked.body).toContain(
      '<a rel="alternate" hreflang="en" lang="en" href="?page=1&amp;lang=en">English</a>',
    );
    const kept = await get('/about', { 'accept-language': 'en', cookie: 'x=1; lang=ja' });
    expect(kept.headers['content-language']).toBe('ja');
    expect(kept.headers['set-cookie']).toBeUndefined();
    expect((await get('/about', { cookie: 'lang=<script>' })).headers['content-language']).toBe('en');
    const unknown = await get('/about?lang=fr');
    expect([unknown.statusCode, unknown.headers['content-language'], unknown.headers['set-cookie']]).toEqual([
      200,
      'en',
      undefined,
    ]);
  });

  it('is a link of the version history, whose address ends with another address', async () => {
    const { body, statusCode } = await get(`${history}?lang=ja`);
    expect(statusCode).toBe(200);
    expect(body).toContain('<html lang="ja">');
  });

  it('is of no account to what programs read', async () => {
    const headers = { accept: 'application/json', 'accept-language': 'ja' };
    const { body, headers: said } = await house.app.inject({ url: '/', headers });
    expect(said.vary).toBe('Accept');
    expect(said['content-language']).toBeUndefined();
    expect(JSON.parse(body).sources[0].state).toBe(sourceOverview().state);
    const problem = await house.app.inject({ url: '/nothing', headers });
    expect(problem.json()).toMatchObject({ title: 'Not Found', code: 'not-found' });
    expect(problem.headers['content-language']).toBeUndefined();
  });

  it('has its own tag', async () => {
    const [en, ja] = [await get('/about?lang=en'), await get('/about?lang=ja')];
    expect(en.headers.etag).not.toBe(ja.headers.etag);
    const again = await get('/about?lang=ja', { 'if-none-match': String(ja.headers.etag) });
    expect([again.statusCode, again.headers['content-language']]).toEqual([304, 'ja']);
    expect(String(again.headers.vary)).toContain('Accept-Language');
  });
});

it('the usual language and the time zone are configured', async () => {
  const other = await openHouse({ pages: { language: 'ja', timeZone: 'Asia/Tokyo' } });
  other.sources.push(sourceOverview());
  const { body } = await other.app.inject({ url: '/', headers: { accept: 'text/html' } });
  expect(body).toContain('<html lang="ja">');
  expect(body).toContain('JST (');
  const english = await other.app.inject({
    url: '/',
    headers: { accept: 'text/html', 'accept-language': 'en-US' },
  });
  expect(english.body).toContain('<html lang="en">');
  await other.close();
  const alone = await openHouse({ pages: { language: 'ja', timeZone: 'UTC', isAlone: true } });
  const file = await alone.app.inject({
    url: '/?lang=en',
    headers: { accept: 'text/html', 'accept-language': 'en' },
  });
  expect(file.body).toContain('<html lang="ja">');
  expect(file.body).not.toContain('hreflang');
  await alone.close();
  expect(now).toContain('2026');
});
