import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../src/cli/demo/free-port.ts';
import type { DatabaseConfig } from '../../src/core/config/config.ts';
import { startPostgres } from '../house/postgres/server.ts';
import { type Cost, runCommand, serveRequests } from './growth/commands.ts';
import { judge } from './growth/judge.ts';
import { postmasterOf, processorTime } from './growth/processor-time.ts';
import { pathOf, requestsOf } from './growth/requested.ts';
import { untilDescribed } from './once/described.ts';
import { firstLine, print, start } from './once/processes.ts';

/**
 * `npm run bench growth [SIZE…] [sqlite] [pg] [nosearch] [nolinks]`: what grows with the number of resources, and what must not. For
 * each size a repository of records of 1.9 kB, each tenth with a file, of which the first thousand were harvested and the
 * others are copies of their rows; its lists are made by our own code. Nothing is asked for before the search index is filled; with
 * `nosearch` there is none. With `nolinks` entries lead to no mementos, which halves the lists: those of ten million fill a disk. Costs
 * are processor time, of our process and of PostgreSQL. Ends with 1 where a cost is more than 1.2 times that of the smallest size, and
 * more than measuring varies.
 */
const given = process.argv.slice(2);
const sizes = given.map(Number).filter((size) => size > 0);
const clients = (['sqlite', 'pg'] as const).filter(
  (client) => given.includes(client) || !(given.includes('sqlite') || given.includes('pg')),
);
const search = !given.includes('nosearch');
const mementos = { keep: { last: 3 }, ...(given.includes('nolinks') && { links: 'none' }) };
const [harvested, fileEvery, rounds, commandsEach] = [1000, 10, 7, 3];

for (const client of clients) {
  const costs = new Map<number, readonly Cost[]>();
  for (const size of sizes.length > 0 ? sizes : [10_000, 100_000, 1_000_000]) {
    const measured = await measure(client, size);
    costs.set(size, measured);
  }
  const { table, grows } = judge(costs);
  process.stdout.write(`${client}, processor time in ms\n${table}\n`);
  if (grows.length > 0) process.exitCode = 1;
}

async function measure(client: 'sqlite' | 'pg', size: number): Promise<readonly Cost[]> {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-bench-'));
  const postgres = client === 'pg' ? await startPostgres() : undefined;
  const provider = start('upstreams/provider', [size, 1000, harvested, fileEvery]);
  try {
    const pid = postgres && (await postmasterOf(postgres.url));
    const database = () => (pid === undefined ? 0 : processorTime(pid));
    const port = await freePort();
    const url = await firstLine(provider);
    const config = join(directory, 'rsbridge.json');
    const settings: { database: DatabaseConfig } & Record<string, unknown> = {
      baseUrl: `http://127.0.0.1:${port}`,
      directory,
      database: postgres
        ? { client: 'pg', url: postgres.url, poolSize: 4 }
        : { client: 'sqlite', file: join(directory, 'bench.db') },
      listen: { port },
      logLevel: 'error',
      search,
      sources: {
        bench: {
          url,
          overlapSeconds: 0,
          schedule: false,
          mementos,
          fullPass: false,
          dumps: [],
          patches: true,
          files: { verify: false },
        },
      },
    };
    writeFileSync(config, JSON.stringify(settings));
    const origin = `http://127.0.0.1:${port}`;
    const worked = await work(config, size, database);
    // What comes next may fail, after hours.
    for (const { what, cpu } of worked) print({ client, size, what, cpu: Number(cpu.toFixed(2)) });
    const settled = async () => {
      if (search) print({ size, what: 'search index filled', ...(await untilDescribed(settings.database)) });
    };
    const served = await serveRequests(config, origin, requestsOf(size, origin), { database, settled });
    const repeat = async (what: string, argumentsOf: (turn: number) => readonly string[]) => {
      const cpus: number[] = [];
      for (let turn = 0; turn < commandsEach; turn += 1) {
        cpus.push(await runCommand(config, argumentsOf(turn), database));
      }
      return { what, cpu: Math.min(...cpus) };
    };
    const status = await repeat('status', () => ['status']);
    const takedown = await repeat('takedown', (turn) => [
      ...['withdraw', `${origin}/${pathOf(size - 5 - turn)}`, '--reason', 'asked'],
    ]);
    const asked = [...served, status, takedown];
    for (const { what, cpu } of asked) print({ client, size, what, cpu: Number(cpu.toFixed(2)) });
    return [...worked, ...asked];
  } finally {
    provider.kill('SIGKILL');
    await postgres?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The least of the rounds: what others do on the machine adds to each. */
async function work(config: string, size: number, database: () => number): Promise<readonly Cost[]> {
  const all = new Map<string, number[]>();
  let before = database();
  const child = start('growth/once', [config, size, rounds]);
  const { stdout } = child;
  if (!stdout) throw new Error('the process has no output');
  for await (const line of createInterface({ input: stdout })) {
    const { what, cpu, ...more } = JSON.parse(line) as { what: string; cpu?: number };
    const now = database();
    if (cpu === undefined) print({ size, what, ...more });
    else all.set(what, [...(all.get(what) ?? []), cpu + now - before]);
    before = now;
  }
  const code = child.exitCode ?? (await once(child, 'exit'))[0];
  if (code !== 0) throw new Error(`the harvests ended with ${code}`);
  // The first round compiles, and looks at what was never looked at.
  return [...all].map(([what, values]) => ({ what, cpu: Math.min(...values.slice(1)) }));
}
