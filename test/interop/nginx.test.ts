import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { type Dispatcher, request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../src/cli/bridge.ts';
import { freePort } from '../../src/cli/free-port.ts';
import { toHttpDate } from '../../src/core/datetime.ts';
import { createSampleRepository, type SampleRepository } from '../../src/demo/sample-repository.ts';
import { rsbridge } from '../cli/processes.ts';

const nginx = findNginx();

if (!nginx)
  process.stderr.write('SKIPPED: the export behind nginx needs nginx in PATH, or NGINX=/path/to/nginx\n');

function findNginx(): string | undefined {
  const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const candidates = [process.env.NGINX, ...places.map((place) => join(place, 'nginx'))];
  return candidates.find((file) => file && spawnSync(file, ['-v']).status === 0);
}

describe.skipIf(!nginx)('an export behind nginx, with docs/nginx.conf', () => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-nginx-'));
  const root = join(directory, 'www', 'rs');
  let repository: SampleRepository;
  let server: ChildProcess;
  let origin: string;
  let baseUrl: string;

  beforeAll(async () => {
    repository = createSampleRepository({ clock: systemClock });
    const [{ url }, port] = await Promise.all([repository.listen(0), freePort()]);
    origin = `http://127.0.0.1:${port}`;
    baseUrl = `${origin}/rs`;
    const sources = { sample: { url, overlapSeconds: 5 } };
    writeFileSync(join(directory, 'rsbridge.yaml'), stringify({ baseUrl, sources }));
    await run('harvest');
    await run('export', root);
    for (let edit = 0; edit < 30; edit += 1) repository.edit();
    await run('harvest');
    await run('export', root);
    server = await startNginx(port);
  }, 120_000);

  afterAll(async () => {
    server?.kill('SIGQUIT');
    await repository?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function run(...args: string[]) {
    const result = await rsbridge(args, directory).finished;
    expect(result, result.stderr).toMatchObject({ code: 0 });
  }

  /** The documented file with another host, port and directory, and what every nginx.conf has around it. */
  async function startNginx(port: number): Promise<ChildProcess> {
    const documented = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'nginx.conf'), 'utf8');
    const site = documented
      .replaceAll('https://repo.example.org', origin)
      .replace('listen 80;', `listen 127.0.0.1:${port};`)
      .replace('root /srv/www;', `root ${join(directory, 'www')};`);
    const place = join(directory, 'nginx');
    mkdirSync(place);
    writeFileSync(join(place, 'mime.types'), 'types { text/xml xml; application/pdf pdf; text/html html; }');
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${join(place, name)};`)
      .join('\n');
    const config = `daemon off; worker_processes 1; pid ${join(place, 'pid')}; error_log stderr warn;
${process.getuid?.() === 0 ? 'user root;' : ''}
events {}
http { include mime.types; access_log off; ${paths}
${site}
}`;
    writeFileSync(join(place, 'nginx.conf'), config);
    const child = spawn(nginx ?? '', ['-p', place, '-c', join(place, 'nginx.conf'), '-e', 'stderr'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    for (let attempt = 0; attempt < 100; attempt += 1) {
      if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`);
      if (await request(`${baseUrl}/`).catch(() => undefined)) return child;
      await setTimeout(50);
    }
    throw new Error('nginx does not answer');
  }

  async function get(
    uri: string,
    headers: Record<string, string> = {},
    method: Dispatcher.HttpMethod = 'GET',
  ) {
    const response = await request(uri, { headers, method });
    const body = Buffer.from(await response.body.arrayBuffer());
    return { status: response.statusCode, headers: response.headers, body, text: body.toString() };
  }

  interface Entry {
    readonly loc: string;
    readonly lastmod: string;
    readonly length: number;
    readonly hash: string;
  }

  async function entries(path: string): Promise<Entry[]> {
    const { text } = await get(`${baseUrl}/${path}`);
    return Array.from(text.matchAll(/<url>.*?<\/url>/gs), ([entry]) => {
      const find = (pattern: RegExp) => pattern.exec(entry)?.[1] ?? '';
      return {
        loc: find(/<loc>([^<]+)/),
        lastmod: find(/<lastmod>([^<]+)/),
        length: Number(find(/length="(\d+)"/)),
        hash: find(/hash="sha-256:([0-9a-f]+)"/),
      };
    });
  }

  test('every resource has the bytes and the time that the list states, and leads to its lists', async () => {
    const listed = await entries('sample/resourcelist.xml');
    expect(listed.length).toBeGreaterThan(800);
    for (const { loc, lastmod, length, hash } of listed) {
      const { status, headers, body } = await get(loc, { 'accept-encoding': 'gzip' });
      expect(status, loc).toBe(200);
      expect(createHash('sha256').update(body).digest('hex'), loc).toBe(hash);
      expect(headers, loc).toMatchObject({
        'content-type': 'application/xml',
        'content-length': String(length),
        'last-modified': toHttpDate(lastmod),
        'cache-control': 'no-cache, no-transform',
        link: `<${baseUrl}/sample/capabilitylist.xml>; rel="resourcesync", <${baseUrl}/sample/metadata/capabilitylist.xml>; rel="resourcesync"`,
      });
      expect(headers['content-encoding']).toBeUndefined();
    }
  });

  test('what was deleted is gone, and a last change that is none is there with its hash', async () => {
    const { text } = await get(`${baseUrl}/sample/changelist.xml`);
    const changes = [...text.matchAll(/<loc>([^<]+)<\/loc>.*?change="(\w+)"/gs)];
    const deleted = changes.filter(([, , kind]) => kind === 'deleted');
    expect(deleted.length).toBeGreaterThan(0);
    for (const [, loc = '', kind] of changes) {
      expect((await get(loc, {}, 'HEAD')).status, loc).toBe(kind === 'deleted' ? 404 : 200);
    }
  });

  test('documents have their types, and gzip where it is asked for', async () => {
    for (const path of [
      '.well-known/resourcesync',
      'sample/.well-known/resourcesync',
      'sample/resourcelist.xml',
    ]) {
      const plain = await get(`${baseUrl}/${path}`);
      const zipped = await get(`${baseUrl}/${path}`, { 'accept-encoding': 'gzip' });
      expect(plain.headers, path).toMatchObject({
        'content-type': 'application/xml',
        vary: 'Accept-Encoding',
      });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(zipped.headers, path).toMatchObject({
        'content-encoding': 'gzip',
        'last-modified': plain.headers['last-modified'],
        'content-length': String(zipped.body.length),
      });
      expect(zipped.headers.etag).not.toBe(plain.headers.etag);
      expect(gunzipSync(zipped.body).equals(plain.body)).toBe(true);
    }
    const [dump] = [
      ...(await get(`${baseUrl}/sample/metadata/resourcedump.xml`)).text.matchAll(/<loc>([^<]+)/g),
    ];
    const part = await get(dump?.[1] ?? '');
    expect(part.headers).toMatchObject({
      'content-type': 'application/zip',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(part.body.subarray(0, 2).toString()).toBe('PK');
    expect((await get(`${baseUrl}/robots.txt`)).headers['content-type']).toBe('text/plain');
    expect((await get(`${baseUrl}/about`)).headers).toMatchObject({ 'content-type': 'text/html' });
    expect((await get(`${origin}/rs`)).status).toBe(301);
    expect((await get(`${origin}/.well-known/resourcesync`)).headers.location).toBe(
      `${baseUrl}/.well-known/resourcesync`,
    );
  });

  test('ranges and conditional requests', async () => {
    const [first] = await entries('sample/resourcelist.xml');
    const whole = await get(first?.loc ?? '');
    const part = await get(first?.loc ?? '', { range: 'bytes=10-19' });
    expect(part).toMatchObject({
      status: 206,
      headers: { 'content-range': `bytes 10-19/${whole.body.length}` },
    });
    expect(part.body.equals(whole.body.subarray(10, 20))).toBe(true);
    const { 'last-modified': lastModified, etag } = whole.headers;
    for (const headers of [
      { 'if-modified-since': String(lastModified) },
      { 'if-none-match': String(etag) },
    ]) {
      expect((await get(first?.loc ?? '', headers)).status).toBe(304);
    }
    expect((await get(first?.loc ?? '', {}, 'POST')).status).toBe(405);
  });

  test('the records of the export itself are not shown, nor is any directory', async () => {
    for (const path of [
      '.rsbridge-export.json',
      '.rsbridge-export/',
      '.rsbridge-export/lock',
      'sample/items/',
      'sample',
    ]) {
      expect((await get(`${baseUrl}/${path}`)).status, path).toBe(404);
    }
  });

  test('no address below baseUrl, in any document or page, leads nowhere', async () => {
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => /(?:\.xml|\.html|\/resourcesync)$/.test(file))
      .filter((file) => !/\/items\/[^/]+\/[^/]+\.xml$/.test(file));
    expect(files.length).toBeGreaterThan(300);
    const changes = (await get(`${baseUrl}/sample/changelist.xml`)).text;
    // A dump that was taken before names what was deleted since, with the item that went with it.
    const gone = [...changes.matchAll(/<loc>([^<]+)\/[^/<]+<\/loc>(?:(?!<\/url>).)*change="deleted"/gs)];
    const isGone = (uri: string) => gone.some(([, item = '']) => uri === item || uri.startsWith(`${item}/`));
    const uris = new Map<string, string>();
    const dead: string[] = [];
    for (const file of files) {
      const text = readFileSync(join(root, file), 'utf8');
      const found = [...text.matchAll(/(?:<loc>|href=")([^<"]+)/g)].map(([, uri = '']) => uri);
      for (const uri of found) if (uri.startsWith(baseUrl)) uris.set(uri.replaceAll('&amp;', '&'), file);
      expect(text, file).not.toMatch(/\bago<\/time>|just now/);
    }
    expect(gone.length).toBeGreaterThan(0);
    for (const [uri, file] of uris) {
      if (!isGone(uri) && (await get(uri, {}, 'HEAD')).status !== 200) dead.push(`${uri} in ${file}`);
    }
    expect(dead).toEqual([]);
  });
});
