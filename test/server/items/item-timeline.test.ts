import { Parser } from 'htmlparser2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toDigits } from '../../../src/core/datetime.ts';
import { type House, openHouse } from '../../house/server/fixture.ts';
import { payload, type StoreAt, storing } from '../../house/server/stored-items.ts';

let house: House;
let store: StoreAt;
const base = 'https://bridge.example.org/rs';
const item = '/kyushu/items/oai:x:1';
const dc = `${base}${item}/oai_dc.xml`;
const at = (day: number, second = '00') => `2026-11-${String(day).padStart(2, '0')}T08:00:${second}Z`;
const memento = (uri: string, datetime: string) => `${base}/memento/${toDigits(datetime)}/${uri}`;

beforeEach(async () => {
  house = await openHouse();
  store = storing(house.database);
});
afterEach(() => house.close());

const get = (url: string, accept = 'text/html') => house.app.inject({ url, headers: { accept } });
const json = async (url = item) => (await get(url, 'application/json')).json();

/** Every address that a page links to, with its text; and every moment it names. */
function read(page: string) {
  const links = new Map<string, string>();
  const times: string[] = [];
  let href: string | undefined;
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (name === 'a') href = attributes.href;
      if (name === 'time') times.push(attributes.datetime ?? '');
    },
    ontext: (text) => {
      if (href !== undefined) links.set(href, (links.get(href) ?? '') + text);
    },
    onclosetag: (name) => {
      if (name === 'a') href = undefined;
    },
  });
  parser.write(page);
  parser.end();
  return { links, times };
}

