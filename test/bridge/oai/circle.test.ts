import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Bridge, openBridge } from '../../../src/bridge/bridge.ts';
import { createLog } from '../../../src/bridge/log.ts';
import { type Service, startService } from '../../../src/bridge/service.ts';
import { parseConfig } from '../../../src/core/config/config.ts';
import { offeredFormats } from '../../../src/oai/formats.ts';
import { embedded } from '../../../src/oai/payload.ts';
import { readContents } from '../../../src/store/payloads/contents.ts';
import { findSource } from '../../../src/store/sources/sources.ts';
import { freePort } from '../../house/process/free-port.ts';
import { type SampleService, startSampleService } from '../../house/server/sample-service.ts';
import { placeMigrated } from '../../house/store/databases.ts';

/** A second bridge harvests the first by OAI-PMH, as any harvester does, and publishes the same. */
let first: SampleService;
let second: Bridge;
let service: Service;
const directory = mkdtempSync(join(tmpdir(), 'rsbridge-circle-'));

beforeAll(async () => {
  const oai = { adminEmail: 'admin@sample.example.org' };
  first = await startSampleService('', { oai, files: { mode: 'none' } }, {}, 150);
  const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
  const port = await freePort();
  const config = parseConfig({
    baseUrl: `http://127.0.0.1:${port}`,
    database: { client: 'sqlite', file: placeMigrated(join(directory, 'test.db')) },
    directory: join(directory, 'data'),
    sources: {
      sample: {
        url: `${first.base}/sample/oai`,
        // Not the Resource Maps, which speak of addresses.
        formats: ['oai_dc', 'mods', 'jpcoar_2.0'],
        schedule: false,
        fullPass: false,
        overlapSeconds: 0,
        files: { mode: 'none' },
      },
    },
  });
  second = await openBridge(config, createLog('silent', nowhere()), 'migrate');
  const { signal } = new AbortController();
  const io = { stdout: nowhere(), stderr: nowhere(), env: {}, cwd: directory, stop: signal, abort: signal };
  service = await startService(second, { host: '127.0.0.1', port }, io);
}, 120_000);

afterAll(async () => {
  await service?.close();
  await second?.close();
  await first?.close();
  rmSync(directory, { recursive: true, force: true });
});

/**
 * What is published of each record, and where its item belongs: by address, without the host. Bytes are those that OAI-PMH
 * can hold: a root that does not say where its schema is says so after the way through it (OAI-PMH §3.4).
 */
async function published({ config, database: { reader } }: Bridge): Promise<readonly string[]> {
  const info = (await findSource(reader, 'sample'))?.info;
  const schemas = new Map((info && offeredFormats(info))?.map(({ prefix, schema }) => [prefix, schema]));
  const rows: Row[] = await reader('resource')
    .where({ kind: 'metadata' })
    .orderBy('path')
    .select('path', 'format', 'hash', 'length', 'deleted_at', 'item_id');
  const sets: { item_id: number; spec: string }[] = await reader('item_collection')
    .join('collection', 'collection.id', 'item_collection.collection_id')
    .orderBy('collection.spec')
    .select('item_collection.item_id', 'collection.spec');
  const hashes = new Map<string, string>();
  const living = rows.filter(({ deleted_at }) => deleted_at === null);
  for await (const { owner, content } of readContents(reader, config.directory, living)) {
    if (content.coding === 'file') throw new Error(`${owner.path} is too large for this test`);
    const bytes = embedded(content.bytes, schemas.get(owner.format) ?? '') ?? '';
    hashes.set(owner.path, createHash('sha256').update(bytes).digest('hex'));
  }
  return rows.map(({ path, item_id }) => {
    const own = sets.filter((set) => set.item_id === item_id).map(({ spec }) => spec);
    return `${path} ${hashes.get(path) ?? 'deleted'} ${own.join(' ')}`;
  });
}

interface Row {
  readonly path: string;
  readonly format: string;
  readonly hash: string;
  readonly length: number;
  readonly deleted_at: string | null;
  readonly item_id: number;
}

async function problemsOf({ database: { reader } }: Bridge): Promise<readonly object[]> {
  return reader('problem').select('code', 'message', 'identifier');
}

test('the same records, deletions and sets, at first and after whatever history of edits', async () => {
  await service.harvestNow('sample', { mode: 'full' });
  const before = await published(first.bridge);
  expect(before.length).toBeGreaterThan(300);
  expect(await published(second)).toEqual(before);
  for (const edits of [3, 60, 15]) {
    await first.edit(edits);
    await service.harvestNow('sample', { mode: 'incremental' });
    expect(await published(second)).toEqual(await published(first.bridge));
  }
  expect((await published(second)).filter((line) => line.includes(' deleted ')).length).toBeGreaterThan(5);
  await service.harvestNow('sample', { mode: 'full' });
  expect(await published(second)).toEqual(await published(first.bridge));
  expect(await problemsOf(second)).toEqual([]);
}, 240_000);
