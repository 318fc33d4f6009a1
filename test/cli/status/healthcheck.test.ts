import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { runMain } from '../../house/cli/run-main.ts';
import { type SampleService, startSampleService } from '../../house/server/sample-service.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let directory: string;
const cleanups: (() => unknown)[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-health-'));
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  rmSync(directory, { recursive: true, force: true });
});

async function check(settings: object, ...args: string[]) {
  const source = { url: 'https://repo.example.org/oai' };
  writeFileSync(join(directory, 'rsbridge.yaml'), stringify({ sources: { repo: source }, ...settings }));
  return runMain(directory, ['healthcheck', ...args]);
}

async function serverThat(answers: RequestListener): Promise<number> {
  const server = createServer(answers);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test('a service that answers is healthy, at whatever address it listens', async () => {
  const service: SampleService = await startSampleService('', { files: { mode: 'none' } });
  cleanups.push(() => service.close());
  const port = Number(new URL(service.base).port);
  for (const host of ['127.0.0.1', '0.0.0.0', 'localhost']) {
    const { code, stdout, stderr } = await check({ listen: { host, port } });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^http:\/\/(?:127\.0\.0\.1|localhost):\d+\/livez answers\n$/);
  }
  const told = await check({ listen: { port: 1 } }, '--port', String(port), '--json');
  expect(JSON.parse(told.stdout)).toEqual({ healthy: true, address: `http://127.0.0.1:${port}/livez` });
});

test('whatever is wrong is exit code 1, with a reason', async () => {
  const gone = await serverThat(() => undefined);
  await cleanups.pop()?.();
  const refused = await check({ listen: { port: gone } });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(`http://127.0.0.1:${gone}/livez cannot be asked`);

  const silent = await serverThat(() => undefined);
  const late = await check({ listen: { port: silent } }, '--timeout', '1');
  expect([late.code, late.stderr]).toEqual([
    1,
    `rsbridge: http://127.0.0.1:${silent}/livez does not answer within 1 s\n`,
  ]);

  const other = await serverThat((_request, response) => response.end('x'.repeat(1e6)));
  const foreign = await check({ listen: { port: other } }, '--json');
  expect([foreign.code, JSON.parse(foreign.stdout).healthy]).toEqual([1, false]);

  const redirecting = await serverThat((_request, response) =>
    response.writeHead(302, { location: 'http://127.0.0.1/' }).end('ok'),
  );
  expect((await check({ listen: { port: redirecting } })).stderr).toContain('answers 302');

  expect((await check({ role: 'work', listen: { health: false } })).stderr).toContain('no port');
  expect((await check({ listen: { port: 0 } })).stderr).toContain('name it by --port');
  expect((await check({ listen: { prot: 1 } })).code).toBe(1);
});
