import { readFileSync } from 'node:fs';
import { openBridge } from '../../../src/bridge/bridge.ts';
import { createLog } from '../../../src/bridge/log.ts';
import { removeBytes } from '../../../src/bridge/work/retention.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { toIso } from '../../../src/core/datetime.ts';
import { harvest } from '../../../src/harvest/harvest.ts';
import { peakRss, print } from '../once/processes.ts';
import { multiply } from './seed.ts';

/**
 * `growth/once CONFIG SIZE ROUNDS`: a first harvest, multiplied to the size, published; then so many rounds of 100
 * changes, harvested incrementally and published, each of them a line of costs in milliseconds of this process.
 */
const [file = '', size = '', rounds = '5'] = process.argv.slice(2);
const config = parseConfig(JSON.parse(readFileSync(file, 'utf8')));
const { url } = config.sources.bench ?? {};
const never = new AbortController().signal;
const log = createLog('warn', process.stderr);
const first = await openBridge(config, log, 'migrate');
const { items } = await harvest(first, first.source('bench'), { mode: 'full', stop: never, signal: never });
await first.close();
const seeding = performance.now();
await multiply(config.database, items, Number(size));
print({ what: 'rows copied', seconds: Math.round((performance.now() - seeding) / 1000) });

const bridge = await openBridge(config, log, 'migrate');
const publish = async (resourceList: 'always' | 'never') => {
  for (const set of bridge.sets()) await bridge.publisher.publish(set, { resourceList, flat: 'always' });
};
const work: Readonly<Record<string, () => Promise<unknown>>> = {
  'incremental harvest of 100 changes': () =>
    harvest(bridge, bridge.source('bench'), { mode: 'incremental', stop: never, signal: never }),
  'its publication': () => publish('never'),
  retention: () => removeBytes(bridge, never),
};
/** What was given up in the last round falls due in this one. */
const letThemFallDue = () =>
  bridge.database
    .writer('released')
    .update({ due_at: toIso(new Date(bridge.clock.now().getTime() - 3_600_000)) });

const started = performance.now();
await publish('always');
print({
  what: 'first publication',
  seconds: Math.round((performance.now() - started) / 1000),
  peak: peakRss(),
});
for (let round = 0; round < Number(rounds); round += 1) {
  // The provider's datestamps have seconds: the next round's changes must be later than this one's `from`.
  await bridge.clock.sleep(1100);
  await fetch(new URL(`/touch?count=100&salt=round-${round}-${Date.now()}`, url));
  for (const [what, run] of Object.entries(work)) {
    if (what === 'retention') await letThemFallDue();
    const before = process.cpuUsage();
    const began = performance.now();
    await run();
    const { user, system } = process.cpuUsage(before);
    print({ what, cpu: (user + system) / 1000, wall: performance.now() - began });
  }
}
print({ what: 'end', peak: peakRss() });
await bridge.close();
