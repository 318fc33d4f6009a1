import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseConfig, type SourceConfig } from '../../../src/core/config/config.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import { fileRules } from '../../../src/harvest/file-rules.ts';
import { runFileJob } from '../../../src/harvest/files/file-job.ts';
import { createHostGate } from '../../../src/harvest/http/host-gate.ts';
import { createHttp, type HttpClient, type HttpSettings } from '../../../src/harvest/http/http.ts';
import { countFilesOf } from '../../../src/store/files/file-counts.ts';
import { countUnpublished, listUnpublishedFiles } from '../../../src/store/files/unpublished-files.ts';
import { countWithheldFiles } from '../../../src/store/files/withheld-files.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { sourceIdOf } from '../../../src/store/rows/one-source.ts';
import { acquireLease, releaseLease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { silentLog } from '../../house/harvest/file-server.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

const at = '2026-11-21T10:00:00Z';
const clock = { now: () => new Date(at), sleep: () => Promise.resolve() };
let directory: string;
let inside: Server;
/** At another loopback address, and the same port. */
let further: Server;
let port: number;
let asked: string[];
let status: number;
let clients: HttpClient[];
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-private-'));
  [asked, status, clients] = [[], 200, []];
  const answer: RequestListener = (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const location = `http://127.0.0.2:${port}/elsewhere.pdf`;
    if (request.url === '/moved.pdf') response.writeHead(302, { location }).end();
    else response.writeHead(status, { 'content-type': 'application/pdf', 'content-length': 9 }).end();
  };
  [inside, further] = [createServer(answer), createServer(answer)];
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
  port = (inside.address() as AddressInfo).port;
  await new Promise<void>((resolve) => further.listen(port, '127.0.0.2', resolve));
});
afterEach(async () => {
  for (const client of clients) await client.close();
  for (const server of [inside, further]) await new Promise((resolve) => server.close(resolve));
  rmSync(directory, { recursive: true, force: true });
});

let sources = 0;

