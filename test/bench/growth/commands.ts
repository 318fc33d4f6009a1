import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { allocator, asUsersDo, bin, firstLine, heapFlags } from '../once/processes.ts';
import { processorTime } from './processor-time.ts';

/** One thing that was done, in milliseconds of processor time: of ours, and of the database's own processes. */
export interface Cost {
  readonly what: string;
  readonly cpu: number;
}

/** What the system says of the largest resident set of a process begins with that of whoever started it: the kernel's own account does not. */
const tell = `data:text/javascript,import{readFileSync}from"node:fs";process.on("exit",()=>{const{user,system}=process.cpuUsage();const[,peak]=/VmHWM:\\s+(\\d+)/.exec(readFileSync("/proc/self/status","latin1"));process.stderr.write("SPENT "+(user+system)/1000+" "+peak+"\\n")})`;

/** As the launcher gives it to commands and to the server. */
const env = { ...process.env, ...allocator };

/** What a command took: milliseconds of processor time, and its peak in kB. */
export interface Spent {
  readonly cpu: number;
  readonly peak: number;
}

/** Runs a command of ours to its end. */
export async function spentBy(config: string, args: readonly string[]): Promise<Spent> {
  const child = spawn(process.execPath, [...heapFlags, '--import', tell, bin, ...args, '--config', config], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env,
  });
  let told = '';
  child.stderr.on('data', (chunk: Buffer) => {
    told += chunk.toString();
  });
  const [code] = await once(child, 'close');
  const [, cpu, peak] = /SPENT ([\d.]+) (\d+)/.exec(told) ?? [];
  if (code !== 0 || cpu === undefined) throw new Error(`${args.join(' ')} ended with ${code}: ${told}`);
  return { cpu: Number(cpu), peak: Number(peak) };
}

/** @returns milliseconds of processor time, those of the database included */
export async function runCommand(
  config: string,
  args: readonly string[],
  database: () => number,
): Promise<number> {
  const before = database();
  const { cpu } = await spentBy(config, args);
  return cpu + database() - before;
}

export interface Requested {
  readonly what: string;
  readonly path: string;
  /** What is asked for is the first address that this finds at `path`. */
  readonly follow?: RegExp;
  /** Its answer is long: a tenth of the requests tell as much. */
  readonly isLong?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The least of several counts: what others do on the machine adds to each. */
const [warming, measured, counts] = [30, 100, 4];

/** In milliseconds: so long, and no more than so much processor time in it. */
const quiet = { round: 5000, spent: 500, rounds: 720 };

/** What a server does by itself when it has begun, packages above all, would be counted as a part of its answers. */
async function untilQuiet(spentSoFar: () => number): Promise<void> {
  for (let round = 0; round < quiet.rounds; round += 1) {
    const since = spentSoFar();
    await setTimeout(quiet.round);
    if (spentSoFar() - since <= quiet.spent) return;
  }
  throw new Error('the server has been busy by itself for an hour');
}

/**
 * Starts the server, and asks it for each of these many times.
 * @param settled resolves when the server has done what takes it longest, of which it says how far it is
 */
export async function serveRequests(
  config: string,
  origin: string,
  requests: readonly Requested[],
  { database, settled }: { readonly database: () => number; readonly settled: () => Promise<void> },
): Promise<readonly Cost[]> {
  const starts: number[] = [];
  for (let count = 0; count < counts; count += 1) {
    const one = await startServer(config, database);
    // The first one leaves nothing to do for those after it.
    if (count === 0) await settled();
    else starts.push(one.cpu);
    one.server.kill('SIGTERM');
    await once(one.server, 'exit');
  }
  const { server, cpu } = await startServer(config, database);
  try {
    await untilQuiet(() => spent(server) + database());
    const costs: Cost[] = [{ what: 'start of the process', cpu: Math.min(cpu, ...starts) }];
    for (const requested of requests) {
      const { what, headers = {}, isLong = false } = requested;
      const times = isLong ? measured / 10 : measured;
      const uri = await uriOf(origin, requested);
      if (uri === undefined) {
        process.stderr.write(`not measured: ${requested.path} leads to no ${what}\n`);
        continue;
      }
      const ask = async () => {
        const answer = await fetch(uri, { headers, redirect: 'manual' });
        if (answer.status >= 400) throw new Error(`${uri} answers with ${answer.status}`);
        await answer.arrayBuffer();
      };
      for (let count = 0; count < (isLong ? 3 : warming); count += 1) await ask();
      const each: number[] = [];
      for (let count = 0; count < counts; count += 1) {
        const since = spent(server) + database();
        for (let request = 0; request < times; request += 1) await ask();
        each.push((spent(server) + database() - since) / times);
      }
      costs.push({ what: `GET ${what}`, cpu: Math.min(...each) });
    }
    return costs;
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
}

async function uriOf(origin: string, { path, follow }: Requested): Promise<string | undefined> {
  if (!follow) return origin + path;
  const [, found] = follow.exec(await (await fetch(origin + path)).text()) ?? [];
  return found;
}

/** @returns the server that listens, and what that took */
async function startServer(config: string, database: () => number) {
  const before = database();
  const server = spawn(process.execPath, asUsersDo(['serve', '--config', config]), {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  await firstLine(server);
  return { server, cpu: spent(server) + database() - before };
}

function spent({ pid = 0 }: ChildProcess): number {
  return processorTime(pid);
}
