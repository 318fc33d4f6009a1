import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openBridge } from '../../../src/bridge/bridge.ts';
import { loadConfig } from '../../../src/bridge/config/load-config.ts';
import { createLog } from '../../../src/bridge/log.ts';
import { main } from '../../../src/cli/main.ts';
import { formats, identity, provide } from '../../house/adapters/scripted-provider.ts';

vi.setConfig({ testTimeout: 120_000 });

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-check-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Two sources at a server that never answers, before one that is well. */
async function configure() {
  const silent = await provide(() => () => undefined);
  const well = await provide((query) => (query.get('verb') === 'Identify' ? identity() : formats));
  const sources = {
    first: { url: silent.url },
    second: { url: `${silent.url}/2` },
    well: { url: well.url },
  };
  writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify({ sources }));
  return { silent, host: new URL(silent.url).host };
}

async function check(onOutput: (text: string) => void = () => undefined, stop = new AbortController()) {
  const output = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk, _encoding, done) {
        output[name] += String(chunk);
        onOutput(output[name]);
        done();
      },
    });
  const io = { env: {}, cwd: directory, stop: stop.signal, abort: new AbortController().signal };
  const code = await main(['check'], { ...io, stdout: sink('stdout'), stderr: sink('stderr') });
  return { code, ...output };
}

test('a server that does not answer, and that another process waits for, holds up no other source', async () => {
  const { silent, host } = await configure();
  const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
  const serving = await openBridge(loadConfig({}, {}, directory), createLog('silent', sink), 'migrate');
  const leave = await serving.gateOf({}).enter(host, 1, new AbortController().signal);
  const began = performance.now();
  let wellAfter = 0;
  try {
    const { code, stdout } = await check((text) => {
      if (wellAfter === 0 && text.includes('ok    source well')) wellAfter = performance.now() - began;
    });
    expect(wellAfter).toBeGreaterThan(0);
    expect(wellAfter).toBeLessThan(20_000);
    expect(performance.now() - began).toBeLessThan(55_000);
    expect(stdout).toContain(
      `FAIL  source first: ${host} gave no answer within 30 seconds, its turn after other processes included`,
    );
    expect(stdout).toContain(`FAIL  source second: not asked: ${host} has not answered for first`);
    expect(code).toBe(3);
    expect(silent.requests).toEqual([]);
  } finally {
    leave();
    await serving.close();
  }
});

test('what is interrupted was not looked at, and is not wrong for that', async () => {
  await configure();
  const stop = new AbortController();
  const { code, stdout, stderr } = await check((text) => {
    if (text.includes('ok    source well')) stop.abort();
  }, stop);
  expect(code).toBe(130);
  expect(stdout).not.toContain('FAIL');
  expect(stderr).toContain('stopped as asked: 2 sources are not looked at');
});
