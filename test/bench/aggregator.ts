import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { Faults } from './aggregator/faults.ts';
import { bySize, percentiles, rounded } from './aggregator/figures.ts';
import { Follower } from './aggregator/follower.ts';
import { Installation, names } from './aggregator/installation.ts';
import { Patience } from './aggregator/patience.ts';
import { isThere, planEndpoints } from './aggregator/plans.ts';
import { Sampler } from './aggregator/sampler.ts';
import { Statements } from './aggregator/statements.ts';
import {
  byEndpoint,
  wrongInChangeLists,
  wrongInJournals,
  wrongPaths,
  wrongPayloads,
} from './aggregator/truth.ts';
import { firstLine, print, start } from './once/processes.ts';

/**
 * `npm run bench aggregator [ENDPOINTS] [RECORDS] [MINUTES] [EDITS_PER_SECOND] [PERIOD_MINUTES]`: a simulated internet of
 * repositories on the loopback network, PostgreSQL, versitygw where it is installed (each 50th record has a file, and all documents
 * go there), two processes that work and two that answer. First all is harvested; then nothing happens for a period; then records are
 * edited for so many minutes, in whose last two thirds one fault follows the other, while a client follows `/all`. In the
 * end what the client holds, and what is served, has to be what there is, payload by payload; exit code 1 where it is not.
 * What is not level in time is said, and the verdicts are printed all the same, also after a first SIGTERM.
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
const periodSeconds = periodMinutes * 60;
/** Latencies take the time of a first harvest. */
const firstHarvestSeconds = 600 + 2 * endpoints;
/** Every source has its turn twice in it. */
const levelSeconds = 2 * periodSeconds + 180;
const quietSeconds = minutes * 20;
const faultySeconds = minutes * 40;
const largestRssMB = 256;
const plans = planEndpoints(endpoints, records);
const there = plans.filter(isThere);
const directory = await mkdtemp(join(tmpdir(), 'rsbridge-aggregator-'));
const internet = start('aggregator/internet', [endpoints, records]);
const upstream = await firstLine(internet);
const installation = await Installation.start(directory);
const [first = '', second = ''] = installation.bases;
const statements = new Statements(installation);
const follower = new Follower(installation.bases);
const patience = new Patience(() => installation.lookAtProcesses());
let isWrong = false;

function say(phase: string, what: object): void {
  print({ phase, ...what, at: new Date().toISOString(), load: loadavg().map(Math.round).join(' ') });
}

/** What fails in a phase is said, and the next one comes. */
async function phase(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    isWrong = true;
    say(`${name}: failed`, { reason: String((error as Error).stack) });
  }
}