describe('the timeline of an item', () => {
  it('says of each resource how many versions there are, since when, and where: first, prev and last of its mementos', async () => {
    await store(at(1), { metadata: [payload('one'), payload('m', 'mods')] });
    await store(at(2), { metadata: [payload('two')] });
    await store(at(3), { metadata: [payload('three')] });
    const view = await json();
    expect(view.resources.map(({ format }: { format: string }) => format)).toEqual(['mods', 'oai_dc']);
    expect(view.resources[1].versions).toEqual({
      count: 3,
      prior: 0,
      dropped: 0,
      first: { uri: memento(dc, at(1)), datetime: at(1) },
      prev: { uri: memento(dc, at(2)), datetime: at(2) },
      last: { uri: memento(dc, at(3)), datetime: at(3) },
      timeGate: `${base}/timegate/${dc}`,
      timeMap: { link: `${base}/timemap/link/${dc}`, html: `${base}/timemap/html/${dc}` },
    });
    const { links } = read((await get(item)).body);
    expect(links.get(`${base}/timemap/html/${dc}`)).toBe('3 versions');
    expect(links.get(memento(dc, at(2)))).toContain('previous');
    expect(links.get(`${base}/timemap/html/${base}${item}/mods.xml`)).toBe('1 version');
  });

  it('tells every moment at which something of it changed, the newest first, with what began and what ended', async () => {
    await store(at(1), { metadata: [payload('one'), payload('m', 'mods')] });
    await store(at(2), { metadata: [payload('two')] });
    await store(at(3), { speaksFor: { formats: ['mods'], files: undefined } });
    const { timeline } = await json();
    const mods = `${base}${item}/mods.xml`;
    const entry = (name: string, uri: string, datetime: string) => {
      return { name, uri, memento: memento(uri, datetime), prior: false };
    };
    expect(timeline).toEqual({
      count: 3,
      first: at(1),
      prev: at(2),
      last: at(3),
      moments: [
        { at: at(3), began: [], ended: [{ name: 'mods', uri: mods, prior: false }], others: 0 },
        { at: at(2), began: [entry('oai_dc', dc, at(2))], ended: [], others: 0 },
        { at: at(1), began: [entry('oai_dc', dc, at(1)), entry('mods', mods, at(1))], ended: [], others: 0 },
      ],
    });
    const { links, times } = read((await get(item)).body);
    for (const { began } of timeline.moments) {
      for (const { memento: uri, name } of began) expect(links.get(uri)).toContain(name);
    }
    expect(times.filter((time) => time === at(3))).toHaveLength(1);
    expect((await get(item)).body).toContain('mods deleted');
  });

  it('shows twenty moments, and says how many there were before and when the first was', async () => {
    for (let day = 1; day <= 23; day += 1) await store(at(day), { metadata: [payload(`day ${day}`)] });
    const { timeline, resources } = await json();
    expect([timeline.count, timeline.first, timeline.last]).toEqual([23, at(1), at(23)]);
    expect(timeline.moments).toHaveLength(20);
    expect(resources[0].versions.count).toBe(23);
    const { body } = await get(item);
    expect(body).toContain('and 3 earlier');
    expect(read(body).times).toContain(at(1));
  });

  it('agrees with the TimeMap, also where several versions fall into one second', async () => {
    await store(at(1), { metadata: [payload('one')] });
    await store(at(1), { metadata: [payload('one, corrected')] });
    await store(at(2), { metadata: [payload('two')] });
    const { resources, timeline } = await json();
    const { versions } = resources[0];
    expect([versions.count, timeline.count]).toEqual([2, 2]);
    const map = await house.app.inject({ url: `/timemap/json/${dc}` });
    const { list } = map.json().mementos;
    expect(list.map(({ uri }: { uri: string }) => uri)).toEqual([versions.first.uri, versions.last.uri]);
    for (const { uri } of [versions.first, versions.last]) {
      expect((await house.app.inject({ url: uri.slice(base.length) })).statusCode).toBe(200);
    }
  });

  it('reaches back before the bridge where the repository has a history of its own, and says so', async () => {
    const version = {
      number: 1,
      createdAt: '2021-01-01T00:00:00Z',
      upstreamUrl: 'https://repo.example.org/items/1',
      metadata: [payload('was')],
      files: [],
    };
    await store(at(1), { metadata: [payload('is')], versions: [version] });
    const { resources, timeline } = await json();
    expect(resources[0].versions).toMatchObject({
      count: 2,
      prior: 1,
      first: { datetime: '2021-01-01T00:00:00Z' },
      prev: { datetime: '2021-01-01T00:00:00Z' },
    });
    expect(timeline.moments.map(({ began }: { began: [{ prior: boolean }] }) => began[0].prior)).toEqual([
      false,
      true,
    ]);
    expect((await get(item)).body).toContain('1 from the repository’s own history');
  });

  it('says what retention has given up', async () => {
    for (const day of [1, 2, 3]) await store(at(day), { metadata: [payload(`day ${day}`)] });
    await house.database
      .writer('version')
      .where({ lastmod: at(2) })
      .update({ dropped_at: at(4) });
    const { resources, timeline } = await json();
    expect(resources[0].versions).toMatchObject({ count: 2, dropped: 1, prev: { datetime: at(1) } });
    expect(timeline.count).toBe(2);
    expect((await get(item)).body).toContain('1 more not kept');
  });

  it('names ten of what began in one moment', async () => {
    const formats = Array.from({ length: 13 }, (_, index) => payload('x', `format_${index}`));
    await store(at(1), { metadata: formats });
    const { timeline, resources } = await json();
    expect(resources).toHaveLength(13);
    expect(timeline.moments[0]).toMatchObject({ others: 3 });
    expect(timeline.moments[0].began).toHaveLength(10);
    expect((await get(item)).body).toContain('and 3 more');
  });

  it('of a file shows what is kept here, and nothing of one that is fetched on demand', async () => {
    await store(at(1), { metadata: [payload('one')] });
    const past = (fileMode: 'mirror' | 'proxy') =>
      openHouse({ fileMode: () => fileMode, database: house.database });
    const [resource] = await house.database.reader('resource');
    const { id, ...facts } = resource;
    const path = 'kyushu/items/oai:x:1/files/1-a.pdf';
    const upstream_url = 'https://repo.example.org/a.pdf';
    const file = { ...facts, path, kind: 'file', format: 'file', upstream_url };
    const [{ id: resource_id }] = await house.database.writer('resource').insert(file).returning('id');
    const [version] = await house.database.reader('version');
    await house.database.writer('version').insert({ ...version, resource_id, seq: 2, hash: facts.hash });
    for (const [mode, count] of [
      ['mirror', 1],
      ['proxy', undefined],
    ] as const) {
      const other = await past(mode);
      const view = (await other.app.inject({ url: item, headers: { accept: 'application/json' } })).json();
      expect(view.resources[1].versions?.count).toBe(count);
      expect(view.timeline.moments[0].began).toHaveLength(count === undefined ? 1 : 2);
      await other.close();
    }
  });

  it('has no scripts and no styles of its own, and is not there in a page that will be a file', async () => {
    await store(at(1), { metadata: [payload('one')] });
    await store(at(2), { metadata: [payload('two')] });
    const { body } = await get(item);
    expect(body).not.toMatch(/<script|\son\w+=|\sstyle=/i);
    const exported = await openHouse({ timelines: false, database: house.database });
    const page = await exported.app.inject({ url: item, headers: { accept: 'text/html' } });
    expect(page.body).toContain('Metadata');
    expect(page.body).not.toMatch(/timemap|memento\/|<h2>Timeline/i);
    await exported.close();
  });
});

describe('an item that is gone', () => {
  beforeEach(async () => {
    await store(at(1), { metadata: [payload('one'), payload('m', 'mods')] });
    await store(at(2), { deleted: true });
  });

  it('ME-08: leads to what it was', async () => {
    const { statusCode, body } = await get(item);
    expect(statusCode).toBe(410);
    const { links } = read(body);
    expect(links.get(`${base}/timemap/html/${dc}`)).toBe('oai_dc');
    expect((await house.app.inject({ url: `/timemap/html/${dc}` })).statusCode).toBe(200);
    const problem = await json();
    expect(problem).toMatchObject({ status: 410, code: 'gone' });
    expect(problem.traces).toContainEqual({
      name: 'oai_dc',
      uri: dc,
      timeMap: { link: `${base}/timemap/link/${dc}`, html: `${base}/timemap/html/${dc}` },
    });
    expect(problem.traces).toHaveLength(2);
  });

  it('leads nowhere where the past of what was deleted is not handed out', async () => {
    const mementosOf = () => ({ links: 'metadata', keep: 'all', ofDeleted: false }) as const;
    const discreet = await openHouse({ mementosOf, database: house.database });
    const { statusCode, body } = await discreet.app.inject({ url: item, headers: { accept: 'text/html' } });
    expect(statusCode).toBe(410);
    expect(body).not.toContain('timemap');
    await discreet.close();
  });
});
