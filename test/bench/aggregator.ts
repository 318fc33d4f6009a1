import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { Faults } from './aggregator/faults.ts';
import { bySize, percentiles, rounded } from './aggregator/figures.ts';
import { Follower } from './aggregator/follower.ts';
import { Installation, names } from './aggregator/installation.ts';
import { isThere, planEndpoints } from './aggregator/plans.ts';
import { Sampler } from './aggregator/sampler.ts';
import { Statements } from './aggregator/statements.ts';
import { wrongInChangeLists, wrongInJournals, wrongPayloads } from './aggregator/truth.ts';
import { firstLine, print, start } from './once/processes.ts';

/**
 * `npm run bench aggregator [ENDPOINTS] [RECORDS] [MINUTES] [EDITS_PER_SECOND] [PERIOD_MINUTES]`: a simulated internet of
 * repositories on the loopback network, PostgreSQL, versitygw where it is installed (each 50th record has a file, and all documents
 * go there), two processes that work and two that answer. First all is harvested; then nothing happens for a period; then records are
 * edited for so many minutes, in whose second half one fault follows the other, while a client follows `/all`. In the
 * end what the client holds, and what is served, has to be what there is, payload by payload; exit code 1 where it is not.
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
const [endpoints = 800, records = 400_000, minutes = 24, perSecond = 10, periodMinutes = 3] = process.argv
  .slice(2)
  .map(Number);
const patienceSeconds = 7200;
const plans = planEndpoints(endpoints, records);
const there = plans.filter(isThere);
const directory = await mkdtemp(join(tmpdir(), 'rsbridge-aggregator-'));
const internet = start('aggregator/internet', [endpoints, records]);
const upstream = await firstLine(internet);
const installation = await Installation.start(directory);
const [first = '', second = ''] = installation.bases;
const statements = new Statements(installation);
const follower = new Follower(installation.bases);
let isWrong = false;
// What it started ends with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

function say(phase: string, what: object): void {
  print({ phase, ...what, load: loadavg().map(Math.round).join(' ') });
}

function control(path: string): Promise<string> {
  return fetch(`http://127.0.0.1:${upstream}/-/${path}`).then((response) => response.text());
}

async function linesOf(path: string): Promise<readonly (readonly string[])[]> {
  const lines = (await control(path)).split('\n');
  return lines.filter((line) => line !== '').map((line) => line.split(' '));
}

async function truthNow(): Promise<ReadonlyMap<string, string>> {
  return new Map((await linesOf('truth')) as readonly [string, string][]);
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<number> {
  const began = performance.now();
  while (!(await isSo().catch(() => false))) {
    if (performance.now() - began > patienceSeconds * 1000)
      throw new Error(`${what}: not within ${patienceSeconds} s`);
    await installation.lookAtProcesses();
    await setTimeout(1000);
  }
  return rounded((performance.now() - began) / 1000);
}

async function countWrong(): Promise<number> {
  const truth = await truthNow();
  const wrong = [...truth].filter(([path, hash]) => follower.holds.get(path) !== hash);
  return wrong.length + Math.max(0, follower.holds.size - truth.size);
}

function untilLevel(): Promise<number> {
  return until('the client has what there is', async () => {
    await follower.follow();
    return (await countWrong()) === 0;
  });
}

/** Calls it once a second for so long. */
async function eachSecond(seconds: number, work: (second: number) => Promise<void>): Promise<void> {
  const began = performance.now();
  for (let passed = 0; passed < seconds; passed = Math.floor((performance.now() - began) / 1000)) {
    await work(passed);
    await installation.lookAtProcesses();
    const next = Math.floor((performance.now() - began) / 1000) + 1;
    await setTimeout(began + next * 1000 - performance.now());
  }
}

/** Seconds from the last edit of each record to the client, of those edited since. */
async function lateness(since: number): Promise<object> {
  const values: (readonly [number, number])[] = [];
  for (const [path = '', milliseconds, records] of await linesOf('edits')) {
    const at = follower.met.get(path);
    if (at === undefined || Number(milliseconds) < since) continue;
    values.push([Number(records), rounded((at - Number(milliseconds)) / 1000)]);
  }
  return { periodSeconds: periodMinutes * 60, ...bySize(values) };
}

async function harvestAll(): Promise<void> {
  installation.run('work 1');
  await until('the database', async () => (await installation.one('select count(*) from source')) >= 0);
  for (const name of names.slice(1)) installation.run(name);
  const seconds = await until('the first harvest', async () => {
    const done = await installation.one('select count(*) from source where as_of is not null');
    return done >= there.length;
  });
  const total = there.reduce((sum, { size }) => sum + size, 0);
  say('first harvest', {
    endpoints,
    records: total,
    largest: Math.max(...there.map(({ size }) => size)),
    seconds,
    recordsPerSecond: Math.round(total / seconds),
    processorSeconds: installation.processorSeconds(),
    databaseSeconds: installation.databaseSeconds(),
    ...JSON.parse(await control('counts')),
  });
  say('the client has all', { seconds: await untilLevel(), holds: follower.holds.size });
}

