import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openDatabase } from '../../../../src/store/engine/database.ts';
import { findRemoteFiles } from '../../../../src/store/files/remote-files.ts';
import { contentFile } from '../../../../src/store/payloads/content-files.ts';
import { closeFileServers, serveFiles } from '../../../house/harvest/file-server.ts';
import { stateFiles } from '../../../house/harvest/stated-files.ts';
import { scriptOf } from '../../../house/process/script.ts';
import { placeMigrated } from '../../../house/store/databases.ts';

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-mirror-'));
afterEach(async () => {
  await closeFileServers();
  rmSync(directory, { recursive: true, force: true });
});

test('kill -9 in the middle loses nothing: parts are continued, and what was complete is not fetched again', async () => {
  const small = (url: string) => Buffer.from(`content of ${url}`.repeat(2000));
  const large = randomBytes(12_000_000);
  let octets = 0;
  const server = await serveFiles((request, response) => {
    const content = request.url === '/large' ? large : small(request.url ?? '');
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const rest = content.subarray(start);
    const isPart = start > 0 && request.headers['if-range'] === '"1"';
    response.writeHead(isPart ? 206 : 200, {
      'content-type': 'application/pdf',
      'content-length': rest.length,
      etag: '"1"',
      ...(isPart ? { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` } : {}),
    });
    if (request.url !== '/large') {
      response.end(rest);
      return;
    }
    // Not to its end before the strike.
    let sent = 0;
    const timer = setInterval(() => {
      const piece = rest.subarray(sent, isPart ? rest.length : Math.min(sent + 500_000, 6_000_000));
      sent += piece.length;
      octets += piece.length;
      if (piece.length > 0) response.write(piece);
      if (sent === rest.length) response.end();
    }, 30);
    response.on('close', () => clearInterval(timer));
  });
  const file = placeMigrated(join(directory, 'test.db'));
  const database = openDatabase({ client: 'sqlite', file });
  const paths = ['/large', ...Array.from({ length: 200 }, (_, index) => `/${index}`)];
  const statements = paths.map((path) => ({ url: server.url + path }));
  const source = await stateFiles(database, statements, '2026-11-21T10:00:00Z');

  function start() {
    const script = scriptOf(join(import.meta.dirname, '../../../house/harvest/mirroring-process.ts'));
    const args = [file, directory, source.name, String(source.id), `${server.url}/oai`];
    return spawn(process.execPath, [script, ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }

  const kept = async () => {
    const files = await findRemoteFiles(
      database.writer,
      source.id,
      statements.map(({ url }) => url),
    );
    return [...files.values()].filter(({ contentHash }) => contentHash !== undefined).length;
  };
  const first = start();
  await expect.poll(kept).toBe(200);
  const place = join(directory, 'blobs', 'partial');
  await expect.poll(() => readdirSync(place).length).toBe(2);
  first.kill('SIGKILL');
  await once(first, 'exit');
  const before = server.asked.length;
  expect(before).toBe(paths.length);
  const visible = readdirSync(join(directory, 'blobs')).filter((name) => /^[0-9a-f]{2}$/.test(name));
  for (const name of visible) {
    for (const hex of readdirSync(join(directory, 'blobs', name))) {
      const content = readFileSync(join(directory, 'blobs', name, hex));
      expect(createHash('sha256').update(content).digest('hex')).toBe(hex);
    }
  }

  const second = start();
  expect(await once(second, 'exit')).toEqual([0, null]);
  expect(server.asked.slice(before)).toEqual(['GET /large']);
  expect(server.headers.at(-1)?.range).toMatch(/^bytes=[1-9]\d+-$/);
  expect(octets).toBeLessThan(large.length * 1.4);
  const seen = await findRemoteFiles(
    database.reader,
    source.id,
    statements.map(({ url }) => url),
  );
  await database.close();
  for (const path of paths) {
    const content = path === '/large' ? large : small(path);
    const kept = readFileSync(contentFile(directory, seen.get(server.url + path)?.contentHash ?? ''));
    expect(kept.equals(content)).toBe(true);
  }
});
