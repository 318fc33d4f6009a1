import { openBridge } from '../../../src/bridge/bridge.ts';
import { createLog } from '../../../src/bridge/log.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { harvest } from '../../../src/harvest/harvest.ts';
import { peakRss, print } from './processes.ts';

/** `harvest-once.ts PROVIDER DATABASE_JSON [REQUESTS_PER_HOST]`: one harvest in a fresh process, so that the RSS is its own. */
const [url = '', database = '', requestsPerHost = '1'] = process.argv.slice(2);
const config = parseConfig({
  database: JSON.parse(database),
  sources: { bench: { url, overlapSeconds: 0, requestsPerHost: Number(requestsPerHost) } },
});
const bridge = await openBridge(config, createLog('warn', process.stderr), 'migrate');
const never = new AbortController().signal;
const startedAt = performance.now();
const report = await harvest(bridge, bridge.source('bench'), {
  mode: 'incremental',
  stop: never,
  signal: never,
});
const seconds = (performance.now() - startedAt) / 1000;
const { user, system } = process.cpuUsage();
print({
  records: report.items,
  created: report.created,
  updated: report.updated,
  seconds: Number(seconds.toFixed(3)),
  recordsPerSecond: Math.round(report.items / seconds),
  cpuSeconds: Number(((user + system) / 1e6).toFixed(1)),
  peakRssMB: peakRss(),
});
await bridge.close();
