import { type ChildProcess, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type Finished, rsbridge } from '../../house/cli/processes.ts';
import { freePort } from '../../house/process/free-port.ts';

/** Real processes behind one port. */
describe.skipIf(process.platform === 'win32')('serve with several processes', { timeout: 120_000 }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-processes-'));
  const running: ChildProcess[] = [];
  let port = 0;

  beforeAll(async () => {
    port = await freePort();
    const config = {
      baseUrl: 'http://127.0.0.1:1',
      database: { client: 'sqlite', file: 'test.db' },
      directory: 'data',
      logLevel: 'debug',
      listen: { port },
      sources: { sample: { url: 'http://127.0.0.1:1/oai', schedule: false, fullPass: false } },
    };
    writeFileSync(join(directory, 'rsbridge.yaml'), stringify(config));
  });
  afterEach(() => {
    for (const child of running.splice(0)) child.kill('SIGKILL');
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  async function serve(...args: string[]): Promise<{ child: ChildProcess; finished: Promise<Finished> }> {
    const started = rsbridge(['serve', ...args, '--json'], directory);
    running.push(started.child);
    await new Promise<void>((resolve, reject) => {
      started.child.stdout?.once('data', () => resolve());
      void started.finished.then(({ stderr }) => reject(new Error(stderr)));
    });
    return started;
  }

  /** Over a connection of its own: the next one may be another process's. */
  function ask(path: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const agent = new Agent({ keepAlive: false });
      get({ host: '127.0.0.1', port, path, agent }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.once('end', () => resolve(text));
      }).once('error', reject);
    });
  }

  async function until<Answer>(look: () => Promise<Answer | undefined>): Promise<Answer> {
    for (;;) {
      const found = await look().catch(() => undefined);
      if (found !== undefined) return found;
      await setTimeout(100);
    }
  }

  /** Of the child processes, in no order. */
  function childrenOf(child: ChildProcess): readonly number[] {
    const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
    return stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .filter(([, parent]) => parent === child.pid)
      .map(([pid = 0]) => pid)
      .filter((pid) => isAlive(pid));
  }

  function isAlive(pid: number): boolean {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  }

  const processesIn = (metrics: string) =>
    [...metrics.matchAll(/^rsbridge_uptime_seconds\{process="(\d)"\}/gm)].map(([, number]) => number).sort();

  test('answers by each, counts all of them, replaces one that dies, and ends with all of them', async () => {
    const { child, finished } = await serve('--processes', '2');
    for (let asked = 0; asked < 6; asked += 1) expect(await ask('/livez')).toBe('ok\n');
    const metrics = await ask('/metrics');
    expect(processesIn(metrics)).toEqual(['0', '1', '2']);
    expect(metrics.match(/^# HELP rsbridge_http_requests_total /gm)).toHaveLength(1);
    const answered = [
      ...metrics.matchAll(
        /^rsbridge_http_requests_total\{operation="getLiveness",.*process="(\d)"\} (\d+)/gm,
      ),
    ];
    expect(answered.map(([, number]) => number).sort()).toEqual(['1', '2']);
    expect(answered.reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(6);
    const before = childrenOf(child).filter((pid) => pid !== 0);
    const victim = before[0] ?? 0;
    process.kill(victim, 'SIGKILL');
    const now = await until(async () => {
      const pids = childrenOf(child);
      const isWhole = !pids.includes(victim) && processesIn(await ask('/metrics')).length === 3;
      return isWhole ? pids : undefined;
    });
    child.kill('SIGTERM');
    const { code, stderr } = await finished;
    expect(code).toBe(0);
    expect(stderr).toContain('a process that answers requests ended, and is started again');
    // Each is a whole line, whoever wrote it.
    for (const line of stderr.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('msg');
    await until(async () => (now.some(isAlive) ? undefined : true));
  });

  test('SIGTERM to all of them at once, as service managers send it, is no accident', async () => {
    const { child, finished } = await serve('--workers', '2');
    for (const pid of [...childrenOf(child), child.pid ?? 0]) process.kill(pid, 'SIGTERM');
    const { code, stderr } = await finished;
    expect({ code, again: stderr.includes('started again') }).toEqual({ code: 0, again: false });
  });

  test('none of them outlives the process that started them', async () => {
    const { child, finished } = await serve('--processes', '2');
    const pids = childrenOf(child);
    expect(pids.length).toBeGreaterThanOrEqual(2);
    child.kill('SIGKILL');
    await finished;
    await until(async () => (pids.some(isAlive) ? undefined : true));
  });

  test('a port that is taken is said once', async () => {
    await serve();
    const { code, stderr } = await rsbridge(['serve', '--processes', '2'], directory).finished;
    expect(code).toBe(5);
    expect(stderr.match(/port-in-use/g)).toHaveLength(1);
  });
});
