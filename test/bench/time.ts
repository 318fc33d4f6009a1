import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon, { type Client, type Request } from 'autocannon';
import { toHttpDate, toIso } from '../../src/core/datetime.ts';
import { mementoUri, timeGateUri, timeMapUri } from '../../src/core/uris.ts';
import { firstLine, print, start } from './once/processes.ts';
import { payload } from './past/time-payload.ts';
import { baseUrl, hashOf, lastmodOf, momentOf, type Plan, pathOf, planOf } from './past/time-plan.ts';

/**
 * Time travel over a source with a past: `npm run bench time [RESOURCES] [VERSIONS] [DIRECTORY] [SECONDS]`. What it
 * takes on the disk; the current Resource List against the one as of a moment at which every resource was another
 * one; TimeGates, mementos, TimeMaps and, to compare, the resources themselves, each asked for at random over 50
 * connections. With a DIRECTORY the seeded database stays there for the next run.
 */
const plan = planOf(process.argv.slice(2));
const [given, duration = '10'] = process.argv.slice(4);
const directory = given ?? mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));
const connections = 50;
const file = join(directory, `time-${plan.resources}-${plan.versions}.db`);
const work = join(directory, 'work');

mkdirSync(work, { recursive: true });
try {
  if (!existsSync(file)) await firstLine(start('past/time-seed', [plan.resources, plan.versions, file]));
  printSizes(plan);
  await compareLists(plan);
  await measureServer(plan);
} finally {
  rmSync(given === undefined ? directory : work, { recursive: true, force: true });
}

/** What the rounds added, by what is there for it: the journal would be there without mementos, too. */
function printSizes({ resources, versions }: Plan): void {
  const rounds = JSON.parse(readFileSync(`${file}.json`, 'utf8')) as Readonly<Record<string, number>>[];
  const [first = {}, last = {}] = [rounds[0], rounds.at(-1)];
  const further = resources * (versions - 1);
  const growth = (...names: readonly string[]) =>
    Math.round(names.reduce((sum, name) => sum + (last[name] ?? 0) - (first[name] ?? 0), 0) / further);
  const sample = Array.from({ length: 1000 }, (_, index) => Math.floor((index * resources) / 1000));
  const raw = sample.map((number, index) => payload(number, 1 + (index % (versions - 1))).byteLength);
  const rawBytes = Math.round(raw.reduce((sum, length) => sum + length, 0) / raw.length);
  const payloads = growth('blob');
  print({
    what: 'bytes on disk for each version but the first',
    rawBytes,
    payloads,
    percentOfRaw: Number(((payloads / rawBytes) * 100).toFixed(1)),
    indexOfHashes: growth('sqlite_autoindex_blob_1'),
    version: growth('version', 'sqlite_autoindex_version_1'),
    journal: growth('change', 'sqlite_autoindex_change_1', 'change_resource_id_seq_index'),
    databaseMegabytes: Math.round(statSync(file).size / 1e6),
  });
}

async function compareLists({ resources, versions }: Plan): Promise<void> {
  const middle = momentOf(resources - 1, Math.floor((versions - 1) / 2));
  const list = async (...at: readonly string[]) => {
    const place = join(work, at.length > 0 ? 'past' : 'current');
    const child = start('past/time-list', [file, place, ...at]);
    const line = JSON.parse(await firstLine(child)) as { entries: number; seconds: number };
    rmSync(place, { recursive: true, force: true });
    if (line.entries !== resources) throw new Error(`${line.entries} entries, not ${resources}`);
    return line;
  };
  const [current, past] = [await list(), await list(middle)];
  const ratio = Number((past.seconds / current.seconds).toFixed(2));
  print({ what: 'Resource Lists', current, past, ratio });
}

