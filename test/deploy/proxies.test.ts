import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client, type Dispatcher } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../src/bridge/system-clock.ts';
import type { DatabaseConfig } from '../../src/core/config/config.ts';
import { createSampleRepository, type SampleRepository } from '../../src/demo/sample-repository.ts';
import { openDatabase } from '../../src/store/engine/database.ts';
import { readFollowed } from '../../src/store/search/following.ts';
import { rsbridge } from '../house/cli/processes.ts';
import { answering, type StartProxy, startApache, startCaddy, startNginx } from '../house/deploy/proxy.ts';
import { findTool } from '../house/deploy/tools.ts';
import { freePort } from '../house/process/free-port.ts';

const why = 'the bridge behind a proxy';
const tools = {
  nginx: findTool('nginx', ['-v'], why),
  caddy: findTool('caddy', ['version'], why),
  apache2: findTool('apache2', ['-v'], why),
};

/** What an answer says of itself that a client goes by; `Date`, `Server` and the connection are each server's own. */
const told = [
  'accept-ranges access-control-allow-origin allow cache-control content-disposition content-encoding content-language',
  'content-length content-range content-security-policy content-type etag last-modified link location memento-datetime',
  'referrer-policy repr-digest retry-after vary www-authenticate x-content-type-options',
]
  .join(' ')
  .split(' ');

behind('nginx', '/rs', tools.nginx && startNginx(tools.nginx));
behind('Caddy', '', tools.caddy && startCaddy(tools.caddy));
behind('Apache', '/rs', tools.apache2 && startApache(tools.apache2));

/** A search finds the same from now on. */
async function untilSearched(config: DatabaseConfig): Promise<void> {
  const database = openDatabase(config);
  while ((await readFollowed(database.reader)).some(({ seq, journalSeq }) => seq < journalSeq))
    await setTimeout(100);
  await database.close();
}

