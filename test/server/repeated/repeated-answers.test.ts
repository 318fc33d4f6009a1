import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { request } from 'undici';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { MementosConfig } from '../../../src/core/config/config.ts';
import { toIso } from '../../../src/core/datetime.ts';
import { pointerFile, readPointer, writePointer } from '../../../src/publish/disk/pointer.ts';
import { publicationRoot } from '../../../src/publish/published/publication.ts';
import { createDocumentPasts } from '../../../src/server/past/document-past.ts';
import { endWithdrawals, withdraw } from '../../../src/store/removal/withdrawals.ts';
import { LivingSource } from '../../house/publish/living-source.ts';
import { baseUrl } from '../../house/publish/seed.ts';
import { exchange, type House, openHouse } from '../../house/server/fixture.ts';
import { describeOnBoth } from '../../house/store/databases.ts';

/** The short way: what was answered is answered again while nothing has changed, and not for longer. */
describeOnBoth('an answer that was given before', (open) => {
  let living: LivingSource;
  let house: House;
  let isServed: boolean | Promise<boolean>;
  let mementos: MementosConfig;
  /** Requests that went the long way. */
  let long: number;

  beforeEach(async () => {
    const { database } = open();
    living = await LivingSource.begin(database);
    const { publication, clock, directory } = living;
    const sets = [living.set('all'), living.set('metadata')];
    isServed = true;
    mementos = { links: 'none', ofDeleted: true, keep: 'all' };
    house = await openHouse({
      ...{ publication, baseUrl, database, clock, directory },
      setsOf: () => sets,
      servesSource: () => isServed,
      mementosOf: () => mementos,
      documentPasts: createDocumentPasts({
        ...{ database, publication, baseUrl, clock, sets: () => sets },
        listsInTime: { find: async () => undefined, close: async () => undefined },
      }),
      log: pino({ level: 'silent' }),
    });
    long = 0;
    house.app.addHook('onRequest', (_request, _reply, done) => {
      long += 1;
      done();
    });
    await living.deliver('a');
    await publish();
    living.clock.set('2026-11-21T12:10:00Z');
  });
  afterEach(async () => {
    await house.close();
    await living.end();
  });

  async function publish(): Promise<void> {
    const publisher = living.publisher();
    const sets = [living.set('all'), living.set('metadata')];
    for (const set of sets) await publisher.publish(set, { resourceList: 'always' });
    await publisher.publishSite(sets);
  }

  const prefix = new URL(baseUrl).pathname.replace(/\/$/, '');
  const item = () => `${prefix}/${living.name}/items/a/oai_dc.xml`;
  const gate = () => `${prefix}/timegate/${baseUrl}/${living.name}/items/a/oai_dc.xml`;
  const list = () => `${prefix}/${living.name}/capabilitylist.xml`;
  /** On PostgreSQL nothing tells that a resource is as it was. */
  const isRemembered = () => open().database.client === 'sqlite';

  async function ask(path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') {
    const before = long;
    const response = await request(new URL(path, await house.origin()), { headers, method });
    const text = await response.body.text();
    return { status: response.statusCode, headers: response.headers, text, isShort: long === before };
  }

  /** As it is when it was asked for before. */
  async function askTwice(path: string, headers: Record<string, string> = {}) {
    await ask(path, headers);
    return ask(path, headers);
  }

  it('is the same, octet by octet, as long as the request is a usual one', async () => {
    const { headers } = await ask(list(), { 'accept-encoding': 'gzip' });
    const modified = String(headers['last-modified']);
    const documents = [
      ['', true],
      ['Accept-Encoding: gzip', true],
      ['Accept-Encoding: br;q=1.0, gzip;q=0, identity', true],
      [`Accept-Encoding: gzip\r\nIf-None-Match: ${headers.etag}`, true],
      [`If-None-Match: ${headers.etag}`, true],
      ['If-None-Match: *', true],
      [`If-Modified-Since: ${modified}`, true],
      ['If-Modified-Since: Sat, 21 Nov 1998 12:00:00 GMT', true],
      ['If-Modified-Since: yesterday', true],
      ['Accept: application/xml, text/html;q=0.5\r\nOrigin: https://elsewhere.example.org', true],
      ['Accept-Datetime: Sat, 21 Nov 2026 12:05:00 GMT', true],
      ['Range: bytes=0-9', false],
      ['Range: bytes=0-9\r\nIf-Range: "other"', false],
      ['If-Match: "other"', false],
      ['If-Unmodified-Since: Sat, 21 Nov 1998 12:00:00 GMT', false],
      ['Content-Length: 0', false],
    ] as const;
    const each = (path: string, method = 'GET', version = '1.1') =>
      documents.map(([lines, isShort]) => ({
        head: `${method} ${path} HTTP/${version}\r\nHost: bridge\r\n${lines === '' ? '' : `${lines}\r\n`}`,
        isShort: isShort && version === '1.1',
      }));
    const of = (path: string, isShort: boolean, method = 'GET') => ({
      head: `${method} ${path} HTTP/1.1\r\nHost: bridge\r\n`,
      isShort,
    });
    const cases = [
      ...each(list()),
      ...each(list(), 'HEAD'),
      ...each(list(), 'GET', '1.0'),
      ...each(item()),
      of(`${prefix}/.well-known/resourcesync`, true),
      of(`${prefix}/${living.name}/metadata/resourcelist.xml`, true),
      of(
        list().replace(/^\/[^/]*(?=\/)/, (first) => (first === prefix ? '' : first)),
        true,
      ),
      of(list().replace('capability', '%63apability'), true),
      of(`http://bridge${list()}`, true),
      of(item(), isRemembered(), 'HEAD'),
      of(gate(), true),
      of(gate(), isRemembered(), 'HEAD'),
      {
        ...of(gate(), true),
        head: `${of(gate(), true).head}Accept-Datetime: Sat, 21 Nov 2026 12:05:00 GMT\r\n`,
      },
      { ...of(gate(), false), head: `${of(gate(), true).head}Accept-Datetime: yesterday\r\n` },
      of(`${list()}?a=b`, false),
      of(`${prefix}/${living.name}/changelist-index.xml`, true),
      // A page, made anew for each person.
      { head: `${of(list(), false).head}Accept: text/html\r\n`, isShort: false },
      of(`${prefix}/${living.name}/nothing.xml`, false),
      of(`${prefix}/${living.name}/items/b/oai_dc.xml`, false),
      of(`${prefix}/${living.name}/items/a`, false),
    ];
    const origin = await house.origin();
    for (const { head, isShort } of cases) {
      // The second connection asks twice, so that it is kept open in between.
      const first = lasting(await exchange(origin, `${head}Connection: close\r\n\r\n`));
      const before = long;
      const second = lasting(await exchange(origin, `${head}Connection: close\r\n\r\n`));
      expect(second, head).toBe(first);
      expect(long === before, head).toBe(isShort);
      if (head.includes('HTTP/1.0')) continue;
      const kept = lasting(await exchange(origin, `${head}\r\n${head}Connection: close\r\n\r\n`));
      expect(kept.endsWith(first), head).toBe(true);
    }
  });

  it('is counted as the others are', async () => {
    for (let asked = 0; asked < 3; asked += 1) await ask(list());
    expect(long).toBe(1);
    const { text } = await ask('/metrics');
    expect(text).toContain('rsbridge_http_requests_total{operation="getDocument",status="2xx"} 3');
    expect(text).toContain('rsbridge_http_request_duration_seconds_count{operation="getDocument"} 3');
  });

  it('is remembered from the second time on where it is answered at once', async () => {
    const { reader } = open().database;
    const statements: string[] = [];
    const note = ({ sql }: { sql: string }) => statements.push(sql);
    await ask(item());
    reader.on('query', note);
    onTestFinished(() => void reader.off('query', note));
    const counts: number[] = [];
    for (let asked = 0; asked < 4; asked += 1) {
      statements.length = 0;
      await ask(item());
      counts.push(statements.length);
    }
    if (isRemembered()) expect(counts).toEqual([1, 0, 0, 0]);
    else expect(Math.min(...counts)).toBeGreaterThan(0);
  });

  it('is not given to a request with two Host fields', async () => {
    expect(await askTwice(list())).toMatchObject({ status: 200, isShort: true });
    const lines = [`GET ${list()} HTTP/1.1`, 'Host: a', 'Host: b', '\r\n'];
    expect(await exchange(await house.origin(), lines.join('\r\n'))).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('is not given once the resource was withdrawn, and again when that has ended', async () => {
    const { database } = open();
    const now = () => toIso(living.clock.now());
    for (const path of [item(), gate()])
      expect(await askTwice(path)).toMatchObject({
        status: path === item() ? 200 : 302,
        isShort: true,
      });
    const place = { source: living.name, identifier: 'a', path: undefined };
    await withdraw(database, place, 'asked for', now());
    expect((await ask(item())).status).toBe(410);
    expect((await ask(gate())).status).toBe(404);
    living.clock.set('2026-11-21T12:20:00Z');
    await endWithdrawals(database, [place]);
    expect((await ask(item())).status).toBe(200);
    expect((await ask(gate())).status).toBe(302);
  });

  it('is not given once there is another version, or it was deleted', async () => {
    await askTwice(item());
    await askTwice(gate());
    await living.deliver('a', { text: 'newer' });
    expect(await ask(item())).toMatchObject({ text: '<dc>newer</dc>' });
    expect((await askTwice(gate())).headers.location).toContain('/20261121121000/');
    await living.deliver('a', { deleted: true });
    expect((await ask(item())).status).toBe(410);
  });

  it('is not given once its source is not served any more', async () => {
    for (const path of [item(), gate(), list()]) await askTwice(path);
    for (const answer of [false, Promise.resolve(false)]) {
      isServed = answer;
      for (const path of [item(), gate(), list()]) expect((await ask(path)).status, path).toBe(404);
    }
    // Who cannot say it now is asked, and not passed by.
    isServed = Promise.resolve(true);
    for (const path of [item(), gate(), list()]) expect((await ask(path)).isShort, path).toBe(false);
  });

  it('is not given once its source is configured in another way', async () => {
    // What is asked with GET is answered at once, remembered or not.
    await expect.poll(async () => (await ask(gate(), {}, 'HEAD')).isShort).toBe(isRemembered());
    mementos = { ...mementos, ofDeleted: false };
    expect((await ask(gate(), {}, 'HEAD')).isShort).toBe(false);
  });

  it('is not given once this process has published something else', async () => {
    const before = await askTwice(list());
    expect(before.isShort).toBe(true);
    await living.deliver('a', { text: 'newer' });
    await publish();
    const changed = await ask(`${prefix}/${living.name}/resourcelist.xml`);
    expect(changed.text).toContain('2026-11-21T12:10:00Z');
    for (const path of [list(), `${prefix}/.well-known/resourcesync`])
      expect(await ask(path), path).toMatchObject({ status: 200, isShort: false });
  });

  it('is not given for longer than a moment once another process has published, or taken all of it away', async () => {
    const directory = join(publicationRoot(living.directory), living.name);
    await askTwice(list());
    const pointer = await readPointer(directory);
    if (!pointer) throw new Error('nothing is published');
    // As another process does it: nobody here is told.
    const { [`${living.name}/capabilitylist.xml`]: _, ...documents } = pointer.documents;
    const elsewhere = join(living.directory, 'elsewhere');
    await mkdir(elsewhere);
    await writePointer(elsewhere, { ...pointer, documents });
    expect((await askTwice(list())).isShort).toBe(true);
    await rename(join(elsewhere, pointerFile), join(directory, pointerFile));
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 10.1);
    onTestFinished(() => clock.mockRestore());
    expect((await ask(list())).status).toBe(404);
  });

  it('is not given while the clock is behind what it says', async () => {
    expect((await askTwice(list())).isShort).toBe(true);
    living.clock.set('2026-11-20T12:00:00Z');
    const { headers, isShort } = await ask(list());
    expect(isShort).toBe(false);
    expect(Date.parse(String(headers['last-modified']))).toBe(Date.parse('2026-11-20T12:00:00Z'));
  });
});

/** Date is that of the answer. */
function lasting(answer: string): string {
  return answer.replace(/\r\nDate: [^\r]*/g, '');
}
