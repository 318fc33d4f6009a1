import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addSeconds, toDigits, toIso } from '../../../src/core/datetime.ts';
import { isBridgeError } from '../../../src/core/errors.ts';
import type { ResourceSet } from '../../../src/core/resource-set.ts';
import { exactMemento, selectMemento } from '../../../src/core/time/timeline.ts';
import type { Publication } from '../../../src/publish/published/publication.ts';
import { type Entry, entriesIn, locsIn } from '../../house/publish/list-entries.ts';
import { LivingSource } from '../../house/publish/living-source.ts';
import { rootOf, textOf } from '../../house/publish/reading.ts';
import { baseUrl } from '../../house/publish/seed.ts';
import { readZip } from '../../house/publish/zip-reading.ts';
import { runs } from '../../house/runs.ts';
import { describeOnBoth } from '../../house/store/databases.ts';
import { findHistory } from '../../house/store/one-history.ts';

/** It does not deflate to nothing. */
const longText = createHash('shake256', { outputLength: 1000 }).update('long').digest('hex');

/** One thing that happens: time passes, a record comes, changes, moves or goes, or the house publishes. */
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ wait: fc.constantFrom(0, 1, 600, 4000, 100_000) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      record: fc.constantFrom('1', '2', '3', '4', '5'),
      text: fc.constantFrom('a', 'b', longText),
      collections: fc.subarray(['theses', 'theses:phd', 'papers']),
      deleted: fc.constantFrom(false, false, false, true),
    }),
  },
  { weight: 3, arbitrary: fc.record({ publish: fc.constantFrom('lists', 'all', 'dumps' as const) }) },
);

/** What a Destination holds: the digest of each resource, by URI. */
type Copy = Map<string, string>;

const choices = {
  sets: { theses: { collections: ['theses'] } },
  dumps: ['all', 'metadata', 'theses'],
};

