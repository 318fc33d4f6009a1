import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createRandom } from '../../../src/core/draws/random.ts';
import { Endpoint } from './endpoint.ts';
import { isThere, planEndpoints } from './plans.ts';

/**
 * All repositories of `aggregator`, in a process of its own: `internet.ts ENDPOINTS RECORDS`. It prints its port, at which
 * each of them answers at an address of its own. `/-/edit?count=100` edits records anywhere, `/-/truth` has a line
 * for each record and file that there is, `/-/edits` one for each edited record, `/-/counts` has how many requests a host had at once.
 */
const [count = 800, records = 400_000] = process.argv.slice(2).map(Number);
const endpoints = new Map(
  planEndpoints(count, records).map((plan) => [plan.host, new Endpoint(plan, () => port)]),
);
const living = [...endpoints.values()].filter(({ plan }) => isThere(plan));
const number = createRandom(7);

/** One machine: a host, or a platform that has the names of several. */
interface Machine {
  readonly limit: number;
  readonly quirk: string;
  open: number;
  most: number;
  requests: number;
}
const machines = new Map<string, Machine>();
let edits = 0;
let port = 0;

function machineOf({ plan }: Endpoint): Machine {
  const name = plan.platform ?? plan.name;
  const machine = machines.get(name) ?? {
    limit: plan.limit,
    quirk: plan.quirk,
    open: 0,
    most: 0,
    requests: 0,
  };
  machines.set(name, machine);
  return machine;
}

function counts(): object {
  const all = [...machines].map(([name, machine]) => ({ name, ...machine }));
  const allowed = [...new Set(all.map(({ limit }) => limit))].sort((a, b) => a - b);
  return {
    requests: all.reduce((sum, { requests }) => sum + requests, 0),
    edits,
    mostAtOnce: Object.fromEntries(
      allowed.map((limit) => [
        `limit ${limit}`,
        Math.max(...all.filter((one) => one.limit === limit).map(({ most }) => most)),
      ]),
    ),
    aboveLimit: all
      .filter(({ most, limit }) => most > limit)
      .map(({ name, quirk, most, limit }) => `${name} (${quirk}): ${most} of ${limit}`),
  };
}

async function control(url: URL, response: ServerResponse): Promise<void> {
  if (url.pathname === '/-/edit') {
    for (let left = Number(url.searchParams.get('count')); left > 0; left -= 1) {
      edits += 1;
      living[Math.floor(number() * living.length)]?.edit(number(), `edit ${edits}`);
    }
    response.end(String(edits));
    return;
  }
  if (url.pathname === '/-/counts') {
    response.end(JSON.stringify(counts()));
    return;
  }
  const isAboutEdits = url.pathname === '/-/edits';
  for (const endpoint of living) {
    let lines = '';
    const told = isAboutEdits ? endpoint.edited() : endpoint.truth();
    for (const [path, what] of told)
      lines += `${path} ${what}${isAboutEdits ? ` ${endpoint.plan.size}` : ''}\n`;
    if (!response.write(lines)) await new Promise((resolve) => response.once('drain', resolve));
  }
  response.end();
}

async function answer(endpoint: Endpoint, url: URL, response: ServerResponse): Promise<void> {
  const { quirk, latencyMs } = endpoint.plan;
  endpoint.asked += 1;
  if (quirk === 'dead') return void response.destroy();
  if (quirk === 'hanging') return;
  await setTimeout(latencyMs);
  if (quirk === 'busy' && endpoint.asked % 7 === 3) {
    response.writeHead(503, { 'retry-after': '1' }).end();
    return;
  }
  if (quirk === 'redirecting' && url.pathname === '/oai') {
    response.writeHead(302, { location: `/oai/request${url.search}` }).end();
    return;
  }
  if (!url.pathname.startsWith('/oai')) {
    const file = endpoint.file(url.pathname);
    response.writeHead(file ? 200 : 404, { 'content-type': 'application/pdf' }).end(file);
    return;
  }
  const text = endpoint.answer(url.searchParams);
  response.setHeader('content-type', 'text/xml; charset=utf-8');
  if (quirk === 'gzipped')
    return void response.setHeader('content-encoding', 'gzip').end(gzipSync(text, { level: 1 }));
  if (quirk !== 'cut' || endpoint.asked % 11 !== 5) return void response.end(text);
  response.setHeader('content-length', Buffer.byteLength(text));
  response.write(text.slice(0, text.length / 2));
  await setTimeout(10);
  response.destroy();
}

const server = createServer((request: IncomingMessage, response) => {
  const host = (request.headers.host ?? '').replace(/:\d+$/, '');
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const endpoint = endpoints.get(host);
  if (!endpoint) return void control(url, response);
  const machine = machineOf(endpoint);
  machine.open += 1;
  machine.requests += 1;
  machine.most = Math.max(machine.most, machine.open);
  response.once('close', () => {
    machine.open -= 1;
  });
  void answer(endpoint, url, response);
});
server.listen(0, '0.0.0.0', () => {
  port = (server.address() as AddressInfo).port;
  process.stdout.write(`${port}\n`);
});
