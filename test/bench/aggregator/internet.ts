import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Endpoint, numbersFrom, planEndpoints } from './endpoint.ts';

/**
 * All repositories of `aggregator`, in a process of its own: `internet.ts ENDPOINTS RECORDS`. It prints its port, at which
 * each of them answers at an address of its own. `POST /-/edit?count=100` edits records anywhere, `GET /-/truth` has a line
 * for each record and file that there is, `GET /-/edits` one for each edited record, `GET /-/counts` has how many requests a host had at once.
 */
const [count = 800, records = 400_000] = process.argv.slice(2).map(Number);
const endpoints = new Map(
  planEndpoints(count, records).map((plan) => [plan.host, new Endpoint(plan, () => port)]),
);
const living = [...endpoints.values()].filter(
  ({ plan }) => plan.quirk !== 'dead' && plan.quirk !== 'hanging',
);
const number = numbersFrom(7);
const open = new Map<string, number>();
const most = new Map<string, number>();
let edits = 0;
let port = 0;

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
    const requests = [...endpoints.values()].reduce((sum, { asked }) => sum + asked, 0);
    response.end(JSON.stringify({ mostAtOneHost: Math.max(0, ...most.values()), requests, edits }));
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
  if (url.pathname !== '/oai') {
    const file = endpoint.file(url.pathname);
    response.writeHead(file ? 200 : 404, { 'content-type': 'application/pdf' }).end(file);
    return;
  }
  const text = endpoint.answer(url.searchParams);
  response.setHeader('content-type', 'text/xml; charset=utf-8');
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
  const now = (open.get(host) ?? 0) + 1;
  open.set(host, now);
  most.set(host, Math.max(most.get(host) ?? 0, now));
  response.once('close', () => open.set(host, (open.get(host) ?? 1) - 1));
  void answer(endpoint, url, response);
});
server.listen(0, '0.0.0.0', () => {
  port = (server.address() as AddressInfo).port;
  process.stdout.write(`${port}\n`);
});
