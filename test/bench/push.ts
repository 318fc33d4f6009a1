import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBridge } from '../../src/bridge/bridge.ts';
import { createLog } from '../../src/bridge/log.ts';
import { startService } from '../../src/bridge/service.ts';
import { freePort } from '../../src/cli/demo/free-port.ts';
import type { SourceItem } from '../../src/core/adapter.ts';
import { parseConfig } from '../../src/core/config/config.ts';
import { toIso } from '../../src/core/datetime.ts';
import { mapItem } from '../../src/core/mapping/mapping.ts';
import { storePage } from '../../src/store/pages/store-page.ts';
import { readPushState } from '../../src/store/push/state.ts';
import { putSubscription } from '../../src/store/push/subscriptions.ts';
import { findTopic } from '../../src/store/push/topics.ts';
import { acquireLease } from '../../src/store/runs/leases.ts';
import { startRun } from '../../src/store/runs/runs.ts';
import { completePass, ensureSource } from '../../src/store/sources/sources.ts';
import { firstLine, peakRss, print, start } from './once/processes.ts';

/**
 * `npm run bench push [SUBSCRIBERS] [SECONDS] [flood]`: 200 changes a second for a while; how long after its commit each batch of 20 has
 * come to each subscriber that answers. Of every ten subscribers one never answers and one takes three seconds. They are in a process of
 * their own: processor and memory are those of the bridge, with harvesting, publishing and serving. `flood`: five of ten never answer, and
 * from half of the time on 200 subscriptions a second are asked for at callbacks that never answer.
 */
const subscribers = Number(process.argv[2] ?? 100);
const seconds = Number(process.argv[3] ?? 30);
const isFlooded = process.argv[4] === 'flood';
const dead = isFlooded ? 5 : 1;
const directory = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));
const port = await freePort();
const base = `http://127.0.0.1:${port}`;
const config = parseConfig({
  baseUrl: base,
  search: false,
  database: { client: 'sqlite', file: join(directory, 'bench.db') },
  directory,
  sources: { bench: { url: 'http://127.0.0.1/', schedule: false, fullPass: false } },
  push: { hub: true, allow: ['127.0.0.0/8'] },
});
const bridge = await openBridge(config, createLog('error', process.stderr), 'migrate');
const { database } = bridge;
await ensureSource(database, 'bench', toIso(new Date()));
const lease = await acquireLease(database, 'bench', Date.now());
const { sourceId } = lease;
const run = await startRun(database.writer, {
  ...{ sourceId, mode: 'incremental', selection: '{}', since: undefined, startedAt: toIso(new Date()) },
});

async function store(batch: number): Promise<string> {
  const items = Array.from({ length: 20 }, (_, index) => item(`oai:bench:${batch}:${index}`));
  const at = new Date();
  const page = { items: items.map((entry) => mapItem('bench', entry)), problems: [], checkpoint: {} };
  await storePage(database, lease, run, page, { iso: toIso(at), milliseconds: at.getTime() });
  return `oai:bench:${batch}:19/`;
}

function item(identifier: string): SourceItem {
  const content = Buffer.from(`<dc><identifier>${identifier}</identifier>${'x'.repeat(800)}</dc>`);
  return {
    ...{ identifier, datestamp: toIso(new Date()), collections: ['a', 'b'], deleted: false, files: [] },
    speaksFor: { formats: ['oai_dc'], files: undefined },
    metadata: [{ format: 'oai_dc', content, profile: 'http://www.openarchives.org/OAI/2.0/oai_dc/' }],
  };
}

const committed: [path: string, at: number][] = [];
const receivers = start('push/receivers', [subscribers, dead]);
const places = JSON.parse(await firstLine(receivers)) as readonly string[];

await store(0);
await completePass(database.writer, sourceId, {
  asOf: toIso(new Date()),
  fullAt: undefined,
  selection: '{}',
});
const { signal } = new AbortController();
const service = await startService(bridge, { host: '127.0.0.1', port }, { stop: signal, abort: signal });
const topicPath = 'bench/change-notification.xml';
for (;;) {
  const topic = await findTopic(database.reader, topicPath);
  if (topic) {
    await database.transaction(async (trx) => {
      for (const place of places) {
        const callback = `http://${place}/`;
        await putSubscription(trx, { topicId: topic.id, kind: 'websub', callback }, Date.now());
      }
    });
    break;
  }
  await sleep(50);
}
const attacked = places.filter((_, index) => index % 10 < dead);
const prober = isFlooded ? start('push/flood', [base]) : undefined;
if (prober) await firstLine(prober);
let flood: ReturnType<typeof start> | undefined;
const flooded: [path: string, at: number][] = [];
const cpu = process.cpuUsage();
const startedAt = performance.now();
let mostBytes = 0;
let batches = 1;
for (; performance.now() - startedAt < seconds * 1000; batches += 1) {
  const batch = batches;
  const path = await store(batch);
  const isLate = isFlooded && performance.now() - startedAt > seconds * 500;
  if (isLate && flooded.length === 0) {
    prober?.send('flood');
    flood = start('push/flood', [base, `${base}/${topicPath}`, attacked.join()]);
    await firstLine(flood);
  }
  (isLate ? flooded : committed).push([path, performance.timeOrigin + performance.now()]);
  if (batch % 50 === 0)
    mostBytes = Math.max(mostBytes, (await readPushState(database.reader, Date.now())).bytes);
  await sleep(Math.max(0, startedAt + batch * 100 - performance.now()));
}
const took = (performance.now() - startedAt) / 1000;
const { user, system } = process.cpuUsage(cpu);
await sleep(5000);
const ask = async (commits: typeof committed) => {
  const said = firstLine(receivers);
  receivers.send(commits);
  return JSON.parse(await said) as Record<string, number>;
};
const { told, octets, ...figures } = await ask(committed);
print({
  name: `commit to delivery at 200 changes/s, ${subscribers} subscribers, ${dead} tenths dead, one slow`,
  ...{
    seconds: Math.round(took),
    changesPerSecond: Math.round(((batches - 1) * 20) / took),
    ...figures,
  },
  // Of each batch, by each subscriber that answers.
  toldShare: Number(((told ?? 0) / (committed.length * (subscribers * (0.9 - dead / 10)))).toFixed(3)),
  megabytesSent: Math.round((octets ?? 0) / 1e6),
  ...{ cpuPercent: Math.round((user + system) / 10_000 / took), outboxBytes: mostBytes, peakRss: peakRss() },
});
if (flood && prober) {
  const { p50Ms, p95Ms, p99Ms } = await ask(flooded);
  const said = Promise.all([prober, flood].map(firstLine));
  for (const one of [prober, flood]) one.send('end');
  const more = (await said).map((line) => JSON.parse(line) as object);
  print(Object.assign({ name: 'while it is flooded', p50Ms, p95Ms, p99Ms }, ...more));
}
receivers.disconnect();
await service.close();
await bridge.close();
rmSync(directory, { recursive: true, force: true });
