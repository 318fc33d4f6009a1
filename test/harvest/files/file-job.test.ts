import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SourceFile } from '../../../src/core/adapter.ts';
import { parseConfig, type SourceConfig } from '../../../src/core/config/config.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import { fileRules } from '../../../src/harvest/file-rules.ts';
import { type FileJobProgress, type FileJobReport, runFileJob } from '../../../src/harvest/files/file-job.ts';
import { countFilesOf } from '../../../src/store/files/file-counts.ts';
import { findRemoteFiles } from '../../../src/store/files/remote-files.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { sourceIdOf } from '../../../src/store/rows/one-source.ts';
import { acquireLease, releaseLease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { closeFileServers, type FileServer, serveFiles, silentLog } from '../../house/harvest/file-server.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

let directory: string;
let now: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-job-'));
  now = '2026-11-21T10:00:00Z';
});
afterEach(async () => {
  await closeFileServers();
  rmSync(directory, { recursive: true, force: true });
});

let sources = 0;
const clock = { now: () => new Date(now), sleep: () => Promise.resolve() };

describeOnBoth('the file job', (open) => {
  let source: { readonly name: string; readonly config: SourceConfig };

  /** A source with one item that states these files. */
  async function begin(
    server: FileServer,
    paths: readonly string[],
    files: object,
    access?: SourceFile['access'],
    stated?: readonly (number | undefined)[],
  ): Promise<void> {
    const { database } = open();
    sources += 1;
    const name = `job-${sources}`;
    const config = parseConfig({ sources: { [name]: { url: `${server.url}/oai`, files } } }).sources[name];
    if (!config) throw new Error('it is configured');
    source = { name, config };
    await ensureSource(database, name, now);
    const milliseconds = Date.parse(now);
    const lease = await acquireLease(database, name, milliseconds);
    const { sourceId } = lease;
    const selection = { mode: 'full', selection: '{}', since: undefined } as const;
    const run = await startRun(database.writer, { sourceId, ...selection, startedAt: now });
    const item = mapItem(name, {
      identifier: '1',
      datestamp: now,
      collections: [],
      speaksFor: { formats: ['oai_dc'], files: { name: 'xoai', rank: 0 } },
      deleted: false,
      metadata: [{ format: 'oai_dc', content: Buffer.from('<dc/>') }],
      files: paths.map((path, index) => ({
        url: server.url + path,
        name: path.slice(1),
        length: stated?.[index],
        sequence: index + 1,
        access,
      })),
    });
    const page = { items: [item], problems: [], checkpoint: {}, files: fileRules(config) };
    await storePage(database, lease, run, page, { iso: now, milliseconds });
    await releaseLease(database, lease);
  }

  async function work(
    { http, gate }: FileServer,
    stop = new AbortController().signal,
    onProgress?: (progress: FileJobProgress) => void,
    toTheEnd = false,
  ): Promise<FileJobReport> {
    const deps = { database: open().database, directory, http, gate, clock, log: silentLog };
    const { signal } = new AbortController();
    return runFileJob(deps, source, { stop, signal, onProgress, toTheEnd });
  }

  async function live(): Promise<readonly (readonly [string, string | null])[]> {
    const rows: { path: string; hash: string | null }[] = await open()
      .database.reader('resource')
      .where({ kind: 'file' })
      .where('path', 'like', `${source.name}/%`)
      .whereNull('deleted_at')
      .orderBy('path')
      .select('path', 'hash');
    return rows.map(({ path, hash }) => [path.split('/').at(-1) ?? '', hash]);
  }

  test('asks for what is due, and takes out what is not there', async () => {
    const server = await serveFiles((request, response) => {
      if (request.url === '/gone.pdf') response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': '9' }).end();
    });
    await begin(server, ['/a.pdf', '/gone.pdf'], { mode: 'proxy' });
    expect(await live()).toHaveLength(2);
    expect(await work(server)).toMatchObject({ files: 2, asked: 2, deleted: 1, downloaded: 0 });
    expect(await live()).toEqual([['1-a.pdf', null]]);
    expect(server.asked.sort()).toEqual(['HEAD /a.pdf', 'HEAD /gone.pdf']);
    expect(await work(server)).toMatchObject({ files: 0, deleted: 0 });
  });

  test('keeps to its budget, unless it is to come to the end, and asks for nothing where no files are wished', async () => {
    const server = await serveFiles((_request, response) => response.writeHead(404).end());
    await begin(server, ['/a', '/b', '/c', '/d'], { mode: 'proxy', checksPerRun: 3 });
    expect(await work(server)).toMatchObject({ files: 3 });
    expect(await work(server)).toMatchObject({ files: 1 });
    await begin(server, ['/e'], { mode: 'proxy', verify: false });
    // Published unasked, but not unasked for ever.
    expect(await live()).toHaveLength(1);
    expect(await work(server)).toMatchObject({ files: 1, deleted: 1 });
    await begin(server, ['/f'], { mode: 'none' });
    expect(await work(server)).toMatchObject({ files: 0 });
    expect(server.asked).toHaveLength(5);
    await begin(server, ['/g', '/h', '/i'], { mode: 'proxy', checksPerRun: 1 });
    expect(await work(server, undefined, undefined, true)).toMatchObject({ files: 3 });
  });

  test('asks for all of which only their server knows who may read them, whatever it may cost', async () => {
    const server = await serveFiles((request, response) => {
      response.writeHead(request.url === '/b' ? 401 : 200, { 'content-type': 'application/pdf' }).end();
    });
    await begin(server, ['/a', '/b', '/c'], { mode: 'proxy', checksPerRun: 1, verify: false }, 'unknown');
    expect(await live()).toEqual([]);
    expect(await work(server)).toMatchObject({ files: 3, asked: 3, created: 2 });
    expect(await live()).toEqual([
      ['1-a', null],
      ['3-c', null],
    ]);
    await begin(server, ['/d'], { mode: 'mirror' }, 'unknown');
    expect(await work(server)).toMatchObject({ downloaded: 1, created: 1 });
  });

  test('asks for those, too, of which the repository says that everybody may read it, and mirrors them', async () => {
    const server = await serveFiles((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/pdf' }).end('content');
    });
    await begin(server, ['/a'], { mode: 'proxy' }, 'open');
    expect(await live()).toHaveLength(1);
    expect(await work(server)).toMatchObject({ files: 1, asked: 1, updated: 0 });
    expect(server.asked).toEqual(['HEAD /a']);
    await begin(server, ['/b'], { mode: 'mirror' }, 'open');
    expect(await live()).toEqual([]);
    expect(await work(server)).toMatchObject({ downloaded: 1, created: 1 });
  });

  test('mirrors what is due; each becomes a resource when it is complete', async () => {
    const server = await serveFiles((request, response) => {
      const type = request.url === '/page' ? 'text/html' : 'application/pdf';
      response.writeHead(200, { 'content-type': type, etag: '"1"' }).end(`content of ${request.url}`);
    });
    await begin(server, ['/a.pdf', '/page', '/b.pdf'], { mode: 'mirror' });
    expect(await live()).toEqual([]);
    const told: FileJobProgress[] = [];
    const report = await work(server, undefined, (progress) => told.push(progress));
    expect(report).toMatchObject({ files: 3, downloaded: 2, created: 2, bytes: 34, quotaReached: false });
    const due = { work: 'files', total: 3, totalBytes: undefined };
    expect(told[0]).toEqual({ ...due, done: 0, bytes: 0 });
    expect(told.at(-1)).toEqual({ ...due, done: 3, bytes: 34 });
    const hash = (path: string) =>
      `sha-256:${createHash('sha256').update(`content of ${path}`).digest('hex')}`;
    expect(await live()).toEqual([
      ['1-a.pdf', hash('/a.pdf')],
      ['3-b.pdf', hash('/b.pdf')],
    ]);
  });

  test('says from the beginning how many files there are to look at, and how much is to be downloaded', async () => {
    const server = await serveFiles((request, response) => {
      const headers = { 'content-type': 'application/pdf', 'content-length': '9' };
      response.writeHead(200, headers).end(request.method === 'HEAD' ? undefined : 'x'.repeat(9));
    });
    let told: FileJobProgress[] = [];
    const tell = (progress: FileJobProgress) => told.push(progress);
    await begin(server, ['/a', '/b', '/c', '/d'], { mode: 'proxy', checksPerRun: 3 });
    await work(server, undefined, tell);
    expect(told[0]).toMatchObject({ work: 'files', done: 0, total: 3 });
    expect(told.map(({ done }) => done)).toEqual(told.map(({ done }) => done).toSorted((a, b) => a - b));
    expect(told.at(-1)).toMatchObject({ done: 3, total: 3 });
    told = [];
    await work(server, undefined, tell, true);
    expect(told.at(-1)).toMatchObject({ done: 1, total: 1 });
    told = [];
    await work(server, undefined, tell, true);
    expect(told).toEqual([]);
    // Whoever may be asked without a limit counts all the same.
    await begin(server, ['/e', '/f'], { mode: 'proxy', checksPerRun: 1, verify: false }, 'unknown');
    await work(server, undefined, tell);
    expect(told.at(-1)).toMatchObject({ done: 2, total: 2 });
    told = [];
    await begin(server, ['/g', '/h'], { mode: 'mirror' }, undefined, [9, 9]);
    await work(server, undefined, tell);
    expect(told[0]).toMatchObject({ done: 0, total: 2, bytes: 0, totalBytes: 18 });
    expect(told.at(-1)).toMatchObject({ done: 2, total: 2, bytes: 18, totalBytes: 18 });
    // What is kept is asked for again, and need not be downloaded.
    now = '2028-01-01T10:00:00Z';
    told = [];
    await work(server, undefined, tell);
    expect(told[0]).toMatchObject({ done: 0, total: 2, totalBytes: 0 });
  });

  test('says that the quota is used up', async () => {
    const server = await serveFiles((_request, response) => {
      const headers = { 'content-type': 'application/pdf', 'content-length': '1000' };
      response.writeHead(200, headers).end('x'.repeat(1000));
    });
    await begin(server, ['/a.pdf', '/b.pdf', '/c.pdf'], { mode: 'mirror', quotaBytes: 1500 });
    expect(await work(server)).toMatchObject({ asked: 3, downloaded: 1, quotaReached: true });
    const { reader } = open().database;
    const id = (await sourceIdOf(reader, source.name)) ?? 0;
    const counts = {
      unchecked: 0,
      confirmed: 1,
      refused: 0,
      gone: 0,
      unreachable: 0,
      mirrored: 1,
      waitingForRoom: 2,
      otherBytes: 0,
      atPrivateAddresses: 0,
    };
    expect((await countFilesOf(reader, [id]))(id)).toEqual(counts);
    now = '2026-11-22T10:00:00Z';
    expect(await work(server)).toMatchObject({ files: 2, asked: 0, downloaded: 0, quotaReached: true });
  });

  test('leaves what it found to the harvest that is going on', async () => {
    const server = await serveFiles((_request, response) => response.writeHead(404).end());
    await begin(server, ['/gone.pdf'], { mode: 'proxy' });
    const { database } = open();
    const lease = await acquireLease(database, source.name, Date.parse(now));
    expect(await work(server)).toMatchObject({ files: 1, deleted: 0 });
    expect(await live()).toHaveLength(1);
    await releaseLease(database, lease);
    expect(await work(server)).toMatchObject({ files: 0, deleted: 1 });
  });

  test('has one worker for a source at a time', async () => {
    const server = await serveFiles((_request, response) => response.writeHead(404).end());
    await begin(server, ['/a.pdf'], { mode: 'proxy' });
    const { database } = open();
    const lease = await acquireLease(database, source.name, Date.parse(now), 'files');
    await expect(work(server)).rejects.toMatchObject({
      code: 'lease-held',
      message: expect.stringContaining('the files of'),
    });
    await releaseLease(database, lease);
    expect(await work(server)).toMatchObject({ files: 1 });
  });

  test.each(['proxy', 'mirror'])(
    'writes nothing more of %s files once another process has taken over',
    async (mode) => {
      const { database } = open();
      const server = await serveFiles(async (_request, response) => {
        const taken = { file_work_holder: 'elsewhere/1/x', file_work_expires: Date.parse(now) + 30_000 };
        await database.writer('source').where({ name: source.name }).update(taken);
        response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': 1 }).end('x');
      });
      await begin(server, ['/a.pdf'], { mode });
      await expect(work(server)).rejects.toMatchObject({ code: 'lease-lost' });
      const id = (await sourceIdOf(database.reader, source.name)) ?? 0;
      const url = `${server.url}/a.pdf`;
      expect((await findRemoteFiles(database.reader, id, [url])).get(url)).toMatchObject({
        outcome: 'unchecked',
        checkedAt: undefined,
      });
    },
  );

  test('a stop leaves a download under way, and is no error', async () => {
    const stopping = new AbortController();
    const server = await serveFiles((request, response) => {
      response.writeHead(200, { 'content-type': 'application/pdf', etag: '"1"', 'content-length': 20 });
      if (request.url === '/a.pdf') response.end('x'.repeat(20));
      else response.write('x', () => stopping.abort());
    });
    await begin(server, ['/a.pdf', '/b.pdf'], { mode: 'mirror' });
    expect(await work(server, stopping.signal)).toMatchObject({ downloaded: 1, created: 1 });
    const url = `${server.url}/b.pdf`;
    const id = await acquireLease(open().database, source.name, Date.parse(now));
    const file = (await findRemoteFiles(open().database.writer, id.sourceId, [url])).get(url);
    expect(file).toMatchObject({ outcome: 'unchecked', failures: 0 });
    await releaseLease(open().database, id);
  });
});
