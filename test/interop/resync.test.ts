import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bridge, openBridge } from '../../src/bridge/bridge.ts';
import { createLog } from '../../src/bridge/log.ts';
import { type Service, startService } from '../../src/bridge/service.ts';
import { systemClock } from '../../src/bridge/system-clock.ts';
import { demoCommand } from '../../src/cli/demo/demo.ts';
import type { CommandIo } from '../../src/cli/terminal/io.ts';
import { parseConfig } from '../../src/core/config/config.ts';
import { createSampleRepository, type SampleRepository } from '../../src/demo/sample-repository.ts';
import { readJournal } from '../../src/store/sources/journal.ts';
import { runMain } from '../house/cli/run-main.ts';
import { freePort } from '../house/process/free-port.ts';
import { placeMigrated } from '../house/store/databases.ts';
import { filesBelow as textsBelow } from '../house/sync/copy.ts';

/** The reference client; `.ci/run` installs it and says where. */
const resyncSync = process.env.RESYNC_SYNC;

if (!resyncSync) {
  process.stderr.write('SKIPPED: the round trip with resync 2.0.1 needs RESYNC_SYNC=/path/to/resync-sync\n');
}

describe.skipIf(!resyncSync)('the reference client resync 2.0.1', () => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-interop-'));
  const copy = join(directory, 'copy');
  const token = 'a-token-for-a-partner';
  let repository: SampleRepository;
  let bridge: Bridge;
  let service: Service;
  let stop: AbortController;

  beforeAll(async () => {
    repository = createSampleRepository({ clock: systemClock, records: 40 });
    const [{ url }, port] = await Promise.all([repository.listen(0), freePort()]);
    const config = parseConfig({
      baseUrl: `http://127.0.0.1:${port}`,
      database: { client: 'sqlite', file: placeMigrated(join(directory, 'test.db')) },
      directory,
      sources: {
        sample: { url, schedule: false, fullPass: false, overlapSeconds: 5 },
        hidden: { url, schedule: false, fullPass: false, overlapSeconds: 5, access: { token } },
      },
    });
    stop = new AbortController();
    const io = quietIo(stop.signal, directory);
    bridge = await openBridge(config, createLog('silent', io.stderr), 'migrate');
    service = await startService(bridge, { host: '127.0.0.1', port }, io);
    await service.harvestNow('sample', { mode: 'full' });
    await service.followFiles('sample');
    await publishedUpTo(bridge, service);
  }, 600_000);

  afterAll(async () => {
    stop?.abort();
    await service?.close();
    await bridge?.close();
    await repository?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  test('baseline, audit, edits, incremental with deletions, audit: in sync throughout', async () => {
    const base = `${bridge.config.baseUrl}/sample`;
    expect(await resync(['--baseline', base, copy])).toMatch(/Status:\s+SYNCED/);
    const [published] = await bridge.database
      .reader('resource')
      .whereNull('deleted_at')
      .count({ count: '*' });
    expect(filesBelow(copy)).toBe(Number(published?.count));
    expect(await resync(['--audit', base, copy])).toMatch(/Status:\s+IN SYNC/);
    await expectSameTrees(base);

    // Twice, so that records that were added are also deleted again between two visits.
    for (let round = 0; round < 2; round += 1) {
      for (let edit = 0; edit < 15; edit += 1) repository.edit();
      await service.harvestNow('sample', { mode: 'incremental' });
      await service.followFiles('sample');
      await publishedUpTo(bridge, service);
      expect(await resync(['--audit', base, copy])).toMatch(/Status:\s+NOT IN SYNC/);
      const followed = await resync(['--incremental', '--delete', base, copy]);
      expect(followed).toMatch(/Status:\s+CHANGES APPLIED/);
      expect(await resync(['--audit', base, copy]), followed).toMatch(/Status:\s+IN SYNC/);
      await expectSameTrees(base);
    }
  }, 600_000);

  test('a private source with --access-token, as docs/private.md says, and not without it', async () => {
    await service.harvestNow('hidden', { mode: 'full' });
    await service.followFiles('hidden');
    await publishedUpTo(bridge, service, 'hidden');
    const [base, place] = [`${bridge.config.baseUrl}/hidden`, join(directory, 'hidden')];
    const isRefused = /401|Fatal|[Ff]ailed/;
    expect(await resync(['--baseline', base, place]).catch(String)).toMatch(isRefused);
    const withToken = ['--access-token', token];
    expect(await resync([...withToken, '--baseline', base, place])).toMatch(/Status:\s+SYNCED/);
    expect(filesBelow(place)).toBeGreaterThan(10);
    expect(await resync([...withToken, '--audit', base, place])).toMatch(/Status:\s+IN SYNC/);
    for (let edit = 0; edit < 10; edit += 1) repository.edit();
    await service.harvestNow('hidden', { mode: 'incremental' });
    await service.followFiles('hidden');
    await publishedUpTo(bridge, service, 'hidden');
    const followed = await resync([...withToken, '--incremental', '--delete', base, place]);
    expect(followed).toMatch(/Status:\s+CHANGES APPLIED/);
    expect(await resync([...withToken, '--audit', base, place])).toMatch(/Status:\s+IN SYNC/);
  }, 600_000);

  /** `rsbridge sync` of the same Source, by the dump or the lists, whichever it chooses, has the same files with the same bytes. */
  async function expectSameTrees(base: string): Promise<void> {
    const { code, stdout, stderr } = await runMain(directory, ['sync', `${base}=ours`, '--json']);
    expect(code, stdout + stderr).toBe(0);
    const [ours, theirs] = [digestsBelow(join(directory, 'ours')), digestsBelow(copy)];
    expect(ours).toEqual(theirs);
    expect(ours.length).toBeGreaterThan(100);
  }

  const resync = (args: string[]) => runIn(directory, args);
});

describe.skipIf(!resyncSync)('the reference client against the demo, as docs/demo.md says', () => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-interop-demo-'));
  const stop = new AbortController();
  /** Half an hour of the real demo in half a minute. */
  const pace = {
    records: 60,
    roundMs: 500,
    calmMs: 0,
    manners: { still: 5_000, stillForAudit: 20_000, keep: 6_000, longest: 600_000 },
  };

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  test('baseline, incremental with deletions, audit: in sync, as often as one tries', async () => {
    const port = await freePort();
    const base = `http://localhost:${port}/sample`;
    const flags = { port, data: 'demo', editEvery: 0.05, json: true };
    const running = demoCommand(flags, quietIo(stop.signal, directory), pace);
    const changes = async () => {
      const response = await fetch(`${base}/changelist.xml`, { headers: { 'user-agent': 'watcher' } });
      const text = await response.text();
      return response.ok ? text : undefined;
    };
    const untilItMoves = async () => {
      const before = await changes().catch(() => undefined);
      for (;;) {
        const now = await changes().catch(() => undefined);
        if (now !== undefined && now !== before) return;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    };
    try {
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const copy = join(directory, `copy-${attempt}`);
        await untilItMoves();
        expect(await runIn(directory, ['--baseline', base, copy])).toMatch(/Status:\s+SYNCED/);
        await untilItMoves();
        expect(await runIn(directory, ['--incremental', '--delete', base, copy])).toMatch(
          /Status:\s+CHANGES APPLIED/,
        );
        expect(await runIn(directory, ['--audit', base, copy])).toMatch(/Status:\s+IN SYNC/);
      }
    } finally {
      stop.abort();
      await running;
    }
  }, 600_000);
});

async function runIn(directory: string, args: string[]): Promise<string> {
  // Its exit code says nothing; its Status line does. Its cursor lies in the working directory.
  const { stdout, stderr } = await promisify(execFile)(resyncSync ?? '', ['--verbose', ...args], {
    cwd: directory,
  });
  return `${stdout}\n${stderr}`;
}

/** What no file system has is escaped in ours. */
function digestsBelow(folder: string): readonly string[] {
  return Object.entries(textsBelow(folder))
    .map(([path, text]) => {
      const name = path.replaceAll('%3A', ':').replaceAll('%7E', '~');
      return `${name} ${createHash('sha256').update(text).digest('hex')}`;
    })
    .sort();
}

function filesBelow(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .length;
}

/** Until the lists have everything that is in the journal, told by sequences: a second may hold two renderings. */
async function publishedUpTo(bridge: Bridge, service: Service, source = 'sample'): Promise<void> {
  for (;;) {
    const journal = await readJournal(bridge.database.reader, source);
    if (journal && service.isPublished(source, journal)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function quietIo(stop: AbortSignal, cwd: string): CommandIo {
  const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  return { stdout: nowhere(), stderr: nowhere(), env: {}, cwd, stop, abort: stop };
}
