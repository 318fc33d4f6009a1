import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addSeconds } from '../../../src/core/datetime.ts';
import { readLandingPages } from '../../../src/harvest/files/landing-pages.ts';
import { createHostGate } from '../../../src/harvest/http/host-gate.ts';
import { createHttp, type HttpClient } from '../../../src/harvest/http/http.ts';
import type { Database } from '../../../src/store/engine/database.ts';
import { readItemFiles } from '../../../src/store/files/item-files.ts';
import { seedSource, silent } from '../../house/publish/seed.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const signal = new AbortController().signal;
const pdf = '; rel="item"; type="application/pdf"';
let now = '2026-11-21T12:00:00Z';
let answers: Map<string, Answer>;
let asked: string[];
let written: number;
let base: string;
let http: HttpClient;
let closeServer: () => Promise<void>;
let warnings: object[];
let sourceCount = 0;

beforeEach(async () => {
  now = '2026-11-21T12:00:00Z';
  answers = new Map();
  asked = [];
  warnings = [];
  written = 0;
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const answer = answers.get(request.url ?? '');
    if (answer) answer(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  http = createHttp(
    {
      endpoint: `${base}/oai`,
      scope: 'found',
      userAgent: 'resourcesync-bridge/1.2.3',
      requestsPerHost: 1,
      timeoutSeconds: 2,
      maxResponseBytes: 2 ** 31,
      allowPrivateAddresses: false,
      allow: ['localhost'],
    },
    { gate: createHostGate(), clock, log: silent },
  );
  closeServer = async () => {
    await http.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
});

afterEach(() => closeServer());

const clock = { now: () => new Date(now), sleep: async () => {} };

/** A page as most are: HTML, its links in the header or in the head. */
const page =
  (head: string, link?: string, type = 'text/html; charset=utf-8'): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': type, ...(link === undefined ? {} : { link }) });
    response.end(`<!DOCTYPE html><html><head>${head}</head><body>Not for machines.`);
  };

/** A page that goes on and on. @param bytes undefined: for ever */
const longPage =
  (start: string, bytes?: number): Answer =>
  (request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    if (request.method === 'HEAD') return void response.end();
    const chunk = Buffer.alloc(65_536, '<p>more and more</p> ');
    const more = () => {
      if (response.destroyed) return;
      if (bytes !== undefined && written >= bytes) return void response.end();
      written += chunk.byteLength;
      if (response.write(chunk)) setImmediate(more);
      else response.once('drain', more);
    };
    response.write(start);
    more();
  };

async function seed(database: Database, urls: readonly string[]) {
  sourceCount += 1;
  const name = `source-${sourceCount}`;
  await seedSource(database, name);
  const { id }: { id: number } = await database.writer('source').where({ name }).first('id');
  const items: number[] = [];
  for (const [index, url] of urls.entries()) {
    const [item] = await database
      .writer('item')
      .insert({ source_id: id, identifier: `oai:${index}`, landing_due: addSeconds(now, index - 3600) })
      .returning('id');
    items.push(item.id);
    const facts = { lastmod: now, media_type: 'application/xml', links: '[]', last_seq: 1, version_count: 1 };
    const place = { source_id: id, item_id: item.id, path: `${name}/items/${index}/oai_dc.xml` };
    await database
      .writer('resource')
      .insert({ ...place, ...facts, kind: 'metadata', format: 'oai_dc', landing_page: url });
  }
  const log = { ...silent, warn: (fields: object) => void warnings.push(fields) };
  return {
    items,
    run: (budget = 100) => readLandingPages({ database, clock, log, http }, { id, name }, { budget, signal }),
    filesOf: async (item = items[0] ?? 0) =>
      (await readItemFiles(database.writer, id, [item]))
        .get(item)
        ?.files.map(({ url }) => url.replace(base, '')) ?? [],
    dueOf: async (item = items[0]) => (await database.writer('item').where({ id: item }).first()).landing_due,
  };
}

describeOnBoth('Landing pages', (open) => {
  const seedPages = (...paths: string[]) =>
    seed(
      open().database,
      paths.map((path) => (path.startsWith('http') ? path : base + path)),
    );

  test('are asked for their header alone where that names the files', async () => {
    answers.set('/1', page('', `</a.pdf>${pdf}, </l>; rel=linkset; type="application/linkset+json"`));
    const { run, filesOf, dueOf } = await seedPages('/1');
    expect(await run()).toEqual({ pages: 1, files: 1, failed: 0, skipped: 0 });
    expect(await filesOf()).toEqual(['/a.pdf']);
    expect(asked).toEqual(['HEAD /1']);
    expect(await dueOf()).toBe('2026-12-21T12:00:00Z');
    expect(await run()).toMatchObject({ pages: 0 });
  });

  test('are read where the header says nothing, and lose what they do not name any more', async () => {
    answers.set(
      '/1',
      page(`<link rel="item" href="a.pdf" type="application/pdf"><link rel=item href=/b.csv>`),
    );
    const { run, filesOf } = await seedPages('/1');
    await run();
    expect(await filesOf()).toEqual(['/a.pdf', '/b.csv']);
    expect(asked).toEqual(['HEAD /1', 'GET /1']);
    answers.set('/1', page('<title>No files</title>'));
    now = '2026-12-22T12:00:00Z';
    expect(await run()).toMatchObject({ pages: 1, files: 0 });
    expect(await filesOf()).toEqual([]);
  });

  test('of a DSpace with many files lead to a link set, of which one syntax is enough', async () => {
    const item = Array.from({ length: 12 }, (_, index) => ({ href: `${base}/${index}.pdf` }));
    const link =
      '</set>; rel=linkset; type="application/linkset", </set/json>; rel=linkset; type="application/linkset+json"';
    answers.set('/handle/1', (_, response) => response.writeHead(302, { location: '/items/1' }).end());
    answers.set('/items/1', page('', link));
    const linkset = JSON.stringify({ linkset: [{ anchor: `${base}/items/1`, item }] });
    answers.set('/set/json', (_, response) => {
      response.writeHead(200, { 'content-type': 'application/linkset+json' }).end(linkset);
    });
    const { run, filesOf } = await seedPages('/handle/1');
    await run();
    expect(await filesOf()).toHaveLength(12);
    expect(asked).toEqual(['HEAD /handle/1', 'HEAD /items/1', 'GET /set/json']);
  });

  test('lead to two link sets at the most, and only within their site', async () => {
    const sets = ['/s1', '/s2', '/s3'].map((path) => `<${path}>; rel=linkset`);
    answers.set('/1', page('', ['<http://elsewhere.example/s>; rel=linkset', ...sets].join(', ')));
    const { run, filesOf, dueOf } = await seedPages('/1');
    expect(await run()).toMatchObject({ pages: 1, failed: 1 });
    expect(await filesOf()).toEqual([]);
    expect(asked).toEqual(['HEAD /1', 'GET /s1', 'GET /s2']);
    expect(await dueOf()).toBe('2026-11-22T12:00:00Z');
  });

  test('whose link set leads on to itself are read once', async () => {
    answers.set('/1', page('', '</s>; rel=linkset'));
    answers.set('/s', (_, response) => {
      response.writeHead(200, { 'content-type': 'application/linkset' });
      response.end(`<${base}/s>; rel=linkset; anchor="${base}/1", <${base}/1>; rel=item; anchor="${base}/1"`);
    });
    const { run, filesOf } = await seedPages('/1');
    expect(await run()).toMatchObject({ pages: 1, files: 0, failed: 0 });
    expect(await filesOf()).toEqual([]);
    expect(asked).toEqual(['HEAD /1', 'GET /s']);
  });

  test('that refuse HEAD are read all the same', async () => {
    const whole = page('', `</a.pdf>${pdf}`);
    answers.set('/1', (request, response) => {
      if (request.method === 'HEAD') response.writeHead(405).end();
      else whole(request, response);
    });
    const { run, filesOf } = await seedPages('/1');
    await run();
    expect(await filesOf()).toEqual(['/a.pdf']);
  });

  test('that are no pages at all are not fetched', async () => {
    answers.set('/1', page('', undefined, 'application/pdf'));
    const { run } = await seedPages('/1');
    expect(await run()).toMatchObject({ pages: 1, files: 0, failed: 0 });
    expect(asked).toEqual(['HEAD /1']);
  });

  test('of a gigabyte cost what their head costs', async () => {
    answers.set('/1', longPage('<head><link rel=item href=/a.pdf></head>', 2 ** 30));
    answers.set('/2', longPage('<head><link rel=item href=/b.pdf>', 2 ** 30));
    const { run, filesOf, items } = await seedPages('/1', '/2');
    await run();
    expect(await filesOf(items[0])).toEqual(['/a.pdf']);
    expect(await filesOf(items[1])).toEqual(['/b.pdf']);
    // What lies in the buffers of the two sockets was written, too.
    expect(written).toBeLessThan(16 * 2 ** 20);
  });

  test('that never end are left', async () => {
    answers.set('/1', longPage(''));
    const { run } = await seedPages('/1');
    expect(await run()).toMatchObject({ pages: 1, files: 0, failed: 0 });
  });

  test('that fall silent fail', async () => {
    answers.set('/1', (request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      if (request.method === 'HEAD') response.end();
      else response.write('<head><link rel=item href=/a.pdf>');
    });
    const { run, filesOf } = await seedPages('/1');
    expect(await run()).toMatchObject({ pages: 1, failed: 1 });
    expect(await filesOf()).toEqual([]);
  });

  test('that fail are asked for less and less often', async () => {
    answers.set('/1', (request, response) => {
      if (request.method === 'HEAD') response.writeHead(503, { 'retry-after': '600' }).end();
      else response.destroy();
    });
    const { run, dueOf, filesOf } = await seedPages('/1');
    for (const [at, due] of [
      ['2026-11-21T12:00:00Z', '2026-11-22T12:00:00Z'],
      ['2026-11-22T12:00:00Z', '2026-11-29T12:00:00Z'],
      ['2026-11-29T12:00:00Z', '2026-12-29T12:00:00Z'],
      ['2026-12-29T12:00:00Z', '2027-01-28T12:00:00Z'],
    ] as const) {
      now = at;
      expect(await run()).toMatchObject({ pages: 1, failed: 1 });
      expect(await dueOf()).toBe(due);
    }
    expect(asked).toEqual(['HEAD /1', 'HEAD /1', 'HEAD /1', 'HEAD /1']);
    answers.set('/1', page('', `</a.pdf>${pdf}`));
    now = '2027-01-28T12:00:00Z';
    await run();
    expect(await filesOf()).toEqual(['/a.pdf']);
    answers.delete('/1');
    answers.set('/1', (_, response) => response.writeHead(500).end());
    now = '2027-03-01T12:00:00Z';
    await run();
    // What was found stays while the server is out of order, and the count began anew.
    expect(await filesOf()).toEqual(['/a.pdf']);
    expect(await dueOf()).toBe('2027-03-02T12:00:00Z');
  });

  test('that are gone have no files', async () => {
    answers.set('/1', page('', `</a.pdf>${pdf}`));
    const { run, filesOf } = await seedPages('/1');
    await run();
    answers.set('/1', (_, response) => response.writeHead(410).end());
    now = '2026-12-22T12:00:00Z';
    await run();
    expect(await filesOf()).toEqual([]);
  });

  test.each([
    [
      'redirects to a login',
      (_: IncomingMessage, response: ServerResponse) =>
        response.writeHead(302, { location: '/Shibboleth.sso/Login?target=1' }).end(),
    ],
    ['asks for one', (_: IncomingMessage, response: ServerResponse) => response.writeHead(401).end()],
    [
      'redirects for ever',
      (_: IncomingMessage, response: ServerResponse) => response.writeHead(302, { location: '/1' }).end(),
    ],
    [
      'leads into our own network',
      (_: IncomingMessage, response: ServerResponse) =>
        response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
    ],
  ])('whose server %s keep what was found before', async (_, answer) => {
    answers.set('/Shibboleth.sso/Login?target=1', page('<link rel=item href=/evil.pdf>'));
    answers.set('/1', page('', `</a.pdf>${pdf}`));
    const { run, filesOf } = await seedPages('/1');
    await run();
    answers.set('/1', answer);
    now = '2026-12-22T12:00:00Z';
    expect(await run()).toMatchObject({ pages: 1, failed: 1 });
    expect(await filesOf()).toEqual(['/a.pdf']);
  });

  test('of a host that fails three times are left for this time', async () => {
    const { port } = new URL(base);
    const paths = Array.from({ length: 30 }, (_, index) => `/down/${index}`);
    for (const path of paths) answers.set(path, (_, response) => response.writeHead(502).end());
    // The same server under another name is another host.
    const { run, dueOf, items } = await seedPages(...paths, `http://localhost:${port}/up`);
    answers.set('/up', page('', `</a.pdf>${pdf}`));
    expect(await run(10)).toEqual({ pages: 4, files: 1, failed: 3, skipped: 27 });
    expect(asked).toHaveLength(4);
    expect(warnings).toEqual([expect.objectContaining({ code: 'upstream-pages-left' })]);
    expect(await dueOf(items[20])).toBe('2026-11-22T12:00:00Z');
  });

  test('of a host that asks for patience are left at once', async () => {
    const paths = ['/1', '/2', '/3', '/4'];
    for (const path of paths) answers.set(path, (_, response) => response.writeHead(429).end());
    const { run } = await seedPages(...paths);
    expect(await run()).toEqual({ pages: 1, files: 0, failed: 1, skipped: 3 });
  });

  test('may have many links in their header', async () => {
    const links = Array.from({ length: 600 }, (_, index) => `<${base}/files/${index}.pdf>${pdf}`);
    answers.set('/1', page('', links.join(', ')));
    const { run, filesOf } = await seedPages('/1');
    await run();
    expect(await filesOf()).toHaveLength(600);
  });

  test('are read up to the budget, longest overdue first', async () => {
    const paths = Array.from({ length: 30 }, (_, index) => `/${index}`);
    const { run } = await seedPages(...paths);
    expect(await run(25)).toMatchObject({ pages: 25 });
    expect(asked).toEqual(paths.slice(0, 25).map((path) => `HEAD ${path}`));
    expect(await run(25)).toMatchObject({ pages: 5 });
    expect(await run(0)).toMatchObject({ pages: 0 });
  });

  test('are left at once when we are told to stop', async () => {
    const { database } = open();
    answers.set('/1', () => {});
    await seedPages('/1');
    const stop = new AbortController();
    const name = `source-${sourceCount}`;
    const { id } = await database.writer('source').where({ name }).first('id');
    const reading = readLandingPages(
      { database, clock, log: silent, http },
      { id, name },
      { budget: 1, signal: stop.signal },
    );
    setTimeout(() => stop.abort(new Error('enough')), 50);
    await expect(reading).rejects.toThrow('enough');
  });
});
