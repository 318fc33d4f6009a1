import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/cli/demo/free-port.ts';
import { runCommand, type Spent, serveRequests, spentBy } from './growth/commands.ts';
import { pathOf, requestsOf } from './growth/requested.ts';
import { multiply } from './growth/seed.ts';
import { firstLine, print, start } from './once/processes.ts';

/**
 * `npm run bench whole RECORDS DIRECTORY [harvest|multiply] [publish] [dump] [export] [ask]`: a repository of so many records of 1.9 kB, harvested,
 * published and exported by the commands that users type, into SQLite; every minute how far it is. Then what single things cost in it:
 * requests, `status`, a harvest of 100 changes. The directory is kept, so that each step can be run by itself. Ten million records take
 * 16 GB, their lists 35; an export has two files of each, which is more than a usual file system can number. `multiply`, in place of a
 * harvest of all, harvests 50,000 and has the database copy their rows: then payloads are 50,000 different ones.
 */
const [count = '100000', directory = '', ...chosen] = process.argv.slice(2);
if (directory === '') throw new Error('name a directory that has room: bench whole RECORDS DIRECTORY');
const records = Number(count);
const different = 50_000;
const isMultiplied = chosen.includes('multiply') && records > different;
const isWanted = (step: string) =>
  (chosen.length === 0 && step !== 'multiply') ||
  chosen.includes(step) ||
  (step === 'harvest' && isMultiplied);
const config = join(directory, 'rsbridge.json');
const file = join(directory, 'bench.db');
const none = () => 0;

const former = existsSync(config) ? JSON.parse(readFileSync(config, 'utf8')) : undefined;
const port: number = former?.listen.port ?? (await freePort());
const origin = `http://127.0.0.1:${port}`;
// At another address it would be another repository, all of which is harvested.
const provider = start('upstreams/provider', [
  ...[records, 1000, isMultiplied ? different : records, 0],
  former ? new URL(former.sources.bench.url).port : 0,
]);
try {
  const url = await firstLine(provider);
  configure(url);
  if (isWanted('harvest')) await watched('harvest', ['harvest', 'bench']);
  if (isMultiplied) await multiply({ client: 'sqlite', file }, different, records);
  if (isWanted('publish')) await watched('publish', ['publish']);
  // A server makes those that are asked for and are not there.
  if (isWanted('dump') || isWanted('export')) configure(url, ['metadata']);
  if (isWanted('dump')) await watched('dump', ['publish']);
  if (isWanted('export')) await watched('export', ['export', join(directory, 'export')]);
  if (isWanted('ask')) await ask(url);
} finally {
  provider.kill('SIGKILL');
}

function configure(url: string, dumps: readonly string[] = []): void {
  mkdirSync(directory, { recursive: true });
  const bench = {
    ...{ url, overlapSeconds: 0, schedule: false, fullPass: false, dumps, files: { mode: 'none' } },
    ...{ mementos: { links: 'none' }, allowPrivateAddresses: true },
  };
  const settings = {
    ...{ baseUrl: origin, listen: { port }, logLevel: 'error', search: false },
    ...{ directory: join(directory, 'data'), database: { client: 'sqlite', file } },
    sources: { bench },
  };
  writeFileSync(config, JSON.stringify(settings));
}

async function watched(what: string, args: readonly string[]): Promise<void> {
  const began = performance.now();
  const facts = () => ({
    seconds: Math.round((performance.now() - began) / 1000),
    ...{ databaseMB: Math.round(megabytes(file)), dataMB: Math.round(megabytes(join(directory, 'data'))) },
  });
  const timer = setInterval(() => print({ what, ...facts() }), 60_000);
  const spent: Spent = await spentBy(config, args);
  clearInterval(timer);
  print({
    what: `${what} of ${records}`,
    ...facts(),
    cpuSeconds: Math.round(spent.cpu / 1000),
    peakMB: Math.round(spent.peak / 1024),
  });
}

function megabytes(path: string): number {
  if (!existsSync(path)) return 0;
  const found = lstatSync(path);
  if (!found.isDirectory()) return found.size / 1e6;
  return readdirSync(path).reduce((sum, name) => sum + megabytes(join(path, name)), 0);
}

async function ask(url: string): Promise<void> {
  const requests = requestsOf(records, origin).filter(({ what }) => what !== 'a file' && what !== 'a patch');
  const served = await serveRequests(config, origin, requests, {
    database: none,
    settled: () => Promise.resolve(),
  });
  for (const { what, cpu } of served) print({ records, what, cpu: Number(cpu.toFixed(2)) });
  for (const what of ['status', 'a harvest of 100 changes', 'a takedown']) {
    const cpus: number[] = [];
    for (let turn = 0; turn < 3; turn += 1)
      cpus.push(await runCommand(config, await argumentsOf(what, turn), none));
    print({ records, what, cpu: Math.round(Math.min(...cpus)) });
  }

  async function argumentsOf(what: string, turn: number): Promise<readonly string[]> {
    if (what === 'status') return ['status'];
    if (what === 'a takedown')
      return ['withdraw', `${origin}/${pathOf(records - 5 - turn)}`, '--reason', 'asked'];
    await fetch(new URL(`/touch?count=100&salt=turn-${turn}-${Date.now()}`, url));
    return ['harvest', 'bench'];
  }
}
