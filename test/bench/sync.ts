import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../src/cli/demo/free-port.ts';
import { CopyDatabase } from '../../src/sync/state/copy-database.ts';
import { HeldResources } from '../../src/sync/state/held-resources.ts';
import { untilDescribed } from './once/described.ts';
import { bin, firstLine, heapFlags, print, start } from './once/processes.ts';

/**
 * `npm run bench sync [RESOURCES] [ENTRIES]`: a copy of as many small resources (100,000) of our own Source, on the loopback address, by its list and by its
 * dump, beside resync 2.0.1 where RESYNC_SYNC names its command. Then a copy of ENTRIES (1,000,000) whose list is
 * read with nothing changed, and one whose Source has changed 100 of them. That copy is made by writing its state alone.
 */
const count = Number(process.argv[2] ?? 100_000);
const entries = Number(process.argv[3] ?? 1_000_000);
const resyncSync = process.env.RESYNC_SYNC;
const directory = mkdtempSync(join(process.env.BENCH_DIRECTORY ?? tmpdir(), 'rsbridge-bench-'));
const children: ChildProcess[] = [];

interface Run {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly copied?: { readonly requests: number; readonly updated: number };
}

try {
  if (count > 0) await compareWithResync();
  if (entries > 0) await readLongList();
} finally {
  const ended = children.map((child) => once(child, 'exit'));
  for (const child of children) child.kill('SIGTERM');
  await Promise.race([Promise.all(ended), setTimeout(15_000)]);
  rmSync(directory, { recursive: true, force: true });
}

async function compareWithResync(): Promise<void> {
  const base = await serveSeeded();
  const reference = resyncSync === undefined ? undefined : byResync(resyncSync, `${base}/bench`);
  if (reference === undefined)
    process.stderr.write('RESYNC_SYNC names no resync-sync: no comparison with it\n');
  const ways = [
    { name: 'ours, by list', address: `${base}/bench/lists/capabilitylist.xml`, goal: 5 },
    { name: 'ours, by dump', address: `${base}/bench/capabilitylist.xml`, goal: 20 },
  ];
  for (const { name, address, goal } of ways) {
    const copy = join(directory, name.replace(/\W+/g, '-'));
    const result = await ours([address, copy]);
    const ratio = reference === undefined ? undefined : Number((reference / result.seconds).toFixed(1));
    print({ name, ...result, files: filesBelow(copy), timesResync: ratio, goal });
    rmSync(copy, { recursive: true, force: true });
  }
}

/** @returns the base of a bridge that serves as many resources as a harvest would have left */
async function serveSeeded(): Promise<string> {
  const data = join(directory, 'data');
  await firstLine(start('upstreams/serve-seed', [count, join(directory, 'bench.db')]));
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}/rs`;
  const database = { client: 'sqlite', file: join(directory, 'bench.db') } as const;
  const config = {
    baseUrl,
    database,
    directory: data,
    listen: { port },
    logLevel: 'error',
    sources: { bench: { url: 'http://127.0.0.1:1/oai', schedule: false, fullPass: false, dumps: ['all'] } },
  };
  mkdirSync(data, { recursive: true });
  writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify(config));
  const published = spawnSync(process.execPath, rsbridge('publish', '--json'), { encoding: 'utf8' });
  if (published.status !== 0) throw new Error(`publish ended with ${published.status}: ${published.stderr}`);
  children.push(spawn(process.execPath, rsbridge('serve'), { stdio: ['ignore', 'ignore', 'inherit'] }));
  for (let attempt = 0; attempt < 3_000; attempt += 1) {
    const response = await fetch(`${baseUrl}/bench/capabilitylist.xml`).catch(() => undefined);
    const text = response?.ok ? await response.text() : '';
    if (text.includes('capability="resourcedump"')) {
      // It would take half a core from whoever is measured first.
      await untilDescribed(database);
      return baseUrl;
    }
    await setTimeout(200);
  }
  throw new Error('the bridge does not offer a dump');
}

function rsbridge(...args: string[]): string[] {
  return [...heapFlags, bin, ...args, '--config', join(directory, 'rsbridge.yaml')];
}

/** @returns seconds */
function byResync(command: string, base: string): number {
  const copy = join(directory, 'resync');
  const startedAt = performance.now();
  // The shell says what processor time it took.
  const timed = 'TIMEFORMAT="%U %S"; time "$@" >resync.log 2>&1';
  const { status, stderr } = spawnSync('bash', ['-c', timed, 'bash', command, '--baseline', base, copy], {
    cwd: directory,
    encoding: 'utf8',
  });
  const cpuSeconds = stderr
    .trim()
    .split(/\s+/)
    .map(Number)
    .reduce((sum, part) => sum + part, 0);
  const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(2));
  print({ name: 'resync 2.0.1', seconds, cpuSeconds, status, files: filesBelow(copy) });
  rmSync(copy, { recursive: true, force: true });
  return seconds;
}

async function readLongList(): Promise<void> {
  const lists = join(directory, 'lists');
  const copy = join(directory, 'long');
  mkdirSync(lists);
  const source = start('upstreams/list-source', [entries, lists]);
  children.push(source);
  const base = await firstLine(source);
  seedState(copy, base);
  const address = `${base}/cap.xml`;
  const audit = await ours(['--audit', address, copy]);
  print({ name: `audit of ${entries} entries, nothing changed`, ...audit, asked: await asked(base) });
  await fetch(`${base}/change?100`, { method: 'POST' });
  for (const name of ['incremental, 100 changes', 'incremental, the same again'])
    print({ name, ...(await ours([address, copy])), asked: await asked(base) });
}

async function asked(base: string): Promise<number> {
  return Number(await (await fetch(`${base}/asked`)).text());
}

/** What a baseline would have left of each, without the files. */
function seedState(copy: string, base: string): void {
  const database = CopyDatabase.open(copy);
  const held = new HeldResources(database);
  const at = '2026-11-01T00:00:00Z';
  const { host } = new URL(base);
  for (let number = 0; number < entries; number += 1) {
    const content = `<resource>${number}</resource>\n`;
    held.keep({
      loc: `${base}/r/${number}`,
      path: `${host.replace(':', '%3A')}/r/${number}`,
      sha256: `sha-256:${createHash('sha256').update(content).digest('hex')}`,
      length: content.length,
      ...{ asOf: at, lastmod: at, otherHashes: [], type: 'application/xml', note: undefined },
      ...{ etag: undefined, lastModified: undefined, fetchedAt: at, isProvisional: false },
    });
    database.breathe();
  }
  database.keep('address', `${base}/cap.xml`);
  database.keep('set', `${base}/cap.xml`);
  database.keep('cursor', at);
  database.close();
}

async function ours(args: readonly string[]): Promise<Run> {
  return JSON.parse(await firstLine(start('once/sync-once', args))) as Run;
}

function filesBelow(folder: string): number {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return found.filter(({ parentPath }) => !parentPath.includes('.rsbridge')).length;
}
