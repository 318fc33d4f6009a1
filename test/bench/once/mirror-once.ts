import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseConfig } from '../../../src/core/config/config.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import { fileRules } from '../../../src/harvest/file-rules.ts';
import { runFileJob } from '../../../src/harvest/files/file-job.ts';
import { createHostGate } from '../../../src/harvest/http/host-gate.ts';
import { createHttp } from '../../../src/harvest/http/http.ts';
import { openDatabase } from '../../../src/store/engine/database.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { acquireLease, releaseLease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { migrate } from '../../../src/store/schema/migrate.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { peakRss, print } from './processes.ts';

/** Mirrors `count` files of a server into a directory, and says how long it took. */
const [place = '', url = '', count = '4000', requestsPerHost = '8'] = process.argv.slice(2);
const settings = { url: `${url}/oai`, requestsPerHost: Number(requestsPerHost), files: { mode: 'mirror' } };
const config = parseConfig({ sources: { bench: settings } }).sources.bench;
if (!config) throw new Error('it is configured');
const database = openDatabase({ client: 'sqlite', file: join(place, 'bench.db') });
const at = () => new Date();
const clock = { now: at, sleep: () => Promise.resolve() };
const silent = { debug() {}, info() {}, warn() {}, error() {} };
await migrate(database);
await prepare();

const gate = createHostGate();
const http = createHttp(
  {
    endpoint: settings.url,
    scope: 'found',
    userAgent: 'resourcesync-bridge/bench',
    requestsPerHost: settings.requestsPerHost,
    timeoutSeconds: 60,
    maxResponseBytes: 1e9,
    allowPrivateAddresses: false,
  },
  { gate, clock, log: silent },
);
const { signal } = new AbortController();
const started = performance.now();
const cpu = process.cpuUsage();
const report = await runFileJob(
  { database, directory: place, http, gate, clock, log: silent },
  { name: 'bench', config },
  { stop: signal, signal },
);
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage(cpu);
await http.close();
await database.close();
print({ seconds, ...report, cpuSeconds: (user + system) / 1e6, peakRssMB: peakRss() });

async function prepare(): Promise<void> {
  const iso = '2026-11-21T00:00:00Z';
  const milliseconds = Date.now();
  await ensureSource(database, 'bench', iso);
  const lease = await acquireLease(database, 'bench', milliseconds);
  const { sourceId } = lease;
  const run = await startRun(database.writer, {
    sourceId,
    mode: 'full',
    selection: '{}',
    since: undefined,
    startedAt: iso,
  });
  const origin = { name: 'xoai', rank: 0 };
  const rules = config && fileRules(config);
  for (let first = 0; first < Number(count); first += 500) {
    const items = Array.from({ length: Math.min(500, Number(count) - first) }, (_, index) => ({
      identifier: `oai:repo.example.org:${first + index}`,
      datestamp: iso,
      collections: [],
      speaksFor: { formats: ['oai_dc'], files: origin },
      deleted: false,
      metadata: [{ format: 'oai_dc', content: Buffer.from(`<dc>${first + index}</dc>`) }],
      files: [{ url: `${url}/${first + index}`, name: 'article.pdf', sequence: 1 }],
    }));
    const page = {
      items: items.map((item) => mapItem('bench', item)),
      problems: [],
      checkpoint: {},
      files: rules,
    };
    await storePage(database, lease, run, page, { iso, milliseconds });
  }
  await releaseLease(database, lease);
}
