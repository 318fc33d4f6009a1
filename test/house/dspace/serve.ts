import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { startLegacyServer } from './legacy/legacy-server.ts';
import { startRestServer } from './rest/rest-server.ts';
import type { RestVersion } from './rest/rest-version.ts';
import { sampleRepository } from './sample-repository.ts';

/**
 * A simulated DSpace in a process of its own, for benchmarks: `serve.ts ITEMS [VERSION] [all|open] [EMBED_MS] [LATENCY_MS]`,
 * with milliseconds for each item that comes with something embedded, and for each request. It was indexed a day ago.
 * It prints one line of JSON: `{"rest": …, "legacy": …, "oai": …, "control": …}`.
 *
 *     POST {control}/touch?count=100&salt=x   new titles for so many public items
 *     POST {control}/delete?count=5           so many public items go for good
 *     GET  {control}/counts                   requests by kind, usage events, memory
 */
const [items = '100000', version = '10.1', mix = 'open', embedMs = '0', latencyMs = '0'] =
  process.argv.slice(2);
const repository = sampleRepository({ items: Number(items), mix: mix === 'all' ? 'all' : 'open' });
repository.now = () => Date.now() - 86_400_000;
repository.rebuildIndex();
repository.now = () => Date.now();
const rest = await startRestServer({
  repository,
  version: version as RestVersion,
  switches: { embedDelay: Number(embedMs) },
  oai: true,
  keepRequests: 0,
  ...(Number(latencyMs) > 0 ? { onRequest: () => pause(Number(latencyMs)) } : {}),
});
const legacy = await startLegacyServer({ repository });

const control = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const count = Number(searchParams.get('count') ?? 1);
  const open = repository.items.filter(
    ({ inArchive, discoverable, read }) => inArchive && discoverable && read === 'anonymous',
  );
  const chosen = Array.from({ length: count }, (_, index) => open[Math.floor((index * open.length) / count)]);
  for (const item of request.method === 'POST' ? chosen : []) {
    if (item === undefined) continue;
    if (pathname === '/touch')
      repository.editMetadata(item, { 'dc.title': [`${item.name} ${searchParams.get('salt')}`] });
    if (pathname === '/delete') repository.delete(item);
  }
  const { counts, usageEvents } = rest;
  response.end(
    JSON.stringify({ counts, legacyCounts: legacy.counts, usageEvents, rss: process.memoryUsage().rss }),
  );
});

control.listen(0, '127.0.0.1', () => {
  const address = `http://127.0.0.1:${(control.address() as AddressInfo).port}`;
  const urls = { rest: rest.url, legacy: legacy.url, oai: rest.oaiUrl, control: address };
  process.stdout.write(`${JSON.stringify(urls)}\n`);
});
