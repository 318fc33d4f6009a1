import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../src/cli/demo/free-port.ts';
import type { DatabaseConfig } from '../../src/core/config/config.ts';
import { startPostgres } from '../house/postgres/server.ts';
import { postmasterOf, processorTime } from './growth/processor-time.ts';
import { untilDescribed } from './once/described.ts';
import { eventLoop, type LoadSettings, load, megabytes, processorSeconds } from './once/load.ts';
import { type PacedResult, type PacedSettings, pacedLoad } from './once/paced-load.ts';
import { asUsersDo, firstLine, print, start } from './once/processes.ts';

/**
 * How many requests a second are answered, by us from the database and by nginx from the files that
 * `rsbridge export` wrote of the same publication: `npm run bench serve [resources] [seconds] [pg]`. nginx is taken
 * from PATH or NGINX; without it ours are measured alone. Beside them a bare route of Fastify is asked by the same client,
 * which is the limit of whatever is built upon it, and ours runs as one process and as two. What comes evenly at 70 % of our most comes
 * to that route, too, and to one that is as busy as ours: what it takes there is the client and the machine. All on the loopback; the long list is asked for by few
 * at a time, because the client, which reads every byte, would be the bottleneck. Resources and TimeGates are asked for
 * twice: all of them in turn, which are more than the memory for answers holds (from 20,000 on, for each process), and
 * a few again and again. Nothing is asked for before the search index is filled: that takes a core for a minute, once.
 * With `pg` what is stored is in PostgreSQL; then the processor time of a request has that of the database beside it.
 */
const isPostgres = process.argv.includes('pg');
const [count = 60_000, duration = 10] = process.argv
  .slice(2)
  .map(Number)
  .filter((size) => size > 0);
const [many, few] = [50, 4];
/** Of what comes at an even pace. */
const turns = 3;
const largeFile = 'bench/items/oai:repo.example.org:2324~2F0/files/1/large.bin';

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));
const postgres = isPostgres ? await startPostgres() : undefined;
const database: DatabaseConfig = postgres
  ? { client: 'pg', url: postgres.url, poolSize: 10 }
  : { client: 'sqlite', file: join(directory, 'bench.db') };
const postmaster = postgres && (await postmasterOf(postgres.url));
const children: ChildProcess[] = [];
try {
  await measure();
} finally {
  const ended = children.map((child) => once(child, 'exit'));
  for (const child of children) child.kill('SIGTERM');
  await Promise.race([Promise.all(ended), setTimeout(15_000)]);
  await postgres?.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  await firstLine(start('upstreams/serve-seed', [count, JSON.stringify(database), join(directory, 'data')]));
  const [port, nginxPort] = [await freePort(), await freePort()];
  const quiet = { schedule: false, fullPass: false, dumps: [] } as const;
  // In other modes nothing that is kept is handed out unasked.
  const bench = { url: 'http://127.0.0.1:1/oai', ...quiet, files: { mode: 'mirror' } } as const;
  const config = {
    baseUrl: 'https://repo.example.org/rs',
    database,
    directory: join(directory, 'data'),
    listen: { port },
    logLevel: 'error',
    sources: { bench },
  };
  writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify(config));
  const site = join(directory, 'www', 'rs');
  for (const what of ['first', 'second']) {
    const report = JSON.parse(
      spawnSync(process.execPath, rsbridge('export', site, '--json')).stdout.toString(),
    );
    print({
      what: `${what} export`,
      filesPerSecond: Math.round((report.written / report.ms) * 1000),
      ...report,
    });
  }
  const hasNginx = await startNginx(nginxPort);
  const bare = start('once/bare-server', [1200]);
  children.push(bare);
  const barePort = Number(await firstLine(bare));
  for (const processes of [1, 2])
    await measureServer(processes, { port, barePort, bare, hasNginx, nginxPort, site });
}

interface Servers {
  readonly port: number;
  readonly barePort: number;
  readonly bare: ChildProcess;
  readonly hasNginx: boolean;
  readonly nginxPort: number;
  readonly site: string;
}

