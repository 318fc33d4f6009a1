import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addSeconds, toDigits, toHttpDate } from '../../../src/core/datetime.ts';
import { type House, openHouse, seedResource } from '../../house/server/fixture.ts';
import {
  ask,
  base,
  byRelation,
  parseLinks,
  type SeededStep,
  seedPast,
} from '../../house/server/past-house.ts';

let house: House;
beforeEach(async () => {
  house = await openHouse();
});
afterEach(() => house.close());

const steps = [
  { datetime: '2026-01-01T00:00:00Z', content: '<dc>1</dc>' },
  { datetime: '2026-02-01T00:00:00Z', content: '<dc>2</dc>' },
  { datetime: '2026-03-01T00:00:00Z', content: null },
  { datetime: '2026-04-01T00:00:00Z', content: '<dc>4</dc>' },
];

const mementoOf = (uri: string, datetime: string) => `${base}/memento/${toDigits(datetime)}/${uri}`;

describe('a TimeMap', () => {
  it('TM-01, TM-02, TM-03, TM-05, TM-07: lists every memento, oldest first, and says where they belong', async () => {
    const { uri } = await seedPast(house.database, steps);
    const { status, headers, body } = await ask(house, `${base}/timemap/link/${uri}`);
    expect([status, headers['content-type']]).toEqual([200, 'application/link-format']);
    expect(body.split('\n')).toEqual([
      `<${uri}>; rel="original",`,
      `<${base}/timegate/${uri}>; rel="timegate",`,
      `<${base}/timemap/link/${uri}>; rel="self"; type="application/link-format"; from="Thu, 01 Jan 2026 00:00:00 GMT"; until="Wed, 01 Apr 2026 00:00:00 GMT",`,
      `<${base}/memento/20260101000000/${uri}>; rel="first memento"; datetime="Thu, 01 Jan 2026 00:00:00 GMT",`,
      `<${base}/memento/20260201000000/${uri}>; rel="memento"; datetime="Sun, 01 Feb 2026 00:00:00 GMT",`,
      `<${base}/memento/20260401000000/${uri}>; rel="last memento"; datetime="Wed, 01 Apr 2026 00:00:00 GMT"`,
      '',
    ]);
  });

  it('TM-08: says whose it is, and is no memento itself', async () => {
    const { uri } = await seedPast(house.database, steps);
    for (const form of ['link', 'json', 'html']) {
      const { headers } = await ask(house, `${base}/timemap/${form}/${uri}`);
      expect(headers.link).toBe(
        `<${base}/timemap/link/${uri}>; anchor="${uri}"; rel="timemap"; type="application/link-format"`,
      );
      expect(headers['memento-datetime']).toBeUndefined();
      expect(headers['cache-control']).toBe('no-cache');
      expect(headers.vary).toBe(form === 'html' ? 'Accept-Language, Cookie' : undefined);
    }
  });

  it('TM-09: is what it is, whatever is accepted', async () => {
    const { uri } = await seedPast(house.database, steps);
    const { status, headers } = await ask(house, `${base}/timemap/link/${uri}`, { accept: 'text/html' });
    expect([status, headers['content-type']]).toEqual([200, 'application/link-format']);
  });

  it('has a JSON form', async () => {
    const { uri } = await seedPast(house.database, steps);
    const { headers, body } = await ask(house, `${base}/timemap/json/${uri}`);
    expect(headers['content-type']).toBe('application/json');
    const entry = (datetime: string) => ({ datetime, uri: mementoOf(uri, datetime) });
    const [first, second, last] = [
      '2026-01-01T00:00:00Z',
      '2026-02-01T00:00:00Z',
      '2026-04-01T00:00:00Z',
    ].map(entry);
    expect(JSON.parse(body)).toEqual({
      original_uri: uri,
      self: `${base}/timemap/json/${uri}`,
      mementos: { list: [first, second, last], first, last },
      timemap_uri: {
        link_format: `${base}/timemap/link/${uri}`,
        json_format: `${base}/timemap/json/${uri}`,
        html: `${base}/timemap/html/${uri}`,
      },
      timegate_uri: `${base}/timegate/${uri}`,
    });
  });

  it('has a page for people, with the times at which there was nothing', async () => {
    const { uri } = await seedPast(house.database, steps);
    const { headers, body } = await ask(house, `${base}/timemap/html/${uri}`);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const times = [
      ...body.matchAll(/<tr><td><time datetime="([^"]+)">[^<]*<\/time><\/td><td[^>]*>(.*?)<\/td>/g),
    ];
    expect(times.map(([, datetime, what]) => [datetime, what?.replace(/<[^>]+>/g, '')])).toEqual([
      ['2026-01-01T00:00:00Z', 'first memento'],
      ['2026-02-01T00:00:00Z', 'memento'],
      ['2026-03-01T00:00:00Z', 'deleted'],
      ['2026-04-01T00:00:00Z', 'last memento'],
    ]);
    expect(body).toContain(`<a href="${mementoOf(uri, '2026-02-01T00:00:00Z')}">`);
  });

  it('need not be fetched again as long as it says the same', async () => {
    const { uri } = await seedPast(house.database, steps);
    for (const form of ['link', 'json']) {
      const { headers } = await ask(house, `${base}/timemap/${form}/${uri}`);
      const again = await ask(house, `${base}/timemap/${form}/${uri}`, {
        'if-none-match': headers.etag ?? '',
      });
      expect([again.status, again.headers.etag]).toEqual([304, headers.etag]);
    }
  });

  it.each(['link', 'json', 'html'])('as %s answers If-Match', async (form) => {
    const { uri } = await seedPast(house.database, steps);
    const target = `${base}/timemap/${form}/${uri}`;
    const { etag = '' } = (await ask(house, target)).headers;
    const statusOf = async (tag: string) => (await ask(house, target, { 'if-match': tag })).status;
    // A page says how long ago things were: its tag is weak, and matches nothing strongly.
    expect(await statusOf(etag)).toBe(form === 'html' ? 412 : 200);
    expect(await statusOf('*')).toBe(200);
    const failed = await ask(house, target, { 'if-match': '"other"' });
    expect(failed.status).toBe(412);
    expect(failed.headers.etag).toBeUndefined();
    expect(failed.headers['content-type']).toMatch(/problem\+json/);
  });

  it.each(['link', 'json', 'html'])('as %s has the headers of GET on HEAD', async (form) => {
    const { uri } = await seedPast(house.database, steps);
    const target = `${base}/timemap/${form}/${uri}`;
    const [get, head] = [await ask(house, target), await ask(house, target, {}, 'HEAD')];
    expect(head.body).toBe('');
    for (const name of ['content-type', 'content-length', 'etag', 'link', 'cache-control']) {
      expect(head.headers[name]).toBe(get.headers[name]);
    }
  });

  it.each([
    'https://elsewhere.example.org/',
    'https://bridge.example.org/rs/kyushu/items/oai:nobody/oai_dc.xml',
    'nonsense',
    '',
  ])('ME-07: there is none of %j', async (uri) => {
    for (const form of ['link', 'json', 'html']) {
      expect((await ask(house, `/timemap/${form}/${uri}`)).status).toBe(404);
    }
  });

  it('TM-10: there is none of what has no memento, nor in any other form', async () => {
    const { path } = await seedResource(house.database);
    const { status, links } = await ask(house, `/timemap/link/${base}/${path}`);
    expect([status, byRelation(links, 'original')[0]?.href]).toEqual([404, `${base}/${path}`]);
    expect((await ask(house, `/timemap/cdxj/${base}/${path}`)).status).toBe(404);
    expect((await ask(house, `/timemap/${base}/${path}`)).status).toBe(404);
  });
});

