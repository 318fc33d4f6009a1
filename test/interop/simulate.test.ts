import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Simulator } from '../../src/simulate/simulator.ts';
import { runMain } from '../house/cli/run-main.ts';
import { freePort } from '../house/process/free-port.ts';
import { filesBelow } from '../house/sync/copy.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 });

/** The reference client and the reference's simulator; `.ci/run` installs them and says where. */
const { RESYNC_SYNC, RESYNC_SIMULATOR_PYTHON } = process.env;
if (!RESYNC_SYNC)
  process.stderr.write(
    'SKIPPED: resync 2.0.1 beside `rsbridge sync` needs RESYNC_SYNC=/path/to/resync-sync\n',
  );
if (!RESYNC_SIMULATOR_PYTHON)
  process.stderr.write('SKIPPED: the reference’s simulator needs RESYNC_SIMULATOR_PYTHON=/path/to/python\n');

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-interop-simulate-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const sync = async (origin: string, ...more: string[]) => {
  const { code, stdout } = await runMain(directory, [
    'sync',
    origin,
    'ours',
    `--map=${origin}=.`,
    '--json',
    ...more,
  ]);
  return { code, summary: JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}').summary };
};
const digests = (folder: string) =>
  Object.entries(filesBelow(join(directory, folder)))
    .map(([path, text]) => `${createHash('md5').update(text).digest('hex')}  ${path}`)
    .sort();

describe.skipIf(!RESYNC_SYNC)('a simulated Source, followed by resync 2.0.1 and by `rsbridge sync`', () => {
  /** Its exit code says nothing; its Status line does. Its cursor lies in the working directory. */
  const resync = async (...args: string[]) => {
    const { stdout, stderr } = await promisify(execFile)(RESYNC_SYNC ?? '', ['--verbose', ...args], {
      cwd: directory,
    });
    return `${stdout}\n${stderr}`;
  };

  test('baseline, changes, audit: both have what there is', async () => {
    const source = await Simulator.open({ port: 0, rate: 0, resources: 60, size: 500, seed: 11 });
    const { origin } = source;
    const truth = () => {
      const { resources } = source.state();
      return resources
        .map(({ loc }) => {
          const path = loc.slice(origin.length);
          return `${source.repository.get(path)?.content.hash('md5')}  ${path.slice(1)}`;
        })
        .sort();
    };
    try {
      expect(await resync('--baseline', origin, 'theirs')).toMatch(/Status:\s+SYNCED/);
      expect(await sync(origin)).toMatchObject({ code: 0, summary: { ways: [{ way: 'baseline' }] } });
      expect(digests('theirs')).toEqual(truth());
      expect(digests('ours')).toEqual(truth());
      for (let round = 0; round < 2; round += 1) {
        // Its cursor is the latest lastmod that it has seen: what changes in that very second it would miss.
        await new Promise((resolve) => setTimeout(resolve, 1100));
        source.step(15);
        expect(await resync('--incremental', '--delete', origin, 'theirs')).toMatch(
          /Status:\s+CHANGES APPLIED/,
        );
        expect(await sync(origin)).toMatchObject({ code: 0, summary: { ways: [{ way: 'incremental' }] } });
        expect(digests('theirs')).toEqual(truth());
        expect(digests('ours')).toEqual(truth());
      }
      expect(await resync('--audit', origin, 'theirs')).toMatch(/Status:\s+IN SYNC/);
      const audit = await sync(origin, '--audit');
      expect(audit).toMatchObject({ code: 0, summary: { copied: { requests: 0 } } });
    } finally {
      await source.close();
    }
  });
});

describe.skipIf(!RESYNC_SIMULATOR_PYTHON)('the reference’s simulator, followed by `rsbridge sync`', () => {
  let program: ChildProcess | undefined;
  afterEach(() => {
    program?.kill('SIGKILL');
  });

  test('baseline, changes, changes that were forgotten, audit: the copy has what there is', async () => {
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const script = join(import.meta.dirname, 'peers', 'resync-simulator.py');
    const child = spawn(RESYNC_SIMULATOR_PYTHON ?? '', ['-W', 'ignore', script, String(port), '20'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    program = child;
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const say = async (line: string): Promise<Record<string, string>> => {
      child.stdin.write(`${line}\n`);
      return JSON.parse((await lines.next()).value ?? '{}');
    };
    const truth = (there: Record<string, string>) =>
      Object.entries(there)
        .map(([name, md5]) => `${md5}  resources/${name}`)
        .sort();
    // It answers 500 for a Change List without changes.
    await say('create');
    await vi.waitFor(() => fetch(`${origin}/capabilitylist.xml`), { timeout: 20_000, interval: 100 });
    expect(await sync(origin)).toMatchObject({ code: 0, summary: { ways: [{ way: 'baseline' }] } });
    expect(digests('ours')).toEqual(truth(await say('nothing')));
    for (const line of ['update 3', 'update 4', 'delete 5', 'create', 'delete 42', 'update 3'])
      await say(line);
    const followed = await sync(origin);
    expect(followed).toMatchObject({ code: 0, summary: { ways: [{ way: 'incremental' }] } });
    expect(digests('ours')).toEqual(truth(await say('nothing')));
    // It tells of the 20 latest changes alone; of those of one second nobody could say whether some are missing.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    for (let name = 10; name < 35; name += 1) await say(name % 3 === 0 ? `delete ${name}` : `update ${name}`);
    const compared = await sync(origin);
    expect(compared.summary.ways.map(({ way }: { way: string }) => way)).toEqual(['incremental', 'audit']);
    expect(digests('ours')).toEqual(truth(await say('nothing')));
    const audit = await sync(origin, '--audit');
    expect(audit).toMatchObject({ code: 0, summary: { copied: { requests: 0 }, isComplete: true } });
  });
});
