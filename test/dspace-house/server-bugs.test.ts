import { describe, expect, test } from 'vitest';
import type { RestVersion } from '../house/dspace/rest/rest-version.ts';
import { sampleRepository } from '../house/dspace/sample-repository.ts';
import type { Switches } from '../house/dspace/switches.ts';
import { apply, type EditKind } from '../house/dspace-house/edits.ts';
import { House } from '../house/dspace-house/house.ts';
import { expectEquality, expectJournal, Watch } from '../house/dspace-house/promise.ts';
import { suiteDatabase } from '../house/dspace-house/suite-database.ts';

const login = { user: 'admin@example.org', password: 'secret of the admin' };

interface Bug {
  readonly name: string;
  readonly switches: Partial<Switches>;
  readonly version?: RestVersion;
  readonly source?: Record<string, unknown>;
  /** Nobody says that there is a newer version: what is missing from the list has to be missing twice. */
  readonly sweeps?: 2;
}

/** With these everything can be had all the same. */
const bugs: readonly Bug[] = [
  { name: 'twenty rows to a page at most, whatever page.size says', switches: { maxResults: 20 } },
  { name: 'ten rows at most, said openly', switches: { maxResults: 10, echoSize: false }, version: '7.6' },
  {
    name: 'totals that Spring corrects wrongly, and those without',
    switches: { springTotals: false, maxResults: 7 },
  },
  { name: 'totals that are too high', switches: { total: (total) => total + 9 } },
  { name: 'totals that are too low', switches: { total: (total) => Math.max(0, total - 4) }, version: '8.2' },
  { name: 'totals of nothing', switches: { total: () => 0 } },
  { name: 'lists of parts with three rows at most', switches: { maxListSize: 3 }, version: '9.1' },
  { name: 'hits that move while the pages are read', switches: { drift: 3, maxResults: 8 } },
  { name: 'a parser of queries that answers 400', switches: { syntaxErrorStatus: 400 } },
  { name: 'no facets', switches: { facets: false } },
  { name: 'embedding that takes its time', switches: { embedDelay: 4 } },
  { name: 'brackets refused on the way', switches: { refuseBrackets: true } },
  { name: 'brackets refused on the way (7.6)', switches: { refuseBrackets: true }, version: '7.6' },
  {
    name: 'a token only when it is asked for',
    switches: { lazyCsrf: true, versions: 'hidden' },
    source: { login },
  },
  {
    name: 'a login that is over at once',
    switches: { tokenLife: 1000, versions: 'hidden' },
    source: { login },
  },
  {
    name: 'a login that is over and refused',
    switches: { tokenLife: 1000, expiredToken: '401', versions: 'hidden' },
    source: { login },
    version: '8.2',
  },
  { name: '401 for whatever is unknown', switches: { unknownIs401: true } },
  { name: '400 for malformed ids', switches: { malformedIs401: false } },
  { name: 'versions hidden', switches: { versions: 'hidden' }, sweeps: 2 },
  { name: 'versions switched off', switches: { versions: 'off' }, version: '8.2', sweeps: 2 },
  { name: 'no access status at all', switches: { accessStatus: false }, version: '7.6' },
  { name: 'values of one language only', switches: { localeFiltering: true }, version: 'cris' },
  { name: 'no lists of communities and collections', switches: { refuseLists: true } },
  { name: 'no counts', switches: { countItems: false } },
  {
    name: 'files in another store',
    switches: { redirectContent: true },
    version: '7.6',
    source: { allowPrivateAddresses: true },
  },
  { name: 'files without a date', switches: { lastModified: false }, version: '8.2' },
];

/** Of every kind, each to something else. */
const someEdits: readonly EditKind[] = [
  'edit metadata',
  'add item',
  'add file',
  'remove file',
  'replace file',
  'rename file',
  'restrict file',
  'embargo file until yesterday',
  'embargo file for long',
  'withdraw',
  'reinstate',
  'make private',
  'restrict item',
  'delete',
  'new version',
  'move',
  'map',
  'rename collection',
];

const numbered = someEdits.map((kind, index) => ({ kind, pick: index * 131 + 7 }));