describeOnBoth('a Destination', (open) => {
  let living: LivingSource;
  let publication: Publication;

  const sets = () => ['all', 'metadata', 'theses'].map((name) => living.set(name, choices));

  async function begin(): Promise<void> {
    living = await LivingSource.begin(open().database);
    publication = living.publication;
  }

  async function publish(what: 'lists' | 'all' | 'dumps', close = false): Promise<void> {
    const policy = { changeListMinutes: 60, packageBytes: 3000 };
    const publisher = living.publisher(policy, { entries: 20, bytes: 20_000 });
    for (const set of sets()) {
      try {
        await publisher.publish(set, { resourceList: what === 'all' ? 'always' : 'if-missing', close });
        if (what === 'lists') continue;
        await publisher.publishDumps(set, { resourceDump: what === 'all' ? 'always' : 'if-missing' });
      } catch (error) {
        // The collection is known as soon as somebody is in it.
        if (!isBridgeError(error, 'unknown-collection')) throw error;
      }
    }
  }

  it('that replays Change Lists, or Change Dumps, over an old Resource List or Dump has the new one (RS-CAP-12), and finds every state by its links (RS-LN-19…24)', async () => {
    let compared = 0;
    let followed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 14 }),
        fc.array(step, { maxLength: 14 }),
        async (before, after) => {
          await begin();
          const play = async (steps: typeof before) => {
            for (const one of steps) {
              if ('wait' in one) living.clock.set(addSeconds(toIso(living.clock.now()), one.wait));
              else if ('publish' in one) await publish(one.publish as 'lists');
              else await living.deliver(one.record, one);
            }
          };
          await play(before);
          await publish('all');
          const baselines = new Map<string, { list: Copy; listAt: string; dump: Copy; dumpAt: string }>();
          for (const set of sets()) {
            if (!(await publication.find(`${set.path}/resourcedump.xml`))) continue;
            const list = await readResourceList(set);
            const dump = await readResourceDump(set);
            baselines.set(set.path, { list: list.copy, listAt: list.at, dump: dump.copy, dumpAt: dump.at });
            expect(dump.copy).toEqual(list.copy);
          }
          await play(after);
          await publish('all', true);
          for (const set of sets()) {
            const baseline = baselines.get(set.path);
            if (!baseline) continue;
            const { copy: now } = await readResourceList(set);
            const listed = new Map(baseline.list);
            for (const path of await changeLists(set))
              replay(listed, await textOf(publication, path), baseline.listAt);
            expect(listed).toEqual(now);
            compared += 1;
            const dumped = new Map(baseline.dump);
            await replayDumps(set, dumped, baseline.dumpAt);
            expect(dumped).toEqual(now);
            const flat = await publication.find(`${set.path}/changelist.xml`);
            const { from = '9' } = flat
              ? rootOf(await textOf(publication, `${set.path}/changelist.xml`))
              : {};
            if (from <= baseline.listAt) {
              const polled = new Map(baseline.list);
              replay(polled, await textOf(publication, `${set.path}/changelist.xml`), baseline.listAt);
              expect(polled).toEqual(now);
            }
            followed += await followPasts(set);
          }
          await living.end();
        },
      ),
      { numRuns: runs(6) },
    );
    expect(compared).toBeGreaterThan(0);
    expect(followed).toBeGreaterThan(0);
  });

  /**
   * Every entry of every document of a set leads to the state that it speaks of: by its memento, and by its TimeGate
   * when asked for its `lastmod`. @returns how many mementos there were
   */
  async function followPasts(set: ResourceSet): Promise<number> {
    const changes = await entriesOfAll(await changeLists(living.set('all', choices)));
    // Of several states of one second the last one stays.
    const last = new Map(changes.map((entry) => [`${entry.loc} ${entry.lastmod}`, entry]));
    const documents = [
      ...(await resourceListParts(set)),
      ...(await changeLists(set)),
      ...(await manifestsOf(set)),
      `${set.path}/changelist.xml`,
    ];
    const entries = await entriesOfAll(documents);
    for (const { loc, lastmod = '', change, hash, length, type, links } of entries) {
      const past = links.filter(({ rel = '' }) => ['memento', 'timegate', 'timemap'].includes(rel));
      // RS-LN-22…24
      const negotiation = [
        { rel: 'timegate', href: `${baseUrl}/timegate/${loc}` },
        { rel: 'timemap', href: `${baseUrl}/timemap/link/${loc}`, type: 'application/link-format' },
      ];
      if (change === 'deleted') {
        expect(past).toEqual(negotiation);
        continue;
      }
      // RS-LN-19…21
      const href = `${baseUrl}/memento/${toDigits(lastmod)}/${loc}`;
      const memento = { rel: 'memento', href, modified: lastmod, hash, length, type };
      expect(past).toEqual([memento, ...negotiation]);
      const latest = last.get(`${loc} ${lastmod}`);
      const history = await findHistory(open().database.reader, pathOf(loc));
      if (!history) throw new Error(`${loc} has no history`);
      const { mementos } = history.timeline;
      const { selected = -1 } = exactMemento(history.timeline, lastmod);
      if (latest?.change !== 'deleted') expect(mementos[selected]?.hash).toBe(latest?.hash);
      const isGone = history.timeline.gaps.some(({ from }) => from === lastmod);
      expect(selectMemento(history.timeline, lastmod).selected).toBe(isGone ? undefined : selected);
    }
    return entries.filter(({ change }) => change !== 'deleted').length;
  }

  async function entriesOfAll(paths: readonly string[]): Promise<readonly Entry[]> {
    const found = await Promise.all(
      paths.map(async (path) => ((await publication.find(path)) ? textOf(publication, path) : '')),
    );
    return found.flatMap(entriesIn);
  }

  async function resourceListParts({ path }: ResourceSet): Promise<readonly string[]> {
    const top = await textOf(publication, `${path}/resourcelist.xml`);
    return top.includes('<sitemapindex') ? locsIn(top).map(pathOf) : [`${path}/resourcelist.xml`];
  }

  async function manifestsOf({ path }: ResourceSet): Promise<readonly string[]> {
    const packages: string[] = [];
    for (const dump of [`${path}/resourcedump.xml`, `${path}/changedump.xml`]) {
      if (await publication.find(dump)) packages.push(...(await packagesOf(await textOf(publication, dump))));
    }
    return packages.map((zip) => zip.replace(/\.zip$/, '-manifest.xml'));
  }

  async function readResourceList(set: ResourceSet): Promise<{ copy: Copy; at: string }> {
    const top = await textOf(publication, `${set.path}/resourcelist.xml`);
    const copy: Copy = new Map();
    for (const part of await resourceListParts(set)) {
      for (const { loc, hash } of entriesIn(await textOf(publication, part))) {
        expect(copy.has(loc)).toBe(false);
        copy.set(loc, hash ?? '');
      }
    }
    return { copy, at: rootOf(top).at ?? '' };
  }

  async function readResourceDump(set: ResourceSet): Promise<{ copy: Copy; at: string }> {
    const top = await textOf(publication, `${set.path}/resourcedump.xml`);
    const copy: Copy = new Map();
    for (const path of await packagesOf(top)) {
      for (const { loc, digest } of await readPackage(path)) {
        expect(copy.has(loc)).toBe(false);
        copy.set(loc, digest ?? '');
      }
    }
    return { copy, at: rootOf(top).at ?? '' };
  }

  async function replayDumps(set: ResourceSet, copy: Copy, at: string): Promise<void> {
    const path = `${set.path}/changedump.xml`;
    if (!(await publication.find(path))) return;
    for (const zip of await packagesOf(await textOf(publication, path))) {
      for (const { loc, change, digest, datetime = '' } of await readPackage(zip)) {
        if (datetime < at) continue;
        if (change === 'deleted') copy.delete(loc);
        else copy.set(loc, digest ?? '');
      }
    }
  }

  async function packagesOf(top: string): Promise<readonly string[]> {
    if (!top.includes('<sitemapindex')) return locsIn(top).map(pathOf);
    const lists = await Promise.all(locsIn(top).map((uri) => textOf(publication, pathOf(uri))));
    return lists.flatMap((text) => locsIn(text).map(pathOf));
  }

  /** The entries of a package's manifest, with the digests of the bytes that are really in it. */
  async function readPackage(path: string) {
    const document = await publication.find(path);
    if (!document) throw new Error(`${path} is not published`);
    const members = await readZip(await buffer(document.plain.open(0, document.plain.length)));
    const manifest = members.get('manifest.xml')?.toString() ?? '';
    // RS-RD-12, RS-CD-09: byte for byte.
    expect(await textOf(publication, path.replace(/\.zip$/, '-manifest.xml'))).toBe(manifest);
    const entries = entriesIn(manifest);
    expect(new Set(entries.flatMap((entry) => entry.path ?? [])).size).toBe(members.size - 1);
    return entries.map((entry) => {
      const bytes = entry.path === undefined ? undefined : members.get(entry.path.slice(1));
      const digest = bytes && `sha-256:${createHash('sha256').update(bytes).digest('hex')}`;
      expect(digest).toBe(entry.hash);
      return { ...entry, digest };
    });
  }

  async function changeLists(set: ResourceSet): Promise<readonly string[]> {
    const path = `${set.path}/changelist-index.xml`;
    return (await publication.find(path)) ? locsIn(await textOf(publication, path)).map(pathOf) : [];
  }
});

function replay(copy: Copy, list: string, at: string): void {
  for (const { loc, change, hash, datetime = '' } of entriesIn(list)) {
    if (datetime < at) continue;
    if (change === 'deleted') copy.delete(loc);
    else copy.set(loc, hash ?? '');
  }
}

function pathOf(uri: string): string {
  return uri.slice(baseUrl.length + 1);
}
