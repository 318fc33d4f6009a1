import { mkdirSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { toIso } from '../../../src/core/datetime.ts';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { sitemapLimits } from '../../../src/core/sitemap.ts';
import { writeResourceList } from '../../../src/publish/documents/resource-list.ts';
import { createListsInTime } from '../../../src/publish/time/lists-in-time.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { listResources } from '../../../src/store/reading/listing.ts';
import { momentAt, settledMoments } from '../../../src/store/sources/moments.ts';
import { peakRss, print } from '../once/processes.ts';
import { baseUrl } from './time-plan.ts';

/**
 * A Resource List of a seeded database, from the rows to synced files, in a process of its own:
 * `time-list FILE DIRECTORY [DATETIME]` writes the current one, or renders that as of then.
 */
const [file = '', directory = '', at] = process.argv.slice(2);
const database = openDatabase({ client: 'sqlite', file });
const [set] = resourceSets('bench');
if (!set) throw new Error('a source has sets');
mkdirSync(directory, { recursive: true });
const started = performance.now();
const entries = at === undefined ? await writeCurrent(set) : await renderPast(set, at);
const seconds = Number(((performance.now() - started) / 1000).toFixed(2));
await database.close();
print({ at: at ?? 'now', entries, seconds, peakMegabytes: peakRss() });

type Set = NonNullable<typeof set>;

function writeCurrent(set: Set): Promise<number> {
  return database.snapshot(async (trx) => {
    const settings = { directory, baseUrl, set, at: toIso(new Date()), limits: sitemapLimits };
    const { document } = await writeResourceList(listResources(trx, set), {
      ...settings,
      clock: systemClock,
    });
    return document.entries;
  });
}

async function renderPast(set: Set, at: string): Promise<number> {
  const range = await settledMoments(database, set.source, toIso(new Date()));
  const moment = range && (await momentAt(database.reader, range, at));
  if (!moment) throw new Error(`there is no list of ${at}`);
  let entries = 0;
  const silent = { debug: () => {}, warn: () => {}, error: () => {} };
  const info = (facts: object) => {
    entries = Number((facts as { entries?: unknown }).entries);
  };
  const lists = createListsInTime({
    database,
    directory,
    baseUrl,
    clock: systemClock,
    log: { ...silent, info },
  });
  // What takes long is asked for again; it goes on meanwhile.
  while (!(await lists.find(set, moment)));
  await lists.close();
  return entries;
}
