import { mkdirSync } from 'node:fs';
import type { DatabaseConfig } from '../../../src/core/config/config.ts';
import { later, toIso } from '../../../src/core/datetime.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { usePublishedBucket } from '../../../src/publish/bucket/published-bucket.ts';
import { publicationRoot } from '../../../src/publish/published/publication.ts';
import { createPublisher } from '../../../src/publish/publisher.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { readJournal } from '../../../src/store/sources/journal.ts';
import { openStore } from '../objects/opened.ts';
import { baseUrl, seedChanges, silent } from './seed.ts';

/** Publishes into a bucket for ever, until somebody kills it: `endless-bucket-publisher.ts JSON`. */
const { config, directory, endpoint } = JSON.parse(process.argv[2] ?? '{}') as {
  config: DatabaseConfig;
  directory: string;
  endpoint: string;
};
const database = openDatabase(config);
const clock = { now: () => new Date(), sleep: () => Promise.resolve() };
const { store } = openStore(endpoint);
mkdirSync(directory, { recursive: true });
usePublishedBucket(publicationRoot(directory), {
  ...{ database, store, documents: true, packages: true, redirectSeconds: 0, cacheBytes: 1e9 },
  now: () => toIso(clock.now()),
});
const limits = { entries: 7, bytes: 1_000_000 };
const publisher = createPublisher({ database, directory, baseUrl, clock, log: silent, limits });
const [set] = resourceSets('kyushu');
if (!set) throw new Error('a source has sets');
for (let round = 0; ; round += 1) {
  const journal = await readJournal(database.reader, 'kyushu');
  const at = later(toIso(new Date()), journal?.at ?? '');
  await seedChanges(database, 'kyushu', [{ name: `p${process.pid}-${round}`, at }]);
  await publisher.publish(set, { resourceList: round % 3 === 0 ? 'always' : 'never' });
  if (round === 1) process.stdout.write('publishing\n');
}
