import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listRestingHosts } from '../../../src/store/hosts/host-news.ts';
import type { Asking } from '../../house/harvest/asking-process.ts';
import { type CountingProvider, countingProvider } from '../../house/harvest/counting-provider.ts';
import { scriptOf } from '../../house/process/script.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

/** As by default, a tenth of it: nobody waits a minute here. */
const times = { askerMs: 6000, slotMs: 2500, lookMs: 200, waitingMs: 50, turnMs: 300, idleMs: 5000 };
const limit = 2;
const names = 12;

describeOnBoth('requests of several processes at one machine', (open) => {
  let provider: CountingProvider;
  const askers: ChildProcess[] = [];

  beforeEach(async () => {
    provider = await countingProvider(names);
  });
  afterEach(async () => {
    for (const asker of askers.splice(0)) {
      const ended = new Promise((resolve) => asker.once('exit', resolve));
      if (asker.exitCode === null && asker.signalCode === null) {
        asker.kill('SIGKILL');
        await ended;
      }
    }
    await provider.close();
    const { writer } = open().database;
    for (const table of ['asker', 'host', 'host_slot']) await writer(table).delete();
  });

  async function ask(): Promise<number> {
    const { urls } = provider;
    const asking: Asking = { database: open().config, urls, requestsPerHost: limit, times };
    const script = scriptOf(join(import.meta.dirname, '..', '..', 'house', 'harvest', 'asking-process.ts'));
    const child = spawn(process.execPath, [script, JSON.stringify(asking)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    askers.push(child);
    return child.pid ?? 0;
  }

  const requestsOf = (pid: number) => provider.traffic.get(pid)?.requests ?? 0;
  const until = (what: () => unknown) => expect.poll(what, { timeout: 60_000, interval: 20 });
  const isAsking = (pid: number, more = 10) =>
    until(() => requestsOf(pid)).toBeGreaterThan(requestsOf(pid) + more);

  test('are never more than the limit, and each process has its turn', async () => {
    const first = await ask();
    // It is alone, and asks without a slot when the others come.
    await isAsking(first);
    const [second, third] = [await ask(), await ask()];
    for (const pid of [second, third, first, second, third]) await isAsking(pid);
    expect(provider.most).toBe(limit);
  });

  test('what a process held that was killed is free for the others', async () => {
    const [first, second] = [await ask(), await ask()];
    for (const pid of [first, second]) await isAsking(pid);
    askers[0]?.kill('SIGKILL');
    await isAsking(second, 60);
    expect(provider.most).toBe(limit);
    // Alone again, it needs no slots.
    await until(() => open().database.reader('host_slot').select('n')).toEqual([]);
    await isAsking(second, 60);
    expect(provider.most).toBe(limit);
  });

  test('a process that was stopped for longer than its slots live asks nothing before it has one again', async () => {
    const [first, second] = [await ask(), await ask()];
    for (const pid of [first, second]) await isAsking(pid);
    // Its requests stay under way, and are answered when it lives again.
    const held: (() => void)[] = [];
    provider.answer = (response, pid) => {
      if (pid === first) held.push(() => response.end('late'));
      else response.end('well');
    };
    await until(() => held.length).toBeGreaterThan(0);
    askers[0]?.kill('SIGSTOP');
    const before = requestsOf(first);
    await until(async () =>
      (await open().database.reader('host_slot').select('holder')).every(
        ({ holder }) => !String(holder).includes(`/${first}/`),
      ),
    ).toBe(true);
    await isAsking(second, 100);
    expect(requestsOf(first)).toBe(before);
    // Those that it has under way, and the limit of all others.
    expect(provider.most).toBeLessThanOrEqual(limit + held.length);
    provider.answer = undefined;
    for (const answer of held) answer();
    await until(() => provider.traffic.get(first)?.open).toBe(0);
    provider.most = 0;
    askers[0]?.kill('SIGCONT');
    await isAsking(first);
    await isAsking(second);
    expect(provider.most).toBe(limit);
  });

  test('what one is told, all do: a rest holds for every process, and status tells of it', async () => {
    const [first, second] = [await ask(), await ask()];
    for (const pid of [first, second]) await isAsking(pid);
    let told = 0;
    provider.answer = (response, pid) => {
      const isTold = pid === first && told === 0;
      if (isTold) told = performance.now();
      response.writeHead(isTold ? 429 : 200, isTold ? { 'retry-after': '6' } : {}).end();
    };
    await until(() => told).toBeGreaterThan(0);
    await until(() => listRestingHosts(open().database.reader)).toEqual([
      { host: 'group platform', until: expect.any(String), reason: '429 from server, as asked' },
    ]);
    // Until it has heard of it, the other goes on; then nobody asks until the rest is over.
    await until(() => Math.min(...[first, second].map(requestsOf)) > 0 && quietMs() > 2000).toBe(true);
    const lastBefore = Math.max(...[first, second].map((pid) => provider.traffic.get(pid)?.last ?? 0));
    expect(lastBefore - told).toBeLessThan(6000);
    for (const pid of [first, second]) await isAsking(pid);
    const newcomer = await ask();
    await isAsking(newcomer);
    expect(provider.most).toBe(limit);
  });

  function quietMs(): number {
    return performance.now() - Math.max(...[...provider.traffic.values()].map(({ last }) => last));
  }
});
