import { createHash, randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { toIso } from '../../../src/core/datetime.ts';
import { readJournal } from '../../../src/store/sources/journal.ts';
import { completePass } from '../../../src/store/sources/sources.ts';
import { LivingSource } from '../../house/publish/living-source.ts';
import { entriesOf, rootOf, textOf } from '../../house/publish/reading.ts';
import { baseUrl } from '../../house/publish/seed.ts';
import { readZip } from '../../house/publish/zip-reading.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

describeOnBoth('a set, in the long run', (open) => {
  let living: LivingSource;

  beforeEach(async () => {
    living = await LivingSource.begin(open().database);
  });
  afterEach(() => living.end());

  const testRetention = {
    changeListDays: 90,
    changeDumpDays: 90,
    resourceLists: 2,
    resourceDumps: 2,
  } as const;
  const read = (path: string) => textOf(living.publication, path);
  const isThere = async (path: string) => (await living.publication.find(path)) !== undefined;
  const locsOf = async (path: string) =>
    [...(await read(path)).matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, loc = '']) =>
      loc.slice(baseUrl.length + 1),
    );

  /** A change a day, each followed by a publication with its packages. */
  async function days(count: number, publisher = living.publisher(), set = living.set('metadata')) {
    for (let day = 1; day <= count; day += 1) {
      living.clock.set(`2026-12-${String(day).padStart(2, '0')}T10:00:00Z`);
      await living.deliver('record', { text: `as of day ${day}` });
      await publisher.publish(set, { resourceList: 'if-missing' });
      await publisher.publishDumps(set, { resourceDump: 'if-missing' });
    }
  }

  it('Change Lists and packages that have had their time go, and the indexes say where the past begins', async () => {
    const set = living.set('metadata');
    const retention = {
      changeListDays: 5,
      changeDumpDays: 2,
      resourceLists: 2,
      resourceDumps: 2,
      archiveDays: false,
    } as const;
    await days(10, living.publisher({ retention }));
    const index = await read(`${set.path}/changelist-index.xml`);
    const lists = await locsOf(`${set.path}/changelist-index.xml`);
    // Each begins where the one before it ended, at midnight.
    expect(lists[0]).toBe(`${set.path}/changelist/20261205T000000Z.xml`);
    expect(lists).toHaveLength(6);
    expect(rootOf(index).from).toBe('2026-12-05T00:00:00Z');
    for (const path of lists) expect(await isThere(path)).toBe(true);
    expect(await isThere(`${set.path}/changelist/20261204T000000Z.xml`)).toBe(false);
    const packages = await locsOf(`${set.path}/changedump.xml`);
    expect(packages[0]).toBe(`${set.path}/changedump/20261207T000000Z.zip`);
    expect(rootOf(await read(`${set.path}/changedump.xml`)).from).toBe('2026-12-07T00:00:00Z');
    const files = await readdir(join(living.directory, 'publication', ...set.path.split('/')));
    expect(files.filter((file) => file.endsWith('.zip')).length).toBeLessThanOrEqual(packages.length + 2);
  });

  it('a Change Dump has what the journal’s changes made of a resource, not what it is today (RS-CDM-04)', async () => {
    await days(4);
    const set = living.set('metadata');
    const packages = await locsOf(`${set.path}/changedump.xml`);
    expect(packages).toHaveLength(3);
    for (const [index, path] of packages.entries()) {
      const document = await living.publication.find(path);
      const members = await readZip(await buffer(document?.plain.open(0, document.plain.length) ?? never()));
      expect(members.get('000001/items/record/oai_dc.xml')?.toString()).toBe(
        `<dc>as of day ${index + 1}</dc>`,
      );
    }
  });

  it('RS-CD-13: a Change Dump only grows at its end, and its packages never change', async () => {
    const publisher = living.publisher();
    const set = living.set('metadata');
    await days(3, publisher);
    const before = await locsOf(`${set.path}/changedump.xml`);
    const digests = await Promise.all(before.map(digestOf));
    await days(5, publisher);
    const after = await locsOf(`${set.path}/changedump.xml`);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.length).toBeGreaterThan(before.length);
    expect(await Promise.all(before.map(digestOf))).toEqual(digests);
  });

  async function digestOf(path: string): Promise<string> {
    const document = await living.publication.find(path);
    if (!document) throw new Error(`${path} is gone`);
    return createHash('sha256')
      .update(await buffer(document.plain.open(0, document.plain.length)))
      .digest('hex');
  }

  it('where Change Lists have gone unpackaged, the dump begins anew with the first that is there', async () => {
    const set = living.set('metadata');
    const retention = {
      changeListDays: 2,
      changeDumpDays: 90,
      resourceLists: 2,
      resourceDumps: 2,
      archiveDays: false,
    } as const;
    const publisher = living.publisher({ retention });
    await days(2, publisher);
    for (const day of ['10', '11', '12', '13']) {
      living.clock.set(`2026-12-${day}T10:00:00Z`);
      await living.deliver('record', { text: `as of day ${day}` });
      // Lists close and are let go of, and nobody packages them.
      await publisher.publish(set, { resourceList: 'always' });
    }
    living.clock.set('2026-12-14T10:00:00Z');
    await publisher.publish(set, { resourceList: 'always' });
    await publisher.publishDumps(set, { resourceDump: 'never' });
    const lists = (await locsOf(`${set.path}/changelist-index.xml`)).map((path) =>
      path.replace('/changelist/', '/changedump/').replace('.xml', '.zip'),
    );
    const packages = await locsOf(`${set.path}/changedump.xml`);
    expect(packages).toEqual(lists);
    for (const path of packages) {
      const { from = '', until = '' } = rootOf(await read(path.replace('.zip', '-manifest.xml')));
      const manifest = await read(path.replace('.zip', '-manifest.xml'));
      for (const [, datetime = ''] of manifest.matchAll(/datetime="([^"]*)"/g)) {
        expect(datetime >= from && datetime < until).toBe(true);
      }
    }
  });

  it('closing lists again and again does not carry the journal into the future', async () => {
    const publisher = living.publisher();
    await living.deliver('one');
    for (let round = 0; round < 5; round += 1) {
      for (const name of ['all', 'metadata']) {
        await publisher.publish(living.set(name), { resourceList: 'always', close: true });
        await publisher.publishDumps(living.set(name), { resourceDump: 'always' });
        const journal = await readJournal(open().database.reader, living.name);
        expect((journal?.at ?? '9') <= toIso(living.clock.now())).toBe(true);
      }
    }
  });

  it('a silent set keeps its newest Change List, whatever its age: an index of nothing is no index', async () => {
    const set = living.set('metadata');
    const retention = {
      changeListDays: 1,
      changeDumpDays: 1,
      resourceLists: 2,
      resourceDumps: 2,
      archiveDays: false,
    } as const;
    const publisher = living.publisher({ retention });
    await days(3, publisher);
    for (const date of ['2026-12-20T10:00:00Z', '2026-12-30T10:00:00Z']) {
      living.clock.set(date);
      await publisher.publish(set, { resourceList: 'always' });
      expect(await locsOf(`${set.path}/changelist-index.xml`)).toHaveLength(1);
    }
  });

  it('dumps say how far they are, and of how many', async () => {
    const publisher = living.publisher();
    const set = living.set('metadata');
    const told: unknown[] = [];
    const onProgress = (progress: unknown) => void told.push(progress);
    for (const name of ['one', 'two', 'three']) await living.deliver(name);
    await publisher.publish(set, { resourceList: 'always' });
    await publisher.publishDumps(set, { resourceDump: 'always', onProgress });
    expect(told).toEqual([
      { document: 'resourceDump', done: 0, total: 3 },
      { document: 'resourceDump', done: 3, total: 3 },
    ]);
    told.length = 0;
    living.clock.set('2026-12-20T10:00:00Z');
    await living.deliver('one', { text: 'another' });
    await living.deliver('four');
    await publisher.publish(set, { resourceList: 'never', close: true });
    await publisher.publishDumps(set, { resourceDump: 'never', onProgress });
    expect(told[0]).toMatchObject({ document: 'changeDump', done: 0 });
    const [last] = told.slice(-1) as { readonly done: number; readonly total: number }[];
    expect(last).toMatchObject({ document: 'changeDump', done: last?.total });
  });

  it('dumps that cannot be built are told of where people look, until they can', async () => {
    await days(2);
    const set = living.set('metadata');
    const { database } = open();
    const hash = `sha-256:${createHash('sha256').update('<dc>as of day 2</dc>').digest('hex')}`;
    const [row] = await database.writer('blob').where({ hash });
    await database.writer('blob').where({ hash }).delete();
    const publisher = living.publisher();
    const troubleOf = async () =>
      (await living.publication.sets()).find(({ path }) => path === set.path)?.trouble;
    await expect(publisher.publishDumps(set, { resourceDump: 'always' })).rejects.toThrow();
    expect(await troubleOf()).toMatchObject({ code: 'content-damaged' });
    await database.writer('blob').insert(row);
    await publisher.publishDumps(set, { resourceDump: 'always' });
    expect(await troubleOf()).toBeUndefined();
  });

  it('close ends the open Change List at once, and its changes are in a package', async () => {
    const publisher = living.publisher();
    const set = living.set('metadata');
    await living.deliver('one');
    await publisher.publish(set, { resourceList: 'always', close: true });
    await publisher.publishDumps(set, { resourceDump: 'never' });
    expect(await locsOf(`${set.path}/changelist-index.xml`)).toHaveLength(1);
    expect(await read(`${set.path}/changelist-index.xml`)).toContain('until=');
    expect(await locsOf(`${set.path}/changedump.xml`)).toHaveLength(1);
    expect(await isThere(`${set.path}/resourcedump.xml`)).toBe(false);
    // The next change opens a list that begins where that one ended (RS-CL-16).
    await living.deliver('two');
    await publisher.publish(set, { resourceList: 'never' });
    const [closed, opened] = await locsOf(`${set.path}/changelist-index.xml`);
    expect(rootOf(await read(opened ?? '')).from).toBe(rootOf(await read(closed ?? '')).until);
  });

  it('the Capability List offers dumps, and the one beside it for clients that refuse them does not', async () => {
    await days(2);
    const set = living.set('metadata');
    expect(await read(`${set.path}/capabilitylist.xml`)).toMatch(/resourcedump\.xml[\s\S]*changedump\.xml/);
    expect(await read(`${set.path}/lists/capabilitylist.xml`)).not.toContain('dump');
    const without = living.set('metadata', { dumps: [] });
    await living.publisher().publish(without, { resourceList: 'never' });
    expect(await read(`${set.path}/capabilitylist.xml`)).not.toContain('dump');
    expect(await isThere(`${set.path}/resourcedump.xml`)).toBe(false);
  });

  it('rs-aggregator, which refuses a set that names a dump or an archive, finds all that it requires', async () => {
    const archived = { ...testRetention, archiveDays: 365 };
    await days(3, living.publisher({ retention: archived }));
    const set = living.set('metadata');
    const start = `${set.path}/lists/.well-known/resourcesync`;
    const description = await read(start);
    expect(rootOf(description).capability).toBe('description');
    expect(await locsOf(start)).toEqual([`${set.path}/lists/capabilitylist.xml`]);
    // It keeps its state by the directory of the Capability List: no two of them may share one.
    const list = await read(`${set.path}/lists/capabilitylist.xml`);
    expect(rootOf(list).capability).toBe('capabilitylist');
    // RS-CAP-03: up to the Source Description that it stands in, and that one knows it.
    expect(list).toContain(`<rs:ln rel="up" href="${baseUrl}/${start}"/>`);
    expect(list).toContain(`<rs:ln rel="describedby" href="${baseUrl}/${set.path}/about"/>`);
    const children = await locsOf(`${set.path}/lists/capabilitylist.xml`);
    expect(children).toEqual([`${set.path}/resourcelist.xml`, `${set.path}/changelist-index.xml`]);
    const [resources = '', index = ''] = children;
    expect(rootOf(await read(resources))).toMatchObject({
      capability: 'resourcelist',
      at: expect.any(String),
    });
    for (const path of await locsOf(index)) {
      const text = await read(path);
      expect(rootOf(text)).toMatchObject({ capability: 'changelist', from: expect.any(String) });
      for (const [entry] of text.matchAll(/<url>.*?<\/url>/gs)) {
        expect(entry).toMatch(/<lastmod>.*<rs:md [^>]*change="\w+" datetime="[^"]+Z"/s);
      }
    }
    // It takes the query, `www.` and the last slash off an address, and decodes it.
    for (const loc of [...(await locsOf(resources)), ...children]) expect(loc).toMatch(/^[\w.:~/-]+[^/]$/);
  });

  it('a payload that no longer fits its hash ends the dump, names the resource, and the old one stays', async () => {
    await days(2);
    const set = living.set('metadata');
    const before = await read(`${set.path}/resourcedump.xml`);
    await living.deliver('broken', { text: 'to be damaged' });
    const { database } = open();
    const hash = `sha-256:${createHash('sha256').update('<dc>to be damaged</dc>').digest('hex')}`;
    await database
      .writer('blob')
      .where({ hash })
      .update({ coding: 'identity', data: Buffer.from('something else') });
    const publisher = living.publisher();
    await publisher.publish(set, { resourceList: 'always' });
    await expect(publisher.publishDumps(set, { resourceDump: 'always' })).rejects.toMatchObject({
      code: 'content-damaged',
      message: expect.stringContaining('items/broken/oai_dc.xml'),
    });
    expect(await read(`${set.path}/resourcedump.xml`)).toBe(before);
    // The lists are none the worse for it.
    expect(await read(`${set.path}/resourcelist.xml`)).toContain('items/broken/oai_dc.xml');
    const files = await readdir(join(living.directory, 'publication', ...set.path.split('/')));
    expect(files.filter((file) => file.endsWith('.tmp'))).toEqual([]);
  });

  it('a set that becomes empty says so in every document, and is filled again', async () => {
    const publisher = living.publisher();
    const set = living.set('theses', { sets: { theses: { collections: ['theses'] } }, dumps: ['theses'] });
    await living.deliver('one', { collections: ['theses'] });
    const publish = async () => {
      await publisher.publish(set, { resourceList: 'always', close: true });
      await publisher.publishDumps(set, { resourceDump: 'always' });
    };
    await publish();
    living.clock.set('2026-11-21T13:00:00Z');
    await living.deliver('one', { collections: [] });
    await publish();
    expect(entriesOf(await read(`${set.path}/resourcelist.xml`))).toEqual([]);
    expect(entriesOf(await read(`${set.path}/changelist.xml`))).toEqual(['deleted one']);
    const [first = ''] = await locsOf(`${set.path}/resourcedump.xml`);
    const document = await living.publication.find(first);
    const members = await readZip(await buffer(document?.plain.open(0, document.plain.length) ?? never()));
    expect([...members.keys()]).toEqual(['manifest.xml']);
    living.clock.set('2026-11-21T14:00:00Z');
    await living.deliver('one', { collections: ['theses'] });
    await publish();
    expect(entriesOf(await read(`${set.path}/resourcelist.xml`))).toEqual(['one']);
  });

  it('a set that names an unknown collection is refused with the nearest known one, and stays as it was', async () => {
    const publisher = living.publisher();
    await living.deliver('one', { collections: ['theses'] });
    const good = living.set('mine', { sets: { mine: { collections: ['theses'] } } });
    await publisher.publish(good, { resourceList: 'always' });
    const before = await read(`${good.path}/resourcelist.xml`);
    const bad = living.set('mine', { sets: { mine: { collections: ['thesis'] } } });
    await expect(publisher.publish(bad, { resourceList: 'always' })).rejects.toMatchObject({
      code: 'unknown-collection',
      message: expect.stringMatching(/"thesis".*did you mean "theses"/),
    });
    expect(await read(`${good.path}/resourcelist.xml`)).toBe(before);
  });

  it('a set that is defined anew has a new past: what happened to another set says nothing of it', async () => {
    const publisher = living.publisher();
    await living.deliver('one', { collections: ['theses'] });
    await living.deliver('two', { collections: ['papers'] });
    const before = living.set('mine', { sets: { mine: { collections: ['theses'] } } });
    await publisher.publish(before, { resourceList: 'always' });
    living.clock.set('2026-11-21T15:00:00Z');
    const after = living.set('mine', { sets: { mine: { collections: ['papers'] } } });
    await publisher.publish(after, { resourceList: 'if-missing' });
    expect(entriesOf(await read(`${after.path}/resourcelist.xml`))).toEqual(['two']);
    living.clock.set('2026-11-21T16:00:00Z');
    await living.deliver('two', { collections: [] });
    await publisher.publish(after, { resourceList: 'always' });
    const index = await read(`${after.path}/changelist-index.xml`);
    expect(rootOf(index).from).toBe('2026-11-21T15:00:00Z');
    const [list = ''] = await locsOf(`${after.path}/changelist-index.xml`);
    expect(entriesOf(await read(list))).toEqual(['deleted two']);
  });

  it('of a database that is older than what is published, Change Lists begin where it was put back', async () => {
    const { database } = open();
    const set = living.set('metadata');
    await living.deliver('one');
    living.clock.set('2026-11-21T14:00:00Z');
    await living.deliver('two');
    await living.publisher().publish(set, { resourceList: 'always' });
    const goBack = async (changes: object) => {
      await database
        .writer('source')
        .where({ name: living.name })
        .update({ journal_id: randomUUID(), ...changes });
      living.clock.set('2026-11-21T15:00:00Z');
      await living.publisher().publish(set, { resourceList: 'if-missing' });
    };
    const selection = async () =>
      (await database.reader('source').where({ name: living.name }).first('selection')).selection;
    // One that has only moved knows all of it.
    await goBack({ selection: '{}' });
    expect(await selection()).toBe('{}');
    expect(rootOf(await read(`${set.path}/changelist-index.xml`)).from).toBe('2026-11-21T12:00:00Z');
    const { journal_seq, id } = await database
      .reader('source')
      .where({ name: living.name })
      .first('journal_seq', 'id');
    await database.writer('change').where({ source_id: id, seq: journal_seq }).delete();
    await goBack({ journal_seq: journal_seq - 1 });
    // What was hidden in the time that is lost, only a harvest of everything finds.
    expect(await selection()).toBe('');
    const pass = { asOf: undefined, selection: '{}' };
    await completePass(database.writer, id, { ...pass, fullAt: undefined });
    expect(await selection()).toBe('');
    await completePass(database.writer, id, { ...pass, fullAt: '2026-11-21T15:30:00Z' });
    expect(await selection()).toBe('{}');
    living.clock.set('2026-11-21T16:00:00Z');
    await living.deliver('three');
    await living.publisher().publish(set, { resourceList: 'if-missing' });
    expect(rootOf(await read(`${set.path}/changelist-index.xml`)).from).toBe('2026-11-21T15:00:00Z');
    const [list = ''] = await locsOf(`${set.path}/changelist-index.xml`);
    expect(entriesOf(await read(list))).toEqual(['created three']);
  });

  it('a clock that jumps back changes no document’s past', async () => {
    await days(3);
    const set = living.set('metadata');
    const lists = await locsOf(`${set.path}/changelist-index.xml`);
    living.clock.set('2026-11-01T00:00:00Z');
    await living.deliver('record', { text: 'from the past' });
    await living.publisher().publish(set, { resourceList: 'always', close: true });
    await living.publisher().publishDumps(set, { resourceDump: 'always' });
    expect((await locsOf(`${set.path}/changelist-index.xml`)).slice(0, lists.length)).toEqual(lists);
    for (const path of [`${set.path}/resourcelist.xml`, `${set.path}/resourcedump.xml`]) {
      const { at = '', completed = '' } = rootOf(await read(path));
      expect(at >= '2026-12-03T10:00:00Z').toBe(true);
      expect(completed >= at).toBe(true);
    }
  });

  it('of two publications at once, one waits its turn and both leave it whole', async () => {
    const set = living.set('metadata');
    await living.deliver('one');
    const [a, b] = [living.publisher(), living.publisher()];
    const outcomes = await Promise.allSettled([
      a.publish(set, { resourceList: 'always' }),
      b.publish(set, { resourceList: 'always' }),
    ]);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    for (const outcome of refused) expect(outcome).toMatchObject({ reason: { code: 'publication-busy' } });
    expect(refused.length).toBeLessThan(2);
    expect(entriesOf(await read(`${set.path}/resourcelist.xml`))).toEqual(['one']);
  });

  it('archives list what was published, before it leaves the index and after (AR-01…09)', async () => {
    const set = living.set('metadata');
    const retention = {
      changeListDays: 3,
      changeDumpDays: 2,
      resourceLists: 2,
      resourceDumps: 1,
      archiveDays: false,
    } as const;
    const publisher = living.publisher({ archives: true, retention });
    for (let day = 1; day <= 8; day += 1) {
      living.clock.set(`2026-12-0${day}T10:00:00Z`);
      await living.deliver('record', { text: `as of day ${day}` });
      await publisher.publish(set, { resourceList: 'always' });
      await publisher.publishDumps(set, { resourceDump: 'always' });
    }
    for (const [kind, count] of Object.entries({
      resourcelist: 8,
      changelist: 7,
      resourcedump: 8,
      changedump: 7,
    })) {
      const path = `${set.path}/${kind}-archive.xml`;
      expect(rootOf(await read(path))).toEqual({ capability: `${kind}-archive` });
      const locs = await locsOf(path);
      expect(locs).toHaveLength(count);
      for (const loc of locs) expect(rootOf(await read(loc)).capability).toBe(kind);
    }
    const [oldest = ''] = await locsOf(`${set.path}/changelist-archive.xml`);
    expect(await locsOf(`${set.path}/changelist-index.xml`)).not.toContain(oldest);
    const [dump = ''] = await locsOf(`${set.path}/resourcedump-archive.xml`);
    for (const part of await locsOf(dump)) expect(await isThere(part)).toBe(true);
    expect(await read(`${set.path}/capabilitylist.xml`)).toContain('changedump-archive');
    expect(await read(`${set.path}/lists/capabilitylist.xml`)).not.toContain('-archive');
    await living.publisher({ archives: false, retention }).publish(set, { resourceList: 'never' });
    expect(await isThere(`${set.path}/changelist-archive.xml`)).toBe(false);
    expect(await isThere(oldest)).toBe(false);
  });
});

function never(): never {
  throw new Error('it is not there');
}
