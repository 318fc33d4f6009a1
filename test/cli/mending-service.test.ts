import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { type Bridge, openBridge } from '../../src/bridge/bridge.ts';
import { createLog } from '../../src/bridge/log.ts';
import { type Service, startService } from '../../src/bridge/service.ts';
import { systemClock } from '../../src/bridge/system-clock.ts';
import { exitCodes } from '../../src/cli/terminal/exit-codes.ts';
import { parseConfig } from '../../src/core/config/config.ts';
import { createSampleRepository } from '../../src/demo/sample-repository.ts';
import { contentFile } from '../../src/store/payloads/content-files.ts';
import { rsbridge } from '../house/cli/processes.ts';
import { runMain } from '../house/cli/run-main.ts';
import { migratedPostgres, migratedSqlite } from '../house/store/databases.ts';

// A first harvest, and looks every two seconds; on a busy machine that takes its time.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

describe.each(['sqlite', 'pg'] as const)('a running mirror on %s', (kind) => {
  let directory: string;
  let made: Awaited<ReturnType<typeof migratedPostgres>>;
  let bridge: Bridge;
  let service: Service;
  const repository = createSampleRepository({ clock: systemClock, records: 30 });
  const stop = new AbortController();
  const sink = new Writable({ write: (_chunk, _encoding, done) => done() });

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-mending-'));
    made = kind === 'sqlite' ? migratedSqlite() : await migratedPostgres();
    const { url } = await repository.listen(0);
    const sample = {
      url,
      files: { mode: 'mirror' },
      schedule: false,
      fullPass: false,
      identifierPass: false,
    };
    const raw = { database: made.config, directory: join(directory, 'data'), sources: { sample } };
    writeFileSync(join(directory, 'rsbridge.yaml'), stringify(raw));
    const { code, stderr } = await runMain(directory, ['harvest']);
    expect(code, stderr).toBe(0);
    bridge = await openBridge(parseConfig(raw), createLog('silent', sink), 'migrate');
    const address = { host: '127.0.0.1', port: 0 };
    service = await startService(bridge, address, {
      stop: stop.signal,
      abort: new AbortController().signal,
    });
  });

  afterAll(async () => {
    stop.abort();
    await service.close();
    await bridge.close();
    await made.drop();
    await repository.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function mirrored(place: number) {
    const { reader } = bridge.database;
    const row: { path: string; hash: string } | undefined = await reader('resource')
      .where({ kind: 'file' })
      .whereNull('deleted_at')
      .whereIn('hash', reader('blob').where({ coding: 'file' }).select('hash'))
      .orderBy('path')
      .offset(place)
      .first('path', 'hash');
    if (row === undefined) throw new Error('the sample repository has files');
    const file = contentFile(bridge.config.directory, row.hash);
    return { url: `http://127.0.0.1:${service.address.port}/${row.path}`, file, bytes: readFileSync(file) };
  }

  async function read(url: string): Promise<Buffer | number> {
    const response = await request(url);
    const body = Buffer.from(await response.body.arrayBuffer());
    return response.statusCode === 200 ? body : response.statusCode;
  }

  const damage = (file: string, bytes: Buffer) => {
    rmSync(file);
    writeFileSync(file, Buffer.concat([Buffer.from([bytes.readUInt8(0) ^ 1]), bytes.subarray(1)]));
  };
  const isMended = (file: string, bytes: Buffer) => existsSync(file) && readFileSync(file).equals(bytes);

  test.each([
    ['that a reader finds missing', (file: string) => rmSync(file)],
    ['that a reader finds damaged', damage],
  ])(
    'downloads a file again %s, without a harvest',
    async (_how, harm) => {
      const { url, file, bytes } = await mirrored(0);
      expect(await read(url)).toEqual(bytes);
      harm(file, bytes);
      expect(await read(url).catch(() => 'broken off')).not.toEqual(bytes);
      await expect.poll(() => isMended(file, bytes), { timeout: 120_000, interval: 100 }).toBe(true);
      expect(await read(url)).toEqual(bytes);
    },
    90_000,
  );

  test('downloads a file again that a command beside it finds damaged', async () => {
    const { url, file, bytes } = await mirrored(1);
    damage(file, bytes);
    expect((await runMain(directory, ['check', '--blobs'])).code).toBe(exitCodes.storage);
    await expect.poll(() => isMended(file, bytes), { timeout: 120_000, interval: 100 }).toBe(true);
    expect(await read(url)).toEqual(bytes);
  });

  test('has the files of an item again soon after it was restored, without a harvest', async () => {
    const { url, bytes } = await mirrored(2);
    const [page = ''] = /^\/sample\/items\/[^/]+/.exec(new URL(url).pathname) ?? [];
    // In a process of its own: two connections to one SQLite file would wait for each other in this one.
    const run = async (command: string) => (await rsbridge([command, page], directory).finished).code;
    expect(await run('withdraw')).toBe(exitCodes.ok);
    expect(await read(url)).toBe(410);
    await expect.poll(() => run('restore'), { timeout: 90_000 }).toBe(exitCodes.ok);
    await expect.poll(() => read(url), { timeout: 60_000 }).toEqual(bytes);
  });
});