function behind(name: string, path: string, startProxy: StartProxy | undefined | ''): void {
  describe.skipIf(!startProxy)(`the bridge behind ${name}, with the file of deploy/`, () => {
    const directory = mkdtempSync(join(tmpdir(), 'rsbridge-behind-'));
    let repository: SampleRepository;
    let proxy: ChildProcess;
    let bridge: ReturnType<typeof rsbridge>;
    let direct: string;
    let through: string;
    let resources: string[];

    beforeAll(async () => {
      repository = createSampleRepository({ clock: systemClock, records: 30 });
      const { url } = await repository.listen(0);
      const [port, bridgePort] = [await freePort(), await freePort()];
      direct = `http://127.0.0.1:${bridgePort}`;
      through = `http://127.0.0.1:${port}`;
      const never = { schedule: false, fullPass: false, identifierPass: false };
      const database = { client: 'sqlite', file: join(directory, 'bridge.db') } as const;
      writeFileSync(
        join(directory, 'rsbridge.yaml'),
        stringify({
          baseUrl: `${through}${path}`,
          database,
          listen: { host: '127.0.0.1', port: bridgePort },
          sources: { sample: { url, files: { mode: 'mirror' }, dumps: ['metadata'], ...never } },
        }),
      );
      for (const command of ['harvest', 'publish']) {
        const { code, stderr } = await rsbridge([command], directory).finished;
        expect(code, stderr).toBe(0);
      }
      bridge = rsbridge(['serve'], directory);
      await answering(`${direct}/livez`, bridge.child);
      await untilSearched(database);
      const place = join(directory, 'proxy');
      mkdirSync(place);
      proxy = (startProxy as StartProxy)(place, port, bridgePort);
      await answering(`${through}${path}/livez`, proxy);
      const { text } = await get(`${through}${path}/sample/resourcelist.xml`);
      resources = [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].flatMap(([, loc]) => loc ?? []);
    });

    afterAll(async () => {
      for (const child of [proxy, bridge?.child]) {
        if (!child || child.exitCode !== null) continue;
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        await ended;
      }
      await repository?.close();
      rmSync(directory, { recursive: true, force: true });
    });

    async function get(uri: string, headers: Record<string, string> = {}, method = 'GET') {
      // undici sends the path as it is written: a client of mementos does the same.
      const [, origin = '', rest = '/'] = /^(https?:\/\/[^/]+)(.*)$/.exec(uri) ?? [];
      const client = new Client(origin);
      const answer = await client.request({ path: rest, headers, method: method as Dispatcher.HttpMethod });
      const body = Buffer.from(await answer.body.arrayBuffer());
      await client.close();
      // Apache writes lists without spaces.
      const plain = (value: unknown) => (typeof value === 'string' ? value.replaceAll(', ', ',') : value);
      const kept = Object.fromEntries(told.map((field) => [field, plain(answer.headers[field])]));
      // Octet by octet: to compare arrays of them takes a minute.
      const text = body.toString('latin1');
      return { status: answer.statusCode, headers: kept, length: body.byteLength, text };
    }

    /** The same answer, letter by letter, whichever way it took. */
    async function same(uri: string, headers: Record<string, string> = {}, method = 'GET') {
      const there = await get(uri, headers, method);
      const here = await get(uri.replace(through, direct), headers, method);
      expect(there, `${method} ${uri} ${JSON.stringify(headers)}`).toEqual(here);
      return there;
    }

    test('pages, documents, resources and their past pass through as they are', async () => {
      expect(resources.length).toBeGreaterThan(50);
      const [record = ''] = resources.filter((loc) => loc.endsWith('.xml'));
      const [file = ''] = resources.filter((loc) => loc.includes('/files/'));
      const item = record.slice(0, record.lastIndexOf('/'));
      const base = `${through}${path}`;
      const found = [
        `${base}/about`,
        `${base}/robots.txt`,
        `${base}/.well-known/resourcesync`,
        `${base}/sample/capabilitylist.xml`,
        `${base}/sample/resourcelist.xml`,
        `${base}/sample/changelist.xml`,
        `${base}/sample/metadata/resourcedump.xml`,
        `${base}/search?q=${encodeURIComponent('研究')}`,
        `${base}/api/openapi.json`,
        item,
        record,
        file,
        `${base}/timemap/link/${record}`,
      ];
      for (const uri of found) {
        for (const headers of [
          {},
          { 'accept-encoding': 'gzip' },
          { accept: 'text/html', 'accept-language': 'ja' },
        ])
          expect((await same(uri, headers)).status, uri).toBe(200);
        expect((await same(uri, {}, 'HEAD')).length).toBe(0);
        const { headers } = await same(uri);
        if (headers.etag)
          expect((await same(uri, { 'if-none-match': String(headers.etag) })).status).toBe(304);
      }
      expect((await same(file, { range: 'bytes=1-4' })).status).toBe(206);
      const packages = (await get(`${base}/sample/metadata/resourcedump.xml`)).text;
      const [, zip = ''] = /<loc>([^<]+\.zip)<\/loc>/.exec(packages) ?? [];
      expect((await same(zip)).text.slice(0, 2)).toBe('PK');
    });

    test('the address of a memento holds a whole URI, and that of an item may hold an encoded slash', async () => {
      const [record = ''] = resources.filter((loc) => loc.endsWith('.xml'));
      const gate = await same(`${through}${path}/timegate/${record}`, {
        'accept-datetime': new Date().toUTCString(),
      });
      expect(gate.status).toBe(302);
      const memento = await same(String(gate.headers.location));
      expect(memento.status).toBe(200);
      expect(memento.text).toBe((await get(record)).text);
      const odd = await same(`${through}${path}/sample/items/oai%3Aexample%2Fa%20b`);
      expect(odd.status).toBe(404);
    });

    test('errors are the problem documents of the bridge', async () => {
      const missing = await same(`${through}${path}/sample/items/none/oai_dc.xml`);
      expect(missing).toMatchObject({ status: 404, headers: { 'content-type': /problem\+json/ } });
    });

    // Caddy believes nobody's X-Forwarded-For, and all of this test comes from this machine.
    test.skipIf(path === '')('a visitor who comes through the proxy is none of this machine', async () => {
      // A proxy in front of the proxy has named who it is.
      const page = { accept: 'text/html', 'x-forwarded-for': '203.0.113.9' };
      expect((await get(`${direct}${path}/admin/sign-in`)).status).toBe(200);
      expect((await get(`${through}${path}/admin/sign-in`, page)).status).toBe(403);
    });

    test.skipIf(path === '')('who knows the host alone finds the way', async () => {
      const { status, headers } = await get(`${through}/.well-known/resourcesync`);
      const location = new URL(String(headers.location), through).href;
      expect([status, location]).toEqual([302, `${through}${path}/.well-known/resourcesync`]);
      expect((await get(`${through}${path}`)).status).toBe(301);
    });
  });
}
