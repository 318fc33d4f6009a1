import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import autocannon from 'autocannon';
import { Agent, request } from 'undici';
import { freePort } from '../../src/cli/demo/free-port.ts';
import { bin, heapFlags, print } from './once/processes.ts';

/**
 * Readers of every kind on a demo that edits itself every second: `npm run bench load [SECONDS] [CONNECTIONS]`.
 * Lists, items, files, mementos, TimeMaps, TimeGates, packages; with conditions, ranges and HEAD, given up in the
 * middle, and pipelined. Counts every answer 5xx by its kind, and shows descriptors, memory, and how late the readiness
 * report comes, during the load and after it.
 */
const seconds = Number(process.argv[2] ?? 120);
const connections = Number(process.argv[3] ?? 40);
const directory = mkdtempSync(join(tmpdir(), 'rsbridge-load-'));
const port = await freePort();
const origin = `http://127.0.0.1:${port}`;
const flags = ['--port', String(port), '--data', directory, '--edit-every', '1'];
const demo = spawn(process.execPath, [...heapFlags, bin, 'demo', ...flags], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const agent = new Agent({ connections, pipelining: 1 });
const statuses: Record<string, number> = {};
const failures: Record<string, { count: number; path: string; body: string }> = {};

try {
  await once(demo.stdout, 'data');
  report('before');
  await measure();
} finally {
  demo.kill('SIGTERM');
  await Promise.race([once(demo, 'exit'), setTimeout(35_000)]);
  await agent.destroy();
  rmSync(directory, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  const half = Date.now() + seconds * 500;
  const until = Date.now() + seconds * 1000;
  let pool = await paths();
  const renewal = (async () => {
    for (; Date.now() < until; await setTimeout(15_000)) pool = await paths().catch(() => pool);
  })();
  const readers = Array.from({ length: connections }, async () => {
    while (Date.now() < until) await read(pick(pool)).catch(() => count('given up', '', ''));
  });
  const pipelines = Array.from({ length: 2 }, async () => {
    for (; Date.now() < until; await setTimeout(20)) await pipeline(pool);
  });
  for (; Date.now() < half; await setTimeout(10_000)) await watch();
  const cannon = await autocannon({
    url: origin,
    connections: 20,
    duration: Math.max(1, Math.round((until - Date.now()) / 1000)),
    requests: Array.from({ length: 200 }, () => ({
      path: pick(pool),
      headers: { accept: 'text/html;q=0.1, */*' },
    })),
  });
  await Promise.all([...readers, ...pipelines, renewal]);
  print({ what: 'autocannon', total: cannon.requests.total, '5xx': cannon['5xx'], errors: cannon.errors });
  print({ what: 'statuses', ...statuses });
  for (const [kind, failure] of Object.entries(failures)) print({ kind, ...failure });
  await agent.close();
  await setTimeout(15_000);
  await watch();
}

async function paths(): Promise<readonly string[]> {
  const text = async (path: string) => (await request(origin + path, { dispatcher: agent })).body.text();
  const lists = ['/sample/resourcelist.xml', '/sample/changelist.xml', '/sample/changelist-index.xml'];
  lists.push('/sample/metadata/resourcedump.xml', '/sample/metadata/changedump.xml');
  lists.push('/sample/capabilitylist.xml', '/.well-known/resourcesync');
  const found = new Set([...lists, '/', '/sample/about', '/about', '/metrics', '/readyz', '/nothing']);
  const hosts = /^https?:\/\/[^/]+/;
  const local = (url: string) => url.replaceAll('&amp;', '&').replace(hosts, '');
  for (const list of lists) {
    const written = await text(list);
    const named = [...written.matchAll(/<loc>([^<]+)|href="([^"]+)"/g)].map(
      ([, loc, href]) => loc ?? href ?? '',
    );
    for (const url of named) if (url.includes(`:${port}/`)) found.add(local(url));
  }
  const urls = [...found].filter((path) => path.startsWith('/'));
  const mementos: string[] = [];
  for (const path of urls.filter((one) => one.startsWith('/timemap/link/')).slice(-20)) {
    for (const [, url = ''] of (await text(path)).matchAll(/<([^>]+)>/g)) mementos.push(local(url));
  }
  return [...urls, ...mementos.filter((path) => path.startsWith('/'))];
}

async function read(path: string): Promise<void> {
  const chance = Math.random();
  const method = chance < 0.1 ? 'HEAD' : 'GET';
  // A reader that the demo does not hold still for.
  const headers: Record<string, string> = { accept: 'text/html;q=0.1, */*' };
  if (chance > 0.5 && chance < 0.6) headers.range = 'bytes=0-99';
  if (chance > 0.6 && chance < 0.7) headers['if-none-match'] = '*';
  if (chance > 0.7 && chance < 0.8) headers['accept-encoding'] = 'gzip';
  if (chance > 0.8 && chance < 0.9) headers['if-modified-since'] = new Date().toUTCString();
  if (path.startsWith('/timegate/')) headers['accept-datetime'] = new Date(Date.now() - 60_000).toUTCString();
  const stop = new AbortController();
  const { statusCode, body } = await request(origin + path, {
    method,
    headers,
    dispatcher: agent,
    signal: stop.signal,
  });
  if (chance > 0.9 && chance < 0.97) {
    count('aborted', path, '');
    body.on('error', () => undefined);
    stop.abort();
    return;
  }
  if (statusCode >= 500) count(String(statusCode), path, await body.text());
  else {
    count(String(statusCode), path, '');
    await body.dump({ limit: 2 ** 30, signal: stop.signal });
  }
}

async function pipeline(pool: readonly string[]): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  let answered = '';
  if (Math.random() < 0.7) {
    socket.on('data', (chunk: Buffer) => {
      answered += chunk.toString('latin1');
    });
  }
  socket.write(
    Array.from(
      { length: 10 },
      () => `GET ${pick(pool)} HTTP/1.1\r\nHost: h\r\nAccept: text/html;q=0.1, */*\r\n\r\n`,
    ).join(''),
  );
  await setTimeout(Math.random() * 300);
  for (const [, status = '', reason = ''] of answered.matchAll(/HTTP\/1\.1 (5\d\d)([^{]*\{[^}]*\})/g)) {
    count(status, 'pipelined', reason.slice(-600));
  }
  socket.destroy();
}

