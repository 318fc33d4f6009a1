import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openBridge } from '../../../src/bridge/bridge.ts';
import { loadConfig } from '../../../src/bridge/config/load-config.ts';
import { createLog } from '../../../src/bridge/log.ts';
import { startService } from '../../../src/bridge/service.ts';
import { readOverviews } from '../../../src/bridge/state/overview.ts';
import { describeTurns } from '../../../src/cli/status/times.ts';
import { failure, formats, identity, list, provide, record } from '../../house/adapters/scripted-provider.ts';
import { runBeside } from '../../house/cli/run-beside.ts';

vi.setConfig({ testTimeout: 60_000 });

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-silent-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('a harvest whose server does not answer is told as that, and its first timeout as trouble', async () => {
  let isSilent = false;
  const { url, requests } = await provide((query) => {
    if (isSilent) return () => undefined;
    const verb = query.get('verb');
    if (verb === 'Identify') return identity();
    if (verb === 'ListMetadataFormats') return formats;
    return verb === 'ListRecords' ? list([record('oai:repo:1')]) : failure('noSetHierarchy');
  });
  const { host } = new URL(url);
  const repo = { url, timeoutSeconds: 9, schedule: false, fullPass: false, files: { mode: 'none' } };
  writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify({ sources: { repo } }));
  expect(await runBeside(directory, ['harvest'])).toMatchObject({ code: 0 });
  const stop = new AbortController();
  const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
  const config = loadConfig({}, {}, directory);
  const bridge = await openBridge(config, createLog('silent', sink), 'migrate');
  const signals = { stop: stop.signal, abort: new AbortController().signal };
  const service = await startService(bridge, { host: '127.0.0.1', port: 0 }, signals);
  try {
    expect((await runBeside(directory, ['status'])).stdout).toContain(
      'up to date; the last full harvest found 1',
    );
    isSilent = true;
    const before = requests.length;
    const harvest = service.harvestNow('repo', { mode: 'incremental' });
    const { stdout } = await vi.waitFor(
      async () => {
        const outcome = await runBeside(directory, ['status']);
        expect(outcome.stdout).toContain('a harvest has begun');
        return outcome;
      },
      { timeout: 8500, interval: 100 },
    );
    expect(stdout).toContain(`a harvest has begun, and waits for the first answer of ${host} since 20`);
    expect(stdout).not.toContain('up to date');
    const [overview] = await readOverviews(bridge);
    expect(overview).toMatchObject({ word: 'running', isUnderWay: true });
    expect(overview?.stateIn?.('ja')).toContain(`${host}の最初の応答を待っています`);
    await harvest;
    expect(requests.length - before).toBe(1);
    const after = await runBeside(directory, ['status']);
    expect(after.code).not.toBe(0);
    expect(after.stdout).toContain(`${host} accepted the connection and did not answer within 9 seconds`);
    expect(after.stdout).not.toContain('has begun');
  } finally {
    stop.abort();
    await service.close();
    await bridge.close();
  }
});

test('nobody is sent to look at `serve` for a run that some process has taken', () => {
  const overview = {
    ...{ name: 'kyoto', title: 'Kyoto', state: '', healthy: false, items: 0, resources: 0, recentChanges: 0 },
    ...{ nextRunAt: '2026-11-29T23:00:38Z', now: '2026-11-29T23:03:00Z' },
    ...{ ageSeconds: 1, lagSeconds: 0, unpublished: [], pause: undefined, nextIsFull: false },
  };
  expect(describeTurns({ ...overview, isUnderWay: false })).toContain('rsbridge serve does not run');
  expect(describeTurns({ ...overview, word: 'failed', isUnderWay: true })).toBe(
    'the next run is planned when this one has ended; everything is published',
  );
});
