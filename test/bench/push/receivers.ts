import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { print } from '../once/processes.ts';

/**
 * Subscribers of the bench of pushing, in a process of their own: what they take is not the bridge's. Each is at an address of its own
 * in this machine, as they would be at hosts of their own; of every ten one never answers (or five), and one takes three seconds. The first line has the places;
 * each message has commits by path, and is answered by a line that says how long deliveries were behind them.
 */
const [subscribers, dead] = process.argv.slice(2).map(Number) as [number, number];
/** Of those that answer, in milliseconds since the epoch, by the path that the notification names. */
const arrivals = new Map<string, number[]>();
let deliveries = 0;
let octets = 0;

const now = () => performance.timeOrigin + performance.now();

/** Which batches a notification tells of: looked for once, for all get the same. */
let latest: { readonly body: string; readonly paths: readonly string[] } = { body: '', paths: [] };
const prompt = (body: string, reply: ServerResponse) => {
  const at = now();
  reply.end();
  deliveries += 1;
  octets += body.length;
  if (body !== latest.body)
    latest = { body, paths: [...new Set([...body.matchAll(/oai:bench:\d+:19\//g)].map(([path]) => path))] };
  for (const path of latest.paths) {
    const known = arrivals.get(path);
    if (known) known.push(at);
    else arrivals.set(path, [at]);
  }
};
const slow = (_body: string, reply: ServerResponse) => void setTimeout(() => reply.end(), 3000);
const silent = () => undefined;

async function listen(host: string, answer: (body: string, reply: ServerResponse) => void): Promise<string> {
  const server = createServer(async (request, reply) => {
    let body = '';
    try {
      for await (const chunk of request) body += String(chunk);
    } catch {
      return;
    }
    answer(body, reply);
  });
  server.listen(0, host);
  await once(server, 'listening');
  return `${host}:${(server.address() as AddressInfo).port}`;
}

const places: string[] = [];
for (let index = 0; index < subscribers; index += 1)
  places.push(
    await listen(
      `127.0.${1 + Math.floor(index / 250)}.${1 + (index % 250)}`,
      index % 10 < dead ? silent : index % 10 === dead ? slow : prompt,
    ),
  );
print(places);

process.on('message', (committed: readonly (readonly [path: string, at: number])[]) => {
  const latencies = committed.flatMap(([path, at]) => (arrivals.get(path) ?? []).map((one) => one - at));
  latencies.sort((a, b) => a - b);
  const quantile = (share: number) => Math.round(latencies[Math.floor((latencies.length - 1) * share)] ?? -1);
  print({
    ...{ deliveries, octets, told: latencies.length },
    ...{ p50Ms: quantile(0.5), p95Ms: quantile(0.95), p99Ms: quantile(0.99), maxMs: quantile(1) },
  });
});
process.once('disconnect', () => process.exit());
