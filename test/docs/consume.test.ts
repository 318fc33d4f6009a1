import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Bridge, openBridge } from '../../src/bridge/bridge.ts';
import { createLog } from '../../src/bridge/log.ts';
import { type Service, startService } from '../../src/bridge/service.ts';
import { systemClock } from '../../src/bridge/system-clock.ts';
import { freePort } from '../../src/cli/demo/free-port.ts';
import { parseConfig } from '../../src/core/config/config.ts';
import { createSampleRepository, type SampleRepository } from '../../src/demo/sample-repository.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Each block of commands in docs/consume.md, typed as it stands there against the sample repository. */
const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'consume.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh ?(\w*)\n(.*?)^```$/gms)].map(([, needs = '', commands = '']) => ({
  needs,
  commands,
}));
const { RESYNC_SYNC = '', PATH = '' } = process.env;
const path = RESYNC_SYNC === '' ? PATH : `${dirname(RESYNC_SYNC)}${delimiter}${PATH}`;
const isInstalled = (name: string) => path.split(delimiter).some((place) => existsSync(join(place, name)));

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-consume-'));
const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
const stop = new AbortController();
let repository: SampleRepository;
let bridge: Bridge;
let service: Service;
let base = '';

beforeAll(async () => {
  repository = createSampleRepository({ clock: systemClock });
  const [{ url }, port] = await Promise.all([repository.listen(0), freePort()]);
  base = `http://127.0.0.1:${port}`;
  const config = parseConfig({
    baseUrl: base,
    database: { client: 'sqlite', file: join(directory, 'test.db') },
    directory: join(directory, 'data'),
    sources: { sample: { url, schedule: false, fullPass: false, files: { mode: 'none' } } },
  });
  bridge = await openBridge(config, createLog('silent', nowhere()), 'migrate');
  const io = { stdout: nowhere(), stderr: nowhere(), env: {}, cwd: directory, stop: stop.signal };
  service = await startService(bridge, { host: '127.0.0.1', port }, { ...io, abort: stop.signal });
  await service.harvestNow('sample', { mode: 'full' });
  await vi.waitFor(async () => expect((await fetch(`${base}/readyz`)).status).toBe(200), { timeout: 60_000 });
});

afterAll(async () => {
  stop.abort();
  await service?.close();
  await bridge?.close();
  await repository?.close();
  rmSync(directory, { recursive: true, force: true });
});

describe('docs/consume.md', () => {
  test('has commands of three clients', () => {
    expect(blocks.map(({ needs }) => needs)).toEqual(['resync', '', '', 'wget']);
  });

  test.each(blocks)('$commands', async ({ needs, commands }) => {
    const program = needs === '' ? 'curl' : needs === 'resync' ? 'resync-sync' : needs;
    if (!isInstalled(program)) {
      process.stderr.write(`SKIPPED: commands of docs/consume.md need ${program}\n`);
      return;
    }
    const typed = `set -eu\n${commands.replaceAll('http://localhost:8080', base)}`;
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', typed], {
      cwd: directory,
      env: { ...process.env, PATH: path },
      maxBuffer: 16e6,
    });
    if (needs === 'resync') expect(stderr).toMatch(/Status:\s+IN SYNC/);
    else if (needs === 'wget') expect(readdirSync(join(directory, 'records')).length).toBeGreaterThan(0);
    else if (commands.includes('etag')) expect(stdout).toContain('304');
    else expect(statSync(join(directory, 'then.xml')).size).toBeGreaterThan(200);
  });
});