async function rest(): Promise<void> {
  await setTimeout(periodMinutes * 60_000);
  await statements.begin();
  const [cpu, database] = [installation.processorSeconds(), installation.databaseSeconds()];
  const asked = JSON.parse(await control('counts')).requests;
  const seconds = periodMinutes * 60;
  await eachSecond(seconds, async () => undefined);
  say('nothing happens', {
    seconds,
    requests: JSON.parse(await control('counts')).requests - asked,
    statementsPerSecond: rounded((await statements.count()) / seconds),
    processorSecondsPerMinute: rounded((installation.processorSeconds() - cpu) / periodMinutes),
    databaseSecondsPerMinute: rounded((installation.databaseSeconds() - database) / periodMinutes),
    mostFrequent: await statements.mostFrequent(12),
  });
}

/** What a request costs that speaks of all sources. */
async function askAboutAll(): Promise<void> {
  const html = { accept: 'text/html' };
  for (const [path, headers] of [
    ['/', html],
    ['/about', html],
    ['/metrics', {}],
    ['/robots.txt', {}],
    ['/.well-known/resourcesync', {}],
    ['/all/about', html],
    ['/all/capabilitylist.xml', {}],
  ] as const) {
    const before = installation.processorSecondsOf('web 2');
    let bytes = 0;
    for (let count = 0; count < 50; count += 1)
      bytes = (await (await fetch(`${second}${path}`, { headers })).arrayBuffer()).byteLength;
    const spent = installation.processorSecondsOf('web 2') - before;
    say('a request', { path, bytes, processorMs: rounded((spent / 50) * 1000) });
  }
}

async function edit(what: string, seconds: number, withFaults: boolean): Promise<void> {
  const since = Date.now();
  const sampler = new Sampler(installation.database, second);
  const faults = withFaults ? new Faults(installation, seconds) : undefined;
  if (!withFaults) await statements.again();
  const [cpu, database] = [installation.processorSeconds(), installation.databaseSeconds()];
  const before = await installation.one('select sum(journal_seq) from source');
  sampler.begin();
  await eachSecond(seconds, async (passed) => {
    await control(`edit?count=${perSecond}`);
    await faults?.look();
    if (passed % 5 === 0) await follower.follow();
  });
  await faults?.end();
  await sampler.end();
  const changes = (await installation.one('select sum(journal_seq) from source')) - before;
  say(what, {
    edits: seconds * perSecond,
    changes,
    ...(faults
      ? { faults: faults.said }
      : {
          processorSecondsPer1000Changes: rounded(
            ((installation.processorSeconds() - cpu) / changes) * 1000,
            2,
          ),
          databaseSecondsPer1000Changes: rounded(
            ((installation.databaseSeconds() - database) / changes) * 1000,
            2,
          ),
          statementsPerSecond: rounded((await statements.count()) / seconds),
          statementsPerChange: rounded((await statements.count()) / changes),
          mostFrequent: await statements.mostFrequent(12),
        }),
    secondsFromCommitToChangeList: { ...percentiles(sampler.seconds.map((one) => rounded(one, 2))) },
    notSeenWithinAMinute: sampler.missed,
  });
  say(`${what}: the client has all`, { seconds: await untilLevel() });
  say(`${what}: lateness in seconds by size of the repository`, await lateness(since));
}

async function compare(): Promise<void> {
  const truth = await truthNow();
  const names = there.map(({ name }) => name);
  const found = {
    client: [`${await countWrong()} of ${truth.size}`],
    payloads: await wrongPayloads(truth, installation.bases),
    changeLists: await wrongInChangeLists(first),
    journals: await wrongInJournals(truth, names, installation.database, installation.databaseUrl),
  };
  const { aboveLimit, ...counts } = JSON.parse(await control('counts'));
  say('wrong in the end', found);
  say('requests at once', { ...counts, aboveLimit });
  // A process that stands still cannot end its request, and those who hang do not end it either.
  const tooMany = aboveLimit.filter((machine: string) => !machine.includes('(hanging)'));
  isWrong = Object.values(found).some(([count = '']) => !/^0\b/.test(count)) || tooMany.length > 0;
}

async function sayWhatItTook(): Promise<void> {
  const { rows: sizes } = await installation.database.query(
    `select coalesce(parent.relname, class.relname) as name, sum(pg_total_relation_size(class.oid)) as bytes
    from pg_class class left join pg_inherits on inhrelid = class.oid left join pg_class parent on parent.oid = inhparent
    where class.relkind = 'r' and class.relnamespace = 'public'::regnamespace group by 1 order by 2 desc limit 12`,
  );
  say('in the end', {
    peaks: Object.fromEntries(installation.peaks),
    eventLoopDelayMs: await installation.eventLoopDelays(),
    megabytesByTable: Object.fromEntries(sizes.map(({ name, bytes }) => [name, rounded(bytes / 1e6)])),
    errors: await installation.errors(),
    couldNotRead: Object.fromEntries(follower.failures),
    resourceListTakenAgain: follower.anew,
    deadlocks: await installation.one(
      'select deadlocks from pg_stat_database where datname = current_database()',
    ),
  });
}

try {
  await installation.configure(plans, upstream, periodMinutes);
  await harvestAll();
  await askAboutAll();
  await rest();
  await edit('edits', minutes * 30, false);
  await edit('edits with faults', minutes * 30, true);
  await compare();
  await sayWhatItTook();
  if (isWrong) process.exitCode = 1;
} finally {
  await installation.close();
  internet.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
}
