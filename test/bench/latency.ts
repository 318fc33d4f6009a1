import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBridge } from '../../src/bridge/bridge.ts';
import { createLog } from '../../src/bridge/log.ts';
import { startPublishLoop } from '../../src/bridge/work/publish-loop.ts';
import type { SourceItem } from '../../src/core/adapter.ts';
import { parseConfig } from '../../src/core/config/config.ts';
import { toIso } from '../../src/core/datetime.ts';
import { mapItem } from '../../src/core/mapping/mapping.ts';
import { storePage } from '../../src/store/pages/store-page.ts';
import { acquireLease } from '../../src/store/runs/leases.ts';
import { startRun } from '../../src/store/runs/runs.ts';
import { completePass, ensureSource } from '../../src/store/sources/sources.ts';
import { peakRss, print } from './once/processes.ts';

/**
 * `npm run bench latency [SECONDS]`: 200 changes a second for a while; how long after its commit each batch of
 * 20 stands in the open Change List, as a reader of the publication sees it.
 */
const seconds = Number(process.argv[2] ?? 30);
const directory = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));
const config = parseConfig({
  database: { client: 'sqlite', file: join(directory, 'bench.db') },
  directory,
  sources: { bench: { url: 'http://127.0.0.1/' } },
});
const bridge = await openBridge(config, createLog('warn', process.stderr), 'migrate');
const { database } = bridge;
await ensureSource(database, 'bench', toIso(new Date()));
const lease = await acquireLease(database, 'bench', Date.now());
const { sourceId } = lease;
const run = await startRun(database.writer, {
  sourceId,
  mode: 'incremental',
  selection: '{}',
  since: undefined,
  startedAt: toIso(new Date()),
});

async function store(batch: number): Promise<string> {
  const items = Array.from({ length: 20 }, (_, index) => item(`oai:bench:${batch}:${index}`));
  const at = new Date();
  const now = { iso: toIso(at), milliseconds: at.getTime() };
  const page = { items: items.map((entry) => mapItem('bench', entry)), problems: [], checkpoint: {} };
  await storePage(database, lease, run, page, now);
  return `oai:bench:${batch}:19/`;
}

function item(identifier: string): SourceItem {
  const content = Buffer.from(`<dc><identifier>${identifier}</identifier>${'x'.repeat(800)}</dc>`);
  return {
    identifier,
    datestamp: toIso(new Date()),
    collections: ['a', 'b'],
    speaksFor: { formats: ['oai_dc'], files: undefined },
    deleted: false,
    metadata: [{ format: 'oai_dc', content, profile: 'http://www.openarchives.org/OAI/2.0/oai_dc/' }],
    files: [],
  };
}

/** The end of the open Change List, as it is served now. */
async function tail(): Promise<string> {
  const set = (await bridge.publication.sets()).find(({ path }) => path === 'bench');
  const open = set?.documents.find(
    ({ path, until }) => path.startsWith('bench/changelist/') && until === undefined,
  );
  const document = open && (await bridge.publication.find(open.path));
  if (!document) return '';
  const { length } = document.plain;
  let text = '';
  for await (const chunk of document.plain.open(Math.max(0, length - 600_000), length)) text += String(chunk);
  return text;
}

await store(0);
await completePass(database.writer, sourceId, {
  asOf: toIso(new Date()),
  fullAt: undefined,
  selection: '{}',
});
const loop = startPublishLoop(bridge, new AbortController().signal);
// What the first pass brought is closed at once; what is measured goes into the list behind it.
while (!(await bridge.publication.find('bench/changelist-index.xml'))) await sleep(20);
const waiting = new Map<string, number>();
const latencies: number[] = [];
let writing = true;

const reading = (async () => {
  while (writing || waiting.size > 0) {
    const text = await tail();
    const seenAt = performance.now();
    for (const [path, committedAt] of waiting) {
      if (!text.includes(path)) continue;
      latencies.push(seenAt - committedAt);
      waiting.delete(path);
    }
    await sleep(10);
  }
})();

const startedAt = performance.now();
for (let batch = 1; performance.now() - startedAt < seconds * 1000; batch += 1) {
  const path = await store(batch);
  waiting.set(path, performance.now());
  await sleep(Math.max(0, startedAt + batch * 100 - performance.now()));
}
writing = false;
await reading;
await loop.stop();
latencies.sort((a, b) => a - b);
const quantile = (share: number) => Math.round(latencies[Math.floor((latencies.length - 1) * share)] ?? -1);
print({
  name: 'commit to open Change List at 200 changes/s',
  batches: latencies.length,
  medianMs: quantile(0.5),
  p95Ms: quantile(0.95),
  maxMs: quantile(1),
  peakRssMB: peakRss(),
});
await bridge.close();
rmSync(directory, { recursive: true, force: true });
