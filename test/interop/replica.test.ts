import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../src/bridge/system-clock.ts';
import { createSampleRepository, type SampleRepository } from '../../src/demo/sample-repository.ts';
import { rsbridge } from '../house/cli/processes.ts';
import { runBeside } from '../house/cli/run-beside.ts';
import { runMain } from '../house/cli/run-main.ts';
import { hearServers } from '../house/postgres/asked.ts';
import { type PostgresPair, startPostgresPair } from '../house/postgres/pair.ts';
import { findPgbouncer, startPgbouncer } from '../house/postgres/pgbouncer.ts';
import type { PostgresServer } from '../house/postgres/server.ts';
import { freePort } from '../house/process/free-port.ts';

/** Long enough to start servers and processes on a busy machine. */
const patience = 180_000;
const soon = { timeout: 60_000, interval: 100 };
const pgbouncer = findPgbouncer();

if (!pgbouncer)
  process.stderr.write(
    'SKIPPED: a replica behind pgbouncer needs it in PATH, or PGBOUNCER=/path/to/pgbouncer\n',
  );

describe('a streaming replica', { timeout: patience }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-replica-test-'));
  let pair: PostgresPair;
  let repository: SampleRepository;
  let upstream: string;
  let port: number;
  let base: string;

  beforeAll(async () => {
    pair = await startPostgresPair();
    repository = createSampleRepository({ clock: systemClock, records: 20 });
    upstream = (await repository.listen(0)).url;
    port = await freePort();
    base = `http://127.0.0.1:${port}`;
    configure(pair.url, pair.replicaUrl);
    for (const command of ['harvest', 'publish']) await run(command);
  }, patience);
  afterAll(async () => {
    await repository.close();
    await pair.stop();
    rmSync(directory, { recursive: true, force: true });
  }, patience);

  function configure(url: string, replicaUrl: string): void {
    const quiet = { schedule: false, fullPass: false, identifierPass: false, files: { mode: 'none' } };
    const settings = {
      baseUrl: base,
      database: { client: 'pg', url, replicaUrl },
      directory: 'data',
      listen: { host: '127.0.0.1', port },
      sources: { sample: { url: upstream, ...quiet } },
    };
    writeFileSync(join(directory, 'rsbridge.yaml'), stringify(settings));
  }

  async function run(...args: readonly string[]): Promise<string> {
    const done = await runBeside(directory, args);
    expect(done, done.stderr).toMatchObject({ code: 0 });
    return done.stdout;
  }

  async function get(uri: string): Promise<{ status: number; text: string }> {
    const { statusCode, body } = await request(uri);
    return { status: statusCode, text: await body.text() };
  }

  const statuses = (uris: readonly string[]) => Promise.all(uris.map(async (uri) => (await get(uri)).status));

  describe('commands that only read', () => {
    /** Where a command asks for what it says. */
    async function askedBy(
      ...args: readonly string[]
    ): Promise<{ ports: readonly number[]; stdout: string }> {
      const heard = hearServers(['run', 'item', 'resource', 'withdrawal', 'unreadable']);
      try {
        const done = await runMain(directory, args);
        expect(done, done.stderr).toMatchObject({ code: 0 });
        return { ports: [...heard.ports], stdout: done.stdout };
      } finally {
        heard.stop();
      }
    }
    const [primary, replica] = ['url', 'replicaUrl'].map(
      (name) => () => Number(new URL(pair[name as 'url' | 'replicaUrl']).port),
    ) as [() => number, () => number];

    test('ask it, and the primary where it has not replayed what they are to know', async () => {
      configure(pair.url, pair.replicaUrl);
      const [{ path } = { path: '' }] = await pair.ask<{ path: string }>(
        'primary',
        "select path from resource where kind = 'metadata' and deleted_at is null order by path desc",
      );
      for (const args of [['status'], ['status', '--at', '2026-01-01'], ['history', path], ['problems']]) {
        await pair.caughtUp();
        expect((await askedBy(...args)).ports, args.join(' ')).toContain(replica());
      }
      await pair.caughtUp();
      expect((await askedBy('export', 'out')).ports).toContain(replica());
      await pair.caughtUp();
      await pair.ask('replica', 'select pg_wal_replay_pause()');
      try {
        await run('withdraw', `${base}/${path}`, '--reason', 'asked for');
        const { ports, stdout } = await askedBy('status');
        expect(ports).toEqual([primary()]);
        expect(stdout).toContain('asked for');
      } finally {
        await pair.ask('replica', 'select pg_wal_replay_resume()');
      }
    });
  });

  describe.each([
    ['reached directly', false],
    ['behind a pgbouncer of its own', true],
  ] as const)('%s', (_, withPgbouncer) => {
    const isSkipped = withPgbouncer && !pgbouncer;
    let bouncers: PostgresServer[] = [];
    let served: ReturnType<typeof rsbridge> | undefined;
    /** Of resources that the newest Resource List names. */
    let uris: readonly string[] = [];

    beforeAll(async () => {
      if (isSkipped) return;
      const servers = [pair.url, pair.replicaUrl];
      if (withPgbouncer)
        bouncers = await Promise.all(servers.map((url) => startPgbouncer(pgbouncer ?? '', url)));
      const [url = '', replicaUrl = ''] = withPgbouncer ? bouncers.map((bouncer) => bouncer.url) : servers;
      configure(url, replicaUrl);
      served = rsbridge(['serve', '--role', 'web'], directory);
      const list = `${base}/sample/resourcelist.xml`;
      const answered = await vi.waitFor(async () => {
        const answer = await get(list);
        expect(answer.status).toBe(200);
        return answer.text;
      }, soon);
      const listed = [...answered.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, uri = '']) => uri);
      const answers = await statuses(listed);
      uris = listed.filter((_, index) => answers[index] === 200);
      expect(uris.length).toBeGreaterThan(10);
    }, patience);
    afterAll(async () => {
      served?.child.kill('SIGTERM');
      await served?.finished;
      for (const { stop } of bouncers) await stop();
    }, patience);

    /** Whether what it was asked last on a connection is what answers a request. */
    async function isAsked(): Promise<boolean> {
      await statuses(uris);
      const asked = await pair.ask(
        'replica',
        `select 1 from pg_stat_activity where pid <> pg_backend_pid() and query ~ 'from "?(resource|version|blob)'`,
      );
      return asked.length > 0;
    }

    test.skipIf(isSkipped)('answers requests', async () => {
      await expect.poll(isAsked, soon).toBe(true);
      expect(new Set(await statuses(uris))).toEqual(new Set([200]));
    });

    test.skipIf(isSkipped)('that replays nothing serves nothing that was withdrawn', async () => {
      const [uri = ''] = uris;
      const item = uri.slice(0, uri.lastIndexOf('/'));
      await expect.poll(isAsked, soon).toBe(true);
      expect(await statuses([uri, item])).toEqual([200, 200]);
      await pair.ask('replica', 'select pg_wal_replay_pause()');
      const withdrawals = 'select * from withdrawal';
      const before = await pair.ask('replica', withdrawals);
      await run('withdraw', item);
      expect((await pair.ask('primary', withdrawals)).length).toBeGreaterThan(before.length);
      expect(await pair.ask('replica', withdrawals)).toEqual(before);
      for (let turn = 0; turn < 20; turn += 1) expect(await statuses([uri, item])).toEqual([410, 410]);
      await pair.ask('replica', 'select pg_wal_replay_resume()');
      await pair.caughtUp();
      await expect.poll(isAsked, soon).toBe(true);
      for (let turn = 0; turn < 20; turn += 1) expect(await statuses([uri, item])).toEqual([410, 410]);
    });

    test.skipIf(isSkipped)('that dies keeps no request from its answer', async () => {
      await expect.poll(isAsked, soon).toBe(true);
      const before = await statuses(uris);
      const answers = Array.from({ length: 10 }, () => statuses(uris));
      await pair.killReplica();
      for (const answer of answers) expect(await answer).toEqual(before);
      expect(await statuses(uris)).toEqual(before);
      await pair.startReplica();
      await expect.poll(isAsked, soon).toBe(true);
      expect(await statuses(uris)).toEqual(before);
      expect(await run('check')).toMatch(/^ok {4}replica 127\.0\.0\.1:\d+\/\w*: follows the primary/m);
    });
  });
});
