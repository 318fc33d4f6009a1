import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { XmlBufferInputProvider, XmlDocument, XsdValidator, xmlRegisterInputProvider } from 'libxml2-wasm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { checkSource } from '../../../src/conformance/survey/source-check.ts';
import type { Clock } from '../../../src/core/adapter.ts';
import { addSeconds, toDigits, toIso } from '../../../src/core/datetime.ts';
import type { ResourceSet } from '../../../src/core/resource-set.ts';
import {
  createListsInTime,
  type ListInTime,
  type ListsInTime,
  type ListsInTimeSettings,
} from '../../../src/publish/time/lists-in-time.ts';
import { listMoments, type Moment, momentAt, settledMoments } from '../../../src/store/sources/moments.ts';
import { LivingSource } from '../../house/publish/living-source.ts';
import { rootOf, textIn, textOf } from '../../house/publish/reading.ts';
import { baseUrl, endFirstPass, type HandClock, silent } from '../../house/publish/seed.ts';
import { sharedSpec } from '../../house/publish/shared-material.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

/** Patience without end, unless a test says otherwise. */
class PatientClock implements Clock {
  readonly #hand: HandClock;

  constructor(hand: HandClock) {
    this.#hand = hand;
  }

  now(): Date {
    return this.#hand.now();
  }

  sleep(): Promise<void> {
    return new Promise(() => {});
  }
}