describe('the TimeMap of thousands', () => {
  const begin = '2026-01-01T00:00:00Z';
  const many: readonly SeededStep[] = Array.from({ length: 2500 }, (_, index) => ({
    datetime: addSeconds(begin, index * 60),
    content: '<dc/>',
  }));
  const at = (index: number) => many[index]?.datetime ?? '';

  it('TM-06: comes in pages of a thousand that name each other, and what each of them covers', async () => {
    const { uri } = await seedPast(house.database, many);
    const pageUri = (page: number) => `${base}/timemap/link/${page === 1 ? '' : `${page}/`}${uri}`;
    const spans = [
      [0, 999],
      [1000, 1999],
      [2000, 2499],
    ] as const;
    const seen: string[] = [];
    for (const page of [1, 2, 3]) {
      const { status, headers, body } = await ask(house, pageUri(page));
      expect([status, headers.link?.startsWith(`<${pageUri(page)}>`)]).toEqual([200, true]);
      const links = parseLinks(body);
      expect(links[0]).toMatchObject({ href: uri, rel: ['original'] });
      for (const { href, parameters } of [...byRelation(links, 'self'), ...byRelation(links, 'timemap')]) {
        const index = [1, 2, 3].findIndex((one) => pageUri(one) === href);
        const [from, until] = spans[index] ?? [0, 0];
        expect(parameters).toMatchObject({
          type: 'application/link-format',
          from: toHttpDate(at(from)),
          until: toHttpDate(at(until)),
        });
      }
      expect(byRelation(links, 'self').map(({ href }) => href)).toEqual([pageUri(page)]);
      expect(byRelation(links, 'timemap')).toHaveLength(2);
      const mementos = byRelation(links, 'memento');
      expect(byRelation(mementos, 'first').length + byRelation(mementos, 'last').length).toBe(
        page === 2 ? 0 : 1,
      );
      seen.push(...mementos.map(({ parameters }) => parameters.datetime ?? ''));
    }
    expect(seen).toEqual(many.map(({ datetime }) => toHttpDate(datetime)));
    expect((await ask(house, `${base}/timemap/link/1/${uri}`)).body).toBe(
      (await ask(house, pageUri(1))).body,
    );
  });

  it('has its pages as JSON and for people, too, and says how many there are', async () => {
    const { uri } = await seedPast(house.database, [
      ...many.slice(0, 1500),
      { datetime: addSeconds(at(1499), 1), content: null },
    ]);
    const json = JSON.parse((await ask(house, `${base}/timemap/json/2/${uri}`)).body);
    expect(json.mementos.list).toHaveLength(500);
    expect(json.pages).toEqual([
      { page: 1, uri: `${base}/timemap/json/${uri}`, from: at(0), until: at(999) },
      { page: 2, uri: `${base}/timemap/json/2/${uri}`, from: at(1000), until: at(1499) },
    ]);
    const first = (await ask(house, `${base}/timemap/html/${uri}`)).body;
    expect(first).toContain(`href="${base}/timemap/html/2/${uri}"`);
    expect(first).not.toContain('>deleted<');
    expect((await ask(house, `${base}/timemap/html/2/${uri}`)).body).toContain('>deleted<');
    const beyond = await ask(house, `${base}/timemap/link/3/${uri}`);
    expect([beyond.status, JSON.parse(beyond.body).detail]).toEqual([404, 'this TimeMap has 2 pages']);
    for (const page of ['0', '01', '-1', '9999999999', 'x']) {
      expect((await ask(house, `${base}/timemap/link/${page}/${uri}`)).status).toBe(404);
    }
  });
});
