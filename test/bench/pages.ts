import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../src/cli/demo/free-port.ts';
import { processorSeconds } from './once/load.ts';
import { asUsersDo, firstLine, print, start } from './once/processes.ts';

/**
 * `npm run bench pages [SOURCES] [RECORDS]`: every page that people see, those of the dashboard too, where there are so many sources
 * (1,000) with so many records each (20): its size, how long it takes (the middle of five), and its processor time. Pages are found
 * by following links, and one of each kind is asked for: what is behind a source's or an item's name counts once. Without a search
 * index, which `search` measures.
 */
const [sources = 1000, records = 20] = process.argv.slice(2).map(Number);
const directory = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));
const port = await freePort();
const origin = `http://127.0.0.1:${port}`;
const turns = 5;
let server: ChildProcess | undefined;
try {
  const seeding = start('upstreams/sources-seed', [sources, records, join(directory, 'data', 'rsbridge.db')]);
  const [code] = await once(seeding, 'exit');
  if (code !== 0) throw new Error(`seeding ended with ${code}`);
  const names = Array.from({ length: sources }, (_, index) => `source-${index + 1}`);
  const config = {
    ...{ baseUrl: origin, listen: { port }, search: false, logLevel: 'error' },
    sources: Object.fromEntries(
      names.map((name) => [name, { url: 'http://127.0.0.1:1/oai', schedule: false, fullPass: false }]),
    ),
  };
  writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify(config));
  spawnSync(process.execPath, rsbridge('publish'), { cwd: directory });
  const { stdout } = spawnSync(
    process.execPath,
    rsbridge('admin', 'tokens', 'add', 'bench', '--scope', 'admin', '--json'),
    { cwd: directory, encoding: 'utf8' },
  );
  const { token } = JSON.parse(stdout) as { token: string };
  server = spawn(process.execPath, rsbridge('serve'), {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await firstLine(server);
  await untilQuiet(server.pid ?? 0);
  await measureAll({ accept: 'text/html', authorization: `Bearer ${token}` });
} finally {
  const ended = server && once(server, 'exit');
  server?.kill('SIGTERM');
  await ended;
  rmSync(directory, { recursive: true, force: true });
}

async function measureAll(headers: Readonly<Record<string, string>>): Promise<void> {
  const known = new Set<string>();
  const waiting = ['/', '/about', '/admin', '/source-7/about', '/metrics', '/api/openapi.json'];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (known.has(kindOf(path))) continue;
    known.add(kindOf(path));
    const { body, ...figures } = await measure(path, headers);
    print({ sources, records, path, ...figures });
    const links = body.matchAll(/\bhref="([^"#]+)/g);
    for (const [, href = ''] of links) {
      const url = new URL(href.replaceAll('&amp;', '&'), `${origin}${path}`);
      if (url.origin === origin) waiting.push(`${url.pathname}${url.search}`);
    }
  }
}

async function measure(path: string, headers: Readonly<Record<string, string>>) {
  const times: number[] = [];
  const before = processorSeconds(server?.pid);
  let [body, length, status, kind] = ['', 0, 0, ''];
  for (let turn = 0; turn < turns; turn += 1) {
    const began = performance.now();
    const response = await fetch(`${origin}${path}`, { headers, redirect: 'manual' });
    const bytes = Buffer.from(await response.arrayBuffer());
    times.push(performance.now() - began);
    kind = response.headers.get('content-type')?.split(';')[0] ?? '';
    status = response.status;
    length = bytes.length;
    body = kind === 'text/html' ? bytes.toString() : '';
  }
  const [middle = 0] = times.sort((a, b) => a - b).slice(turns >> 1);
  const processorMs = Math.round(((processorSeconds(server?.pid) - before) / turns) * 1000);
  return { status, kind, bytes: length, ms: Number(middle.toFixed(1)), processorMs, body };
}

/** Pages that differ in a name, a number or an order alone are of one kind. */
function kindOf(path: string): string {
  const [place = '', query = ''] = path.split('?');
  const asked = [...new URLSearchParams(query).keys()].sort().join('&');
  const shape = place
    .replaceAll(/source-\d+/g, 'SOURCE')
    .replaceAll(/oai:[^/]+/g, 'ITEM')
    .replaceAll(/\d+/g, 'N')
    .replace(/^(\/(?:memento|timegate|timemap)\/).*/, '$1');
  return `${shape}?${asked}`;
}

/** Until it has nothing to do for two seconds. */
async function untilQuiet(pid: number): Promise<void> {
  for (let before = -1, now = 0; now - before > 0.1; ) {
    before = processorSeconds(pid);
    await setTimeout(2000);
    now = processorSeconds(pid);
  }
}

function rsbridge(...args: string[]): string[] {
  return asUsersDo(args);
}
