import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openBridge } from '../../src/bridge/bridge.ts';
import { createLog } from '../../src/bridge/log.ts';
import { startService } from '../../src/bridge/service.ts';
import { main } from '../../src/cli/main.ts';
import { parseConfig } from '../../src/core/config/config.ts';
import { listRuns } from '../../src/store/runs/runs.ts';
import { findSource } from '../../src/store/sources/sources.ts';
import {
  type Answer,
  failure,
  formats,
  identity,
  list,
  provide,
  record,
} from '../house/adapters/scripted-provider.ts';
import { runMain } from '../house/cli/run-main.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-side-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Repositories on one server, by the first segment of their path. */
function repositories(answer: (name: string, verb: string) => Answer) {
  return provide((query, _nth, url) => {
    const verb = query.get('verb') ?? '';
    if (verb === 'Identify') return identity();
    if (verb === 'ListMetadataFormats') return formats;
    if (verb === 'ListSets') return failure('noSetHierarchy');
    return answer(url.slice(1).split('?')[0] ?? '', verb);
  });
}

function configure(url: string, names: readonly string[], more: Record<string, string> = {}): void {
  const at = (name: string) => ({
    url: new URL(`/${name}`, url).href,
    requestsPerHost: 32,
    files: { mode: 'none' },
  });
  const sources = Object.fromEntries([
    ...names.map((name) => [name, at(name)]),
    ...Object.entries(more).map(([name, address]) => [name, { url: address }]),
  ]);
  writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify({ sources }));
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `r${index}`);
const lines = (text: string) => text.trim().split('\n');

test('sources are read side by side, eight at a time; one that fails keeps nobody from theirs', async () => {
  let waiting: ServerResponse[] = [];
  let most = 0;
  const { url } = await repositories((name) => (response) => {
    // Nobody gets an answer before eight have asked; the ninth and tenth come when places are free.
    waiting.push(response);
    most = Math.max(most, waiting.length);
    response.setHeader('x-name', name);
    if (waiting.length < 8 && most < 8) return;
    const ready = waiting;
    waiting = [];
    for (const held of ready) held.end(list([record(`oai:${String(held.getHeader('x-name'))}:1`)]));
  });
  configure(url, numbered(10), { unreachable: 'http://127.0.0.1:1/oai' });
  const outcome = await runMain(directory, ['harvest']);
  expect(outcome).toMatchObject({ code: 3, stderr: expect.stringContaining('unreachable: ') });
  expect(most).toBe(8);
  expect(lines(outcome.stdout)).toHaveLength(10);
  expect(outcome.stdout).toMatch(/r9: full harvest of 1 record: 1 created/);
});

test('the first Ctrl-C ends what is under way after its page, and begins nothing more', async () => {
  const stop = new AbortController();
  const begun = new Set<string>();
  const { url } = await repositories((name) => {
    begun.add(name);
    stop.abort();
    return list([record(`oai:${name}:1`)], '<resumptionToken>more</resumptionToken>');
  });
  configure(url, numbered(12));
  const output: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      output.push(String(chunk));
      done();
    },
  });
  const io = { stdout: sink, stderr: sink, env: {}, cwd: directory };
  const code = await main(['harvest'], { ...io, stop: stop.signal, abort: new AbortController().signal });
  expect(code).toBe(130);
  expect(begun.size).toBeLessThanOrEqual(8);
  expect(output.join('')).toContain('stopped before the end');
});

test('what is due for a source at the same moment comes one after the other', async () => {
  const { url } = await repositories((name) => list([record(`oai:${name}:1`)]));
  const config = parseConfig({
    database: { client: 'sqlite', file: join(directory, 'test.db') },
    directory,
    sources: {
      repo: { url, schedule: false, fullPass: false, identifierPass: false, files: { mode: 'none' } },
    },
  });
  const stop = new AbortController();
  const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
  const bridge = await openBridge(config, createLog('silent', sink), 'migrate');
  const service = await startService(
    bridge,
    { host: '127.0.0.1', port: 0 },
    { stop: stop.signal, abort: new AbortController().signal },
  );
  try {
    await Promise.all([
      service.harvestNow('repo', { mode: 'incremental' }),
      service.harvestNow('repo', { mode: 'full' }),
    ]);
    const stored = await findSource(bridge.database.reader, 'repo');
    const runs = await listRuns(bridge.database.reader, stored?.id ?? 0, 9);
    expect(runs.map(({ state }) => state)).toEqual(['succeeded', 'succeeded']);
  } finally {
    stop.abort();
    await service.close();
    await bridge.close();
  }
});
