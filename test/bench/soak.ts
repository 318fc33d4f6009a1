import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Simulator } from '../../src/simulate/simulator.ts';
import { bin, heapFlags, print } from './once/processes.ts';

/**
 * A real `rsbridge sync --watch` follows a simulated Source with faults: `npm run bench soak [MINUTES] [--seed N] [--resources N] [--rate N] [--kills ROUNDS]`.
 * Every half minute the Source holds still without faults until the copy is the same, which is timed; then a line tells descriptors, memory and
 * how late timers were. After every so many rounds (4; 0: never) the process is killed (SIGKILL) and begun anew.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    resources: { type: 'string' },
    rate: { type: 'string' },
    kills: { type: 'string' },
  },
});
const minutes = Number(positionals[0] ?? 5);
const seed = Number(values.seed ?? 1);
const resources = Number(values.resources ?? 5000);
const rate = Number(values.rate ?? 20);
const busyMs = 30_000;
const longestWaitMs = 300_000;
const killEvery = Number(values.kills ?? 4);
const faults = [
  ...[
    'cut',
    'cut-chunks',
    'reset',
    'errors:0.05',
    'busy:0.02',
    'late:0.02',
    'wrong-bytes:0.05',
    'not-found:0.05',
  ],
  ...['login-pages:0.05', 'reversed-changes', 'hash-forms', 'cut-documents:0.1'],
];

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-soak-'));
const copy = join(directory, 'copy');
const source = await Simulator.open({ port: 0, seed, resources, rate, size: 2000, closeAfter: 500 }, faults);
let child = follow();
let late: { p99: number; max: number } | undefined;
const end = Date.now() + minutes * 60_000;
let failed = 0;
try {
  for (let round = 1; Date.now() < end; round += 1) {
    await sleep(Math.min(busyMs, Math.max(1000, end - Date.now())));
    source.pause();
    source.setFaults([]);
    const begun = Date.now();
    let difference = differenceNow();
    while (difference !== undefined && Date.now() - begun < longestWaitMs) {
      await sleep(500);
      difference = differenceNow();
    }
    if (difference !== undefined) failed += 1;
    print({
      ...{
        round,
        isSame: difference === undefined,
        difference,
        seconds: Math.round((Date.now() - begun) / 100) / 10,
      },
      ...{ changes: source.events, resources: source.repository.size, requests: source.counts },
      ...{ descriptors: descriptorsOf(child.pid), rssMb: rssOf(child.pid), loopDelayMs: late },
    });
    if (killEvery > 0 && round % killEvery === 0) {
      const killed = once(child, 'exit');
      source.setFaults(faults);
      source.resume();
      await sleep(2000);
      child.kill('SIGKILL');
      await killed;
      child = follow();
    }
    source.setFaults(faults);
    source.resume();
  }
} finally {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  await source.close();
  rmSync(directory, { recursive: true, force: true });
}
print({ minutes, seed, resources, rate, faults, differences: failed });
process.exitCode = failed === 0 ? 0 : 1;

function follow() {
  const delays = join(import.meta.dirname, 'once', 'loop-delay.js');
  const flags = ['--watch', '--every', '1', '--transfers', '4', '--max-delete', '1000000', '--json'];
  const args = [bin, 'sync', source.origin, copy, `--map=${source.origin}=.`, ...flags];
  const started = spawn(process.execPath, [...heapFlags, '--import', delays, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  createInterface({ input: started.stderr }).on('line', (line) => {
    if (line.startsWith('{"loopDelay"')) ({ loopDelay: late } = JSON.parse(line));
  });
  // The first run of all has to succeed, and faults may keep it from that.
  started.once('exit', (code) => {
    if (code !== null && started === child) child = follow();
  });
  return started;
}

/** Why the copy is not what the Source has; undefined: it is. */
function differenceNow(): string | undefined {
  const there = new Map(
    [...source.repository.all()].map(({ path, content }) => [path.slice(1), content.hash('md5')]),
  );
  let held = 0;
  for (const entry of entriesBelow(copy)) {
    const path = join(entry.parentPath, entry.name).slice(copy.length + 1);
    if (path.startsWith('.rsbridge')) continue;
    held += 1;
    const found = hashOf(join(copy, path));
    if (found !== there.get(path)) return `${path} ${there.has(path) ? 'is another state' : 'is gone'}`;
  }
  return held === there.size ? undefined : `${there.size - held} are missing`;
}

function entriesBelow(folder: string) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  } catch {
    return [];
  }
}

function hashOf(file: string): string | undefined {
  try {
    return createHash('md5').update(readFileSync(file)).digest('hex');
  } catch {
    // It is being replaced.
    return undefined;
  }
}

/** Where the system tells. */
function descriptorsOf(pid: number | undefined): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return undefined;
  }
}

function rssOf(pid: number | undefined): number | undefined {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024);
  } catch {
    return undefined;
  }
}
