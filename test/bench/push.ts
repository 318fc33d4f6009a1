import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBridge } from '../../src/bridge/bridge.ts';
import { createLog } from '../../src/bridge/log.ts';
import { startPush } from '../../src/bridge/push/push.ts';
import { startPublishLoop } from '../../src/bridge/work/publish-loop.ts';
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
import { peakRss, print } from './once/processes.ts';

/**
 * `npm run bench push [SUBSCRIBERS] [SECONDS]`: 200 changes a second for a while; how long after its commit each batch of 20 has
 * come to each subscriber that answers. Of every ten subscribers one never answers and one takes three seconds.
 */
const subscribers = Number(process.argv[2] ?? 100);
const seconds = Number(process.argv[3] ?? 30);
const directory = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));
const config = parseConfig({
  database: { client: 'sqlite', file: join(directory, 'bench.db') },
  directory,
  sources: { bench: { url: 'http://127.0.0.1/' } },
  push: { hub: true, allow: ['127.0.0.1'] },
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

const committed = new Map<string, number>();
const latencies: number[] = [];
let deliveries = 0;

/** Each at a port of its own, as they would be at hosts of their own. */
async function listen(answer: (body: string, reply: ServerResponse) => void) {
  const server = createServer(async (request, reply) => {
    let body = '';
    try {
      for await (const chunk of request) body += String(chunk);
    } catch {
      return;
    }
    answer(body, reply);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Which batches a notification tells of: looked for once, for all get the same. */
let latest: { readonly body: string; readonly paths: readonly string[] } = { body: '', paths: [] };
const prompt = (body: string, reply: ServerResponse) => {
  const at = performance.now();
  reply.end();
  deliveries += 1;
  if (body !== latest.body)
    latest = { body, paths: [...body.matchAll(/oai:bench:\d+:19\//g)].map(([path]) => path) };
  for (const path of new Set(latest.paths)) {
    const since = committed.get(path);
    if (since !== undefined) latencies.push(at - since);
  }
};
const slow = (_body: string, reply: ServerResponse) => void setTimeout(() => reply.end(), 3000);
const dead = () => undefined;
const servers = await Promise.all(
  Array.from({ length: subscribers }, (_, index) =>
    listen(index % 10 === 0 ? dead : index % 10 === 1 ? slow : prompt),
  ),
);

await store(0);
await completePass(database.writer, sourceId, {
  asOf: toIso(new Date()),
  fullAt: undefined,
  selection: '{}',
});
const { signal } = new AbortController();
const loop = startPublishLoop(bridge, signal);
const push = startPush(bridge, signal, { isOurs: () => true });
const topicPath = 'bench/change-notification.xml';
for (;;) {
  const topic = await findTopic(database.reader, topicPath);
  if (topic) {
    await database.transaction(async (trx) => {
      for (const server of servers) {
        const callback = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
        await putSubscription(trx, { topicId: topic.id, kind: 'websub', callback }, Date.now());
      }
    });
    break;
  }
  await sleep(50);
}
const cpu = process.cpuUsage();
const startedAt = performance.now();
let mostBytes = 0;
let batches = 1;
for (; performance.now() - startedAt < seconds * 1000; batches += 1) {
  const batch = batches;
  const path = await store(batch);
  committed.set(path, performance.now());
  // What everybody who answers has by now is not looked for any longer.
  for (const [one, since] of committed) if (performance.now() - since > 20_000) committed.delete(one);
  if (batch % 50 === 0) mostBytes = Math.max(mostBytes, (await readPushState(database.reader)).bytes);
  await sleep(Math.max(0, startedAt + batch * 100 - performance.now()));
}
const took = (performance.now() - startedAt) / 1000;
const { user, system } = process.cpuUsage(cpu);
await sleep(5000);
latencies.sort((a, b) => a - b);
const quantile = (share: number) => Math.round(latencies[Math.floor((latencies.length - 1) * share)] ?? -1);
print({
  name: `commit to delivery at 200 changes/s, ${subscribers} subscribers, a tenth dead, a tenth slow`,
  ...{
    seconds: Math.round(took),
    changesPerSecond: Math.round(((batches - 1) * 20) / took),
    deliveries,
    p50Ms: quantile(0.5),
    p95Ms: quantile(0.95),
    p99Ms: quantile(0.99),
  },
  ...{ maxMs: quantile(1), cpuPercent: Math.round((user + system) / 10_000 / took) },
  ...{ outboxBytes: mostBytes, peakRss: peakRss() },
});
for (const server of servers) {
  server.close();
  server.closeAllConnections();
}
await push.stop();
await loop.stop();
await bridge.close();
rmSync(directory, { recursive: true, force: true });
