import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { resourceSets } from '../../src/core/resource-set.ts';
import { openPublication, type Publication } from '../../src/publish/published/publication.ts';
import { createPublisher, type Publisher } from '../../src/publish/publisher.ts';
import { entriesOf, pathsOf, rootOf, textOf } from '../house/publish/reading.ts';
import { baseUrl, endFirstPass, HandClock, seedChanges, seedSource, silent } from '../house/publish/seed.ts';
import { describeOnBoth } from '../house/store/databases.ts';

describeOnBoth('publishing', (open) => {
  let directory: string;
  let source: string;
  let clock: HandClock;
  let publication: Publication;
  let count = 0;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'rsbridge-publish-'));
    count += 1;
    source = `s${count}`;
    clock = new HandClock('2026-11-21T12:00:00Z');
    publication = openPublication(directory);
    await seedSource(open().database, source);
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const sets = () => resourceSets(source);
  const [all, metadata] = [() => sets()[0] ?? never(), () => sets()[1] ?? never()];
  const publisher = (limits = { entries: 4, bytes: 1_000_000 }, base = baseUrl): Publisher =>
    createPublisher({ database: open().database, directory, baseUrl: base, clock, log: silent, limits });
  const seed = (changes: Parameters<typeof seedChanges>[2]) => seedChanges(open().database, source, changes);
  const day = (dayOfMonth: string, time = '10:00:00') => `2026-11-${dayOfMonth}T${time}Z`;

  it('a set that never had a resource is not published', async () => {
    const report = await publisher().publish(all(), { resourceList: 'always' });
    expect(report).toMatchObject({ published: false, documents: [] });
    await seed([{ name: 'a', at: day('20'), kind: 'file' }]);
    await publisher().publish(all(), { resourceList: 'always' });
    expect(await publisher().publish(metadata(), { resourceList: 'always' })).toMatchObject({
      published: false,
    });
    await publisher().publishSite(sets());
    const description = await textOf(publication, '.well-known/resourcesync');
    expect(description).toContain(`<loc>${baseUrl}/${source}/capabilitylist.xml</loc>`);
    expect(description).not.toContain('metadata');
    expect(await publication.find(`${source}/metadata/capabilitylist.xml`)).toBeUndefined();
  });

  it('says how far it is, and of how many', async () => {
    await seed([
      { name: 'a', at: day('20') },
      { name: 'b', at: day('20') },
    ]);
    const told: unknown[] = [];
    const onProgress = (progress: unknown) => void told.push(progress);
    await publisher().publish(all(), { resourceList: 'always', onProgress });
    expect(told).toEqual([
      { document: 'resourceList', done: 0, total: 2 },
      { document: 'resourceList', done: 2, total: 2 },
    ]);
    told.length = 0;
    await seed([{ name: 'c', at: day('21') }]);
    await publisher().publish(all(), { resourceList: 'always', onProgress });
    expect(told).toEqual([
      { document: 'resourceList', done: 0, total: 3 },
      { document: 'resourceList', done: 3, total: 3 },
    ]);
  });

  it('every document of a set is there, and leads up and down (RS-NAV-01, RS-NAV-05)', async () => {
    await seed([{ name: 'a', at: day('20') }]);
    await publisher().publish(all(), { resourceList: 'if-missing' });
    expect(await pathsOf(directory, source)).toEqual(
      [
        '.well-known/resourcesync',
        'capabilitylist.xml',
        'changelist-index.xml',
        'changelist.xml',
        'changelist/20261120T100000Z.xml',
        'lists/.well-known/resourcesync',
        'lists/capabilitylist.xml',
        'resourcelist.xml',
      ].map((path) => `${source}/${path}`),
    );
    const capabilities = await textOf(publication, `${source}/capabilitylist.xml`);
    expect(capabilities).toContain(`<rs:ln rel="up" href="${baseUrl}/.well-known/resourcesync"/>`);
    expect(capabilities).toContain(`<loc>${baseUrl}/${source}/changelist-index.xml</loc>`);
    const own = await textOf(publication, `${source}/.well-known/resourcesync`);
    expect(own.match(/<loc>/g)).toHaveLength(1);
  });

  it('a database made anew, or put back to an older state, is published anew and loses no change', async () => {
    const { writer } = open().database;
    await seed(['a', 'b', 'c', 'd'].map((name) => ({ name, at: day('20') })));
    await publisher().publish(all(), { resourceList: 'if-missing' });
    const rebuild = async (journal: string) => {
      for (const table of ['change', 'resource'])
        await writer(table)
          .delete()
          .whereRaw('source_id = ?', [await idOf()]);
      await writer('source').where({ name: source }).update({ journal_id: journal, journal_seq: 0 });
    };
    const idOf = async () => (await writer('source').where({ name: source }).first('id')).id;
    // Another journal, further on than the published one; then the same journal, further back.
    await rebuild('another');
    await seed(['v', 'w', 'x', 'y', 'z'].map((name) => ({ name, at: day('22', '11:30:00') })));
    await publisher().publish(all(), { resourceList: 'if-missing' });
    expect(entriesOf(await textOf(publication, `${source}/changelist.xml`))).toEqual(
      ['v', 'w', 'x', 'y', 'z'].map((name) => `created ${name}`),
    );
    await rebuild('another');
    await seed([{ name: 'q', at: day('22', '11:45:00') }]);
    await publisher().publish(all(), { resourceList: 'if-missing' });
    expect(entriesOf(await textOf(publication, `${source}/changelist.xml`))).toEqual(['created q']);
    expect(entriesOf(await textOf(publication, `${source}/resourcelist.xml`))).toEqual(['q']);
  });

  it('a database that lacks what was published last, and has gone on since, is published anew', async () => {
    const { writer } = open().database;
    await seed(['a', 'b', 'c'].map((name) => ({ name, at: day('20') })));
    await writer('source').where({ name: source }).update({ journal_id: 'the first' });
    await publisher().publish(all(), { resourceList: 'if-missing' });
    const { id, journal_seq: seq } = await writer('source').where({ name: source }).first();
    const kept = seq - 2;
    await writer('change').where('source_id', id).where('seq', '>', kept).delete();
    await writer('resource').where('source_id', id).where('last_seq', '>', kept).delete();
    await writer('source').where({ id }).update({ journal_seq: kept });
    clock.set(day('21', '13:00:00'));
    await seed(['v', 'w', 'x'].map((name) => ({ name, at: day('21', '12:30:00') })));
    await publisher().publish(all(), { resourceList: 'if-missing' });
    expect(entriesOf(await textOf(publication, `${source}/resourcelist.xml`))).toEqual(['a', 'v', 'w', 'x']);
  });

  it('a document that changes twice in one second does not claim that its Last-Modified tells them apart', async () => {
    const path = `${source}/changelist.xml`;
    const publish = () =>
      publisher({ entries: 100, bytes: 1_000_000 }).publish(all(), { resourceList: 'never' });
    await seed([{ name: 'a', at: day('21', '12:00:00') }]);
    await publish();
    expect(await publication.find(path)).toMatchObject({
      lastModified: day('21', '12:00:00'),
      unsettled: false,
    });
    await seed([{ name: 'b', at: day('21', '12:00:00') }]);
    await publish();
    expect(await publication.find(path)).toMatchObject({
      lastModified: day('21', '12:00:00'),
      unsettled: true,
    });
    clock.set(day('21', '12:00:05'));
    await seed([{ name: 'c', at: day('21', '12:00:05') }]);
    await publish();
    expect(await publication.find(path)).toMatchObject({
      lastModified: day('21', '12:00:05'),
      unsettled: false,
    });
  });

  it('RS-GEN-06: a Resource List of one part is a urlset, of several an index over immutable parts', async () => {
    await seed(['a', 'b', 'c'].map((name) => ({ name, at: day('20') })));
    await publisher().publish(all(), { resourceList: 'always' });
    const single = await textOf(publication, `${source}/resourcelist.xml`);
    expect(entriesOf(single)).toEqual(['a', 'b', 'c']);
    expect(rootOf(single)).toEqual({
      capability: 'resourcelist',
      at: '2026-11-21T12:00:00Z',
      completed: '2026-11-21T12:00:00Z',
    });

    await seed(['d', 'e', 'f'].map((name) => ({ name, at: day('21', '12:00:00') })));
    clock.set(day('21', '13:00:00'));
    await publisher().publish(all(), { resourceList: 'always' });
    const index = await textOf(publication, `${source}/resourcelist.xml`);
    expect(index).toContain('<sitemapindex');
    const parts = ['0001', '0002'].map((part) => `${source}/resourcelist/20261121T130000Z/${part}.xml`);
    for (const path of parts) expect(index).toContain(`<loc>${baseUrl}/${path}</loc>`);
    const texts = await Promise.all(parts.map((path) => textOf(publication, path)));
    expect(texts.map(entriesOf)).toEqual([
      ['a', 'b', 'c', 'd'],
      ['e', 'f'],
    ]);
    expect(texts[0]).toContain(`<rs:ln rel="index" href="${baseUrl}/${source}/resourcelist.xml"/>`);
    expect((await publication.find(parts[0] ?? ''))?.immutable).toBe(true);
  });

  it('the last two snapshots of a split Resource List stay, each with a moment of its own', async () => {
    await seed(['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, at: day('20') })));
    for (let times = 0; times < 3; times += 1) await publisher().publish(all(), { resourceList: 'always' });
    const parts = (await pathsOf(directory, source)).filter((path) => path.includes('/resourcelist/'));
    expect(parts.map((path) => path.split('/')[2])).toEqual([
      '20261121T120001Z',
      '20261121T120001Z',
      '20261121T120002Z',
      '20261121T120002Z',
    ]);
    expect(
      (await readdir(join(directory, 'publication', source))).filter((name) => name.endsWith('.tmp')),
    ).toEqual([]);
  });

  it('RS-GEN-21: a set whose resources are all deleted publishes an empty list', async () => {
    await seed([
      { name: 'a', at: day('20') },
      { name: 'a', at: day('20', '11:00:00'), change: 'deleted' },
    ]);
    await publisher().publish(all(), { resourceList: 'always' });
    const list = await textOf(publication, `${source}/resourcelist.xml`);
    expect(entriesOf(list)).toEqual([]);
    expect(list).toContain('</urlset>');
  });

  it('RS-CL-16: lists close at midnight, keep their URI, and the next begins where the last ended', async () => {
    clock.set(day('20', '10:30:00'));
    await seed([{ name: 'a', at: day('20') }]);
    await publisher().publish(all(), { resourceList: 'never' });
    const first = `${source}/changelist/20261120T100000Z.xml`;
    const before = await publication.find(first);
    expect(rootOf(await textOf(publication, first))).toEqual({ capability: 'changelist', from: day('20') });

    await seed([{ name: 'b', at: day('20', '11:00:00'), change: 'created' }]);
    await publisher().publish(all(), { resourceList: 'never' });
    const grown = await publication.find(first);
    expect(entriesOf(await textOf(publication, first))).toEqual(['created a', 'created b']);
    expect(grown?.plain.etag).not.toBe(before?.plain.etag);
    expect(grown?.immutable).toBe(false);

    clock.set(day('21', '00:00:05'));
    await publisher().publish(all(), { resourceList: 'never' });
    const midnight = '2026-11-21T00:00:00Z';
    expect(rootOf(await textOf(publication, first))).toMatchObject({ from: day('20'), until: midnight });
    expect((await publication.find(first))?.immutable).toBe(true);
    const index = await textOf(publication, `${source}/changelist-index.xml`);
    expect(index.match(/<loc>/g)).toHaveLength(1);
    expect(index).toContain(`<rs:md from="${day('20')}" until="${midnight}"/>`);

    await seed([{ name: 'a', at: day('22'), change: 'updated' }]);
    await publisher().publish(all(), { resourceList: 'never' });
    const second = `${source}/changelist/20261121T000000Z.xml`;
    expect(rootOf(await textOf(publication, second))).toEqual({ capability: 'changelist', from: midnight });
    const after = await textOf(publication, `${source}/changelist-index.xml`);
    expect(after.match(/<loc>[^<]*/g)).toEqual([first, second].map((path) => `<loc>${baseUrl}/${path}`));
  });

  it('RS-TIME-09: closed lists are rendered again, byte for byte, when the directory is lost', async () => {
    const changes = Array.from({ length: 23 }, (_, index) => ({
      name: `n${index % 7}`,
      at: day(String(10 + Math.floor(index / 5)), `10:00:0${Math.floor((index % 5) / 2)}`),
    }));
    for (const change of changes) {
      await seed([change]);
      clock.set(change.at);
      await publisher().publish(all(), { resourceList: 'never' });
    }
    const read = async () => {
      const paths = (await pathsOf(directory, source)).filter((path) => path.includes('/changelist/'));
      return Promise.all(
        paths.map(async (path) => {
          const document = await publication.find(path);
          const etags = document?.immutable ? [document.plain.etag, document.gzip?.etag] : [];
          return { path, text: await textOf(publication, path), etags };
        }),
      );
    };
    const grown = await read();
    expect(grown.length).toBeGreaterThan(5);
    await rm(join(directory, 'publication'), { recursive: true });
    await publisher().publish(all(), { resourceList: 'never' });
    expect(await read()).toEqual(grown);
  });

  it('the flat list has one entry per resource, its latest change, and begins with the last of the first pass', async () => {
    await seed([
      { name: 'a', at: day('19') },
      { name: 'b', at: day('20') },
      { name: 'c', at: day('20') },
    ]);
    await endFirstPass(open().database, source);
    const many = publisher({ entries: 1000, bytes: 1_000_000 });
    await many.publish(all(), { resourceList: 'if-missing' });
    const flat = () => textOf(publication, `${source}/changelist.xml`);
    expect(entriesOf(await flat())).toEqual(['created b', 'created c']);
    expect(rootOf(await flat())).toEqual({ capability: 'changelist', from: day('20') });

    await seed([
      { name: 'd', at: day('21') },
      { name: 'd', at: day('21', '11:00:00'), change: 'deleted' },
      { name: 'a', at: day('21', '11:00:00'), change: 'updated' },
    ]);
    await many.publish(all(), { resourceList: 'never' });
    expect(entriesOf(await flat())).toEqual(['created b', 'created c', 'deleted d', 'updated a']);
    const dated = (await pathsOf(directory, source)).filter((path) => path.includes('/changelist/'));
    const everything = await Promise.all(dated.map((path) => textOf(publication, path)));
    expect(everything.flatMap(entriesOf)).toHaveLength(6);
  });

  it('the flat list reaches back 30 days and is never empty', async () => {
    await seed([{ name: 'a', at: '2026-09-01T00:00:00Z' }]);
    await endFirstPass(open().database, source);
    await seed([
      { name: 'b', at: '2026-10-01T00:00:00Z' },
      { name: 'c', at: '2026-11-01T00:00:00Z' },
    ]);
    const many = publisher({ entries: 1000, bytes: 1_000_000 });
    await many.publish(all(), { resourceList: 'never' });
    const flat = () => textOf(publication, `${source}/changelist.xml`);
    expect(rootOf(await flat()).from).toBe('2026-10-22T00:00:00Z');
    expect(entriesOf(await flat())).toEqual(['created c']);
    clock.set('2027-05-01T00:00:00Z');
    await many.publish(all(), { resourceList: 'never' });
    expect(rootOf(await flat()).from).toBe('2026-11-01T00:00:00Z');
    expect(entriesOf(await flat())).toEqual(['created c']);
  });

  it('RS-GEN-17: other links in the entries change what fits into the flat list, and nothing in closed lists', async () => {
    const of = (links: 'none' | 'metadata') => resourceSets(source, { mementos: { links } })[0] ?? never();
    const limits = { entries: 100, bytes: 5000 };
    const names = Array.from({ length: 12 }, (_, index) => `n${10 + index}`);
    await seed([{ name: 'a', at: day('01') }]);
    await endFirstPass(open().database, source);
    await seed(names.map((name, index) => ({ name, at: day(String(2 + index).padStart(2, '0')) })));
    await publisher(limits).publish(of('none'), { resourceList: 'always' });
    const flat = () => textOf(publication, `${source}/changelist.xml`);
    const closed = `${source}/changelist/20261101T100000Z.xml`;
    const [short, old] = [await flat(), await textOf(publication, closed)];
    expect(entriesOf(short)).toHaveLength(13);
    expect(short + old).not.toContain('timegate');

    await seed([{ name: 'b', at: day('20') }]);
    await publisher(limits).publish(of('metadata'), { resourceList: 'always' });
    const long = await flat();
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(limits.bytes);
    expect(entriesOf(long).length).toBeLessThan(13);
    expect(entriesOf(long).at(-1)).toBe('created b');
    expect(long.match(/rel="timegate"/g)).toHaveLength(entriesOf(long).length);
    const parts = (await pathsOf(directory, source)).filter((path) => path.includes('/resourcelist/'));
    expect(await textOf(publication, parts.at(-1) ?? '')).toContain('timegate');
    // RS-TIME-09: it was closed.
    expect(await textOf(publication, closed)).toBe(old);

    await seed([{ name: 'c', at: day('20', '11:00:00') }]);
    await publisher(limits).publish(of('none'), { resourceList: 'never' });
    expect(entriesOf(await flat()).length).toBeGreaterThan(entriesOf(long).length);
  });

  it('another baseUrl, or a damaged pointer, renders everything anew', async () => {
    await seed([{ name: 'a', at: day('20') }]);
    await publisher().publish(all(), { resourceList: 'always' });
    const moved = 'https://elsewhere.example.net';
    await publisher(undefined, moved).publish(all(), { resourceList: 'never' });
    await publisher(undefined, moved).publishSite(sets());
    const paths = await pathsOf(directory, source);
    expect(paths).toContain(`${source}/resourcelist.xml`);
    for (const path of [...paths, '.well-known/resourcesync']) {
      const text = await textOf(publication, path);
      expect(text).toContain(moved);
      expect(text).not.toContain(baseUrl);
    }
    await writeFile(join(directory, 'publication', source, 'current.json'), '{"version":1');
    // Who has read it goes on serving it; who starts now has nothing.
    const list = `${source}/resourcelist.xml`;
    expect(await publication.find(list)).toBeDefined();
    expect(await openPublication(directory).find(list)).toBeUndefined();
    await publisher(undefined, moved).publish(all(), { resourceList: 'never' });
    expect(await pathsOf(directory, source)).toEqual(paths);
    expect(await openPublication(directory).find(list)).toBeDefined();
  });

  it('a publish without news writes nothing', async () => {
    await seed([{ name: 'a', at: day('21') }]);
    await publisher().publish(all(), { resourceList: 'if-missing' });
    const before = await readdir(join(directory, 'publication', source));
    const report = await publisher().publish(all(), { resourceList: 'if-missing' });
    expect(report).toMatchObject({ published: true, documents: [] });
    expect(await readdir(join(directory, 'publication', source))).toEqual(before);
  });

  it('the throttled flat list says when it is due', async () => {
    await seed([{ name: 'a', at: day('21') }]);
    await endFirstPass(open().database, source);
    const throttled = publisher();
    await throttled.publish(all(), { resourceList: 'never', flat: 'throttled' });
    await seed([{ name: 'b', at: day('21', '11:00:00') }]);
    const report = await throttled.publish(all(), { resourceList: 'never', flat: 'throttled' });
    expect(report.flatDueIn).toBeGreaterThan(0);
    expect(entriesOf(await textOf(publication, `${source}/changelist.xml`))).toEqual(['created a']);
    expect(entriesOf(await textOf(publication, `${source}/changelist/20261121T100000Z.xml`))).toHaveLength(2);
    await clock.sleep((report.flatDueIn ?? 0) + 1000);
    await throttled.publish(all(), { resourceList: 'never', flat: 'throttled' });
    expect(entriesOf(await textOf(publication, `${source}/changelist.xml`))).toEqual([
      'created a',
      'created b',
    ]);
  });
});

function never(): never {
  throw new Error('every source has two sets');
}