function count(status: string, path: string, body: string): void {
  statuses[status] = (statuses[status] ?? 0) + 1;
  if (!status.startsWith('5')) return;
  const [, code = '?'] = /"code": "([^"]+)/.exec(body) ?? [];
  const [, detail = ''] = /"detail": "([^"]*)/.exec(body) ?? [];
  const kind = `${status} ${code} ${detail.replace(/[0-9a-f-]{6,}|\d+/g, '#').slice(0, 100)} ${kindOf(path)}`;
  const known = failures[kind];
  if (known) known.count += 1;
  else failures[kind] = { count: 1, path, body: body.slice(0, 600) };
}

function kindOf(path: string): string {
  return path
    .replace(/items\/[^/]+/, 'items/#')
    .replace(/files\/.*/, 'files/#')
    .replace(/\d+/g, '#')
    .slice(0, 70);
}

async function watch(): Promise<void> {
  const from = performance.now();
  await request(`${origin}/livez`).then(
    ({ body }) => body.dump(),
    () => undefined,
  );
  report(`livez in ${Math.round(performance.now() - from)} ms`);
}

function report(what: string): void {
  const of = (name: string) =>
    Math.round(
      Number(
        new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${demo.pid}/status`, 'utf8'))?.[1] ?? 0,
      ) / 1024,
    );
  const descriptors = readdirSync(`/proc/${demo.pid}/fd`).length;
  const answers = Object.values(statuses).reduce((sum, one) => sum + one, 0);
  print({ what, answers, descriptors, megabytes: of('VmRSS'), peak: of('VmHWM') });
}

function pick(entries: readonly string[]): string {
  return entries[Math.floor(Math.random() * entries.length)] ?? '/';
}
