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

test('a server that another process is asking all the time is not called silent, and holds up no other source', async () => {
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
    expect(stdout).toMatch(
      new RegExp(
        `^warn  source first: not asked: its turn at ${host} did not come within 30 seconds; process ${process.pid} on `,
        'm',
      ),
    );
    expect(stdout).toContain(`warn  source second: not asked: the turn at ${host} did not come for first`);
    expect(stdout).not.toContain('FAIL');
    expect(code).toBe(4);
    expect(silent.requests).toEqual([]);
  } finally {
    leave();
    await serving.close();
  }
});

test('a server that accepts connections and answers nothing is silent, and asked once', async () => {
  const { silent, host } = await configure();
  const { code, stdout } = await check();
  expect(stdout).toContain(`FAIL  source first: ${host} gave no answer within 30 seconds`);
  expect(stdout).toContain(`FAIL  source second: not asked: ${host} has not answered for first`);
  expect(code).toBe(3);
  expect(silent.requests).toHaveLength(1);
});

test('a host that asked to be left alone is not asked, and nothing is said to be wrong with it', async () => {
  const busy = await provide(() => (response) => response.writeHead(503, { 'retry-after': '90' }).end());
  const host = new URL(busy.url).host;
  const sources = { first: { url: busy.url }, second: { url: `${busy.url}/2` } };
  writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify({ sources }));
  const asked =
    /^warn {2}source (?:first|second): not asked: nothing is asked of (.*) until 20\S+ \(503 from server, as asked\)$/gm;
  for (const _again of [1, 2]) {
    const { code, stdout } = await check();
    expect([...stdout.matchAll(asked)].map(([, named]) => named)).toEqual([host, host]);
    expect(stdout).not.toContain('FAIL');
    expect(code).toBe(4);
  }
  expect(busy.requests).toHaveLength(1);
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
