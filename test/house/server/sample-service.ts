import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, vi } from 'vitest';
import { type Bridge, openBridge } from '../../../src/bridge/bridge.ts';
import { createLog } from '../../../src/bridge/log.ts';
import { startService } from '../../../src/bridge/service.ts';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { freePort } from '../process/free-port.ts';
import { placeMigrated } from '../store/databases.ts';

/** The bundled repository as the source `sample`, harvested and published by the real service. */
export interface SampleService {
  readonly base: string;
  /** For whatever a test writes; it goes with the service. */
  readonly directory: string;
  readonly bridge: Bridge;
  /** Edits some records, and harvests them. */
  edit(count: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param source more settings of it
 * @param more settings beside the source
 * @param records at first
 */
export async function startSampleService(
  path = '',
  source: object = {},
  more: object = {},
  records = 80,
): Promise<SampleService> {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-sample-'));
  const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  const { signal } = new AbortController();
  const repository = createSampleRepository({ clock: systemClock, records });
  const [{ url }, port] = await Promise.all([repository.listen(0), freePort()]);
  const base = `http://127.0.0.1:${port}${path}`;
  const config = parseConfig({
    baseUrl: base,
    database: { client: 'sqlite', file: placeMigrated(join(directory, 'test.db')) },
    directory: join(directory, 'data'),
    sources: { sample: { url, schedule: false, fullPass: false, overlapSeconds: 5, ...source } },
    ...more,
  });
  const bridge = await openBridge(config, createLog('silent', nowhere()), 'migrate');
  const io = { stdout: nowhere(), stderr: nowhere(), env: {}, cwd: directory, stop: signal, abort: signal };
  const service = await startService(bridge, { host: '127.0.0.1', port }, io);
  await service.harvestNow('sample', { mode: 'full' });
  await vi.waitFor(async () => expect((await fetch(`${base}/readyz`)).status).toBe(200), { timeout: 60_000 });
  // Change Lists begin with a publication of their own.
  const changeList = `${base}/sample/changelist.xml`;
  await vi.waitFor(async () => expect((await fetch(changeList)).status).toBe(200), { timeout: 60_000 });
  return {
    base,
    directory,
    bridge,
    edit: async (count) => {
      for (let edit = 0; edit < count; edit += 1) repository.edit();
      await service.harvestNow('sample', { mode: 'incremental' });
    },
    close: async () => {
      await service.close();
      await bridge.close();
      await repository.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