describeOnBoth('a Resource List as of a moment', (open) => {
  let living: LivingSource;
  let set: ResourceSet;
  let lists: ListsInTime;
  const choices = { sets: { theses: { collections: ['theses'] } } };

  beforeEach(async () => {
    living = await LivingSource.begin(open().database);
    set = living.set('all', choices);
    lists = create();
  });
  afterEach(async () => {
    await lists.close();
    await living.end();
  });

  function create(settings: Partial<ListsInTimeSettings> = {}): ListsInTime {
    const { directory, clock } = living;
    const given = {
      database: open().database,
      directory,
      baseUrl,
      clock: new PatientClock(clock),
      log: silent,
    };
    return createListsInTime({ ...given, ...settings });
  }

  function pass(seconds: number): string {
    living.clock.set(addSeconds(toIso(living.clock.now()), seconds));
    return toIso(living.clock.now());
  }

  /** As many moments, ten minutes apart, each with a record more; what is listed then is published. */
  async function live(count: number): Promise<readonly Moment[]> {
    for (let index = 1; index <= count; index += 1) {
      await living.deliver(`r${index}`, { collections: index % 2 === 0 ? ['theses'] : [] });
      if (index === 1) await endFirstPass(open().database, living.name);
      else await living.deliver('r1', { text: `text ${index}` });
      pass(600);
    }
    const range = await settledMoments(open().database, living.name, toIso(living.clock.now()));
    return range ? listMoments(open().database.reader, range, 0, 1000) : [];
  }

  async function find(moment: Moment | undefined, by = lists, of = set): Promise<ListInTime> {
    const list = moment && (await by.find(of, moment));
    if (!list) throw new Error('the list is not there');
    return list;
  }

  const rendered = async (of = set) =>
    (await readdir(join(living.directory, 'lists-in-time', ...of.path.split('/'))).catch(() => []))
      .filter((name) => /^\d{14}\./.test(name))
      .sort();

  it('is the one that was published then, but for when it was completed (RS-RL-01)', async () => {
    const published = new Map<string, string>();
    const sets = [set, living.set('metadata'), living.set('theses', choices)];
    for (const [index, deleted] of [false, false, true, false].entries()) {
      await living.deliver('a', {
        text: `text ${index}`,
        collections: index % 2 === 1 ? ['theses'] : ['papers'],
        deleted,
      });
      await living.deliver(`b${index}`, { collections: ['theses:phd'] });
      if (index === 0) await endFirstPass(open().database, living.name);
      pass(1);
      for (const one of sets) {
        if (index === 0 && one === sets[2]) continue;
        await living.publisher().publish(one, { resourceList: 'always' });
        published.set(
          `${index} ${one.path}`,
          await textOf(living.publication, `${one.path}/resourcelist.xml`),
        );
      }
      pass(600);
    }
    const range = await settledMoments(open().database, living.name, toIso(living.clock.now()));
    if (!range) throw new Error('no moments');
    const moments = await listMoments(open().database.reader, range, 0, 10);
    expect(moments).toHaveLength(4);
    for (const [index, moment] of moments.entries()) {
      for (const one of sets) {
        const then = published.get(`${index} ${one.path}`);
        const { document } = await find(moment, lists, one);
        const text = await textIn(document);
        expect(rootOf(text)).toEqual({ capability: 'resourcelist', at: moment.at });
        if (then !== undefined) expect(entryLines(text)).toEqual(entryLines(then));
        expect(document).toMatchObject({ immutable: true, lastModified: moment.at });
      }
    }
  });

  it('has the same bytes whenever and by whomever it is rendered', async () => {
    const [, moment] = await live(3);
    const { document } = await find(moment);
    const text = await textIn(document);
    await rm(join(living.directory, 'lists-in-time'), { recursive: true });
    pass(86_400);
    await living.deliver('r2', { deleted: true });
    const others = create();
    const again = (await find(moment, others)).document;
    expect(await textIn(again)).toBe(text);
    expect(again.plain.etag).toBe(document.plain.etag);
    expect(again.gzip?.etag).toBe(document.gzip?.etag);
    // What one process has rendered the others serve.
    const before = await rendered();
    expect((await find(moment)).document.plain.etag).toBe(document.plain.etag);
    expect(await rendered()).toEqual(before);
  });

  it('is an index of parts where one list is not enough (RS-RLI-01), and all of it follows the rules', async () => {
    const moments = await live(6);
    await living.publisher().publish(set, { resourceList: 'always' });
    lists = create({ limits: { entries: 2, bytes: 1_000_000 } });
    const moment = moments[4];
    const list = await find(moment);
    const index = await textIn(list.document);
    const place = `${baseUrl}/memento/${toDigits(moment?.at ?? '')}/${baseUrl}/${set.path}`;
    expect(index).toContain('<sitemapindex');
    const locs = [...index.matchAll(/<loc>([^<]*)</g)].map(([, loc = '']) => loc);
    expect(locs).toEqual([1, 2, 3].map((part) => `${place}/resourcelist/000${part}.xml`));
    expect(list.part(4)).toBeUndefined();
    const documents = new Map([[`${place}/resourcelist.xml`, list.document]]);
    for (const [number, loc] of locs.entries()) {
      const part = list.part(number + 1);
      if (!part) throw new Error(`no part ${number + 1}`);
      documents.set(loc, part);
      expect(await textIn(part)).toContain(`<rs:ln rel="index" href="${place}/resourcelist.xml"/>`);
      expect(rootOf(await textIn(part))).toEqual({ capability: 'resourcelist', at: moment?.at });
    }
    await living.publisher().publishSite([set]);
    const checked = await checkSource(`${place}/resourcelist.xml`, async (uri) => {
      const document = documents.get(uri) ?? (await living.publication.find(uri.slice(baseUrl.length + 1)));
      return document?.plain.open(0, document.plain.length);
    });
    expect(checked.filter(({ uri }) => documents.has(uri))).toHaveLength(4);
    const findings = checked.flatMap(({ uri, findings: some }) =>
      some.map((finding) => ({ uri, ...finding })),
    );
    for (const document of documents.values()) await expectValid(await textIn(document));
    // The Capability List of now lists what is current: that is all there is to say.
    expect(findings.filter(({ rule, severity }) => rule !== 'RS-NAV-07' || severity !== 'warning')).toEqual(
      [],
    );
  });

  it('is what it is while the journal moves on, and rendered once however many ask', async () => {
    const moments = await live(4);
    const moment = moments[2];
    const asked = Promise.all(Array.from({ length: 6 }, () => find(moment)));
    for (let index = 0; index < 5; index += 1) {
      pass(1);
      await living.deliver(`r${index}`, { text: 'meanwhile' });
    }
    const found = await asked;
    expect(new Set(found.map(({ document }) => document.plain.etag)).size).toBe(1);
    expect(await rendered()).toHaveLength(1);
    const range = await settledMoments(open().database, living.name, pass(1));
    const same = range && (await momentAt(open().database.reader, range, moment?.at ?? ''));
    expect(same).toEqual(moment);
    expect(entryLines(await textIn((await find(moment)).document))).toHaveLength(3);
  });

  it('of those that nobody asked for the longest goes first, and whoever has found it reads it to its end', async () => {
    const moments = await live(4);
    lists = create({ keep: 2 });
    const [first, second, third, fourth] = moments;
    const oldest = await find(first);
    pass(1);
    await find(second);
    pass(1);
    await find(first);
    pass(1);
    const evicted = (await find(second)).document;
    pass(1);
    await find(first);
    pass(1);
    await find(third);
    // The second was used before the first.
    const places = await rendered();
    expect(places).toHaveLength(3);
    expect(await textIn(evicted)).toContain(second?.at);
    expect(await textIn(oldest.document)).toContain(first?.at);
    pass(61);
    await find(fourth);
    const left = await rendered();
    expect(left.some((name) => name.startsWith(toDigits(second?.at ?? '')))).toBe(false);
    // It can be had again.
    expect(await textIn((await find(second)).document)).toContain(second?.at);
  });

  it('of more than they may take on the disk only the latest stays', async () => {
    const [first, second] = await live(2);
    lists = create({ keepBytes: 1 });
    await find(first);
    pass(100);
    await find(second);
    pass(100);
    await find(second);
    const others = create({ keepBytes: 1 });
    await find(first, others);
    expect((await rendered()).filter((name) => name.startsWith(toDigits(first?.at ?? '')))).toHaveLength(1);
  });

  it('is not seen before it is whole, and what a crash left of one goes', async () => {
    const [moment, other, third] = await live(3);
    if (!moment) throw new Error('no moment');
    const place = join(living.directory, 'lists-in-time', set.path);
    const [crashed, writing] = ['deadbeef', '0badcafe'].map((name) =>
      join(place, `${toDigits(moment.at)}.${name}`),
    );
    for (const directory of [crashed, writing]) {
      await mkdir(directory ?? '', { recursive: true });
      await writeFile(join(directory ?? '', 'rendering'), '');
      await writeFile(join(directory ?? '', 'resourcelist~1.12345678.xml.tmp'), '<urlset');
      await writeFile(join(directory ?? '', 'list.json.tmp'), '{"making":');
    }
    const now = living.clock.now();
    await utimes(join(writing ?? '', 'rendering'), now, now);
    const before = new Date(now.getTime() - 301_000);
    await utimes(join(crashed ?? '', 'rendering'), before, before);
    expect(await textIn((await find(moment)).document)).toContain(moment.at);
    const left = await rendered();
    expect(left).not.toContain(`${toDigits(moment.at)}.deadbeef`);
    expect(left).toContain(`${toDigits(moment.at)}.0badcafe`);
    // The other process finds that it shows no life any more.
    pass(301);
    await find(other);
    expect(await rendered()).not.toContain(`${toDigits(moment.at)}.0badcafe`);
    expect(await find(third)).toBeDefined();
  });

  it('that takes long is asked for again, and there as soon as it is rendered', async () => {
    const [moment] = await live(1);
    if (!moment) throw new Error('no moment');
    // With this clock all patience is over at once.
    lists = create({ clock: living.clock });
    expect(await lists.find(set, moment)).toBeUndefined();
    await expect.poll(() => lists.find(set, moment)).toBeDefined();
    expect(await rendered()).toHaveLength(1);
  });

  it('that too many ask for at once is refused, and each in its turn after a rest', async () => {
    const moments = await live(12);
    let rests = 0;
    const resting: Clock = {
      now: () => living.clock.now(),
      // Long enough for patience; a rest is as long as the work before it.
      sleep: (milliseconds) => {
        if (milliseconds >= 50_000) return new Promise(() => {});
        rests += 1;
        return living.clock.sleep(milliseconds);
      },
    };
    lists = create({ clock: resting, log: { ...silent, info: () => pass(2) } });
    const found = await Promise.all(moments.map((moment) => lists.find(set, moment)));
    const given = found.filter((list) => list !== undefined).length;
    // Whoever asks when the first is done finds its place free.
    expect(given).toBeGreaterThanOrEqual(8);
    expect(given).toBeLessThan(12);
    expect(rests).toBe(given - 1);
    expect(await lists.find(set, moments[11] as Moment)).toBeDefined();
  });

  it('that cannot be written is an error, and can be had as soon as it can', async () => {
    const [moment] = await live(1);
    await writeFile(join(living.directory, 'lists-in-time'), 'in the way');
    await expect(find(moment)).rejects.toMatchObject({ code: 'storage' });
    await rm(join(living.directory, 'lists-in-time'));
    expect(await find(moment)).toBeDefined();
  });

  it('of a set that is told in another way is another one', async () => {
    const [moment] = await live(1);
    const plain = (await find(moment)).document;
    const mirrored = { ...set, mirrors: [{ url: 'https://mirror.example.org' }] };
    const other = (await find(moment, lists, mirrored)).document;
    expect(await textIn(other)).toContain('rel="duplicate"');
    expect(other.plain.etag).not.toBe(plain.plain.etag);
    expect((await find(moment)).document.plain.etag).toBe(plain.plain.etag);
    const range = { start: 0, end: 10 };
    expect((await buffer(plain.plain.open(range.start, range.end))).toString()).toBe('<?xml vers');
  });

  it('that another process has rendered by its turn is not rendered again', async () => {
    const [first, second] = await live(2);
    const others = create();
    const resting: Clock = {
      now: () => living.clock.now(),
      sleep: async (milliseconds) => {
        if (milliseconds >= 50_000) return new Promise(() => {});
        await find(second, others);
      },
    };
    lists = create({ clock: resting, log: { ...silent, info: () => pass(2) } });
    await Promise.all([find(first), find(second)]);
    await others.close();
    expect((await rendered()).map((name) => name.slice(0, 14))).toEqual(
      [first, second].map((moment) => toDigits(moment?.at ?? '')),
    );
  });

  it('is not rendered once the house is closing', async () => {
    const [moment] = await live(1);
    if (!moment) throw new Error('no moment');
    const waiting = lists.find(set, moment);
    await expect.poll(() => rendered()).toHaveLength(1);
    await lists.close();
    // What was still being rendered is not there, or just finished.
    const list = await waiting;
    expect(list === undefined).toBe((await rendered()).length === 0);
    expect(await lists.find(set, moment)).toEqual(list && expect.anything());
  });
});

/** RS-GEN-23, where the official schemas are at hand. */
async function expectValid(text: string): Promise<void> {
  const folder = sharedSpec('xsd');
  if (folder === undefined) return;
  const buffers: Record<string, Uint8Array> = {};
  for (const name of ['resourcesync.xsd', 'sitemap.xsd', 'siteindex.xsd']) {
    buffers[`file:///xsd/${name}`] = await readFile(join(folder, name));
  }
  xmlRegisterInputProvider(new XmlBufferInputProvider(buffers));
  const driver = await readFile(join(folder, 'rs-driver.xsd'));
  using schema = XmlDocument.fromBuffer(driver, { url: 'file:///xsd/rs-driver.xsd' });
  using validator = XsdValidator.fromDoc(schema);
  using document = XmlDocument.fromString(text);
  expect(() => validator.validate(document)).not.toThrow();
}

function entryLines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.startsWith('<url>'));
}
