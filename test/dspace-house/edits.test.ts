import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Database } from '../../src/store/engine/database.ts';
import type { RestVersion } from '../house/dspace/rest/rest-version.ts';
import { sampleRepository } from '../house/dspace/sample-repository.ts';
import type { Switches } from '../house/dspace/switches.ts';
import { apply, type Edit, editKinds } from '../house/dspace-house/edits.ts';
import { House } from '../house/dspace-house/house.ts';
import { expectEquality, expectJournal, Watch } from '../house/dspace-house/promise.ts';
import { runs } from '../house/runs.ts';
import { describeOnBoth } from '../house/store/databases.ts';

/** Of the same seed, the same histories; more of them with `DSPACE_HISTORIES`, others with `DSPACE_SEED`. */
const seed = Number(process.env.DSPACE_SEED ?? 20_261_121);
const histories = Number(process.env.DSPACE_HISTORIES ?? runs(2, 3));

/** Some time of a repository's life, and what the bridge does at its end. */
interface Chapter {
  readonly hours: number;
  readonly edits: readonly Edit[];
  /** Made while the bridge is reading. */
  readonly meanwhile: readonly (Edit & { readonly atRequest: number })[];
  /** In hours; undefined: until somebody indexes. */
  readonly indexLag: number | undefined;
  readonly isIndexed: 'not' | 'committed' | 'rebuilt';
  readonly isIndexedForOai: boolean;
  readonly action: 'incremental' | 'full' | 'identifiers' | 'files' | 'everything';
}

interface History {
  readonly version: RestVersion;
  readonly switches: Partial<Switches>;
  /** One format comes from the OAI-PMH endpoint, whose index is that of last night. */
  readonly withMets: boolean;
  readonly items: number;
  readonly sample: number;
  readonly canonicalHandles: boolean;
  readonly chapters: readonly Chapter[];
}

const edit = fc.record({ kind: fc.constantFrom(...editKinds), pick: fc.nat(9999) });

const chapter: fc.Arbitrary<Chapter> = fc.record({
  hours: fc.constantFrom(1, 1, 5, 27, 51),
  edits: fc.array(edit, { maxLength: 8 }),
  meanwhile: fc.array(
    edit.chain(({ kind, pick }) =>
      fc.record({
        kind: fc.constant(kind),
        pick: fc.constant(pick),
        atRequest: fc.integer({ min: 1, max: 12 }),
      }),
    ),
    { maxLength: 2 },
  ),
  indexLag: fc.constantFrom(0, 0, 0, 2, undefined),
  isIndexed: fc.constantFrom('not', 'not', 'committed', 'rebuilt'),
  isIndexedForOai: fc.constantFrom(false, false, true),
  action: fc.constantFrom('incremental', 'incremental', 'full', 'identifiers', 'files', 'everything'),
});

const history: fc.Arbitrary<History> = fc.record({
  version: fc.constantFrom('7.6', '8.2', '9.1', '10.1', 'cris'),
  switches: fc.constantFrom<Partial<Switches>>(
    ...Array(6).fill({}),
    { maxResults: 20 },
    { drift: 2, maxResults: 11 },
    { refuseBrackets: true },
    { accessStatus: false, redirectContent: true },
    { springTotals: false, unknownIs401: true },
    { refuseLists: true, lastModified: false },
    { listTotals: 'counted' },
    { emptyPlaces: true, refuseLists: true },
  ),
  items: fc.integer({ min: 30, max: 60 }),
  sample: fc.integer({ min: 1, max: 5 }),
  canonicalHandles: fc.boolean(),
  withMets: fc.constantFrom(false, false, true),
  chapters: fc.array(chapter, { minLength: 2, maxLength: 7 }),
});

describeOnBoth('whatever is edited in a DSpace', (open) => {
  test('what is published is what everybody can reach, and nothing else ever was', {
    timeout: 600_000,
  }, async () => {
    const { database, config } = open();
    const numRuns = config.client === 'sqlite' ? histories : Math.ceil(histories / 4);
    await fc.assert(
      fc.asyncProperty(history, (life) => live(database, life)),
      {
        seed,
        numRuns,
        endOnFailure: process.env.DSPACE_SHRINK === undefined,
      },
    );
  });
});

async function live(
  database: Database,
  { version, switches, items, sample, canonicalHandles, withMets, chapters }: History,
): Promise<void> {
  const repository = sampleRepository({ items, seed: sample, canonicalHandles });
  const formats = ['oai_dc', 'dim', 'qdc', 'json', ...(withMets ? [{ name: 'mets', from: 'oai' }] : [])];
  const source = { deletionFuse: { share: 1 }, allowPrivateAddresses: true, formats };
  const house = await House.open(database, { repository, version, switches, source });
  const watch = new Watch(house);
  try {
    watch.begin();
    await house.run();
    await watch.expectPromise();
    for (const each of chapters) {
      await passChapter(house, watch, each);
      await watch.expectPromise();
    }
    await readEverything(house, watch);
    await expectJournal(house);
    // Who looks again finds nothing new.
    await house.run('full');
    await house.workOnFiles();
    expect(await house.lines()).toEqual([]);
  } finally {
    await house.close();
  }
}

async function passChapter(house: House, watch: Watch, each: Chapter): Promise<void> {
  const { repository, clock } = house;
  clock.advance(each.hours * 3600);
  repository.indexLag = each.indexLag === undefined ? Number.POSITIVE_INFINITY : each.indexLag * 3_600_000;
  for (const one of each.edits) {
    apply(repository, one);
    clock.advance(7);
  }
  if (each.isIndexed === 'committed') repository.commitIndex();
  if (each.isIndexed === 'rebuilt') repository.rebuildIndex();
  if (each.isIndexedForOai) house.server.oai?.reindex();
  watch.begin();
  let requests = 0;
  house.meanwhile = () => {
    requests += 1;
    for (const { atRequest, ...one } of each.meanwhile) {
      if (atRequest !== requests) continue;
      apply(repository, one);
      watch.look();
    }
  };
  switch (each.action) {
    case 'everything':
      house.meanwhile = undefined;
      await readEverything(house, watch);
      break;
    case 'identifiers':
      await house.lookThroughIdentifiers();
      break;
    case 'files':
      await house.workOnFiles();
      break;
    default:
      await house.run(each.action);
  }
  house.meanwhile = undefined;
}

/** With an index that is up to date, one full harvest is enough, and a turn of work on the files. */
async function readEverything(house: House, watch: Watch): Promise<void> {
  house.repository.rebuildIndex();
  watch.begin();
  await house.run('full');
  await house.workOnFiles();
  await watch.expectPromise();
  await expectEquality(house);
}
