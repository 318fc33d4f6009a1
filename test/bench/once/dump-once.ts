import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { resourceSets } from '../../../src/core/resource-set.ts';
import { sitemapLimits } from '../../../src/core/sitemap.ts';
import { totalLength } from '../../../src/publish/disk/slices.ts';
import { writeResourceDump } from '../../../src/publish/dump/resource-dump.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { listResources } from '../../../src/store/reading/listing.ts';
import { peakRss, print } from './processes.ts';

/** Writes one Resource Dump of what `test/bench/dump.ts` has prepared in a directory, and says how long it took. */
const [place = '', packageBytes = '1073741824'] = process.argv.slice(2);
const database = openDatabase({ client: 'sqlite', file: join(place, 'bench.db') });
const directory = join(place, 'publication');
mkdirSync(directory, { recursive: true });
const [set] = resourceSets('bench');
if (!set) throw new Error('a source has sets');
const started = performance.now();
const dump = await database.snapshot((db) =>
  writeResourceDump(listResources(db, set), {
    db,
    directory,
    dataDirectory: place,
    baseUrl: 'https://repo.example.org/rs',
    set,
    at: '2026-11-21T00:00:00Z',
    clock: { now: () => new Date(), sleep: () => Promise.resolve() },
    limits: sitemapLimits,
    packageBytes: Number(packageBytes),
  }),
);
const seconds = (performance.now() - started) / 1000;
await database.close();
const packages = Object.entries(dump.parts).filter(([path]) => path.endsWith('.zip'));
print({
  seconds,
  entries: packages.reduce((sum, [, { entries }]) => sum + entries, 0),
  bytes: packages.reduce((sum, [, { plain }]) => sum + totalLength(plain.slices), 0),
  packages: packages.length,
  peakRssMB: peakRss(),
});