async function measureServer(processes: number, servers: Servers): Promise<void> {
  const { port, barePort, bare, hasNginx, nginxPort, site } = servers;
  const server = spawn(process.execPath, rsbridge('serve', '--processes', String(processes)), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(server);
  await firstLine(server);
  await untilDescribed(database);
  const gzip = { 'accept-encoding': 'gzip' };
  const capabilities = '/rs/bench/capabilitylist.xml';
  const known = await fetch(`http://127.0.0.1:${port}${capabilities}`, { headers: gzip });
  const etag = known.headers.get('etag') ?? '';
  await known.arrayBuffer();
  const list = /<loc>https:\/\/[^/]+(\/[^<]+\/0001\.xml)/.exec(
    readFileSync(`${site}/bench/resourcelist.xml`, 'utf8'),
  );
  const part = list?.[1] ?? '/rs/bench/resourcelist.xml';
  const all = shuffled(count).map((number) => ({
    path: `/rs/bench/items/oai:repo.example.org:2324~2F${number}/oai_dc.xml`,
  }));
  const allTimeGates = all.map(({ path }) => ({
    path: `/rs/timegate/https://repo.example.org${path}`,
    headers: { 'accept-datetime': new Date(Date.UTC(2026, 10, 22) + Math.random() * 1e10).toUTCString() },
  }));
  const [resources, timeGates] = [all.slice(0, 2000), allTimeGates.slice(0, 2000)];
  const kinds: readonly (Omit<LoadSettings, 'seconds'> & {
    readonly what: string;
    readonly isPaced?: boolean;
  })[] = [
    { what: 'a file of 50 MB', connections: few, requests: [{ path: `/rs/${largeFile}` }] },
    { what: 'a list of 50,000 entries', connections: few, requests: [{ path: part }] },
    { what: 'a list of 50,000 entries, gzip', connections: few, requests: [{ path: part, headers: gzip }] },
    { what: 'capabilitylist.xml', connections: many, requests: [{ path: capabilities }] },
    {
      what: 'capabilitylist.xml, gzip',
      connections: many,
      requests: [{ path: capabilities, headers: gzip }],
    },
    {
      ...{ what: 'capabilitylist.xml, not modified', connections: many, expect: 304 },
      requests: [{ path: capabilities, headers: { ...gzip, 'if-none-match': etag } }],
    },
    {
      ...{ what: 'random resources, first requests', connections: many, apart: true, isPaced: true },
      requests: all,
    },
    {
      ...{ what: 'random resources, repeated', connections: many, isPaced: true },
      requests: resources,
    },
    {
      ...{ what: 'TimeGates, first requests', connections: many, apart: true, isPaced: true },
      ...{ requests: allTimeGates, expect: 302 },
    },
    {
      ...{ what: 'TimeGates, repeated', connections: many, isPaced: true },
      ...{ requests: timeGates, expect: 302 },
    },
  ];
  // Code that runs for the first time is compiled.
  for (const { what: _, isPaced: __, ...settings } of kinds.slice(3))
    await load(port, { ...settings, seconds: 2 });
  const askBare = () => measured(barePort, bare, { connections: many, requests: resources });
  let limit = await askBare();
  print({ what: 'a bare route of Fastify', processes: 1, ...limit });
  for (const { what, isPaced, ...settings } of kinds) {
    const ours = await measured(port, server, settings);
    // The speed of a machine changes: the limit is what the route had before and has behind.
    const before = limit;
    if (settings.connections === many) limit = await askBare();
    const barePerSecond = Math.round((before.perSecond + limit.perSecond) / 2);
    const isForNginx = hasNginx && settings.expect === undefined;
    const nginx = isForNginx ? await load(nginxPort, { ...settings, seconds: duration }) : undefined;
    const ratio = (other?: number) => other && Number((ours.perSecond / other).toFixed(2));
    const ratios = { toNginx: ratio(nginx?.perSecond), toBare: ratio(barePerSecond), barePerSecond };
    print({ what, processes, ...ours, nginxPerSecond: nginx?.perSecond, ...ratios });
    if (!isPaced) continue;
    const paced = { ...settings, seconds: duration, rate: Math.max(1, Math.floor(ours.perSecond * 0.7)) };
    const busy = Math.max(0, ours.processorMicroseconds - limit.processorMicroseconds);
    print({
      what: `${what}, at 70 % of that`,
      processes,
      ...(await inTurns({ port, barePort, bare, busy }, paced)),
    });
  }
  print({ what: 'in all', processes, megabytes: megabytes(server.pid), eventLoopMs: await eventLoop(port) });
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
}

/**
 * What comes evenly, to ours, to the bare route, and to a bare route that is busy for as long with each request as ours is: where that
 * takes long, it is the machine that stands still. Of the turns the one in the middle, and the percentiles of each.
 */
async function inTurns(
  { port, barePort, bare, busy }: Pick<Servers, 'port' | 'barePort' | 'bare'> & { readonly busy: number },
  paced: PacedSettings,
) {
  const [ours, bares, busies]: [PacedResult[], PacedResult[], PacedResult[]] = [[], [], []];
  const ofBare = { ...paced, expect: 200 };
  for (let turn = 0; turn < turns; turn += 1) {
    ours.push(await pacedLoad(port, paced));
    bares.push(await pacedLoad(barePort, ofBare));
    bare.send(busy);
    busies.push(await pacedLoad(barePort, ofBare));
    bare.send(0);
  }
  const percentiles = (results: readonly PacedResult[]) => results.map(({ p99 }) => p99);
  const { p50: bareP50, p99: bareP99, client: bareClient } = middle(bares);
  const { p50: busyP50, p99: busyP99 } = middle(busies);
  return {
    ...middle(ours),
    ...{ p99s: percentiles(ours), bareP50, bareP99, bareClient },
    ...{ busy, busyP50, busyP99, busyP99s: percentiles(busies) },
  };
}

function middle(results: readonly PacedResult[]): PacedResult {
  const one = [...results].sort((a, b) => a.p99 - b.p99)[Math.floor(results.length / 2)];
  if (!one) throw new Error(`${results.length} turns have none in the middle`);
  return one;
}

/** All numbers below `length`, each once. */
function shuffled(length: number): readonly number[] {
  return Array.from({ length }, (_, number) => ({ number, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ number }) => number);
}

/** With the processor time of each request, of all processes of the server together. */
async function measured(port: number, { pid }: ChildProcess, settings: Omit<LoadSettings, 'seconds'>) {
  const ofDatabase = () => (postmaster === undefined ? 0 : processorTime(postmaster) / 1000);
  const [before, since] = [processorSeconds(pid), ofDatabase()];
  const { total, ...result } = await load(port, { ...settings, seconds: duration });
  const each = (seconds: number) => Math.round((seconds / Math.max(1, total)) * 1e6);
  return {
    ...result,
    processorMicroseconds: each(processorSeconds(pid) - before),
    ...(postgres && { databaseMicroseconds: each(ofDatabase() - since) }),
  };
}

function rsbridge(...args: string[]): string[] {
  return [...asUsersDo(args), '--config', join(directory, 'rsbridge.yaml')];
}

/** The documented configuration. @returns whether there is an nginx */
async function startNginx(port: number): Promise<boolean> {
  const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'].map((place) =>
    join(place, 'nginx'),
  );
  const nginx = [process.env.NGINX, ...places].find((file) => file && spawnSync(file, ['-v']).status === 0);
  if (!nginx) {
    process.stderr.write('nginx is neither in PATH nor in NGINX: no ratio\n');
    return false;
  }
  const place = join(directory, 'nginx');
  mkdirSync(place);
  const site = readFileSync(join(process.cwd(), 'docs', 'nginx.conf'), 'utf8')
    .replace('listen 80;', `listen 127.0.0.1:${port};`)
    .replaceAll('/srv/www', join(directory, 'www'));
  writeFileSync(join(place, 'mime.types'), 'types { application/pdf pdf; }');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${place}/${name};`,
  );
  writeFileSync(
    join(place, 'nginx.conf'),
    `daemon off; worker_processes auto; pid ${place}/pid; error_log stderr crit;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http { sendfile on; tcp_nopush on; access_log off; ${paths.join(' ')}
${site}
}`,
  );
  const child = spawn(nginx, ['-p', place, '-c', join(place, 'nginx.conf'), '-e', 'stderr'], {
    stdio: 'inherit',
  });
  children.push(child);
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (await fetch(`http://127.0.0.1:${port}/rs/robots.txt`).catch(() => undefined)) return true;
    await setTimeout(50);
  }
  throw new Error('nginx does not answer');
}
