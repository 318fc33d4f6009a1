import { openBridge } from '../../../src/bridge/bridge.ts';
import { createLog } from '../../../src/bridge/log.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { harvest } from '../../../src/harvest/harvest.ts';
import { peakRss, print } from './processes.ts';

/**
 * `harvest-once.ts PROVIDER DATABASE_JSON [REQUESTS_PER_HOST] [WORKERS] [HARVESTS]`: harvests of the same provider, in a
 * fresh process so that the RSS is its own.
 */
const [url = '', database = '', requestsPerHost = '1', workers = '0', harvests = '1'] = process.argv.slice(2);
const names = Array.from({ length: Number(harvests) }, (_, index) => `bench${index}`);
const source = { url, overlapSeconds: 0, requestsPerHost: Number(requestsPerHost) };
const config = parseConfig({
  database: JSON.parse(database),
  sources: Object.fromEntries(names.map((name) => [name, source])),
  workers: Number(workers),
});
const bridge = await openBridge(config, createLog('warn', process.stderr), 'migrate');
const never = new AbortController().signal;
const before = process.cpuUsage();
const mainBefore = (process as { threadCpuUsage?: () => NodeJS.CpuUsage }).threadCpuUsage?.();
const startedAt = performance.now();
const reports = await Promise.all(
  names.map((name) =>
    harvest(bridge, bridge.source(name), { mode: 'incremental', stop: never, signal: never }),
  ),
);
const seconds = (performance.now() - startedAt) / 1000;
const report = {
  items: reports.reduce((sum, { items }) => sum + items, 0),
  created: reports.reduce((sum, { created }) => sum + created, 0),
  updated: reports.reduce((sum, { updated }) => sum + updated, 0),
};
const { user, system } = process.cpuUsage(before);
const { threadCpuUsage } = process as { threadCpuUsage?: (before?: object) => NodeJS.CpuUsage };
const main = threadCpuUsage?.call(process, mainBefore);
print({
  records: report.items,
  created: report.created,
  updated: report.updated,
  seconds: Number(seconds.toFixed(3)),
  recordsPerSecond: Math.round(report.items / seconds),
  cpuSeconds: Number(((user + system) / 1e6).toFixed(1)),
  ...(main && { mainThreadCpuSeconds: Number(((main.user + main.system) / 1e6).toFixed(1)) }),
  peakRssMB: peakRss(),
});
await bridge.close();
