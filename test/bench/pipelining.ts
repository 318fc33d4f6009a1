import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../src/cli/demo/free-port.ts';
import { bin, heapFlags, print } from './once/processes.ts';

/**
 * Many requests at once on connections that end: what the server holds on to afterwards. `npm run bench pipelining
 * [seconds]` attacks a demo of its own on the loopback, in every shape, and prints its descriptors, its memory, and
 * how a proxied file is answered meanwhile. All three stay as they are.
 */
const seconds = Number(process.argv[2] ?? 60);
const [connections, requests] = [8, 20];

const headers = [
  '',
  'If-None-Match: *\r\n',
  'Range: bytes=0-9\r\n',
  'Expect: 100-continue\r\n',
  'Accept-Encoding: gzip\r\n',
];

const ends: readonly ((socket: Socket) => void)[] = [
  (socket) => socket.resetAndDestroy(),
  (socket) => socket.destroy(),
  (socket) => socket.end(),
  (socket) => socket.write('GET / HT'),
  (socket) => socket.write('\u0000\r\n\r\n'),
];

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));
const port = await freePort();
const origin = `http://127.0.0.1:${port}`;
const demo = spawn(
  process.execPath,
  [...heapFlags, bin, 'demo', '--port', String(port), '--data', directory],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
try {
  await once(demo.stdout, 'data');
  await measure();
} finally {
  demo.kill('SIGTERM');
  await Promise.race([once(demo, 'exit'), setTimeout(35_000)]);
  rmSync(directory, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  const list = await (await fetch(`${origin}/sample/resourcelist.xml`)).text();
  const paths = [...list.matchAll(/<loc>https?:\/\/[^/]+(\/[^<]+)/g)].map(([, path = '']) => path);
  const files = paths.filter((path) => path.includes('/files/'));
  const others = ['/sample/resourcelist.xml', '/sample/changelist.xml', '/', '/nothing', '/sample/about'];
  const pool = [...files.slice(0, 40), ...paths.slice(0, 20), ...others];
  const until = Date.now() + seconds * 1000;
  const statuses: Record<string, number> = {};
  let attacks = 0;
  const attackers = Array.from({ length: connections }, async () => {
    for (; Date.now() < until; attacks += 1) await attack(pool);
  });
  const reader = (async () => {
    for (let turn = 0; Date.now() < until; turn += 1) {
      const { status, body } = await fetch(`${origin}${files[turn % files.length]}`);
      await body?.cancel();
      statuses[status] = (statuses[status] ?? 0) + 1;
      await setTimeout(200);
    }
  })();
  for (; Date.now() < until; await setTimeout(Math.min(10_000, seconds * 250))) report(attacks);
  await Promise.all([...attackers, reader]);
  await setTimeout(2000);
  report(attacks);
  print({ what: 'a proxied file meanwhile', statuses });
}

/** Pipelined requests of every kind, then one of the ways to go. */
async function attack(pool: readonly string[]): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  if (Math.random() < 0.5) socket.resume();
  socket.write(Array.from({ length: requests }, () => someRequest(pick(pool))).join(''));
  await setTimeout(Math.random() * 40);
  pick(ends)(socket);
  await setTimeout(10);
  socket.destroy();
}

function someRequest(path: string): string {
  return `${pick(['GET', 'GET', 'GET', 'HEAD'])} ${path} HTTP/1.1\r\nHost: h\r\n${pick(headers)}\r\n`;
}

function pick<Entry>(entries: readonly [Entry, ...Entry[]] | readonly Entry[]): Entry {
  const entry = entries[Math.floor(Math.random() * entries.length)];
  if (entry === undefined) throw new Error('nothing to choose from');
  return entry;
}

function report(attacks: number): void {
  const descriptors = readdirSync(`/proc/${demo.pid}/fd`).length;
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${demo.pid}/status`, 'utf8'))?.[1] ?? 0);
  print({ what: 'pipelining', attacks, descriptors, megabytes: Math.round(kilobytes / 1024) });
}
