import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { request } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseConfig, type SourceConfig } from '../../../src/core/config/config.ts';
import { mapItem } from '../../../src/core/mapping/mapping.ts';
import { fileRules } from '../../../src/harvest/file-rules.ts';
import { createFileChecker } from '../../../src/harvest/files/checks/file-checker.ts';
import { runFileJob } from '../../../src/harvest/files/file-job.ts';
import { noteRefusal, settleNow } from '../../../src/harvest/files/note-refusal.ts';
import { askProbes } from '../../../src/harvest/files/probes.ts';
import { createUpstreamFiles } from '../../../src/harvest/files/upstream/upstream-files.ts';
import { listCalledFor } from '../../../src/store/files/refusals.ts';
import { storePage } from '../../../src/store/pages/store-page.ts';
import { withdraw } from '../../../src/store/removal/withdrawals.ts';
import { acquireLease, releaseLease } from '../../../src/store/runs/leases.ts';
import { startRun } from '../../../src/store/runs/runs.ts';
import { ensureSource } from '../../../src/store/sources/sources.ts';
import { closeFileServers, type FileServer, serveFiles, silentLog } from '../../house/harvest/file-server.ts';
import { type House, openHouse } from '../../house/server/fixture.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

let sources = 0;
/** In place of a status: 200 with a page for people. */
const page = 0;

