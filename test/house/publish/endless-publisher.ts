import { later, toIso } from '../../../src/core/datetime.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { createPublisher } from '../../../src/publish/publisher.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { readJournal } from '../../../src/store/sources/journal.ts';
import { baseUrl, seedChanges, silent } from './seed.ts';

/** Publishes for ever, until somebody kills it: `endless-publisher.ts DIRECTORY`. */
const directory = process.argv[2] ?? '';
const database = openDatabase({ client: 'sqlite', file: `${directory}/test.db` });
const clock = { now: () => new Date(), sleep: () => Promise.resolve() };
const limits = { entries: 7, bytes: 1_000_000 };
const publisher = createPublisher({ database, directory, baseUrl, clock, log: silent, limits });
const [set] = resourceSets('kyushu');
if (!set) throw new Error('a source has sets');
for (let round = 0; ; round += 1) {
  // As the store does: the journal's clock may be ahead, for each snapshot has a moment of its own.
  const journal = await readJournal(database.reader, 'kyushu');
  const at = later(toIso(new Date()), journal?.at ?? '');
  await seedChanges(database, 'kyushu', [
    { name: `p${process.pid}-${round}`, at },
    { name: 'same', at, change: 'updated' },
  ]);
  await publisher.publish(set, { resourceList: round % 3 === 0 ? 'always' : 'never' });
  if (round === 1) process.stdout.write('publishing\n');
}