describe('a DSpace with a bug is published as one without:', () => {
  const database = suiteDatabase();

  const withHouse = async (
    { switches, version = '10.1', source = {} }: Omit<Bug, 'name'>,
    body: (house: House, watch: Watch) => Promise<void>,
  ) => {
    const repository = sampleRepository({ items: 36, seed: 4 });
    const house = await House.open(database(), {
      repository,
      version,
      switches,
      source: { deletionFuse: { share: 1 }, ...source },
    });
    try {
      await body(house, new Watch(house));
    } finally {
      await house.close();
    }
  };

  test.each(bugs)('$name', async (bug) => {
    await withHouse(bug, async (house, watch) => {
      watch.begin();
      await house.run();
      await watch.expectPromise();
      await expectEquality(house);
      for (const edit of numbered) apply(house.repository, edit);
      watch.begin();
      await house.run();
      await watch.expectPromise();
      house.clock.advance(86_400);
      watch.begin();
      await house.run('full');
      if (bug.sweeps === 2) await house.run('full');
      await house.workOnFiles();
      await watch.expectPromise();
      await expectEquality(house);
      await expectJournal(house);
      await house.run('full');
      await house.workOnFiles();
      expect(await house.lines()).toEqual([]);
    });
  });

  test('pages that are too short: nothing is taken for deleted, and all of it is there when they are not', async () => {
    await withHouse({ switches: {} }, async (house, watch) => {
      watch.begin();
      await house.run();
      await watch.expectPromise();
      house.server.switches.shortBy = 2;
      for (const edit of numbered) apply(house.repository, edit);
      watch.begin();
      const before = (await house.paths()).length;
      await house.run();
      await house.run('full');
      await house.run('full');
      expect((await house.paths()).length).toBeGreaterThan(before / 2);
      await watch.expectPromise();
      house.server.switches.shortBy = 0;
      house.clock.advance(3600);
      await house.run('full');
      await house.workOnFiles();
      await expectEquality(house);
      await expectJournal(house);
    });
  });

  test('items that break every page they are on: what was published of them stays', async () => {
    await withHouse({ switches: {}, version: '8.2' }, async (house, watch) => {
      const { repository, server } = house;
      watch.begin();
      await house.run();
      const victims = repository.items
        .filter((item) => item.isLatest && item.read === 'anonymous' && item.discoverable && !item.withdrawn)
        .slice(7, 9);
      for (const { uuid } of victims) server.switches.poisonous.add(uuid);
      await house.news();
      await house.run('full');
      expect(await house.lines()).toEqual([]);
      const [first] = victims;
      if (first === undefined) throw new Error('no victim');
      repository.editMetadata(first, { 'dc.title': ['Healed'] });
      for (const edit of numbered.slice(3)) apply(repository, edit);
      watch.begin();
      await house.run();
      await house.run('full');
      await watch.expectPromise();
      server.switches.poisonous.clear();
      await house.run('full');
      await house.workOnFiles();
      await expectEquality(house);
      await expectJournal(house);
    });
  });

  test('cover pages: hash and length of what is in the store are not told', async () => {
    await withHouse({ switches: { coverPages: true } }, async (house) => {
      await house.run();
      const files = (await house.resources()).filter(({ path }) => path.includes('/files/'));
      const ofPdf = files.filter(({ mediaType }) => mediaType === 'application/pdf');
      const others = files.filter(({ mediaType }) => mediaType !== 'application/pdf');
      expect(ofPdf.length).toBeGreaterThan(30);
      expect(new Set(ofPdf.map(({ hash }) => hash))).toEqual(new Set([undefined]));
      expect(others.every(({ hash }) => hash?.startsWith('md5:'))).toBe(true);
      await house.news();
      await house.run('full');
      await house.workOnFiles();
      expect(await house.lines()).toEqual([]);
      house.server.switches.coverPages = false;
      house.clock.advance(40 * 86_400);
      await house.run('full');
      await house.workOnFiles();
      await house.run('full');
      await expectEquality(house);
      await expectJournal(house);
    });
  });

  test('an index that lists what is gone', async () => {
    await withHouse({ switches: {} }, async (house, watch) => {
      const { repository } = house;
      watch.begin();
      await house.run();
      await watch.expectPromise();
      repository.indexLag = Number.POSITIVE_INFINITY;
      for (const edit of [...numbered, ...numbered.map(({ kind, pick }) => ({ kind, pick: pick + 501 }))])
        apply(repository, edit);
      watch.begin();
      for (const mode of ['incremental', 'full', 'full'] as const) {
        await house.run(mode);
        await watch.expectPromise();
      }
      await house.lookThroughIdentifiers();
      repository.commitIndex();
      await house.run('full');
      await house.workOnFiles();
      await watch.expectPromise();
      await expectEquality(house);
      await expectJournal(house);
    });
  });
});
