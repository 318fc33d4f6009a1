import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { type Dispatcher, request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../src/bridge/system-clock.ts';
import { toHttpDate } from '../../src/core/datetime.ts';
import { createSampleRepository, type SampleRepository } from '../../src/demo/sample-repository.ts';
import { rsbridge } from '../house/cli/processes.ts';
import { runBeside } from '../house/cli/run-beside.ts';
import { findTool } from '../house/deploy/tools.ts';
import { freePort } from '../house/process/free-port.ts';

const nginx = findTool('nginx', ['-v'], 'the export behind nginx');

describe.skipIf(!nginx)('an export behind nginx, with docs/nginx.conf', () => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-nginx-'));
  const root = join(directory, 'www', 'rs');
  let repository: SampleRepository;
  const servers: ChildProcess[] = [];
  let bridgePort: number;
  let origin: string;
  let baseUrl: string;

  beforeAll(async () => {
    repository = createSampleRepository({ clock: systemClock, records: 50 });
    const [{ url }, port] = await Promise.all([repository.listen(0), freePort()]);
    origin = `http://127.0.0.1:${port}`;
    baseUrl = `${origin}/rs`;
    bridgePort = await freePort();
    const samples = { theses: { collections: ['theses'] }, dublin: { formats: ['oai_dc'] } };
    const never = { schedule: false, fullPass: false, identifierPass: false };
    const sources = {
      sample: { url, overlapSeconds: 5, files: { mode: 'mirror' }, sets: samples, ...never },
      passed: { url, overlapSeconds: 5, formats: ['oai_dc', 'jpcoar_2.0'], ...never },
    };
    const listen = { host: '127.0.0.1', port: bridgePort };
    writeFileSync(join(directory, 'rsbridge.yaml'), stringify({ baseUrl, listen, sources }));
    await run('harvest');
    await run('export', root);
    // Thirty within one second could be a list that is cut off.
    for (let edit = 0; edit < 31; edit += 1) repository.edit();
    await run('harvest');
    await run('export', root);
    await startNginx(port);
  });

  afterAll(async () => {
    for (const server of servers) server.kill('SIGQUIT');
    await repository?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function run(...args: string[]) {
    const result = await runBeside(directory, args);
    expect(result, result.stderr).toMatchObject({ code: 0 });
  }

  /** The documented file with another host, port and directory, and what every nginx.conf has around it. */
  async function startNginx(port: number, change = (site: string) => site): Promise<void> {
    const documented = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'nginx.conf'), 'utf8');
    const site = change(documented)
      .replaceAll('https://repo.example.org', origin)
      .replace('listen 80;', `listen 127.0.0.1:${port};`)
      .replaceAll('/srv/www', join(directory, 'www'))
      .replace('127.0.0.1:8080', `127.0.0.1:${bridgePort}`);
    const place = join(directory, `nginx-${port}`);
    mkdirSync(place);
    const types =
      'text/xml xml; application/pdf pdf; text/html html; image/png png; image/jpeg jpg; text/csv csv;';
    writeFileSync(join(place, 'mime.types'), `types { ${types} }`);
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
    for (let attempt = 0; attempt < 2400; attempt += 1) {
      if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`);
      const answer = await request(`http://127.0.0.1:${port}/rs/`).catch(() => undefined);
      await answer?.body.dump();
      if (answer) {
        servers.push(child);
        return;
      }
      await setTimeout(50);
    }
    throw new Error('nginx does not answer');
  }

  /** While the bridge serves, too. */
  async function serving(work: () => Promise<void>): Promise<void> {
    const { child, finished } = rsbridge(['serve'], directory);
    try {
      for (let attempt = 0; attempt < 2400; attempt += 1) {
        const answer = await get(`http://127.0.0.1:${bridgePort}/livez`).catch(() => undefined);
        if (answer?.status === 200) break;
        await setTimeout(50);
      }
      await work();
    } finally {
      child.kill('SIGTERM');
      await finished;
    }
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
    readonly type: string;
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
        type: find(/type="([^"]+)"/),
        hash: find(/hash="sha-256:([0-9a-f]+)"/),
      };
    });
  }

  test('every resource has the bytes and the time that the list states, and leads to its lists', async () => {
    const listed = await entries('sample/resourcelist.xml');
    expect(listed.length).toBeGreaterThan(175);
    const others = await Promise.all(
      ['theses', 'dublin'].map(async (name) => {
        const members = new Set(
          (await entries(`sample/sets/${name}/resourcelist.xml`)).map(({ loc }) => loc),
        );
        expect(members.size).toBeGreaterThan(10);
        const link = `, <${baseUrl}/sample/sets/${name}/capabilitylist.xml>; rel="resourcesync"`;
        return (loc: string) => (members.has(loc) ? link : '');
      }),
    );
    for (const { loc, lastmod, length, hash, type } of listed) {
      const { status, headers, body } = await get(loc, { 'accept-encoding': 'gzip' });
      expect(status, loc).toBe(200);
      expect(createHash('sha256').update(body).digest('hex'), loc).toBe(hash);
      const metadata = `, <${baseUrl}/sample/metadata/capabilitylist.xml>; rel="resourcesync"`;
      const past = [
        `<${baseUrl}/timegate/${loc}>; rel="timegate", `,
        `<${baseUrl}/timemap/link/${loc}>; rel="timemap"; type="application/link-format"`,
      ];
      expect(headers, loc).toMatchObject({
        'content-type': type,
        'content-length': String(length),
        'last-modified': toHttpDate(lastmod),
        'cache-control': 'no-cache, no-transform',
        link: [
          `<${baseUrl}/sample/capabilitylist.xml>; rel="resourcesync"${loc.includes('/files/') ? '' : metadata}${others.map((link) => link(loc)).join('')}`,
          past.join(''),
        ],
      });
      expect(headers['content-encoding']).toBeUndefined();
    }
  });

  test('files are shown under their names, and what a browser could run is in a sandbox', async () => {
    const item = 'sample/items/oai:sample.example.org:x';
    const place = join(root, item, 'files');
    mkdirSync(place, { recursive: true });
    for (const name of ['1-a.html', '2-a.svg', '3-A.PDF', '4-~E6~9C~AC.pdf', '5-data.xml.gz']) {
      writeFileSync(join(place, name), 'x');
    }
    const headersOf = async (name: string) =>
      (await get(`${baseUrl}/${item}/files/${name}`, { 'accept-encoding': 'gzip' })).headers;
    for (const name of ['1-a.html', '2-a.svg', '5-data.xml.gz']) {
      const headers = await headersOf(name);
      expect(headers, name).toMatchObject({
        'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none';/),
        'x-content-type-options': 'nosniff',
        'content-disposition': `inline; filename="${name.slice(2)}"`,
      });
      expect(headers['content-encoding'], name).toBeUndefined();
    }
    for (const name of ['3-A.PDF', '4-~E6~9C~AC.pdf']) {
      expect((await headersOf(name))['content-security-policy'], name).toMatch(
        /^default-src 'none'; img-src/,
      );
    }
    expect((await headersOf('4-~E6~9C~AC.pdf'))['content-disposition']).toBe('inline');
    rmSync(join(root, item), { recursive: true });
  });

  test('files that are not mirrored: the bridge passes them on, as soon as nginx may ask it', async () => {
    const files = (await entries('passed/resourcelist.xml')).filter(({ loc }) => loc.includes('/files/'));
    expect(files.length).toBeGreaterThan(40);
    const some = files.filter((_, place) => place % 8 === 0);
    for (const { loc } of some) expect((await get(loc)).status, loc).toBe(404);

    const port = await freePort();
    const option = /try_files \$uri =404;\n(\s*#[^\n]*\n\s*)# (try_files \$uri @rsbridge;)/;
    await startNginx(port, (site) => site.replace(option, '$1$2'));
    const throughBridge = (loc: string) => loc.replace(origin, `http://127.0.0.1:${port}`);
    for (const { loc } of some.slice(0, 2)) expect((await get(throughBridge(loc))).status, loc).toBe(502);

    await serving(async () => {
      for (const { loc, length, type, lastmod } of some) {
        const { status, headers, body } = await get(throughBridge(loc));
        expect(status, loc).toBe(200);
        expect(body.length, loc).toBe(length);
        expect(headers, loc).toMatchObject({
          'content-type': expect.stringMatching(new RegExp(`^${type}(?:;|$)`)),
          'last-modified': toHttpDate(lastmod),
          'x-content-type-options': 'nosniff',
          'content-disposition': expect.stringMatching(/^inline; filename="/),
        });
        // Each header is the bridge's alone.
        expect(headers['content-security-policy'], loc).toBeTypeOf('string');
      }
      const [first] = some;
      const part = await get(throughBridge(first?.loc ?? ''), { range: 'bytes=0-3' });
      expect(part).toMatchObject({ status: 206, text: '%PDF' });
      expect((await get(throughBridge(`${baseUrl}/sample/items/none/files/1-a.pdf`))).status).toBe(404);
    });
  });

  test('RS-LN-19…24: what the entries say of the past is answered by the bridge, whole URIs and all', async () => {
    const { text } = await get(`${baseUrl}/sample/metadata/changelist.xml`);
    const changes = [...text.matchAll(/<url><loc>([^<]+)<\/loc><lastmod>([^<]+)<.*?<\/url>/g)].slice(0, 40);
    const linkIn = (entry: string, rel: string) => new RegExp(`rel="${rel}" href="([^"]+)"`).exec(entry)?.[1];
    const [first] = changes;
    expect((await get(linkIn(first?.[0] ?? '', 'timegate') ?? '')).status).toBe(502);
    let followed = 0;
    await serving(async () => {
      for (const [entry, loc = '', lastmod = ''] of changes) {
        const [memento, timegate = '', timemap = ''] = ['memento', 'timegate', 'timemap'].map((rel) =>
          linkIn(entry, rel),
        );
        const asked = await get(timegate, { 'accept-datetime': toHttpDate(lastmod) });
        const listed = await get(timemap);
        expect(listed.headers['content-type'], timemap).toMatch(/^application\/link-format/);
        expect(listed.text).toContain(`<${loc}>; rel="original"`);
        if (memento === undefined) continue;
        expect(asked, timegate).toMatchObject({ status: 302, headers: { location: memento } });
        expect(listed.text).toContain(`<${memento}>`);
        const { status, headers, body } = await get(memento);
        expect(status, memento).toBe(200);
        expect(headers['memento-datetime']).toBe(toHttpDate(lastmod));
        expect(headers.link).toContain(`<${loc}>; rel="original"`);
        const hash = createHash('sha256').update(body).digest('hex');
        expect(entry).toContain(`rel="memento" href="${memento}" hash="sha-256:${hash}"`);
        followed += 1;
      }
      const { stdout } = await runBeside(directory, ['validate', baseUrl, '--json', '--sample', '30']);
      expect(stdout).toContain('"sampled":');
      const broken = stdout.split('\n').filter((line) => /"RS-LN-(?:18|19|2[0-4])"/.test(line));
      expect(broken).toEqual([]);
    });
    expect(followed).toBeGreaterThan(10);
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
      // It holds what may be taken down.
      'cache-control': 'no-cache',
    });
    expect(part.body.subarray(0, 2).toString()).toBe('PK');
    expect((await get(`${baseUrl}/robots.txt`)).headers['content-type']).toBe('text/plain');
    expect((await get(`${baseUrl}/about`)).headers).toMatchObject({ 'content-type': 'text/html' });
    expect((await get(`${origin}/rs`)).status).toBe(301);
    expect((await get(`${origin}/.well-known/resourcesync`)).headers.location).toBe(
      `${baseUrl}/.well-known/resourcesync`,
    );
  });

  test('a list leads to its past, and the name of a set to its page, as on the bridge itself', async () => {
    await serving(async () => {
      for (const path of [
        'sample/resourcelist.xml',
        'sample/metadata/capabilitylist.xml',
        'sample/lists/capabilitylist.xml',
        'sample/.well-known/resourcesync',
        'sample/lists/.well-known/resourcesync',
        '.well-known/resourcesync',
        'sample/changelist.xml',
      ]) {
        const own = await get(`http://127.0.0.1:${bridgePort}/rs/${path}`);
        const { headers } = await get(`${baseUrl}/${path}`);
        expect([path, headers.link]).toEqual([path, own.headers.link]);
      }
    });
    for (const path of ['sample', 'sample/', 'sample/metadata']) {
      const { status, text } = await get(`${baseUrl}/${path}`);
      expect([path, status, /<h2>Synchronise<\/h2>/.test(text)]).toEqual([path, 200, true]);
    }
    await serving(async () => {
      const lists = /<([^>]+)>; rel="resourcesync"/g;
      const some = (await entries('sample/resourcelist.xml')).filter((_, place) => place % 50 === 0);
      for (const { loc } of some) {
        const own = await get(loc.replace(origin, `http://127.0.0.1:${bridgePort}`));
        const { headers } = await get(loc);
        const [here, there] = [headers, own.headers].map(({ link }) =>
          [...String(link).matchAll(lists)].map(([, uri]) => uri).sort(),
        );
        expect([loc, here]).toEqual([loc, there]);
      }
    });
    const { loc = '' } = (await entries('sample/metadata/resourcelist.xml'))[0] ?? {};
    expect((await get(loc)).headers['content-security-policy']).toMatch(
      /^sandbox; .*style-src 'unsafe-inline'/,
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
      'sample/sets',
    ]) {
      expect((await get(`${baseUrl}/${path}`)).status, path).toBe(404);
    }
  });

  test('no address below baseUrl, in any document or page, leads nowhere', async () => {
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => /(?:\.xml|\.html|\/resourcesync)$/.test(file))
      .filter((file) => !/\/items\/[^/]+\/[^/]+\.xml$/.test(file));
    expect(files.length).toBeGreaterThan(100);
    const lists = ['sample', 'passed'].map((source) => get(`${baseUrl}/${source}/changelist.xml`));
    const changes = (await Promise.all(lists)).map(({ text }) => text).join('');
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
      // Those that only the bridge has.
      if (/\/passed\/items\/[^/]+\/files\/|\/rs\/(?:timegate|timemap|memento)\//.test(uri)) continue;
      if (!isGone(uri) && (await get(uri, {}, 'HEAD')).status !== 200) dead.push(`${uri} in ${file}`);
    }
    expect(dead).toEqual([]);
  });
});
