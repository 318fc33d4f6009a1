import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BridgeError } from '../../../../src/core/errors.ts';
import { createHostHealth } from '../../../../src/harvest/files/checks/host-health.ts';
import {
  type MirrorDeps,
  type MirrorReport,
  mirrorFiles,
} from '../../../../src/harvest/files/mirror/mirror.ts';
import { partialFile } from '../../../../src/harvest/files/mirror/partial-file.ts';
import { createQuota } from '../../../../src/harvest/files/mirror/quota.ts';
import type { Database } from '../../../../src/store/engine/database.ts';
import { countFilesOf, countMirroredBytes } from '../../../../src/store/files/file-counts.ts';
import { findRemoteFiles, type RemoteFile } from '../../../../src/store/files/remote-files.ts';
import { contentFile } from '../../../../src/store/payloads/content-files.ts';
import { readContents } from '../../../../src/store/payloads/contents.ts';
import { callForMending } from '../../../../src/store/payloads/damaged-contents.ts';
import { lookAtKeptFiles } from '../../../../src/store/payloads/kept-files.ts';
import { noRoomReason, otherBytesReason } from '../../../../src/store/tally/file-standing.ts';
import { closeFileServers, type FileServer, serveFiles } from '../../../house/harvest/file-server.ts';
import { type Statement, stateFiles } from '../../../house/harvest/stated-files.ts';
import { describeOnBoth } from '../../../house/store/databases.ts';

let directory: string;
let now: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-mirror-'));
  now = '2026-11-21T10:00:00Z';
});
afterEach(async () => {
  await closeFileServers();
  rmSync(directory, { recursive: true, force: true });
});

const sha = (content: Uint8Array) => `sha-256:${createHash('sha256').update(content).digest('hex')}`;
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const md5 = (content: Uint8Array) => `md5:${createHash('md5').update(content).digest('hex')}`;
const place = () => join(directory, 'blobs', 'partial');
const partials = () => (existsSync(place()) ? readdirSync(place()) : []);
const pdf = { 'content-type': 'application/pdf' };

const later = (days: number) => {
  now = new Date(Date.parse(now) + days * 86_400_000).toISOString().replace('.000Z', 'Z');
};

/** As servers of files are: an entity tag, parts for those who ask for them, 304. */
function sendFile(
  content: Buffer,
  request: IncomingMessage,
  response: ServerResponse,
  { etag = `"${sha(content).slice(8, 20)}"` }: { etag?: string } = {},
): void {
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = request.headers;
  const headers = { ...pdf, etag };
  if (ifNoneMatch === etag) {
    response.writeHead(304, headers).end();
    return;
  }
  const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? Number.NaN);
  if (Number.isNaN(start) || ifRange !== etag) {
    response.writeHead(200, { ...headers, 'content-length': content.length });
    response.end(request.method === 'HEAD' ? undefined : content);
  } else if (start >= content.length) {
    response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
  } else {
    const rest = content.subarray(start);
    const contentRange = `bytes ${start}-${content.length - 1}/${content.length}`;
    response.writeHead(206, { ...headers, 'content-length': rest.length, 'content-range': contentRange });
    response.end(rest);
  }
}

