import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listenAlone } from '../../../src/bridge/answering.ts';
import { openBridge } from '../../../src/bridge/bridge.ts';
import { createLog } from '../../../src/bridge/log.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { setPassword } from '../../../src/store/admin/accounts.ts';
import { hashPassword } from '../../../src/store/admin/password-hash.ts';
import { placeMigrated } from '../../house/store/databases.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-admin-port-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

/** Asks what a bridge of these settings answers. */
async function withAnswers(admin: object, work: (origin: string) => Promise<void>): Promise<void> {
  const file = placeMigrated(join(directory, 'rsbridge.db'));
  const config = parseConfig({ directory, database: { client: 'sqlite', file }, admin });
  const bridge = await openBridge(config, createLog('silent', process.stderr), 'check');
  await setPassword(
    bridge.database,
    { name: 'alice', scope: 'admin', password: await hashPassword('correct horse') },
    new Date().toISOString(),
  );
  const front = await listenAlone(bridge, { host: '127.0.0.1', port: 0 }, {});
  try {
    await work(`http://127.0.0.1:${front.address.port}`);
  } finally {
    await front.close();
    await bridge.close();
  }
}

const status = async (url: string, headers: Record<string, string> = {}) =>
  (await fetch(url, { redirect: 'manual', headers })).status;

test('the dashboard may have a port of its own, and is nowhere else then', async () => {
  const port = await freePort();
  await withAnswers({ listen: { port } }, async (origin) => {
    expect(await status(`${origin}/admin/sign-in`)).toBe(404);
    expect(await status(`${origin}/about`)).toBe(200);
    expect(await status(`http://127.0.0.1:${port}/admin/sign-in`)).toBe(200);
    expect(await status(`http://127.0.0.1:${port}/livez`)).toBe(200);
    expect(await status(`http://127.0.0.1:${port}/about`)).toBe(404);
  });
});

test('or there is none', async () => {
  await withAnswers({ enabled: false }, async (origin) => {
    expect(await status(`${origin}/admin/sign-in`)).toBe(404);
    expect(await (await fetch(`${origin}/robots.txt`)).text()).toContain('Disallow:\n');
  });
});

test('a proxy is believed at its addresses alone', async () => {
  const name = { 'Remote-User': 'alice' };
  const header = 'Remote-User';
  await withAnswers({ proxyLogin: { header, from: ['192.0.2.1'] } }, async (origin) => {
    expect(await status(`${origin}/admin/access`, name)).toBe(303);
    expect(await status(`${origin}/admin/access`, { ...name, 'X-Forwarded-For': '192.0.2.1' })).toBe(303);
  });
  await withAnswers({ proxyLogin: { header, from: ['127.0.0.0/8'] } }, async (origin) => {
    expect(await status(`${origin}/admin/access`, name)).toBe(200);
    expect(await status(`${origin}/admin/access`, { 'Remote-User': 'mallory' })).toBe(303);
  });
});
