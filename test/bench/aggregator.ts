import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../src/cli/demo/free-port.ts';
import { accessKeyId, secretAccessKey, startVersitygw, versitygw } from '../house/objects/versitygw.ts';
import { startPostgres } from '../house/postgres/server.ts';
import { planEndpoints } from './aggregator/endpoint.ts';
import { Follower } from './aggregator/follower.ts';
import { processorTime } from './growth/processor-time.ts';
import { firstLine, heapFlags, print, start } from './once/processes.ts';

/**
 * `npm run bench aggregator [ENDPOINTS] [RECORDS] [MINUTES] [EDITS_PER_SECOND]`: a simulated internet of repositories on the
 * loopback network, PostgreSQL, versitygw where it is installed (each 50th record has a file), two processes that work and two
 * that answer. First all is harvested; then records are edited for some minutes, while a client follows `/all`, a working
 * process is killed, and another one stands still for twenty seconds. In the end what the client holds has to be what there
 * is, payload by payload.
 *
 * `npm run bench aggregator -- --rows N`: what each operation costs in a store of N resources beside one of 100,000, both on
 * PostgreSQL; that is `growth` with these sizes.
 */
const rows = process.argv.indexOf('--rows') + 1;
if (rows > 0) {
  const growth = join(import.meta.dirname, `growth${extname(import.meta.filename)}`);
  const sizes = ['100000', process.argv[rows] ?? '10000000'];
  const { status } = spawnSync(process.execPath, [growth, ...sizes, 'pg'], { stdio: 'inherit' });
  process.exit(status ?? 1);
}
const [endpoints = 800, records = 400_000, minutes = 5, perSecond = 20] = process.argv.slice(2).map(Number);
const plans = planEndpoints(endpoints, records);
const directory = await mkdtemp(join(tmpdir(), 'rsbridge-aggregator-'));
const bin = join(import.meta.dirname, '..', '..', 'src', 'cli', `bin${extname(import.meta.filename)}`);
const internet = start('aggregator/internet', [endpoints, records]);
const upstream = await firstLine(internet);
const objects = versitygw ? await startVersitygw() : undefined;
const postgres = await startPostgres({ shared_buffers: '256MB', max_connections: 200 });
const database = new pg.Pool({ connectionString: postgres.url, max: 2 });
// It is stopped before what waits for it.
database.on('error', () => undefined);
const [port, second, ...health] = [await freePort(), await freePort(), await freePort(), await freePort()];
const base = `http://127.0.0.1:${port}`;
const running = new Map<string, ChildProcess>();
const rss = new Map<string, number>();

await writeFile(
  join(directory, 'rsbridge.yaml'),
  JSON.stringify({
    baseUrl: base,
    database: { client: 'pg', url: postgres.url },
    logLevel: 'warn',
    ...(objects && {
      storage: { s3: { endpoint: objects.endpoint, bucket: objects.bucket }, files: 's3' },
    }),
    groups: { all: { schedule: '* * * * *', files: { mode: 'mirror' }, requestsPerHost: 2 } },
    sources: Object.fromEntries(
      plans.map(({ name, host }) => [name, { url: `http://${host}:${upstream}/oai`, group: 'all' }]),
    ),
    sets: { all: {} },
  }),
);

function run(name: string, role: 'work' | 'web', listen: number): void {
  const child = spawn(
    process.execPath,
    [...heapFlags, bin, 'serve', '--role', role, '--port', String(listen), '--json'],
    {
      cwd: directory,
      env: { ...process.env, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  process.once('exit', () => child.kill('SIGKILL'));
  running.set(name, child);
}

async function lookAtMemory(): Promise<void> {
  for (const [name, { pid }] of running) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const peak = Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    rss.set(name, Math.max(rss.get(name) ?? 0, peak));
  }
}

function control(path: string): Promise<string> {
  return fetch(`http://127.0.0.1:${upstream}/-/${path}`).then((response) => response.text());
}

async function linesOf(path: string): Promise<readonly (readonly string[])[]> {
  const lines = (await control(path)).split('\n');
  return lines.filter((line) => line !== '').map((line) => line.split(' '));
}

/** Of the last edit of each record, by the size of its repository; each is harvested once a minute. */
async function secondsFromEditToClient({ met }: Follower): Promise<object> {
  const classes = new Map<string, number[]>([
    ['below100', []],
    ['below1000', []],
    ['more', []],
  ]);
  for (const [path = '', milliseconds, records] of await linesOf('edits')) {
    const at = met.get(path);
    if (at === undefined) continue;
    const size = Number(records);
    const name = size < 100 ? 'below100' : size < 1000 ? 'below1000' : 'more';
    classes.get(name)?.push(Math.round((at - Number(milliseconds)) / 100) / 10);
  }
  return Object.fromEntries([...classes].map(([name, values]) => [name, percentiles(values)]));
}

async function one(sql: string): Promise<number> {
  return Number(Object.values((await database.query(sql)).rows[0] ?? {})[0] ?? 0);
}

async function until(what: string, seconds: number, isSo: () => Promise<boolean>): Promise<number> {
  const began = performance.now();
  while (!(await isSo().catch(() => false))) {
    if (performance.now() - began > seconds * 1000) throw new Error(`${what}: not within ${seconds} s`);
    await lookAtMemory();
    await setTimeout(1000);
  }
  return Math.round((performance.now() - began) / 100) / 10;
}

/** All of the four processes, and PostgreSQL's, in seconds. */
function processorSeconds(): number {
  return [...running.values()].reduce((sum, { pid }) => sum + processorTime(pid ?? 0), 0) / 1000;
}

function percentiles(values: readonly number[]): object {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), most: sorted.at(-1) };
}