async function measureServer(plan: Plan): Promise<void> {
  const server = start('past/time-server', [file, work]);
  try {
    const origin = `http://127.0.0.1:${await firstLine(server)}`;
    await checkAnswers(plan, origin);
    const { resources, versions } = plan;
    const number = () => Math.floor(Math.random() * resources);
    const uri = () => `${baseUrl}/${pathOf(number())}`;
    const kinds: readonly (readonly [what: string, request: () => Request])[] = [
      ['resources', () => ({ path: below(uri()) })],
      [
        'TimeGates',
        () => ({ path: below(timeGateUri(baseUrl, uri())), headers: acceptDatetime(anyTime(plan)) }),
      ],
      [
        'mementos',
        () => {
          const [one, version] = [number(), Math.floor(Math.random() * versions)];
          const original = `${baseUrl}/${pathOf(one)}`;
          return { path: below(mementoUri(baseUrl, original, lastmodOf(one, version))) };
        },
      ],
      ['TimeMaps', () => ({ path: below(timeMapUri(baseUrl, uri())) })],
    ];
    let resourcesPerSecond: number | undefined;
    for (const [what, request] of kinds) {
      const before = processorSeconds(server);
      const { total, ...line } = await load(origin, request);
      const microseconds = Math.round(((processorSeconds(server) - before) / total) * 1e6);
      resourcesPerSecond ??= line.perSecond;
      const ratio = Number((line.perSecond / resourcesPerSecond).toFixed(2));
      const own = { processorMicroseconds: microseconds, serverMegabytes: megabytes(server) };
      print({ what, connections, ...line, ratioToResources: ratio, ...own });
    }
  } finally {
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
  }
}

/** Some of everything by hand: what is fast has to be right, too. */
async function checkAnswers(plan: Plan, origin: string): Promise<void> {
  for (let asked = 0; asked < 100; asked += 1) {
    const number = Math.floor(Math.random() * plan.resources);
    const at = anyTime(plan);
    const versions = Array.from({ length: plan.versions }, (_, version) => version);
    const version = versions.findLast((one) => lastmodOf(number, one) <= at) ?? 0;
    const original = `${baseUrl}/${pathOf(number)}`;
    const gate = await fetch(origin + below(timeGateUri(baseUrl, original)), {
      headers: acceptDatetime(at),
      redirect: 'manual',
    });
    const expected = mementoUri(baseUrl, original, lastmodOf(number, version));
    if (gate.headers.get('location') !== expected) throw new Error(`${original} at ${at}: not ${expected}`);
    const memento = await fetch(origin + below(expected));
    const bytes = new Uint8Array(await memento.arrayBuffer());
    if (hashOf(bytes) !== hashOf(payload(number, version))) throw new Error(`${expected} is another one`);
  }
}

/** From half a year before the first to half a year after the last. */
function anyTime({ resources, versions }: Plan): string {
  const half = 183 * 86_400_000;
  const [from, until] = [
    Date.parse(momentOf(0, 0)) - half,
    Date.parse(momentOf(resources - 1, versions - 1)) + half,
  ];
  return toIso(new Date(from + Math.random() * (until - from)));
}

function acceptDatetime(iso: string): Readonly<Record<string, string>> {
  return { 'accept-datetime': toHttpDate(iso) };
}

/** As a proxy hands it on: without scheme and host of our own address, the rest as it is. */
function below(uri: string): string {
  return uri.slice(new URL(baseUrl).origin.length);
}

async function load(origin: string, request: () => Request) {
  // Each connection has a list of its own: nobody asks for the same at the same time. Making them takes no part of it.
  const lists = Array.from({ length: connections }, () => Array.from({ length: 500 }, request));
  const setupClient = (client: Client) => client.setRequests(lists.pop() ?? [request()]);
  const settings = { url: origin, connections, duration: Number(duration), setupClient };
  const { requests, latency, errors, ...answers } = await autocannon({ ...settings, requests: [request()] });
  const wrong = errors + answers['4xx'] + answers['5xx'];
  if (wrong > 0) throw new Error(`${wrong} errors`);
  return {
    total: requests.total,
    perSecond: Math.round(requests.average),
    p50: latency.p50,
    p99: latency.p99,
  };
}

/** In user and in system mode, of all threads. */
function processorSeconds({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Resident now, and at most. */
function megabytes({ pid }: ChildProcess): object {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (key: string) =>
    Math.round(Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024);
  return { now: of('VmRSS'), peak: of('VmHWM') };
}
