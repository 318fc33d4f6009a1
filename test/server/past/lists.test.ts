import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addSeconds, toDigits, toHttpDate, toIso } from '../../../src/core/datetime.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import type { Limits } from '../../../src/core/sitemap.ts';
import { createListsInTime, type ListsInTime } from '../../../src/publish/time/lists-in-time.ts';
import { createDocumentPasts } from '../../../src/server/past/document-past.ts';
import { readJournal } from '../../../src/store/sources/journal.ts';
import { LivingSource } from '../../house/publish/living-source.ts';
import { entriesOf, rootOf } from '../../house/publish/reading.ts';
import { baseUrl, endFirstPass } from '../../house/publish/seed.ts';
import { type House, openHouse } from '../../house/server/fixture.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

describeOnBoth('the past of documents', (open) => {
  let living: LivingSource;
  let house: House;
  let listsInTime: ListsInTime;
  let source: string;

  beforeEach(async () => {
    living = await LivingSource.begin(open().database);
    source = living.name;
    await serve();
  });
  afterEach(async () => {
    await house.close();
    await listsInTime.close();
    await living.end();
  });

  const sets = () =>
    resourceSets(source, { dumps: ['metadata'], sets: { theses: { collections: ['theses'] } } });

  async function serve(limits?: Limits, patience = Number.POSITIVE_INFINITY): Promise<void> {
    const { database } = open();
    const { clock, directory, publication } = living;
    const sleep = () => (patience > 0 ? new Promise<void>(() => {}) : Promise.resolve());
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const patient = { now: () => clock.now(), sleep };
    listsInTime = createListsInTime({ database, directory, baseUrl, clock: patient, log, limits });
    const documentPasts = createDocumentPasts({ database, publication, listsInTime, baseUrl, clock, sets });
    // The database is the suite's, and stays open when the house is closed.
    const borrowed = { ...database, close: async () => {} };
    house = await openHouse({ baseUrl, clock, publication, directory, documentPasts, database: borrowed });
  }

  const pass = (seconds: number) => {
    living.clock.set(addSeconds(toIso(living.clock.now()), seconds));
    return toIso(living.clock.now());
  };

  async function publish(dumps = false): Promise<void> {
    for (const set of sets().slice(0, 2)) {
      await living.publisher().publish(set, { resourceList: 'always' });
      if (dumps) await living.publisher().publishDumps(set, { resourceDump: 'always' });
    }
    await living.publisher().publishSite(sets());
  }

  /** Three moments, an hour apart. */
  async function live(): Promise<readonly [string, string, string]> {
    await living.deliver('a');
    await endFirstPass(open().database, source);
    const first = toIso(living.clock.now());
    const second = pass(3600);
    await living.deliver('b');
    await living.deliver('a', { text: 'other' });
    const third = pass(3600);
    await living.deliver('a', { deleted: true });
    pass(60);
    await publish();
    return [first, second, third];
  }

  async function get(uri: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') {
    const response = await request((await house.origin()) + uri.slice(baseUrl.length), { method, headers });
    const body = Buffer.from(await response.body.arrayBuffer());
    return { status: response.statusCode, headers: response.headers, body, text: body.toString() };
  }

  const listUri = () => `${baseUrl}/${source}/resourcelist.xml`;
  const memento = (moment: string, uri = listUri()) => `${baseUrl}/memento/${toDigits(moment)}/${uri}`;
  const gate = (at: string | undefined, uri = listUri()) =>
    get(`${baseUrl}/timegate/${uri}`, at === undefined ? {} : { 'accept-datetime': toHttpDate(at) });
  const links = (field: unknown) =>
    [...String(field).matchAll(/<([^>]*)>; rel="([^"]*)"/g)].map(([, href, rel]) => [rel, href]);

  it('is named by the documents that have one, and they do not negotiate (RFC 7089 §4.2)', async () => {
    await live();
    const names = [
      'resourcelist.xml',
      'capabilitylist.xml',
      'lists/capabilitylist.xml',
      'lists/.well-known/resourcesync',
      '.well-known/resourcesync',
    ];
    for (const name of names) {
      const uri = `${baseUrl}/${source}/${name}`;
      for (const method of ['GET', 'HEAD'] as const) {
        const { status, headers } = await get(uri, {}, method);
        expect([name, status, links(headers.link)]).toEqual([
          name,
          200,
          [
            ['timegate', `${baseUrl}/timegate/${uri}`],
            ['timemap', `${baseUrl}/timemap/link/${uri}`],
          ],
        ]);
        expect(headers.link).toContain('type="application/link-format"');
        expect(headers.vary).not.toMatch(/accept-datetime/i);
        expect(headers['memento-datetime']).toBeUndefined();
      }
    }
    expect((await get(`${baseUrl}/${source}/changelist.xml`)).headers.link).toBeUndefined();
  });

  it('leads to the Resource List as of any moment (ME-04, ME-05, ME-06)', async () => {
    const [first, second, third] = await live();
    const cases = [
      ['2001-01-01T00:00:00Z', first],
      [first, first],
      [addSeconds(second, -1), first],
      [second, second],
      [addSeconds(second, 1800), second],
      [third, third],
      ['2999-01-01T00:00:00Z', third],
      [undefined, third],
    ] as const;
    for (const [at, moment] of cases) {
      const { status, headers } = await gate(at);
      expect([at, status, headers.location]).toEqual([at, 302, memento(moment)]);
      expect(headers.vary).toMatch(/accept-datetime/i);
    }
    const listed = async (moment: string) => entriesOf((await get(memento(moment))).text);
    expect(await listed(first)).toEqual(['a']);
    expect(await listed(second)).toEqual(['a', 'b']);
    expect(await listed(third)).toEqual(['b']);
    expect((await gate(first, `${baseUrl}/${source}/metadata/resourcelist.xml`)).status).toBe(302);
  });

  it('is an immutable document with its place in time (ME-12, ME-18)', async () => {
    const [first, second, third] = await live();
    const { status, headers, text, body } = await get(memento(second));
    expect(status).toBe(200);
    expect(rootOf(text)).toEqual({ capability: 'resourcelist', at: second });
    expect(headers).toMatchObject({
      'memento-datetime': toHttpDate(second),
      'content-type': 'application/xml',
      'cache-control': expect.stringContaining('immutable'),
      'content-length': String(body.length),
      'last-modified': toHttpDate(second),
    });
    expect(headers.vary).not.toMatch(/accept-datetime/i);
    expect(headers['content-security-policy']).toContain('style-src');
    expect(links(headers.link)).toEqual([
      ['original', listUri()],
      ['timegate', `${baseUrl}/timegate/${listUri()}`],
      ['timemap', `${baseUrl}/timemap/link/${listUri()}`],
      ['first prev memento', memento(first)],
      ['memento', memento(second)],
      ['last next memento', memento(third)],
    ]);
    const gzip = await get(memento(second), { 'accept-encoding': 'gzip' });
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.body).equals(body)).toBe(true);
    expect(gzip.headers.etag).not.toBe(headers.etag);
    const head = await get(memento(second), {}, 'HEAD');
    expect(head.headers['content-length']).toBe(headers['content-length']);
    const known = await get(memento(second), { 'if-none-match': String(headers.etag) });
    expect(known.status).toBe(304);
    expect(known.headers['memento-datetime']).toBe(toHttpDate(second));
    const part = await get(memento(second), { range: 'bytes=0-4' });
    expect([part.status, part.text]).toEqual([206, '<?xml']);
    // Between two moments to the one that was valid then.
    const between = await get(memento(addSeconds(second, 7)));
    expect([between.status, between.headers.location]).toEqual([302, memento(second)]);
  });

  it('is listed by a TimeMap (TM-01), which has a moment as soon as its second is over', async () => {
    const [first, second, third] = await live();
    const fourth = toIso(living.clock.now());
    await living.deliver('c');
    const map = async () => {
      const { status, text } = await get(`${baseUrl}/timemap/link/${listUri()}`);
      expect(status).toBe(200);
      return links(text.replaceAll('\n', ' ')).flatMap(([rel, href]) =>
        rel?.includes('memento') ? [href] : [],
      );
    };
    const known = [first, second, third].map((moment) => memento(moment));
    expect(await map()).toEqual(known);
    expect((await get(memento(fourth))).status).toBe(302);
    pass(1);
    expect(await map()).toEqual([...known, memento(fourth)]);
    // Nothing can be dated into it any more.
    expect((await readJournal(open().database.reader, source))?.at).toBe(addSeconds(fourth, 1));
    expect(entriesOf((await get(memento(fourth))).text)).toEqual(['b', 'c']);
    expect((await get(`${baseUrl}/timemap/json/${listUri()}`)).text).toContain(memento(fourth));
  });

  it('has parts that are what they are for ever (RFC 7089, pattern 3)', async () => {
    const [, second] = await live();
    await house.close();
    await serve({ entries: 1, bytes: 1_000_000 });
    const index = await get(memento(second));
    expect(index.text).toContain('<sitemapindex');
    const locs = [...index.text.matchAll(/<loc>([^<]*)</g)].map(([, loc = '']) => loc);
    expect(locs).toHaveLength(2);
    for (const [number, loc] of locs.entries()) {
      const { status, headers, text } = await get(loc);
      expect([status, entriesOf(text)]).toEqual([200, [['a'], ['b']][number]]);
      expect(headers['memento-datetime']).toBe(toHttpDate(second));
      expect(links(headers.link)).toEqual([['original', loc]]);
      expect(headers['cache-control']).toContain('immutable');
    }
    const part = (name: string) => memento(second, `${baseUrl}/${source}/resourcelist/${name}.xml`);
    expect(
      await Promise.all(['0003', '0000', '00001', 'x'].map(async (name) => (await get(part(name))).status)),
    ).toEqual([404, 404, 404, 404]);
    expect((await get(`${baseUrl}/timegate/${baseUrl}/${source}/resourcelist/0001.xml`)).status).toBe(404);
  });

  it('that takes long to render is 503 with Retry-After, and there later', async () => {
    const [, second] = await live();
    await house.close();
    await serve(undefined, 0);
    const { status, headers, text } = await get(memento(second));
    expect(status).toBe(503);
    expect(headers['retry-after']).toMatch(/^\d+$/);
    expect(headers['memento-datetime']).toBeUndefined();
    expect(JSON.parse(text)).toMatchObject({ code: 'not-ready' });
    await expect.poll(async () => (await get(memento(second))).status).toBe(200);
  });

  it('is not there before the first complete pass, nor of a set that is not published', async () => {
    await living.deliver('a');
    pass(10);
    await publish();
    const { status, headers } = await gate(undefined);
    expect(status).toBe(404);
    expect(links(headers.link)[0]).toEqual(['original', listUri()]);
    expect((await get(`${baseUrl}/timemap/link/${listUri()}`)).status).toBe(404);
    expect((await get(memento(toIso(living.clock.now())))).status).toBe(404);
    for (const path of [
      `${source}/sets/theses/resourcelist.xml`,
      'nowhere/resourcelist.xml',
      `${source}/changelist.xml`,
    ]) {
      expect((await gate(undefined, `${baseUrl}/${path}`)).status).toBe(404);
    }
  });

  it('of a Capability List is what it was before something came to it', async () => {
    await live();
    const uri = `${baseUrl}/${source}/metadata/capabilitylist.xml`;
    const before = await get(uri);
    const lastModified = (headers: typeof before.headers) =>
      toIso(new Date(String(headers['last-modified'])));
    // Within its own second it may still be replaced.
    expect((await gate(undefined, uri)).status).toBe(404);
    pass(500);
    const [was] = [lastModified(before.headers)];
    expect((await gate(undefined, uri)).headers.location).toBe(memento(was, uri));
    await publish(true);
    pass(500);
    const after = await get(uri);
    const is = lastModified(after.headers);
    expect(after.text).toContain('resourcedump');
    const old = await get(memento(was, uri));
    expect(old.status).toBe(200);
    expect(old.body.equals(before.body)).toBe(true);
    expect(old.headers).toMatchObject({ 'memento-datetime': toHttpDate(was), etag: before.headers.etag });
    expect((await get(memento(is, uri))).body.equals(after.body)).toBe(true);
    expect((await gate(addSeconds(is, -1), uri)).headers.location).toBe(memento(was, uri));
    expect((await gate(is, uri)).headers.location).toBe(memento(is, uri));
    expect((await get(`${baseUrl}/timemap/link/${uri}`)).text.match(/memento"; datetime/g)).toHaveLength(2);
    // It stays with the next publications, too.
    await living.deliver('z');
    pass(500);
    await publish();
    expect((await get(memento(was, uri))).body.equals(before.body)).toBe(true);
    // What did not change has one state.
    const same = `${baseUrl}/${source}/lists/capabilitylist.xml`;
    expect((await get(`${baseUrl}/timemap/link/${same}`)).text.match(/memento"; datetime/g)).toHaveLength(1);
  });
});