async function control(path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${upstream}/-/${path}`, {
    signal: AbortSignal.timeout(120_000),
  });
  return response.text();
}

async function linesOf(path: string): Promise<readonly (readonly string[])[]> {
  const lines = (await control(path)).split('\n');
  return lines.filter((line) => line !== '').map((line) => line.split(' '));
}

async function truthNow(): Promise<ReadonlyMap<string, string>> {
  return new Map((await linesOf('truth')) as readonly [string, string][]);
}

/** Nothing is edited meanwhile. */
async function untilLevel(what: string): Promise<void> {
  const truth = await truthNow();
  const seconds = await patience.until(levelSeconds, async () => {
    await follower.follow();
    return wrongPaths(truth, follower.holds).length === 0;
  });
  if (seconds !== undefined) return say(what, { seconds, holds: follower.holds.size });
  const wrong = wrongPaths(truth, follower.holds);
  say(`${what}: not in ${levelSeconds} s`, {
    wrong: `${wrong.length} of ${truth.size}`,
    some: wrong.slice(0, 5),
    ofSources: byEndpoint(plans, wrong),
    couldNotRead: Object.fromEntries(follower.failures),
  });
}

/** Seconds from the last edit of each record to the client, of those edited since. */
async function lateness(since: number): Promise<object> {
  const values: (readonly [number, number])[] = [];
  for (const [path = '', milliseconds, records] of await linesOf('edits')) {
    const at = follower.met.get(path);
    if (at === undefined || Number(milliseconds) < since) continue;
    values.push([Number(records), rounded((at - Number(milliseconds)) / 1000)]);
  }
  return { periodSeconds, ...bySize(values) };
}

async function harvestAll(): Promise<void> {
  installation.run('work 1');
  await patience.until(60, async () => (await installation.one('select count(*) from source')) >= 0);
  for (const name of names.slice(1)) installation.run(name);
  const isDone = 'select count(*) from source where as_of is not null';
  const seconds = await patience.until(
    firstHarvestSeconds,
    async () => (await installation.one(isDone)) >= there.length,
  );
  const total = there.reduce((sum, { size }) => sum + size, 0);
  say(seconds === undefined ? `first harvest: not in ${firstHarvestSeconds} s` : 'first harvest', {
    endpoints,
    harvested: `${await installation.one(isDone)} of ${there.length}`,
    records: total,
    largest: Math.max(...there.map(({ size }) => size)),
    ...(seconds !== undefined && { seconds, recordsPerSecond: Math.round(total / seconds) }),
    processorSeconds: installation.processorSeconds(),
    databaseSeconds: installation.databaseSeconds(),
    peaks: Object.fromEntries(installation.peaks),
    ...JSON.parse(await control('counts')),
  });
  await untilLevel('the client has all');
}

async function rest(): Promise<void> {
  await patience.sleep(periodSeconds);
  await statements.begin();
  const [cpu, database] = [installation.processorSeconds(), installation.databaseSeconds()];
  const asked = JSON.parse(await control('counts')).requests;
  await patience.eachSecond(periodSeconds, async () => undefined);
  say('nothing happens', {
    seconds: periodSeconds,
    requests: JSON.parse(await control('counts')).requests - asked,
    statementsPerSecond: rounded((await statements.count()) / periodSeconds),
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
  const { edits: editsBefore } = JSON.parse(await control('counts'));
  sampler.begin();
  const failed = await patience.eachSecond(seconds, async (passed) => {
    await control(`edit?count=${perSecond}`);
    await faults?.look();
    if (passed % 5 === 0) await follower.follow();
  });
  await faults?.end();
  await sampler.end();
  const changes = (await installation.one('select sum(journal_seq) from source')) - before;
  say(what, {
    edits: JSON.parse(await control('counts')).edits - editsBefore,
    changes,
    secondsLeftOut: failed,
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
  await untilLevel(`${what}: the client has all`);
  say(`${what}: lateness in seconds by size of the repository`, await lateness(since));
}

async function compare(): Promise<void> {
  const truth = await truthNow();
  const names = there.map(({ name }) => name);
  const wrong = wrongPaths(truth, follower.holds);
  const found = {
    client: [`${wrong.length} of ${truth.size}`, ...wrong.slice(0, 5)],
    payloads: await wrongPayloads(truth, installation.bases),
    changeLists: await wrongInChangeLists(first),
    journals: await wrongInJournals(truth, names, installation.database, installation.databaseUrl),
  };
  say('wrong in the end', found);
  if (Object.values(found).some(([count = '']) => !/^0\b/.test(count))) isWrong = true;
}

async function compareHosts(): Promise<void> {
  const { aboveLimit, ...counts } = JSON.parse(await control('counts'));
  say('requests at once', { ...counts, aboveLimit });
  // A process that stands still cannot end its request, and those who hang do not end it either.
  if (aboveLimit.some((machine: string) => !machine.includes('(hanging)'))) isWrong = true;
}

async function sayWhatItTook(): Promise<void> {
  const peaks = Object.fromEntries(installation.peaks);
  const tooLarge = Object.keys(peaks).filter((name) => (peaks[name]?.rssMB ?? 0) > largestRssMB);
  say('memory', { peaks, [`above ${largestRssMB} MB`]: tooLarge });
  if (tooLarge.length > 0) isWrong = true;
  const { rows: sizes } = await installation.database.query(
    `select coalesce(parent.relname, class.relname) as name, sum(pg_total_relation_size(class.oid)) as bytes
    from pg_class class left join pg_inherits on inhrelid = class.oid left join pg_class parent on parent.oid = inhparent
    where class.relkind = 'r' and class.relnamespace = 'public'::regnamespace group by 1 order by 2 desc limit 12`,
  );
  say('in the end', {
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
  await phase('first harvest', harvestAll);
  await phase('requests', askAboutAll);
  await phase('nothing happens', rest);
  await phase('edits', () => edit('edits', quietSeconds, false));
  await phase('edits with faults', () => edit('edits with faults', faultySeconds, true));
  await phase('requests at once', compareHosts);
  await phase('what it took', sayWhatItTook);
  await phase('comparison', compare);
  if (isWrong || patience.isOver) process.exitCode = 1;
  say(isWrong ? 'not as it has to be' : 'as it has to be', { endedEarly: patience.isOver });
} finally {
  await installation.close();
  internet.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
}
