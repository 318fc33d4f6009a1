import { type ChildProcess, spawn } from 'node:child_process';
import { extname, join } from 'node:path';

/** Those that the launcher of the command line gives itself on this Node; `run.mjs` knows them. */
const ofOthers = startOf('');
export const heapFlags = ofOthers.flags;
export const allocator = ofOthers.environment;
const ofService = startOf('SERVE_').flags;
/** The same for one of many processes, and what it has in its environment. */
export const ofRole = { work: startOf('WORK_'), web: startOf('WEB_') };

/** The same for scripts that do the work of a command that has others. */
const ofScripts: Readonly<Record<string, ReturnType<typeof startOf>>> = {
  'once/harvest-once': startOf('HARVEST_'),
  'once/sync-once': startOf('SYNC_'),
};

/** Arguments of Node for `rsbridge` with these. */
export function asUsersDo(args: readonly string[]): string[] {
  return [...(args[0] === 'serve' ? ofService : heapFlags), bin, ...args];
}

/** `rsbridge` as users run it: built by `npm run bench`, which tells where. */
export const bin = process.env.BENCH_PROGRAM ?? '';

/** Starts a script of a benchmark (named from `test/bench` on, without its ending) in a process of its own. */
export function start(script: string, args: readonly (string | number)[]): ChildProcess {
  const file = join(import.meta.dirname, '..', script + extname(import.meta.filename));
  const loader = file.endsWith('.ts') ? ['--import', 'tsx'] : [];
  const { flags, environment } = ofScripts[script] ?? ofOthers;
  const child = spawn(process.execPath, [...flags, ...loader, file, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, ...environment },
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}

function startOf(role: string) {
  const environment: Readonly<Record<string, string>> = JSON.parse(
    process.env[`BENCH_${role}ALLOCATOR`] ?? '{}',
  );
  return { flags: process.env[`BENCH_${role}HEAP_FLAGS`]?.match(/\S+/g) ?? [], environment };
}

/** The next line that it prints. */
export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
    child.once('exit', (code) => reject(new Error(`the process ended with ${code} and no line`)));
  });
}

/** Peak resident set of this process, in MB. */
export function peakRss(): number {
  return Math.round(process.resourceUsage().maxRSS / 1024);
}

export function print(result: object): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
