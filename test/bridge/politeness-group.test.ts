import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openBridge } from '../../src/bridge/bridge.ts';
import { createLog } from '../../src/bridge/log.ts';
import { systemClock } from '../../src/bridge/system-clock.ts';
import { parseConfig } from '../../src/core/config/config.ts';
import { createSampleRepository } from '../../src/demo/sample-repository.ts';
import { harvest } from '../../src/harvest/harvest.ts';

describe('a politeness group', () => {
  const repository = createSampleRepository({ clock: systemClock, records: 12 });
  const servers: Server[] = [];
  let directory: string;
  let upstream: URL;
  /** Requests on their way, over all names of the machine. */
  let open = 0;
  let most = 0;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-polite-'));
    upstream = new URL((await repository.listen(0)).url);
    [open, most] = [0, 0];
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
    await repository.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** A name of the machine; it answers when another request is open, too, or after a while. */
  async function listen(): Promise<string> {
    const server = createServer(async (asked, answer) => {
      open += 1;
      most = Math.max(most, open);
      for (let waited = 0; open < 2 && waited < 100; waited += 10) await setTimeout(10);
      const passed = request(
        { host: upstream.hostname, port: upstream.port, path: asked.url },
        (response) => {
          answer.writeHead(response.statusCode ?? 500, response.headers);
          response.pipe(answer).on('finish', () => {
            open -= 1;
          });
        },
      );
      passed.end();
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}${upstream.pathname}`;
  }

  async function harvestBoth(settings: object): Promise<void> {
    const files = { mode: 'none' };
    const raw = {
      database: { client: 'sqlite', file: join(directory, 'bridge.db') },
      directory: join(directory, 'data'),
      sources: {
        a: { url: await listen(), files, ...settings },
        b: { url: await listen(), files, ...settings },
      },
    };
    const never = new AbortController().signal;
    const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
    const bridge = await openBridge(parseConfig(raw), createLog('silent', sink), 'migrate');
    const reports = await Promise.all(
      bridge.sources().map((source) => harvest(bridge, source, { mode: 'full', stop: never, signal: never })),
    );
    expect(reports.map(({ state, created }) => [state, created])).toEqual(
      Array.from({ length: 2 }, () => ['succeeded', expect.any(Number)]),
    );
    await bridge.close();
  }

  test('is one host, however many names it has', async () => {
    await harvestBoth({ politenessGroup: 'platform' });
    expect(most).toBe(1);
  });

  test('without it, each name is a host of its own', async () => {
    await harvestBoth({});
    expect(most).toBe(2);
  });
});
