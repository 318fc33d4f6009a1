import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRandom } from '../../src/core/draws/random.ts';
import { Simulator } from '../../src/simulate/simulator.ts';
import { binary } from '../house/process/script.ts';
import { runs } from '../house/runs.ts';
import { filesBelow } from '../house/sync/copy.ts';

let directory: string;
let source: Simulator | undefined;
let child: ChildProcess | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-killed-'));
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await source?.close();
  rmSync(directory, { recursive: true, force: true });
});

/** A process of its own, as a person starts it. */
function start(origin: string, ...more: string[]): ChildProcess {
  const args = [binary(), 'sync', origin, directory, `--map=${origin}=.`, '--max-delete', '1000', ...more];
  return spawn(process.execPath, args, { stdio: 'ignore' });
}

/** With what may be wrong while the process is at work, and comes right when it is asked again. */
const faults = ['cut:0.2', 'reset:0.1', 'errors:0.1', 'wrong-bytes:0.1', 'cut-documents:0.2', 'old-dump'];

/** Every second Source has no dumps: a new copy is filled from its list. */
const offersOf = (seed: number) =>
  seed % 2 === 0 ? { offers: ['resourcelist', 'changelist'] as const } : {};

test.each(Array.from({ length: runs(2) }, (_, seed) => seed + 1))(
  'history %i: killed again and again (SIGKILL), with faults, it goes on and comes to what the Source has',
  async (seed) => {
    const random = createRandom(seed);
    const settings = { port: 0, rate: 0, resources: 150, size: 3000, seed, packageSize: 40, latencyMs: 5 };
    source = await Simulator.open({ ...settings, ...offersOf(seed) }, faults);
    for (let round = 0; round < 4; round += 1) {
      child = start(source.origin);
      const ended = once(child, 'exit');
      // Not before it was sent something, and at whatever it is then.
      const wanted = source.counts.octets + 1 + Math.floor(random() * 80_000);
      while (child.exitCode === null && source.counts.octets < wanted) await sleep(5);
      source.step(10);
      child.kill('SIGKILL');
      await ended;
    }
    source.setFaults([]);
    child = start(source.origin, '--audit');
    const [code] = await once(child, 'exit');
    const there = [...source.repository.all()].map(({ path, content }) => [
      path.slice(1),
      content.hash('sha256'),
    ]);
    const digest = (text: string) => createHash('sha256').update(text).digest('hex');
    const held = Object.entries(filesBelow(directory)).map(([path, text]) => [path, digest(text)]);
    expect(Object.fromEntries(held)).toEqual(Object.fromEntries(there));
    expect(code).toBe(0);
  },
  120_000,
);
