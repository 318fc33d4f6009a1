import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openBridge } from '../../../src/bridge/bridge.ts';
import { loadConfig } from '../../../src/bridge/config/load-config.ts';
import { createLog } from '../../../src/bridge/log.ts';
import { startService } from '../../../src/bridge/service.ts';
import { failure, formats, identity, list, provide, record } from '../../house/adapters/scripted-provider.ts';
import { runBeside } from '../../house/cli/run-beside.ts';

vi.setConfig({ testTimeout: 60_000 });

test('a repository without a record has documents, and its first record is a change', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-empty-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  let records: readonly string[] = [];
  const { url } = await provide((query) => {
    const verb = query.get('verb');
    if (verb === 'Identify') return identity();
    if (verb === 'ListMetadataFormats') return formats;
    if (verb !== 'ListRecords') return failure('noSetHierarchy');
    return records.length === 0 ? failure('noRecordsMatch') : list(records);
  });
  const zero = { url, schedule: false, fullPass: false, identifierPass: false, files: { mode: 'none' } };
  writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify({ sources: { zero } }));
  expect(await runBeside(directory, ['harvest'])).toMatchObject({ code: 0 });
  expect((await runBeside(directory, ['status'])).stdout).toContain('not published yet: zero, zero/metadata');
  const stop = new AbortController();
  const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
  const bridge = await openBridge(loadConfig({}, {}, directory), createLog('silent', sink), 'migrate');
  const signals = { stop: stop.signal, abort: new AbortController().signal };
  const service = await startService(bridge, { host: '127.0.0.1', port: 0 }, signals);
  const wait = { timeout: 20_000 };
  const read = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${service.address.port}${path}`);
    return { status: answer.status, text: await answer.text() };
  };
  try {
    await vi.waitFor(async () => expect((await read('/zero/resourcelist.xml')).status).toBe(200), wait);
    await vi.waitFor(async () => {
      const { text } = await read('/.well-known/resourcesync');
      expect(text).toContain('/zero/capabilitylist.xml');
    }, wait);
    expect((await read('/zero/resourcelist.xml')).text).not.toContain('<url>');
    expect((await runBeside(directory, ['status'])).stdout).toContain('everything is published');
    const about = JSON.parse((await read('/zero/about?format=json')).text);
    expect(about.synchronise).toEqual({ baseline: expect.stringContaining('/zero/resourcelist.xml') });
    const named = about.documents.map(({ uri }: { uri: string }) => new URL(uri).pathname);
    for (const path of named) expect([path, (await read(path)).status]).toEqual([path, 200]);
    const at = /at="([^"]+)"/.exec((await read('/zero/resourcelist.xml')).text)?.[1] ?? '';
    records = [record('oai:zero:1')];
    await service.harvestNow('zero', { mode: 'incremental' });
    await vi.waitFor(async () => {
      const { text } = await read('/zero/changelist.xml');
      expect(text).toContain('change="created"');
      // Whoever has the empty list misses nothing.
      expect((/datetime="([^"]+)"/.exec(text)?.[1] ?? '') >= at).toBe(true);
    }, wait);
    const after = JSON.parse((await read('/zero/about?format=json')).text);
    expect(after.synchronise.incremental).toContain('/zero/changelist.xml');
    const { text: index } = await read('/zero/changelist-index.xml');
    expect((/from="([^"]+)"/.exec(index)?.[1] ?? '9') <= at).toBe(true);
  } finally {
    stop.abort();
    await service.close();
    await bridge.close();
  }
});
