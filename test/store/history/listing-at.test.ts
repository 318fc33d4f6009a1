import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SourceItem } from '../../../src/core/adapter.ts';
import { addSeconds, toMilliseconds } from '../../../src/core/datetime.ts';
import type { FileRules } from '../../../src/core/files/published-files.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import { patchRelation } from '../../../src/core/resource.ts';
import { type ResourceSet, resourceSets } from '../../../src/core/resource-set.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { listResourcesAt } from '../../../src/store/history/listing-at.ts';
import { settle } from '../../../src/store/pages/settle.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { listChanges, listResources, type ResourceEntry } from '../../../src/store/reading/listing.ts';
import { acquireLease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { readJournal } from '../../../src/store/sources/journal.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { runs } from '../../house/runs.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

/** A record as it comes: new, changed, moved, only its links, gone, back again. Its files pass between the items. */
const delivery = fc.record({
  id: fc.constantFrom('1', '2', '3', '4'),
  format: fc.constantFrom('oai_dc', 'oai_dc', 'mods'),
  text: fc.constantFrom('a', 'b'),
  collections: fc.subarray(['theses', 'theses:phd', 'papers']),
  deleted: fc.constantFrom(false, false, false, true),
  files: fc.subarray(['a.pdf', 'b.pdf']),
  wait: fc.constantFrom(0, 0, 1, 3600),
});

interface Delivery {
  readonly id: string;
  readonly format: string;
  readonly text: string;
  readonly collections: string[];
  readonly deleted: boolean;
  readonly files: readonly string[];
  readonly wait: number;
}

/**
 * What the journal tells of a resource. Links between records and files follow what is known of both: a current list
 * has them as soon as that is known, the journal with the next change.
 */
function told({ id: _, ...entry }: ResourceEntry): ResourceEntry {
  return { ...entry, links: entry.links.filter(({ rel }) => rel !== 'describes' && rel !== 'describedby') };
}

const rules: FileRules = { mode: 'link', perItem: 100, verify: false, landingPages: false };
let worlds = 0;

describeOnBoth('a set at a sequence of the journal', (open) => {
  test('is what was listed then, and what the changes up to then make of it', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(delivery, { minLength: 2, maxLength: 20 }), async (deliveries) => {
        const world = await createWorld(open().database);
        const listed = new Map<string, readonly ResourceEntry[]>();
        for (const one of deliveries) {
          await world.deliver(one);
          const seq = await world.seq();
          for (const set of world.sets) listed.set(`${seq} ${set.path}`, await world.now(set));
        }
        const last = await world.seq();
        for (const set of world.sets) {
          for (let seq = 0; seq <= last; seq += 1) {
            const entries = await world.at(set, seq);
            const then = listed.get(`${seq} ${set.path}`);
            if (then) expect(entries.map(told)).toEqual(then.map(told));
            expect(byPath(entries)).toEqual(await world.replay(set, seq));
            compared += 1;
          }
        }
      }),
      { numRuns: runs(6) },
    );
    expect(compared).toBeGreaterThan(20);
  });

  test('is told the same while resources move on between two pages', async () => {
    const world = await createWorld(open().database);
    const [set] = world.sets as [ResourceSet];
    const record = (id: string, text: string): Delivery => ({
      ...{ id, text, format: 'oai_dc', collections: [], deleted: false, files: [], wait: 1 },
    });
    for (const id of ['1', '2', '3', '4']) await world.deliver(record(id, 'a'));
    const seq = await world.seq();
    const then = await world.now(set);
    const entries: ResourceEntry[] = [];
    for await (const page of listResourcesAt(open().database.reader, set, seq, 1)) {
      entries.push(...page);
      for (const id of ['1', '2', '3', '4', '5']) await world.deliver(record(id, `b${entries.length}`));
      await world.deliver({ ...record('3', 'a'), deleted: true });
    }
    expect(entries.map(told)).toEqual(then.map(told));
    expect(entries).toHaveLength(4);
  });

  test('of a source that nobody knows is empty', async () => {
    const [set] = resourceSets('nowhere') as [ResourceSet];
    for await (const page of listResourcesAt(open().database.reader, set, 5)) expect(page).toEqual([]);
  });
});

async function createWorld(database: Database) {
  worlds += 1;
  const source = `past-${worlds}`;
  let now = '2026-11-21T10:00:00Z';
  const moment = () => ({ iso: now, milliseconds: toMilliseconds(now) });
  await ensureSource(database, source, now);
  const lease = await acquireLease(database, source, toMilliseconds(now));
  const sets = resourceSets(source, {
    sets: {
      theses: { collections: ['theses'] },
      'papers-dc': { collections: ['papers'], formats: ['oai_dc'] },
    },
  });

  async function collect(pages: AsyncIterable<readonly ResourceEntry[]>): Promise<readonly ResourceEntry[]> {
    const entries: ResourceEntry[] = [];
    for await (const page of pages) entries.push(...page);
    return entries;
  }

  return {
    sets,
    async deliver({ wait, ...one }: Delivery): Promise<void> {
      now = addSeconds(now, wait);
      const pass = { sourceId: lease.sourceId, mode: 'incremental', selection: '{}', since: now } as const;
      const run = await startRun(database.writer, { ...pass, startedAt: now });
      const items = [mapItem(source, toItem(source, one))];
      const page = { items, problems: [], checkpoint: undefined, patches: true, files: rules };
      await storePage(database, lease, run, page, moment());
      await settle(database, lease, rules, moment);
    },
    seq: async () => (await readJournal(database.reader, source))?.seq ?? 0,
    now: (set: ResourceSet) => collect(listResources(database.reader, set, 3)),
    at: (set: ResourceSet, seq: number) => collect(listResourcesAt(database.reader, set, seq, 3)),
    /** What a Destination has that read every change up to a sequence. */
    async replay(set: ResourceSet, upToSeq: number): Promise<ReadonlyMap<string, ResourceEntry>> {
      const copy = new Map<string, ResourceEntry>();
      if (upToSeq === 0) return copy;
      for await (const page of listChanges(database.reader, set, { afterSeq: 0, upToSeq })) {
        for (const { seq, change, datetime, deletedAt, withdrawnAt, ...entry } of page) {
          const links = entry.links.filter(({ rel }) => rel !== patchRelation);
          if (change === 'deleted') copy.delete(entry.path);
          else copy.set(entry.path, { ...entry, links });
        }
      }
      return copy;
    },
  };
}

function byPath(entries: readonly ResourceEntry[]): ReadonlyMap<string, ResourceEntry> {
  return new Map(entries.map((entry) => [entry.path, entry]));
}

function toItem(
  source: string,
  { id, format, text, collections, deleted, files }: Omit<Delivery, 'wait'>,
): SourceItem {
  return {
    identifier: id,
    datestamp: '2026-01-01T00:00:00Z',
    collections,
    speaksFor: { formats: [format], files: { name: 'oai_dc', rank: 95 } },
    deleted,
    metadata: [{ format, content: Buffer.from(`<r xmlns="urn:r"><t>${text}</t></r>`) }],
    files: files.map((name, index) => ({
      url: `https://${source}.example.org/${name}`,
      name,
      sequence: index + 1,
      mediaType: 'application/pdf',
    })),
  };
}