describeOnBoth('a file that its repository refuses', (open) => {
  let name: string;
  let config: SourceConfig;
  let directory: string;
  let now: string;
  /** By path; all others are handed out. */
  let answers: Map<string, number>;
  let everything: number | undefined;
  /** What all files are; undefined: a few words. */
  let large: Buffer | undefined;
  let upstream: FileServer;
  const closing: (() => Promise<unknown>)[] = [];
  const clock = { now: () => new Date(now), sleep: () => Promise.resolve() };

  beforeEach(async () => {
    sources += 1;
    name = `refused-${sources}`;
    now = '2026-11-21T10:00:00Z';
    directory = mkdtempSync(join(tmpdir(), 'rsbridge-refused-'));
    answers = new Map();
    everything = undefined;
    large = undefined;
    upstream = await serveFiles((asked, response) => {
      const status = everything ?? answers.get(asked.url ?? '') ?? 200;
      if (status === page) return void response.writeHead(200, { 'content-type': 'text/html' }).end('no');
      if (status !== 200) return void response.writeHead(status).end('no');
      const content = large ?? `content of ${asked.url}`;
      const headers = { 'content-type': 'application/pdf', etag: '"1"', 'content-length': content.length };
      response.writeHead(200, headers).end(asked.method === 'HEAD' ? undefined : content);
    });
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    await closeFileServers();
    rmSync(directory, { recursive: true, force: true });
  });

  const pass = (seconds: number) => {
    now = new Date(Date.parse(now) + seconds * 1000).toISOString().replace('.000Z', 'Z');
  };

  /** A full pass that brings so many items with a file each. */
  async function harvest(count: number, mode: 'proxy' | 'mirror'): Promise<void> {
    const { database } = open();
    const read = parseConfig({ sources: { [name]: { url: `${upstream.url}/oai`, files: { mode } } } });
    config = read.sources[name] as SourceConfig;
    await ensureSource(database, name, now);
    const lease = await acquireLease(database, name, Date.parse(now));
    const run = { sourceId: lease.sourceId, mode: 'full', selection: '{}', since: undefined } as const;
    const items = Array.from({ length: count }, (_, index) =>
      mapItem(name, {
        identifier: `${index}`,
        datestamp: '2026-01-01T00:00:00Z',
        collections: [],
        speaksFor: { formats: ['oai_dc'], files: { name: 'xoai', rank: 0 } },
        deleted: false,
        metadata: [{ format: 'oai_dc', content: Buffer.from('<dc/>') }],
        files: [{ url: `${upstream.url}/${index}.pdf`, name: `${index}.pdf`, sequence: 1, access: 'open' }],
      }),
    );
    const page = { items, problems: [], checkpoint: {}, files: fileRules(config) };
    const started = await startRun(database.writer, { ...run, startedAt: now });
    await storePage(database, lease, started, page, { iso: now, milliseconds: Date.parse(now) });
    await releaseLease(database, lease);
    await work();
  }

  async function work(): Promise<void> {
    const { http, gate } = upstream;
    const { signal } = new AbortController();
    const deps = { database: open().database, directory, http, gate, clock, log: silentLog };
    await runFileJob(deps, { name, config }, { stop: signal, signal });
  }

  /** Another process beside those there are. */
  async function serve(): Promise<
    ((index: number, memento?: boolean) => Promise<Answer>) & { readonly origin: string }
  > {
    const { database } = open();
    const upstreamFiles = createUpstreamFiles(
      () => ({
        endpoint: `${upstream.url}/oai`,
        allow: [],
        allowPrivateAddresses: false,
        userAgent: 'rsbridge/test',
        connections: 4,
        slowestRate: { graceSeconds: 60, bytesPerSecond: 1 },
      }),
      { clock, log: silentLog },
    );
    const house: House = await openHouse({
      database,
      directory,
      clock,
      fileMode: () => config.files.mode,
      upstreamFiles,
      noteRefusal: (source, url, refusal) =>
        noteRefusal({ database, clock }, { source, url, ...refusal }, config),
    });
    closing.push(
      () => house.close(),
      () => upstreamFiles.close(),
    );
    const origin = await house.origin();
    return Object.assign(
      async (index: number, memento = false) => {
        const path = `${name}/items/${index}/files/1-${index}.pdf`;
        const uri = `https://bridge.example.org/rs/${path}`;
        const row = await database.reader('resource').where({ path }).first('lastmod');
        const moment = String((row as { lastmod: string }).lastmod).replace(/\D/g, '');
        const response = await request(
          memento ? `${origin}/rs/memento/${moment}/${uri}` : `${origin}/rs/${path}`,
        );
        const body = await response.body.text();
        const { 'retry-after': retryAfter, link } = response.headers;
        return { status: response.statusCode, body, retryAfter, link: String(link ?? '') };
      },
      { origin },
    );
  }

  interface Answer {
    readonly status: number;
    readonly body: string;
    readonly retryAfter: unknown;
    readonly link: string;
  }

  async function living(): Promise<number> {
    const rows = await open()
      .database.reader('resource')
      .where({ kind: 'file' })
      .where('path', 'like', `${name}/%`)
      .whereNull('deleted_at');
    return rows.length;
  }

  test.each([401, 403, 404, 410, page])(
    'to a reader (%i) is gone for all readers at once',
    async (status) => {
      await harvest(3, 'proxy');
      const [here, there] = [await serve(), await serve()];
      expect(await here(1)).toMatchObject({ status: 200, body: 'content of /1.pdf' });
      answers.set('/1.pdf', status);
      expect((await here(1)).status).toBe(410);
      expect((await there(1)).status).toBe(410);
      expect((await there(1)).link).toContain('capabilitylist.xml');
      expect((await there(0)).status).toBe(200);
      expect(await living()).toBe(2);
      // It is asked for once more at once, and is back when its repository thinks better of it.
      answers.clear();
      await work();
      expect((await there(1)).status).toBe(200);
    },
  );

  test.each([401, 404, 500])(
    'to a reader (%i) is asked for before what a mirror has left of it is handed out',
    async (status) => {
      await harvest(2, 'mirror');
      pass(60);
      const row = { path: `${name}/items/1/files/1-1.pdf` };
      const { lastmod } = (await open().database.reader('resource').where(row).first('lastmod')) as {
        lastmod: string;
      };
      const before = lastmod.replace(/\D/g, '');
      await harvest(2, 'proxy');
      const { origin } = await serve();
      const memento = async () => {
        const uri = `https://bridge.example.org/rs/${row.path}`;
        const response = await request(`${origin}/rs/memento/${before}/${uri}`);
        return { status: response.statusCode, body: await response.body.text() };
      };
      expect(await memento()).toEqual({ status: 200, body: 'content of /1.pdf' });
      answers.set('/1.pdf', status);
      const first = await memento();
      expect(first.status).toBe(status === 500 ? 502 : 503);
      const second = await memento();
      expect(second.status).toBe(status === 500 ? 502 : 410);
      expect(first.body + second.body).not.toContain('content of');
    },
  );

  test.each(['withdrawn', 'refused'])(
    'that is %s while it is being read is not read to its end',
    async (what) => {
      large = Buffer.alloc(40_000_000, 'x');
      await harvest(2, 'mirror');
      const { database } = open();
      const { origin } = await serve();
      const read = (index: number) => request(`${origin}/rs/${name}/items/${index}/files/1-${index}.pdf`);
      const [{ body }, other] = await Promise.all([read(0), read(1)]);
      if (what === 'withdrawn')
        await withdraw(database, { source: name, identifier: '0', path: undefined }, undefined, now);
      else {
        const refusal = { outcome: 'refused', reason: 'asks for a login (401)' } as const;
        await noteRefusal(
          { database, clock },
          { source: name, url: `${upstream.url}/0.pdf`, ...refusal },
          config,
        );
      }
      const slowly = async () => {
        for await (const _chunk of body) await setTimeout(100);
      };
      await expect(slowly()).rejects.toThrow();
      expect((await other.body.arrayBuffer()).byteLength).toBe(40_000_000);
    },
  );

  test('to a reader while a harvest has the source is withheld by all, until that harvest deletes it', async () => {
    await harvest(3, 'proxy');
    const [here, there] = [await serve(), await serve()];
    const lease = await acquireLease(open().database, name, Date.parse(now));
    answers.set('/1.pdf', 401);
    const before = upstream.asked.length;
    for (const ask of [here, there]) expect(await ask(1)).toMatchObject({ status: 503, retryAfter: '60' });
    // The second did not have to ask.
    expect(upstream.asked.length - before).toBe(1);
    await releaseLease(open().database, lease);
  });

  test.each(['proxy', 'mirror'] as const)(
    'is out of everything after a full pass, however lately it was asked for (%s)',
    async (mode) => {
      await harvest(3, mode);
      const ask = await serve();
      expect((await ask(2)).status).toBe(200);
      answers.set('/2.pdf', 401);
      await harvest(3, mode);
      expect(await ask(2)).toMatchObject({ status: 410 });
      expect((await ask(1)).status).toBe(200);
      expect(await living()).toBe(2);
    },
  );

  test.each(['proxy', 'mirror'] as const)(
    'with all the others is deleted by nobody, handed out by nobody, and comes back with them (%s)',
    async (mode) => {
      await harvest(40, mode);
      const [here, there] = [await serve(), await serve()];
      everything = 403;
      pass(60);
      await harvest(40, mode);
      expect(await living()).toBe(40);
      for (const index of [0, 17, 39]) {
        expect(await here(index)).toMatchObject({ status: 503, retryAfter: '60' });
        expect(await there(index)).toMatchObject({ status: 503 });
        const memento = await here(index, true);
        expect(memento.status).not.toBe(200);
        expect(memento.body).not.toContain('content of');
      }
      everything = undefined;
      pass(3600);
      await work();
      await work();
      expect(await living()).toBe(40);
      for (const index of [0, 17, 39]) expect((await there(index)).status).toBe(200);
    },
  );

  test.each([
    [200, 200],
    [401, 410],
  ])('to one source is handed out by no other one until that has asked: %i', async (status, afterwards) => {
    await harvest(3, 'proxy');
    const [first, its] = [name, config];
    name = `${name}-mirror`;
    await harvest(3, 'mirror');
    const ask = await serve();
    expect([(await ask(0)).status, (await ask(1)).status]).toEqual([200, 200]);
    const refused = { outcome: 'refused', reason: 'it asks for a login (401)' } as const;
    const url = `${upstream.url}/1.pdf`;
    const { database } = open();
    await noteRefusal({ database, clock }, { source: first, url, ...refused }, its);
    expect(await ask(1)).toMatchObject({ status: 503, retryAfter: '60' });
    expect((await ask(1, true)).status).toBe(503);
    expect((await ask(0)).status).toBe(200);
    // It may be let in where the other one is not.
    answers.set('/1.pdf', status);
    expect(await listCalledFor(database.reader, now)).toContain(name);
    const { http, gate } = upstream;
    const fileCheck = createFileChecker({ http, gate, clock }, { recheckDays: 30, requestsPerHost: 2 });
    await askProbes({ database, clock }, { name, fileCheck }, new AbortController().signal);
    await settleNow({ database, clock }, name, config);
    expect((await ask(1)).status).toBe(afterwards);
    expect(await listCalledFor(database.reader, now)).not.toContain(name);
    // The same again says nothing new.
    await noteRefusal({ database, clock }, { source: first, url, ...refused }, its);
    expect((await ask(1)).status).toBe(afterwards);
  });

  test('to readers alone, with all the others, is not deleted either', async () => {
    await harvest(60, 'proxy');
    const ask = await serve();
    everything = 403;
    pass(60);
    const statuses: number[] = [];
    for (let index = 0; index < 10; index += 1) statuses.push((await ask(index)).status);
    const { http, gate } = upstream;
    const fileCheck = createFileChecker({ http, gate, clock }, { recheckDays: 30, requestsPerHost: 2 });
    const { signal } = new AbortController();
    for (let round = 0; round < 2; round += 1) {
      await askProbes({ database: open().database, clock }, { name, fileCheck }, signal);
      await work();
    }
    for (let index = 10; index < 60; index += 1) statuses.push((await ask(index)).status);
    expect(statuses.filter((status) => status === 410).length).toBeLessThan(5);
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(55);
    expect(statuses).not.toContain(200);
  });
});