describeOnBoth('a mirror', (openDatabase) => {
  let source: { readonly name: string; readonly id: number };

  async function begin(server: FileServer, paths: readonly (string | Statement)[]): Promise<void> {
    const statements = paths.map((path) =>
      typeof path === 'string' ? { url: server.url + path } : { ...path, url: server.url + path.url },
    );
    source = await stateFiles(openDatabase().database, statements, now);
  }

  const database = (): Database => openDatabase().database;

  async function mirror(
    server: FileServer,
    settings: Partial<MirrorDeps> = {},
    signal = new AbortController().signal,
  ): Promise<MirrorReport> {
    return mirrorFiles(
      {
        database: database(),
        directory,
        log: silent,
        http: server.http,
        source: source.name,
        sourceId: source.id,
        clock: { now: () => new Date(now) },
        health: createHostHealth(),
        quota: createQuota(undefined, 0),
        maxFileBytes: 50_000_000,
        slowestRate: { graceSeconds: 60, bytesPerSecond: 1 },
        recheckDays: 30,
        requestsPerHost: 2,
        patienceMs: 1000,
        ...settings,
      },
      { signal },
    );
  }

  async function seen(server: FileServer, path: string): Promise<RemoteFile> {
    const found = await findRemoteFiles(database().reader, source.id, [server.url + path]);
    const file = found.get(server.url + path);
    if (!file) throw new Error(`${path} is not there`);
    return file;
  }

  async function kept({ contentHash, contentLength }: RemoteFile): Promise<Buffer> {
    const pieces: Buffer[] = [];
    const owners = [{ path: 'a', hash: contentHash, length: contentLength }];
    for await (const { content } of readContents(database().reader, directory, owners)) {
      if (content.coding !== 'file') throw new Error('it is a file');
      for await (const chunk of content.chunks) pieces.push(Buffer.from(chunk));
    }
    return Buffer.concat(pieces);
  }

  test('keeps what it downloads, with what the server and the bytes say of it', async () => {
    const content = randomBytes(300_000);
    const server = await serveFiles((request, response) => sendFile(content, request, response));
    await begin(server, [{ url: '/a.pdf', hash: md5(content), length: content.length }]);
    expect(await mirror(server)).toEqual({ files: 1, asked: 1, downloaded: 1, bytes: content.length });
    const file = await seen(server, '/a.pdf');
    expect(file).toMatchObject({
      outcome: 'confirmed',
      failures: 0,
      checkedAt: now,
      mediaType: 'application/pdf',
      length: content.length,
      contentHash: sha(content),
      contentLength: content.length,
    });
    expect(file.dueAt && file.dueAt > '2026-12-21').toBe(true);
    expect((await kept(file)).equals(content)).toBe(true);
    expect(partials()).toEqual([]);
    expect(server.asked).toEqual(['GET /a.pdf']);
    expect(server.headers[0]).not.toHaveProperty('authorization');
    expect(await mirror(server)).toEqual({ files: 0, asked: 0, downloaded: 0, bytes: 0 });
  });

  test('downloads many files, at a host no more at a time than are allowed', async () => {
    let running = 0;
    let most = 0;
    const server = await serveFiles(
      (request, response) => {
        running += 1;
        most = Math.max(most, running);
        response.on('close', () => {
          running -= 1;
        });
        setImmediate(() => sendFile(Buffer.from(`content ${request.url}`), request, response));
      },
      { requestsPerHost: 4 },
    );
    const paths = Array.from({ length: 700 }, (_, index) => `/${index}.pdf`);
    await begin(server, paths);
    expect(await mirror(server, { requestsPerHost: 4 })).toMatchObject({ files: 700, downloaded: 700 });
    expect(new Set(server.asked).size).toBe(700);
    expect(server.asked).toHaveLength(700);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(4);
    expect((await kept(await seen(server, '/699.pdf'))).toString()).toBe('content /699.pdf');
  });

  test('keeps the same bytes once, under whatever URLs they come', async () => {
    const content = randomBytes(50_000);
    const server = await serveFiles((request, response) => sendFile(content, request, response));
    await begin(server, ['/a.pdf', '/b.pdf', '/c.pdf']);
    await mirror(server);
    expect(await countMirroredBytes(database().reader, source.id)).toBe(content.length);
    expect((await seen(server, '/a.pdf')).contentHash).toBe((await seen(server, '/c.pdf')).contentHash);
  });

  test('downloads again what is not there as it was stored, though its server says that nothing has changed', async () => {
    const content = randomBytes(50_000);
    const server = await serveFiles((request, response) => sendFile(content, request, response));
    await begin(server, ['/a.pdf']);
    const quota = () => createQuota(content.length, content.length);
    await mirror(server, { quota: createQuota(content.length, 0) });
    const { contentHash } = await seen(server, '/a.pdf');
    const file = contentFile(directory, contentHash ?? '');
    const told: (readonly number[])[] = [];
    const onProgress = (...counts: readonly number[]) => told.push(counts);
    const look = { directory, signal: new AbortController().signal, onProgress };
    for (const [depth, damage] of [
      ['lengths', () => rmSync(file)],
      ['lengths', () => writeFileSync(file, content.subarray(1))],
      ['contents', () => writeFileSync(file, Buffer.alloc(content.length, 'a'))],
    ] as const) {
      damage();
      later(1);
      expect(await lookAtKeptFiles(database(), source.id, { ...look, depth, now })).toBe(1);
      // It takes the room of what it replaces.
      expect(await mirror(server, { quota: quota() })).toMatchObject({ asked: 1, downloaded: 1 });
      expect(readFileSync(file).equals(content)).toBe(true);
      told.length = 0;
      expect(await lookAtKeptFiles(database(), source.id, { ...look, depth: 'contents', now })).toBe(0);
      expect([told[0], told.at(-1)]).toEqual([
        [0, content.length],
        [content.length, content.length],
      ]);
    }
    expect(server.asked.filter((asked) => asked.startsWith('GET'))).toHaveLength(4);
  });

  test('calls once for what somebody found damaged, and then asks as often as for other failures', async () => {
    const content = randomBytes(50_000);
    let status = 200;
    const server = await serveFiles((request, response) => {
      if (status === 200) sendFile(content, request, response);
      else response.writeHead(status).end();
    });
    await begin(server, ['/a.pdf']);
    await mirror(server);
    const hash = (await seen(server, '/a.pdf')).contentHash ?? '';
    const file = contentFile(directory, hash);
    const damaged = () => readdirSync(join(directory, 'blobs', 'damaged'));
    status = 503;
    writeFileSync(file, Buffer.alloc(content.length, 'a'));
    await expect(kept(await seen(server, '/a.pdf'))).rejects.toMatchObject({ code: 'content-damaged' });
    expect(damaged()).toEqual([hash.slice(8)]);
    expect(existsSync(file)).toBe(false);
    for (const asked of [1, 0]) {
      await callForMending(database(), directory, now);
      expect(await mirror(server)).toMatchObject({ asked, downloaded: 0 });
      await expect(kept(await seen(server, '/a.pdf'))).rejects.toMatchObject({ code: 'content-damaged' });
    }
    expect(await seen(server, '/a.pdf')).toMatchObject({ outcome: 'unreachable', contentHash: hash });
    status = 200;
    later(1);
    await callForMending(database(), directory, now);
    expect(await mirror(server)).toMatchObject({ asked: 1, downloaded: 1 });
    expect((await kept(await seen(server, '/a.pdf'))).equals(content)).toBe(true);
    await callForMending(database(), directory, now);
    expect(damaged()).toEqual([]);
  });

  test('does not keep what is damaged and refused, and takes what is new', async () => {
    let content: Buffer | undefined = randomBytes(50_000);
    const server = await serveFiles((request, response) => {
      if (content) sendFile(content, request, response);
      else response.writeHead(403).end();
    });
    await begin(server, ['/a.pdf']);
    await mirror(server);
    const { contentHash = '' } = await seen(server, '/a.pdf');
    const look = { directory, depth: 'lengths', signal: new AbortController().signal } as const;
    rmSync(contentFile(directory, contentHash));
    content = undefined;
    later(1);
    await lookAtKeptFiles(database(), source.id, { ...look, now });
    expect(await mirror(server)).toMatchObject({ asked: 1, downloaded: 0 });
    expect(await seen(server, '/a.pdf')).toMatchObject({ outcome: 'refused' });
    content = randomBytes(40_000);
    later(1);
    await lookAtKeptFiles(database(), source.id, { ...look, now });
    expect(await mirror(server)).toMatchObject({ asked: 1, downloaded: 1 });
    expect(await seen(server, '/a.pdf')).toMatchObject({ outcome: 'confirmed', contentHash: sha(content) });
  });

  test('continues where a connection broke', async () => {
    const content = randomBytes(3_000_000);
    let times = 0;
    const server = await serveFiles((request, response) => {
      times += 1;
      if (times > 1) return sendFile(content, request, response);
      response.writeHead(200, {
        ...pdf,
        etag: `"${sha(content).slice(8, 20)}"`,
        'content-length': content.length,
      });
      response.write(content.subarray(0, 1_000_000), () => setTimeout(() => response.destroy(), 50));
    });
    await begin(server, [{ url: '/a.pdf', hash: sha(content) }]);
    expect(await mirror(server)).toMatchObject({ downloaded: 1 });
    expect(server.headers[1]?.range).toMatch(/^bytes=[1-9]\d+-$/);
    expect((await kept(await seen(server, '/a.pdf'))).equals(content)).toBe(true);
  });

  test('continues what an aborted job left, and does not trust a part of what has changed since', async () => {
    const first = randomBytes(2_000_000);
    const second = randomBytes(2_000_000);
    let content = first;
    let stalls = true;
    const server = await serveFiles((request, response) => {
      if (!stalls) return sendFile(content, request, response);
      response.writeHead(200, {
        ...pdf,
        etag: `"${sha(content).slice(8, 20)}"`,
        'content-length': content.length,
      });
      response.write(content.subarray(0, 1_500_000));
    });
    await begin(server, ['/a.pdf']);
    const aborting = new AbortController();
    const broken = mirror(server, {}, aborting.signal);
    const partSize = () => Math.max(0, ...partials().map((name) => statSync(join(place(), name)).size));
    await expect.poll(partSize).toBeGreaterThan(1_000_000);
    aborting.abort(new Error('enough'));
    await expect(broken).rejects.toThrow('enough');
    stalls = false;
    content = second;
    expect(await mirror(server)).toMatchObject({ downloaded: 1 });
    expect(server.headers[1]?.range).toMatch(/^bytes=1\d{6}-$/);
    expect((await kept(await seen(server, '/a.pdf'))).equals(second)).toBe(true);
    expect(partials()).toEqual([]);
  });

  test('starts anew where a server gives out parts of something else, or none', async () => {
    const content = randomBytes(900_000);
    const answers: RequestListener[] = [
      (request, response) => {
        const headers = { ...pdf, etag: '"1"', 'content-length': content.length };
        response.writeHead(200, headers).write(content.subarray(0, 600_000));
        setTimeout(() => response.destroy(), 50);
        void request;
      },
      // Ignores If-Range: a part of a longer file.
      (_request, response) => {
        response
          .writeHead(206, { ...pdf, etag: '"2"', 'content-range': 'bytes 600000-999999/1000000' })
          .end(Buffer.alloc(400_000));
      },
      (request, response) => sendFile(content, request, response),
    ];
    const server = await serveFiles((request, response) => answers.shift()?.(request, response));
    await begin(server, ['/a.pdf']);
    expect(await mirror(server)).toMatchObject({ downloaded: 1 });
    expect(server.headers.map(({ range }) => range !== undefined)).toEqual([false, true, false]);
    expect((await kept(await seen(server, '/a.pdf'))).equals(content)).toBe(true);
  });

  test('takes a part that is all of it, which only 416 tells', async () => {
    const content = randomBytes(400_000);
    const server = await serveFiles((request, response) => sendFile(content, request, response));
    await begin(server, ['/a.pdf']);
    await leavePart(server, '/a.pdf', content, content.length);
    expect(await mirror(server)).toMatchObject({ downloaded: 1 });
    expect(server.headers[0]?.range).toBe('bytes=400000-');
    expect(server.asked).toHaveLength(1);
    expect(await seen(server, '/a.pdf')).toMatchObject({ contentHash: sha(content) });
  });

  /** As a killed process leaves it. */
  async function leavePart(server: FileServer, path: string, content: Buffer, octets: number): Promise<void> {
    await mirror(await serveFiles((_request, response) => response.end()), { sourceId: -1 });
    const url = server.url + path;
    const name = createHash('sha256').update(`${source.name}\n${url}`).digest('hex');
    const note = { source: source.name, url, etag: `"${sha(content).slice(8, 20)}"`, length: content.length };
    writeFileSync(join(place(), name), content.subarray(0, octets));
    writeFileSync(join(place(), `${name}.json`), JSON.stringify(note));
  }

  test('continues what a killed process left', async () => {
    const content = randomBytes(1_000_000);
    const server = await serveFiles((request, response) => sendFile(content, request, response));
    await begin(server, [{ url: '/a.pdf', hash: md5(content) }]);
    await leavePart(server, '/a.pdf', content, 700_000);
    expect(await mirror(server)).toMatchObject({ downloaded: 1 });
    expect(server.headers[0]).toMatchObject({ range: 'bytes=700000-' });
    expect((await kept(await seen(server, '/a.pdf'))).equals(content)).toBe(true);
    expect(partials()).toEqual([]);
  });

  test('a part that was damaged on the disk is found out by the hash that the record states', async () => {
    const content = randomBytes(1_000_000);
    const server = await serveFiles((request, response) => sendFile(content, request, response));
    await begin(server, [{ url: '/a.pdf', hash: md5(content) }]);
    const damaged = Buffer.from(content);
    damaged.fill(0, 0, 100);
    await leavePart(server, '/a.pdf', content, 700_000);
    const [name = ''] = partials().filter((entry) => !entry.endsWith('.json'));
    writeFileSync(join(place(), name), damaged.subarray(0, 700_000));
    expect(await mirror(server)).toMatchObject({ downloaded: 1 });
    expect((await kept(await seen(server, '/a.pdf'))).equals(content)).toBe(true);
    expect(server.asked).toHaveLength(2);
  });

  test('removes parts that nobody wants', async () => {
    const server = await serveFiles((_request, response) => response.writeHead(404).end());
    await begin(server, ['/gone.pdf']);
    const content = randomBytes(10_000);
    await leavePart(server, '/unknown.pdf', content, 5000);
    await leavePart(server, '/gone.pdf', content, 5000);
    writeFileSync(join(place(), 'old'), 'without a note');
    utimesSync(join(place(), 'old'), new Date('2026-11-01'), new Date('2026-11-01'));
    writeFileSync(join(place(), 'new'), 'under way elsewhere');
    utimesSync(join(place(), 'new'), new Date(now), new Date(now));
    await mirror(server);
    expect(partials()).toEqual(['new']);
  });

  test('believes the bytes, not the record, when they come a second time', async () => {
    const content = randomBytes(100_000);
    const server = await serveFiles((request, response) => sendFile(content, request, response));
    await begin(server, [
      { url: '/hash.pdf', hash: md5(Buffer.from('a cover page was put in front')) },
      { url: '/length.pdf', length: 99_999 },
    ]);
    expect(await mirror(server)).toMatchObject({ downloaded: 2 });
    expect(server.asked.sort()).toEqual([
      ...Array(2).fill('GET /hash.pdf'),
      ...Array(2).fill('GET /length.pdf'),
    ]);
    expect(await seen(server, '/hash.pdf')).toMatchObject({
      outcome: 'confirmed',
      contentHash: sha(content),
      reason: otherBytesReason,
    });
    expect(partials()).toEqual([]);
    // That is for somebody to look at.
    expect((await countFilesOf(database().reader, [source.id]))(source.id)).toMatchObject({
      mirrored: 2,
      otherBytes: 2,
    });
  });

  test('keeps the bytes with the cover page, which DSpace makes anew each time', async () => {
    const content = (id: number) =>
      `/server/api/core/bitstreams/ba7d4e0f-1c2b-4f3a-9d8e-00000000000${id}/content`;
    const stated = { hash: `md5:${'0'.repeat(32)}`, length: 900 };
    const tag = `"${'f'.repeat(32)}"`;
    const server = await serveFiles((request, response) => {
      const isTagged = request.url === content(1);
      const isKnown = isTagged && request.headers['if-none-match'] === tag;
      const bytes = randomBytes(request.url === content(3) ? 900 : 1000);
      const headers = { ...pdf, 'content-length': bytes.length, ...(isTagged && { etag: tag }) };
      response.writeHead(isKnown ? 304 : 200, headers);
      response.end(request.method === 'HEAD' || isKnown ? undefined : bytes);
    });
    await begin(
      server,
      [1, 2, 3].map((id) => ({ url: content(id), ...stated })),
    );
    expect(await mirror(server)).toMatchObject({ files: 3, downloaded: 2 });
    const asked = (id: number) => server.asked.filter((line) => line === `GET ${content(id)}`).length;
    // Its tag tells at once; without one, three downloads are enough.
    expect([asked(1), asked(2)]).toEqual([1, 3]);
    for (const id of [1, 2]) {
      const file = await seen(server, content(id));
      expect(file).toMatchObject({ outcome: 'confirmed', contentLength: 1000 });
      expect(sha(await kept(file))).toBe(file.contentHash);
    }
    // Of the stated length and never the same is no cover page.
    expect(await seen(server, content(3))).toMatchObject({ outcome: 'unreachable', contentHash: undefined });
    // Looked at again, nothing is downloaded.
    later(40);
    expect(await mirror(server)).toMatchObject({ downloaded: 0 });
    expect([asked(1), asked(2)]).toEqual([1, 3]);
  });

  test('keeps nothing that is not what the record says and comes differently each time', async () => {
    const server = await serveFiles((_request, response) => {
      response.writeHead(200, pdf).end(randomBytes(1000));
    });
    await begin(server, [{ url: '/a.pdf', hash: `md5:${'0'.repeat(32)}` }, '/b.pdf']);
    await mirror(server);
    expect(await seen(server, '/a.pdf')).toMatchObject({
      outcome: 'unreachable',
      failures: 1,
      contentHash: undefined,
      reason: expect.stringContaining('differ each time'),
    });
    expect(await seen(server, '/b.pdf')).toMatchObject({ outcome: 'confirmed', contentLength: 1000 });
  });

  test('counts what the download says, not what a HEAD said before', async () => {
    const content = randomBytes(5000);
    const server = await serveFiles((request, response) => {
      if (request.method === 'HEAD')
        response.writeHead(200, { ...pdf, 'content-length': 77, etag: '"head"' }).end();
      else sendFile(content, request, response, { etag: '"get"' });
    });
    await begin(server, ['/a.pdf']);
    await mirror(server);
    expect(await seen(server, '/a.pdf')).toMatchObject({ length: 5000, etag: '"get"', contentLength: 5000 });
  });

  test('a file that lies about its length is none', async () => {
    const server = await serveFiles((_request, response) => {
      response.writeHead(200, { ...pdf, 'content-length': '5000' });
      response.write('half', () => setTimeout(() => response.destroy(), 20));
    });
    await begin(server, ['/a.pdf']);
    await mirror(server);
    const file = await seen(server, '/a.pdf');
    expect(file).toMatchObject({ outcome: 'unreachable', failures: 1 });
    expect(file.contentHash).toBeUndefined();
  });

  test('a file of 100 GB is not begun', async () => {
    let sent = 0;
    const server = await serveFiles((_request, response) => {
      response.writeHead(200, { ...pdf, 'content-length': '100000000000' });
      const timer = setInterval(() => {
        sent += 1;
        response.write(Buffer.alloc(1000));
      }, 5);
      response.on('close', () => clearInterval(timer));
    });
    await begin(server, ['/a.pdf']);
    await mirror(server);
    expect(await seen(server, '/a.pdf')).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('it has 100000000000 octets'),
    });
    expect(sent).toBeLessThan(50);
    expect(partials()).toEqual([]);
  });

  test('a file that never ends is cut at the limit, and one that crawls after a while', async () => {
    const server = await serveFiles((request, response) => {
      response.writeHead(200, pdf);
      const size = request.url === '/endless.pdf' ? 500_000 : 1;
      const timer = setInterval(() => response.write(Buffer.alloc(size)), 5);
      response.on('close', () => clearInterval(timer));
    });
    await begin(server, ['/endless.pdf', '/crawling.pdf']);
    await mirror(server, {
      maxFileBytes: 3_000_000,
      slowestRate: { graceSeconds: 0.3, bytesPerSecond: 100_000 },
    });
    expect(await seen(server, '/endless.pdf')).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('maxFileBytes'),
    });
    expect(await seen(server, '/crawling.pdf')).toMatchObject({
      outcome: 'unreachable',
      reason: expect.stringContaining('too slowly'),
    });
  });

  test('a page for people, a login and a loop are no files', async () => {
    const server = await serveFiles((request, response) => {
      const { url } = request;
      if (url === '/page') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
      else if (url === '/loop') response.writeHead(302, { location: '/loop' }).end();
      else response.writeHead(401).end();
    });
    await begin(server, ['/page', '/login', '/loop']);
    expect(await mirror(server)).toMatchObject({ files: 3, downloaded: 0 });
    for (const path of ['/page', '/login', '/loop'])
      expect((await seen(server, path)).outcome).toBe('refused');
  });

  test('takes off a coding that nobody asked for', async () => {
    const { gzipSync } = await import('node:zlib');
    const content = Buffer.from('<x/>'.repeat(1000));
    const server = await serveFiles((_request, response) => {
      response
        .writeHead(200, { 'content-type': 'text/xml', 'content-encoding': 'gzip' })
        .end(gzipSync(content));
    });
    await begin(server, ['/a.xml']);
    await mirror(server);
    expect(await seen(server, '/a.xml')).toMatchObject({ contentHash: sha(content), length: content.length });
  });

  test('keeps the old content until the new one is complete', async () => {
    let content = randomBytes(20_000);
    let isBroken = false;
    const server = await serveFiles((request, response) => {
      if (isBroken && request.method === 'GET') response.destroy();
      else sendFile(content, request, response);
    });
    await begin(server, ['/a.pdf']);
    await mirror(server);
    const first = await seen(server, '/a.pdf');
    later(40);
    await mirror(server);
    expect(server.asked.slice(1)).toEqual(['HEAD /a.pdf']);
    content = randomBytes(20_001);
    isBroken = true;
    later(40);
    await mirror(server);
    expect(await seen(server, '/a.pdf')).toMatchObject({
      outcome: 'unreachable',
      contentHash: first.contentHash,
      etag: first.etag,
      length: 20_000,
    });
    isBroken = false;
    later(1);
    await mirror(server);
    expect(await seen(server, '/a.pdf')).toMatchObject({
      outcome: 'confirmed',
      contentHash: sha(content),
      contentLength: 20_001,
      length: 20_001,
    });
    expect(existsSync(contentFile(directory, first.contentHash ?? ''))).toBe(true);
  });

  test('a quota that is used up puts the others off, and their servers are asked once', async () => {
    const server = await serveFiles((request, response) => {
      sendFile(Buffer.alloc(1000, request.url), request, response);
    });
    await begin(server, ['/a', '/b', '/c', '/d', '/e']);
    const quota = createQuota(3500, 1000);
    expect(await mirror(server, { quota, requestsPerHost: 1 })).toMatchObject({ files: 5, downloaded: 2 });
    expect(quota.wasShort).toBe(true);
    expect(await seen(server, '/e')).toMatchObject({
      outcome: 'unchecked',
      reason: noRoomReason,
      length: 1000,
      dueAt: '2026-11-22T10:00:00Z',
    });
    expect(server.asked).toHaveLength(5);
    expect(partials()).toEqual([]);
    later(1);
    const still = createQuota(3500, 3000);
    expect(await mirror(server, { quota: still })).toMatchObject({ files: 3, asked: 0, downloaded: 0 });
    expect(still.wasShort).toBe(true);
    expect(server.asked).toHaveLength(5);
    // It may have become smaller in a month.
    later(40);
    await mirror(server, { quota: createQuota(3500, 3000) });
    expect(server.asked.slice(5).sort()).toEqual(['GET /c', 'GET /d', 'GET /e', 'HEAD /a', 'HEAD /b']);
  });

  test('nothing is asked for where not one octet is left', async () => {
    const server = await serveFiles((request, response) => sendFile(Buffer.from('x'), request, response));
    await begin(server, ['/a', '/b']);
    const quota = createQuota(1000, 1200);
    expect(await mirror(server, { quota })).toMatchObject({ files: 2, asked: 0, downloaded: 0 });
    expect(server.asked).toEqual([]);
  });

  test.each([true, false])('a file that does not fit is put off alone (announced: %s)', async (announced) => {
    const server = await serveFiles((request, response) => {
      const content = Buffer.alloc(request.url === '/large' ? 500_000 : 1000, request.url);
      if (announced) sendFile(content, request, response);
      else {
        response.writeHead(200, pdf);
        response.write(content);
        response.end();
      }
    });
    const small = Array.from({ length: 14 }, (_, index) => `/${index}`);
    await begin(server, ['/large', ...small]);
    const quota = createQuota(50_000, 0);
    const report = await mirror(server, { quota, requestsPerHost: 1 });
    expect(report).toMatchObject({ files: 15, asked: 15, downloaded: 14 });
    expect(await seen(server, '/large')).toMatchObject({ reason: noRoomReason, checkedAt: now });
    // What took room in vain comes after the others.
    const dueAt = announced ? '2026-11-22T10:00:00Z' : '2026-11-22T11:00:00Z';
    expect(await seen(server, '/large')).toMatchObject({ dueAt });
    now = dueAt;
    expect(await mirror(server)).toMatchObject({ files: 1, downloaded: 1 });
    expect((await seen(server, '/large')).reason).toBeUndefined();
  });

  test('a successor that does not fit leaves what is kept as it is', async () => {
    let content = randomBytes(1000);
    const server = await serveFiles((request, response) => sendFile(content, request, response));
    await begin(server, ['/a.pdf']);
    await mirror(server);
    const first = await seen(server, '/a.pdf');
    content = randomBytes(3000);
    later(40);
    await mirror(server, { quota: createQuota(3500, 1000) });
    const { contentHash, contentLength, length, etag } = first;
    expect(await seen(server, '/a.pdf')).toMatchObject({
      ...{ outcome: 'confirmed', contentHash, contentLength, length, etag },
      reason: noRoomReason,
    });
    expect(server.asked.slice(1)).toEqual(['HEAD /a.pdf']);
  });

  test('a redirect to an address with credentials in it is refused', async () => {
    const server: FileServer = await serveFiles((request, response) => {
      const target = `${server.url.replace('//', '//somebody:secret@')}/there.pdf`;
      if (request.url === '/a.pdf') response.writeHead(302, { location: target }).end();
      else sendFile(Buffer.from('x'), request, response);
    });
    await begin(server, ['/a.pdf']);
    expect(await mirror(server)).toMatchObject({ downloaded: 0 });
    expect(await seen(server, '/a.pdf')).toMatchObject({ outcome: 'refused' });
    expect(server.asked).toEqual(['GET /a.pdf']);
  });

  test('a full disk ends it, and what was complete stays', async () => {
    let isFull = true;
    const server: FileServer = await serveFiles((request, response) => {
      // A device that says so, whatever is written to it.
      if (request.url === '/c' && isFull) {
        const partial = partialFile(directory, source.name, `${server.url}/c`, new Set());
        symlinkSync('/dev/full', partial.file);
      }
      sendFile(Buffer.alloc(1000, request.url), request, response);
    });
    await begin(server, ['/a', '/b', '/c', '/d']);
    await expect(mirror(server, { requestsPerHost: 1 })).rejects.toMatchObject({ code: 'disk-full' });
    isFull = false;
    expect(partials()).toEqual([]);
    expect(await mirror(server)).toMatchObject({ files: 2, downloaded: 2 });
    for (const path of ['/a', '/b', '/c', '/d'])
      expect((await kept(await seen(server, path))).equals(Buffer.alloc(1000, path))).toBe(true);
  });

  test('a database that fails ends it, and whoever waits gets to know', async () => {
    const server = await serveFiles((request, response) => {
      sendFile(Buffer.alloc(1000, request.url), request, response);
    });
    const paths = Array.from({ length: 300 }, (_, index) => `/${index}`);
    await begin(server, paths);
    const failing = new BridgeError('disk-full', 'the disk of the database is full');
    const broken = { ...database(), transaction: () => Promise.reject(failing) };
    await expect(mirror(server, { database: broken })).rejects.toBe(failing);
    expect(await mirror(server)).toMatchObject({ files: 300, downloaded: 300 });
  });

  test('a host that is silent is left, and the others are not', async () => {
    const dead = await serveFiles((_request, response) => response.writeHead(503).end());
    const server = await serveFiles((request, response) => sendFile(Buffer.from('x'), request, response), {
      allow: ['127.0.0.0/8'],
    });
    const urls = [...Array(20).keys()].map((index) => ({ url: `${dead.url}/${index}` }));
    source = await stateFiles(database(), [...urls, { url: `${server.url}/a` }], now);
    expect(await mirror(server, { requestsPerHost: 1 })).toMatchObject({ files: 21, downloaded: 1 });
    expect(dead.asked).toHaveLength(1);
  });

  test('addresses with ../ and control characters name nothing on our disk', async () => {
    const server = await serveFiles((request, response) =>
      sendFile(Buffer.from(`${request.url}`), request, response),
    );
    const paths = ['/..%2f..%2f..%2fetc%2fpasswd', '/%00%0a%1b[31m', `/${'x'.repeat(3000)}`];
    await begin(server, paths);
    expect(await mirror(server)).toMatchObject({ downloaded: 3 });
    const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => !/^blobs(\/partial|\/[0-9a-f]{2}(\/[0-9a-f]{64})?)?$/.test(name))).toEqual(
      [],
    );
    expect(
      readFileSync(contentFile(directory, (await seen(server, paths[1] ?? '')).contentHash ?? '')).toString(),
    ).toBe(paths[1]);
  });
});
