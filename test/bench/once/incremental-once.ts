import { openBridge } from '../../../src/bridge/bridge.ts';
import { createLog } from '../../../src/bridge/log.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { harvest } from '../../../src/harvest/harvest.ts';
import { peakRss, print } from './processes.ts';

/**
 * `incremental-once.ts PROVIDER DIRECTORY ROUNDS`: a first harvest and publication, then so many rounds of 100
 * changes, harvested incrementally and published, each timed.
 */
const [url = '', directory = '', rounds = '5'] = process.argv.slice(2);
const config = parseConfig({
  database: { client: 'sqlite', file: `${directory}/bench.db` },
  directory,
  sources: { bench: { url, overlapSeconds: 0 } },
});
const bridge = await openBridge(config, createLog('warn', process.stderr), 'migrate');
const never = new AbortController().signal;
const run = () =>
  harvest(bridge, bridge.source('bench'), { mode: 'incremental', stop: never, signal: never });
const publish = async (resourceList: 'always' | 'never') => {
  for (const set of bridge.sets()) await bridge.publisher.publish(set, { resourceList, flat: 'always' });
};

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const first = await run();
await publish('always');
const harvests: number[] = [];
const publications: number[] = [];
for (let round = 0; round < Number(rounds); round += 1) {
  // The provider's datestamps have seconds: the next round's changes must be later than this one's `from`.
  await bridge.clock.sleep(1100);
  await fetch(new URL(`/touch?count=100&salt=round-${round}-${Date.now()}`, url));
  harvests.push(await timed(run));
  publications.push(await timed(() => publish('never')));
}
const median = (values: number[]) => Math.round([...values].sort((a, b) => a - b)[values.length >> 1] ?? 0);
print({
  resources: first.items,
  harvestMs: median(harvests),
  publishMs: median(publications),
  peakRssMB: peakRss(),
});
await bridge.close();