describeOnBoth('files at addresses that are not public', (open) => {
  let source: { readonly name: string; readonly config: SourceConfig };
  let id: number;

  /** A source at a public address, with one item that names these files. */
  async function begin(urls: readonly string[]): Promise<void> {
    const { database } = open();
    sources += 1;
    const name = `private-files-${sources}`;
    const config = parseConfig({ sources: { [name]: { url: 'https://repo.example.org/oai' } } }).sources[
      name
    ] as SourceConfig;
    source = { name, config };
    await ensureSource(database, name, at);
    const lease = await acquireLease(database, name, Date.parse(at));
    const { sourceId } = lease;
    const selection = { mode: 'full', selection: '{}', since: undefined } as const;
    const run = await startRun(database.writer, { sourceId, ...selection, startedAt: at });
    const item = mapItem(name, {
      ...{ identifier: '1', datestamp: at, collections: [], deleted: false },
      speaksFor: { formats: ['oai_dc'], files: { name: 'dc', rank: 95 } },
      metadata: [{ format: 'oai_dc', content: Buffer.from('<dc/>') }],
      files: urls.map((url, index) => ({ url, name: `${index}.pdf`, sequence: index + 1 })),
    });
    const page = { items: [item], problems: [], checkpoint: {}, files: fileRules(config) };
    await storePage(database, lease, run, page, { iso: at, milliseconds: Date.parse(at) });
    await releaseLease(database, lease);
    id = (await sourceIdOf(database.reader, name)) ?? 0;
  }

  /** As a process has it that was started with these settings. */
  function client(settings: Partial<HttpSettings> = {}): HttpClient {
    const http = createHttp(
      {
        ...{ endpoint: source.config.url, scope: 'found', userAgent: 'test', requestsPerHost: 1 },
        ...{ timeoutSeconds: 5, maxResponseBytes: 1_000_000, allowPrivateAddresses: false },
        ...settings,
      },
      { gate: createHostGate(), clock, log: silentLog },
    );
    clients.push(http);
    return http;
  }

  function work(http: HttpClient) {
    const { signal } = new AbortController();
    const gate = createHostGate();
    const deps = { database: open().database, directory, http, gate, clock, log: silentLog };
    return runFileJob(deps, source, { stop: signal, signal });
  }

  async function counts() {
    const { reader } = open().database;
    const files = (await countFilesOf(reader, [id]))(id);
    const { refused, gone, atPrivateAddresses } = countUnpublished(
      files,
      await countWithheldFiles(reader, id),
    );
    return { confirmed: files.confirmed, refused, gone, atPrivateAddresses };
  }

  test('are not asked for, and are not counted among those that their servers refuse', async () => {
    await begin([`http://127.0.0.1:${port}/a.pdf`, `http://127.0.0.1:${port}/b.pdf`]);
    await work(client());
    expect(asked).toEqual([]);
    expect(await counts()).toEqual({ confirmed: 0, refused: 0, gone: 0, atPrivateAddresses: 2 });
    const listed = await listUnpublishedFiles(open().database.reader, id, { after: 0, limit: 10 });
    expect(listed).toMatchObject([
      { url: `http://127.0.0.1:${port}/a.pdf`, atPrivateAddress: true, checkedAt: at },
      { atPrivateAddress: true, reason: '127.0.0.1 is not a public address' },
    ]);
  });

  test('are asked for as soon as the settings allow them, and not before', async () => {
    await begin([`http://127.0.0.1:${port}/a.pdf`]);
    await work(client());
    expect(await work(client())).toMatchObject({ files: 0 });
    expect(await work(client({ allow: [`127.0.0.1:${port + 1}`, '10.0.0.0/8'] }))).toMatchObject({
      files: 0,
    });
    expect(asked).toEqual([]);
    expect(await work(client({ allow: [`127.0.0.1:${port}`] }))).toMatchObject({ files: 1, created: 1 });
    expect(asked).toEqual(['HEAD /a.pdf']);
    expect(await counts()).toEqual({ confirmed: 1, refused: 0, gone: 0, atPrivateAddresses: 0 });
  });

  test('by name are asked for when their network is allowed, or everything', async () => {
    const resolve: HttpSettings['resolve'] = (_host, _options, found) =>
      found(null, [{ address: '127.0.0.1', family: 4 }]);
    for (const allowed of [{ allow: ['127.0.0.0/8'] }, { allowPrivateAddresses: true }]) {
      await begin([`http://files.intra.example:${port}/b.pdf`]);
      await work(client({ resolve }));
      expect(await counts()).toMatchObject({ atPrivateAddresses: 1 });
      expect(asked.splice(0)).toEqual([]);
      expect(await work(client({ ...allowed, resolve }))).toMatchObject({ files: 1 });
      expect(asked.splice(0)).toEqual(['HEAD /b.pdf']);
      expect(await counts()).toMatchObject({ confirmed: 1, atPrivateAddresses: 0 });
    }
  });

  test('are told from what a server refuses, which is not asked again for the sake of them', async () => {
    await begin([`http://127.0.0.1:${port}/a.pdf`]);
    status = 403;
    const allow = [`127.0.0.1:${port}`];
    await work(client({ allow }));
    expect(await counts()).toEqual({ confirmed: 0, refused: 1, gone: 0, atPrivateAddresses: 0 });
    expect(await work(client({ allow }))).toMatchObject({ files: 0 });
  });

  test('to which a server redirects are asked for when those are allowed', async () => {
    await begin([`http://127.0.0.1:${port}/moved.pdf`]);
    const own = `127.0.0.1:${port}`;
    await work(client({ allow: [own] }));
    expect(asked.splice(0)).toEqual(['HEAD /moved.pdf']);
    expect(await counts()).toMatchObject({ refused: 0, atPrivateAddresses: 1 });
    expect(await work(client({ allow: [own, '192.168.0.0/16'] }))).toMatchObject({ files: 0 });
    expect(asked.splice(0)).toEqual([]);
    expect(await work(client({ allow: [own, '127.0.0.2'] }))).toMatchObject({ files: 1, created: 1 });
    expect(asked).toEqual(['HEAD /moved.pdf', 'HEAD /elsewhere.pdf']);
    expect(await counts()).toMatchObject({ confirmed: 1, atPrivateAddresses: 0 });
  });
});
