import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import type { SourceItem } from '../../../src/core/adapter.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import { type ResourceSet, resourceSets } from '../../../src/core/resource-set.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { listChanges, listLatestChanges, listResources } from '../../../src/store/reading/listing.ts';
import { acquireLease, type Lease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { findUnknownCollections, hasMembers } from '../../../src/store/sources/collections.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { runs } from '../../house/runs.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

let sources = 0;
const now = '2026-11-21T10:00:00Z';

describeOnBoth('the listings of a configured set', (open) => {
  let database: Database;
  let source: string;
  let lease: Lease;

  beforeEach(async () => {
    await begin();
  });

  async function begin(): Promise<void> {
    database = open().database;
    sources += 1;
    source = `source-${sources}`;
    await ensureSource(database, source, now);
    lease = await acquireLease(database, source, Date.parse(now));
  }

  async function store(...items: SourceItem[]): Promise<void> {
    const pass = { sourceId: lease.sourceId, mode: 'incremental', selection: '{}', since: now } as const;
    // A run of its own: within one, what was seen before is a repetition.
    const run = await startRun(database.writer, { ...pass, startedAt: now });
    const page = { items: items.map((item) => mapItem(source, item)), problems: [], checkpoint: undefined };
    await storePage(database, lease, run, page, { iso: now, milliseconds: Date.parse(now) });
  }

  function setNamed(name: string): ResourceSet {
    const sets = {
      theses: { collections: ['theses'] },
      dc: { formats: ['oai_dc'] },
      'theses-dc': { collections: ['theses', 'papers'], formats: ['oai_dc'] },
    };
    const found = resourceSets(source, { sets }).find(({ path }) => path === `${source}/sets/${name}`);
    if (!found) throw new Error(`no set ${name}`);
    return found;
  }

  async function changesOf(set: ResourceSet, rows = 2): Promise<string[]> {
    const found: string[] = [];
    for await (const page of listChanges(database.reader, set, { afterSeq: 0 }, rows)) {
      found.push(...page.map(({ change, path }) => `${change} ${nameOf(path)}`));
    }
    return found;
  }

  async function membersOf(set: ResourceSet): Promise<string[]> {
    const found: string[] = [];
    for await (const page of listResources(database.reader, set, 2)) {
      found.push(...page.map(({ path }) => nameOf(path)));
    }
    return found.sort();
  }

  test('a resource that comes into a set is created there, and deleted when it leaves (RS-CAP-12)', async () => {
    const set = setNamed('theses');
    await store(item('1', 'oai_dc', ['papers']), item('2', 'oai_dc', ['theses']));
    await store(item('1', 'oai_dc', ['papers', 'theses']));
    await store(item('1', 'oai_dc', ['papers', 'theses'], 'other bytes'));
    await store(item('1', 'oai_dc', ['papers'], 'yet others'), item('2', 'oai_dc', []));
    await store(item('1', 'oai_dc', ['papers'], 'outside of it'));
    expect(await changesOf(set)).toEqual([
      'created 2/oai_dc',
      'created 1/oai_dc',
      'updated 1/oai_dc',
      'deleted 1/oai_dc',
      'deleted 2/oai_dc',
    ]);
    expect(await membersOf(set)).toEqual([]);
    const latest: string[] = [];
    for await (const page of listLatestChanges(database.reader, set, { afterSeq: 0 })) {
      latest.push(...page.map(({ change, path }) => `${change} ${nameOf(path)}`));
    }
    expect(latest).toEqual(['deleted 1/oai_dc', 'deleted 2/oai_dc']);
  });

  test('a deletion within the set has neither representation nor links', async () => {
    await store(item('1', 'oai_dc', ['theses']));
    await store(item('1', 'oai_dc', ['papers']));
    for await (const page of listChanges(database.reader, setNamed('theses'), { afterSeq: 1 })) {
      expect(page).toMatchObject([{ change: 'deleted', links: [] }]);
      expect(page[0]?.hash).toBeUndefined();
    }
  });

  test('an OAI set has what is in the sets below it, and nothing of a namesake', async () => {
    await store(
      item('1', 'oai_dc', ['theses:phd']),
      item('2', 'oai_dc', ['theses2']),
      item('3', 'oai_dc', ['the%ses']),
    );
    expect(await membersOf(setNamed('theses'))).toEqual(['1/oai_dc']);
    expect(await findUnknownCollections(database.reader, source, ['theses', 'theses2', 'thes'])).toEqual([
      'thes',
    ]);
    expect(await hasMembers(database.reader, source, ['theses'])).toBe(true);
    expect(await hasMembers(database.reader, source, ['nothing'])).toBe(false);
  });

  test('formats and collections both have to hold', async () => {
    await store(item('1', 'oai_dc', ['theses']), item('2', 'mods', ['theses']), item('3', 'oai_dc', []));
    expect(await membersOf(setNamed('dc'))).toEqual(['1/oai_dc', '3/oai_dc']);
    expect(await membersOf(setNamed('theses'))).toEqual(['1/oai_dc', '2/mods']);
    expect(await membersOf(setNamed('theses-dc'))).toEqual(['1/oai_dc']);
  });

  test('whatever happens, the changes of a set lead to its members, and none of them is impossible', async () => {
    const delivery = fc.record({
      id: fc.constantFrom('1', '2', '3'),
      format: fc.constantFrom('oai_dc', 'mods'),
      collections: fc.subarray(['theses', 'theses:phd', 'papers']),
      text: fc.constantFrom('a', 'b'),
      deleted: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(delivery, { maxLength: 25 }), async (deliveries) => {
        await begin();
        for (const { id, format, collections, text, deleted } of deliveries) {
          await store({ ...item(id, format, collections, text), deleted });
        }
        for (const name of ['theses', 'dc', 'theses-dc']) {
          const members = new Set<string>();
          for (const line of await changesOf(setNamed(name))) {
            const [change, resource = ''] = line.split(' ');
            expect(members.has(resource)).toBe(change !== 'created');
            if (change === 'deleted') members.delete(resource);
            else members.add(resource);
          }
          expect(await membersOf(setNamed(name))).toEqual([...members].sort());
        }
      }),
      { numRuns: runs(8) },
    );
  });
});

function nameOf(path: string): string {
  return path.replace(/^.*\/items\//, '').replace(/\.xml$/, '');
}

function item(identifier: string, format: string, collections: string[], text = 'bytes'): SourceItem {
  return {
    identifier,
    datestamp: '2026-01-01T00:00:00Z',
    collections,
    speaksFor: { formats: [format], files: undefined },
    deleted: false,
    metadata: [{ format, content: Buffer.from(`<${format}>${text}</${format}>`) }],
    files: [],
  };
}