const expected = plans.filter(({ quirk }) => quirk !== 'dead' && quirk !== 'hanging');
const statements = () =>
  one('select xact_commit + xact_rollback from pg_stat_database where datname = current_database()');
try {
  run('work 1', 'work', health[0] ?? 0);
  await until('the database', 60, async () => (await one('select count(*) from source')) >= 0);
  run('work 2', 'work', health[1] ?? 0);
  run('web 1', 'web', port);
  run('web 2', 'web', second);
  const harvested = await until('the first harvest', 3600, async () => {
    const done = await one('select count(*) from source where as_of is not null');
    return done >= expected.length;
  });
  const total = expected.reduce((sum, { size }) => sum + size, 0);
  print({
    phase: 'first harvest',
    endpoints,
    records: total,
    seconds: harvested,
    recordsPerSecond: Math.round(total / harvested),
    processorSeconds: processorSeconds(),
    transactions: await statements(),
    ...JSON.parse(await control('counts')),
  });
  const follower = new Follower(base);
  const first = (await linesOf('truth')).length;
  const listed = await until('/all', 1800, async () => {
    if (follower.holds.size === 0) await follower.baseline();
    else await follower.follow();
    return follower.holds.size >= first;
  });
  follower.lateness.length = 0;
  follower.met.clear();
  print({ phase: 'the list of all', seconds: listed, entries: follower.holds.size });

  const [cpu, before, began] = [processorSeconds(), await statements(), performance.now()];
  let killedAfter = 0;
  for (let second = 0; second < minutes * 60; second += 1) {
    await control(`edit?count=${perSecond}`);
    if (second === 30) {
      killedAfter = processorTime(running.get('work 1')?.pid ?? 0) / 1000;
      running.get('work 1')?.kill('SIGKILL');
    }
    if (second === 45) run('work 1', 'work', health[0] ?? 0);
    if (second === 70) running.get('work 2')?.kill('SIGSTOP');
    if (second === 90) running.get('work 2')?.kill('SIGCONT');
    if (second % 2 === 0) await follower.follow().catch(() => 0);
    await lookAtMemory();
    await setTimeout(Math.max(0, began + (second + 1) * 1000 - performance.now()));
  }
  const edits = minutes * 60 * perSecond;
  const spent = processorSeconds() + killedAfter - cpu;
  const elapsed = (performance.now() - began) / 1000;
  print({
    phase: 'edits',
    edits,
    processorSecondsPer1000: Math.round((spent / edits) * 1e5) / 100,
    transactionsPerSecond: Math.round(((await statements()) - before) / elapsed),
    secondsFromListToClient: percentiles(follower.lateness),
    ...JSON.parse(await control('counts')),
  });

  let difference = -1;
  const truth = new Map((await linesOf('truth')) as readonly [string, string][]);
  const level = await until('the same as upstream', 600, async () => {
    await follower.follow();
    const wrong = [...truth].filter(([path, hash]) => follower.holds.get(path) !== hash);
    difference = wrong.length + Math.max(0, follower.holds.size - truth.size);
    return difference === 0;
  }).catch(() => -1);
  print({ phase: 'lateness', ...(await secondsFromEditToClient(follower)) });
  print({ phase: 'truth', holds: follower.holds.size, truth: truth.size, difference, seconds: level });
  const sizes = await database.query(
    `select coalesce(parent.relname, class.relname) as name, sum(pg_total_relation_size(class.oid)) as bytes
    from pg_class class left join pg_inherits on inhrelid = class.oid left join pg_class parent on parent.oid = inhparent
    where class.relkind = 'r' and class.relnamespace = 'public'::regnamespace group by 1 order by 2 desc limit 8`,
  );
  print({
    phase: 'in the end',
    peakRssMB: Object.fromEntries(rss),
    megabytesByTable: Object.fromEntries(
      sizes.rows.map(({ name, bytes }) => [name, Math.round(bytes / 1e6)]),
    ),
  });
  if (difference !== 0) process.exitCode = 1;
} finally {
  for (const child of running.values()) child.kill('SIGKILL');
  internet.kill('SIGKILL');
  await database.end();
  await postgres.stop();
  await objects?.close();
  await rm(directory, { recursive: true, force: true });
}
