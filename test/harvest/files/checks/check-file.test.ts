import type { RequestListener, ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { askForFile } from '../../../../src/harvest/files/checks/check-file.ts';
import type { DueFile } from '../../../../src/store/files/due-files.ts';
import type { RemoteFile } from '../../../../src/store/files/remote-files.ts';
import {
  closeFileServers,
  type FileServer,
  serveFiles,
  unasked,
} from '../../../house/harvest/file-server.ts';

afterEach(closeFileServers);

const now = '2026-11-21T10:00:00Z';
const signal = new AbortController().signal;

async function check(
  server: FileServer,
  file: DueFile,
  recheckDays: number | false = 30,
  deadline = 60_000,
): Promise<RemoteFile> {
  return (await askForFile(server.http, file, now, { recheckDays, deadline }, signal)).file;
}

function daysUntil(dueAt: string | undefined): number {
  return (Date.parse(dueAt ?? '') - Date.parse(now)) / 86_400_000;
}

const pdf = { 'content-type': 'application/pdf', 'content-length': '1234' };

const answering =
  (status: number, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, headers).end();
  };

describe('a file that is there', () => {
  test('is confirmed with what its server says of it, by one HEAD', async () => {
    const server = await serveFiles(
      answering(200, {
        'content-type': 'Application/PDF; charset=binary',
        'content-length': '1234',
        etag: 'W/"x y"',
        'last-modified': 'Sat, 21 Nov 2026 04:38:00 GMT',
      }),
    );
    const file = await check(server, unasked(`${server.url}/a.pdf`));
    expect(file).toEqual({
      url: `${server.url}/a.pdf`,
      outcome: 'confirmed',
      reason: undefined,
      checkedAt: now,
      dueAt: expect.any(String),
      failures: 0,
      mediaType: 'application/pdf',
      length: 1234,
      etag: 'W/"x y"',
      lastModified: '2026-11-21T04:38:00Z',
    });
    expect(daysUntil(file.dueAt)).toBeGreaterThanOrEqual(30);
    expect(daysUntil(file.dueAt)).toBeLessThan(36.1);
    expect(server.asked).toEqual(['HEAD /a.pdf']);
    expect(server.headers[0]?.['accept-encoding']).toBe('identity');
  });

  test('is asked for again at another time than its neighbours, and at the same each time', async () => {
    const server = await serveFiles(answering(200, pdf));
    const due = await Promise.all(
      ['/a.pdf', '/b.pdf', '/a.pdf'].map(
        async (path) => (await check(server, unasked(server.url + path))).dueAt,
      ),
    );
    expect(due[0]).not.toBe(due[1]);
    expect(due[0]).toBe(due[2]);
    expect((await check(server, unasked(`${server.url}/a.pdf`), false)).dueAt).toBeUndefined();
  });

  test.each([
    ['if-none-match', { etag: '"1"', lastModified: '2026-11-20T00:00:00Z' }, '"1"'],
    ['if-modified-since', { lastModified: '2026-11-20T00:00:00Z' }, 'Fri, 20 Nov 2026 00:00:00 GMT'],
  ])('is asked for only if it is new on later looks (%s)', async (header, facts, sent) => {
    const server = await serveFiles((request, response) => {
      response.writeHead(request.headers[header] === sent ? 304 : 200, pdf).end();
    });
    const known = { mediaType: 'application/pdf', length: 99, ...facts };
    const before = {
      ...unasked(`${server.url}/a.pdf`),
      ...known,
      outcome: 'confirmed',
      failures: 0,
    } as const;
    expect(await check(server, before)).toMatchObject({ ...known, outcome: 'confirmed', checkedAt: now });
    const refused = { ...before, outcome: 'refused', failures: 1 } as const;
    expect(await check(server, refused)).toMatchObject({ outcome: 'confirmed', length: 1234 });
  });

  test.each([400, 403, 405, 501])('is asked for by one byte where HEAD is answered %i', async (status) => {
    const server = await serveFiles((request, response) => {
      if (request.method === 'HEAD') response.writeHead(status).end();
      else if (request.headers.range === 'bytes=0-0')
        response
          .writeHead(206, { ...pdf, 'content-length': '1', 'content-range': 'bytes 0-0/4321' })
          .end('%');
    });
    expect(await check(server, unasked(`${server.url}/a.pdf`))).toMatchObject({
      outcome: 'confirmed',
      length: 4321,
    });
    expect(server.asked).toEqual(['HEAD /a.pdf', 'GET /a.pdf']);
  });

  test('is not downloaded, where the server does not know parts: 100 GB are announced', async () => {
    let isCut = false;
    const server = await serveFiles((request, response) => {
      response.on('close', () => {
        isCut = !response.writableFinished;
      });
      if (request.method === 'HEAD') response.writeHead(405).end();
      else sendForEver(response.writeHead(200, { ...pdf, 'content-length': '100000000000' }));
    });
    expect(await check(server, unasked(`${server.url}/a.pdf`))).toMatchObject({
      outcome: 'confirmed',
      length: 100_000_000_000,
    });
    await expect.poll(() => isCut).toBe(true);
  });

  test('may be empty, though 0 often means that nobody knows', async () => {
    const server = await serveFiles((request, response) => {
      const { method, url } = request;
      const headers = { 'content-type': 'application/pdf', 'content-length': '0' };
      if (method === 'HEAD') response.writeHead(200, headers).end();
      else if (url === '/empty.pdf') response.writeHead(416, { 'content-range': 'bytes */0' }).end();
      else
        response.writeHead(206, { ...pdf, 'content-length': '1', 'content-range': 'bytes 0-0/7' }).end('%');
    });
    expect(await check(server, unasked(`${server.url}/empty.pdf`))).toMatchObject({
      outcome: 'confirmed',
      length: 0,
      mediaType: 'application/pdf',
    });
    expect(await check(server, unasked(`${server.url}/a.pdf`))).toMatchObject({ length: 7 });
  });

  describe('in a DSpace, which counts requests for the whole', () => {
    const path = '/server/api/core/bitstreams/ba7d4e0f-1c2b-4f3a-9d8e-0123456789ab/content';
    const part = { ...pdf, 'content-length': '1', 'content-range': 'bytes 0-0/4321', etag: '"1"' };

    test('is asked for by a HEAD of its first byte, and only if it is new on later looks', async () => {
      const server = await serveFiles((request, response) => {
        const { range, 'if-none-match': tag } = request.headers;
        const isKnown = tag === '"1"';
        response.writeHead(isKnown ? 304 : range === 'bytes=0-0' ? 206 : 200, part).end();
      });
      const file = await check(server, unasked(server.url + path));
      expect(file).toMatchObject({ outcome: 'confirmed', length: 4321, etag: '"1"' });
      const again = await check(server, { ...file, stated: {} });
      expect(again).toMatchObject({ outcome: 'confirmed', length: 4321, etag: '"1"' });
      expect(server.asked).toEqual([`HEAD ${path}`, `HEAD ${path}`]);
      expect(server.headers.map(({ range }) => range)).toEqual(['bytes=0-0', 'bytes=0-0']);
      await check(server, unasked(`${server.url}/other.pdf`));
      expect(server.headers[2]?.range).toBeUndefined();
    });

    test('may answer with the whole, or hide how much there is', async () => {
      const answers = [{ ...pdf }, { 'content-type': 'application/pdf', 'content-length': '1' }];
      const server = await serveFiles((_request, response) => {
        response.writeHead(answers.length === 2 ? 200 : 206, answers.shift()).end();
      });
      expect(await check(server, unasked(server.url + path))).toMatchObject({ length: 1234 });
      const hidden = await check(server, unasked(server.url + path));
      expect(hidden).toMatchObject({ outcome: 'confirmed', length: undefined });
    });

    test('may be empty', async () => {
      const server = await serveFiles((_request, response) => {
        response.writeHead(416, { 'content-range': 'bytes */0', 'content-type': 'text/html' }).end();
      });
      expect(await check(server, unasked(server.url + path))).toMatchObject({
        outcome: 'confirmed',
        length: 0,
      });
    });

    test('may lie in a store that allows nothing but GET', async () => {
      const server = await serveFiles((request, response) => {
        if (request.url === path) response.writeHead(302, { location: '/bucket/1?signature=a' }).end();
        else if (request.method === 'HEAD') response.writeHead(403).end();
        else response.writeHead(request.headers.range === 'bytes=0-0' ? 206 : 200, part).end('%');
      });
      const file = await check(server, unasked(server.url + path));
      expect(file).toMatchObject({ url: server.url + path, outcome: 'confirmed', length: 4321 });
      expect(server.headers.every(({ range }) => range === 'bytes=0-0')).toBe(true);
    });

    test.each([401, 403])('is refused with %i', async (status) => {
      const server = await serveFiles(answering(status));
      expect(await check(server, unasked(server.url + path))).toMatchObject({ outcome: 'refused' });
      expect(server.headers.every(({ range }) => range === 'bytes=0-0')).toBe(true);
    });

    test('is not refused by a bot check that answers in its place with 200', async () => {
      const page = { 'content-type': 'text/html; charset=utf-8' };
      const server = await serveFiles(answering(200, page));
      const known = { length: 7, etag: '"1"', outcome: 'confirmed' } as const;
      expect(await check(server, { ...unasked(server.url + path), ...known })).toMatchObject({
        outcome: 'unreachable',
        length: 7,
        etag: '"1"',
      });
      // What is a page itself is one.
      const own = await serveFiles(answering(200, { ...page, 'content-disposition': 'attachment' }));
      expect(await check(own, unasked(own.url + path))).toMatchObject({ outcome: 'confirmed' });
    });

    test('is refused by a login that it leads to', async () => {
      const server = await serveFiles((request, response) => {
        if (request.url === path) response.writeHead(302, { location: '/login' }).end();
        else response.writeHead(200, { 'content-type': 'text/html' }).end();
      });
      expect(await check(server, unasked(server.url + path))).toMatchObject({ outcome: 'refused' });
    });
  });

  test.each([
    ['a length that is that of a coding', { 'content-encoding': 'gzip' }, { length: undefined }],
    ['a type that is none', { 'content-type': 'pdf' }, { mediaType: undefined }],
    [
      'a type that says nothing',
      { 'content-type': 'binary/octet-stream' },
      { mediaType: 'application/octet-stream' },
    ],
    ['an ETag that is a novel', { etag: 'x'.repeat(300) }, { etag: undefined }],
    ['a date that is none', { 'last-modified': 'yesterday' }, { lastModified: undefined }],
  ])('is confirmed without %s', async (_, headers, facts) => {
    const server = await serveFiles((_request, response) => {
      response.socket?.end(
        `HTTP/1.1 200 OK\r\nConnection: close\r\n${Object.entries({
          'content-type': 'application/pdf',
          ...headers,
        })
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join('')}\r\n`,
      );
    });
    const file = await check(server, unasked(`${server.url}/a.pdf`));
    expect(file).toMatchObject({ outcome: 'confirmed', ...facts });
  });
});

describe('a file that everybody may not read', () => {
  test.each([
    [401, 'refused', 'asks for a login'],
    [403, 'refused', 'forbidden'],
    [404, 'gone', 'not there'],
    [410, 'gone', 'gone'],
    [451, 'refused', 'withheld'],
    [418, 'refused', '418'],
  ])('is not handed out when its server answers %i: %s', async (status, outcome, reason) => {
    const server = await serveFiles(answering(status));
    const file = await check(server, unasked(`${server.url}/a.pdf`));
    expect(file).toMatchObject({ outcome, failures: 1, reason: expect.stringContaining(reason) });
    expect(daysUntil(file.dueAt)).toBeGreaterThanOrEqual(1);
    expect(daysUntil(file.dueAt)).toBeLessThan(1.3);
  });

  test('is refused when an HTML page is returned instead', async () => {
    const server = await serveFiles(answering(200, { 'content-type': 'text/html; charset=utf-8' }));
    const { url } = server;
    expect(await check(server, unasked(`${url}/a.pdf`))).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('HTML page'),
    });
    expect(await check(server, unasked(`${url}/a`, { mediaType: 'application/pdf' }))).toMatchObject({
      outcome: 'refused',
    });
    expect(await check(server, unasked(`${url}/a`, { mediaType: 'text/html' }))).toMatchObject({
      outcome: 'confirmed',
    });
  });

  test.each(['/login?next=a', '/Shibboleth.sso/WAYF', '/idp/profile/SAML2/Redirect/SSO'])(
    'is refused when it leads to %s, whatever it is said to be',
    async (location) => {
      const server = await serveFiles((request, response) => {
        if (request.url === '/page.html') response.writeHead(302, { location }).end();
        else response.writeHead(200, { 'content-type': 'text/html' }).end();
      });
      const file = unasked(`${server.url}/page.html`, { mediaType: 'text/html' });
      expect(await check(server, file)).toMatchObject({ outcome: 'refused' });
    },
  );

  test('is looked at less and less often', async () => {
    const server = await serveFiles(answering(404));
    let file: DueFile = unasked(`${server.url}/a.pdf`);
    const waits: number[] = [];
    for (let index = 0; index < 4; index += 1) {
      file = { ...(await check(server, file)), stated: {} };
      waits.push(Math.floor(daysUntil(file.dueAt)));
    }
    expect(waits[0]).toBe(1);
    expect(waits[1]).toBeGreaterThanOrEqual(7);
    expect(waits.slice(2).every((days) => days >= 30)).toBe(true);
    expect(file.failures).toBe(4);
  });

  test('is refused when it leads to an address with credentials in it, which nobody gets to see', async () => {
    const server: FileServer = await serveFiles((request, response) => {
      const location = `${server.url.replace('//', '//somebody:secret@')}/there.pdf`;
      if (request.url === '/a.pdf') response.writeHead(302, { location }).end();
      else response.writeHead(200, pdf).end();
    });
    const file = await check(server, unasked(`${server.url}/a.pdf`));
    expect(file).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('credentials') });
    expect(file.reason).not.toContain('secret');
    expect(server.asked).toEqual(['HEAD /a.pdf']);
  });

  test('is refused when it loops, or leads inside', async () => {
    const server = await serveFiles((request, response) => {
      const location = request.url === '/loop' ? '/loop' : 'http://169.254.169.254/latest/meta-data';
      response.writeHead(302, { location }).end();
    });
    expect(await check(server, unasked(`${server.url}/loop`))).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('redirects more than'),
    });
    expect(await check(server, unasked(`${server.url}/inside`))).toMatchObject({
      outcome: 'refused',
      reason: expect.stringContaining('not a public address'),
    });
  });
});

describe('a file of which there is no word', () => {
  test.each([429, 500, 502, 503, 202])('is unreachable when its server answers %i', async (status) => {
    const server = await serveFiles(answering(status));
    const file = await check(server, unasked(`${server.url}/a.pdf`));
    expect(file).toMatchObject({
      outcome: 'unreachable',
      failures: 1,
      reason: `the server answers ${status}`,
    });
    expect(daysUntil(file.dueAt) * 24).toBeGreaterThanOrEqual(1);
    expect(daysUntil(file.dueAt) * 24).toBeLessThan(1.3);
  });

  test.each([
    ['never answers', () => undefined],
    ['hangs up', (_: unknown, response: ServerResponse) => response.destroy()],
    ['talks nonsense', (_: unknown, response: ServerResponse) => response.socket?.end('nonsense\r\n\r\n')],
  ])('is unreachable when its server %s', async (_, listener) => {
    const server = await serveFiles(listener as RequestListener);
    expect(await check(server, unasked(`${server.url}/a.pdf`), 30, 300)).toMatchObject({
      outcome: 'unreachable',
    });
  });

  test('keeps what was known of it, and is looked at less and less often', async () => {
    const server = await serveFiles(answering(500));
    const known = { length: 7, etag: '"1"', contentHash: `sha-256:${'0'.repeat(64)}`, contentLength: 7 };
    let file: DueFile = { ...unasked(`${server.url}/a.pdf`), ...known, outcome: 'confirmed' };
    const hours: number[] = [];
    for (let index = 0; index < 6; index += 1) {
      file = { ...(await check(server, file)), stated: {} };
      hours.push(daysUntil(file.dueAt) * 24);
    }
    expect(file).toMatchObject({ ...known, outcome: 'unreachable', failures: 6 });
    for (const [index, least] of [1, 6, 24, 72, 168, 168].entries()) {
      expect(hours[index]).toBeGreaterThanOrEqual(least);
      expect(hours[index]).toBeLessThan(least * 1.21);
    }
  });

  test('stays refused if it was', async () => {
    const server = await serveFiles(answering(500));
    const before: DueFile = {
      ...unasked(`${server.url}/a`),
      outcome: 'refused',
      failures: 2,
      reason: 'it is gone (410)',
    };
    expect(await check(server, before)).toMatchObject({
      outcome: 'refused',
      failures: 2,
      reason: 'it is gone (410)',
    });
  });
});

test('an abort is no verdict', async () => {
  const aborting = new AbortController();
  const server = await serveFiles(() => aborting.abort(new Error('enough')));
  const options = { recheckDays: 30, deadline: 5000 };
  const asked = askForFile(server.http, unasked(`${server.url}/a`), now, options, aborting.signal);
  await expect(asked).rejects.toThrow('enough');
});

test('the address of a file may hold anything that an address can', async () => {
  const server = await serveFiles(answering(200, pdf));
  const paths = ['/a%0d%0aX-Evil:%201/..%2f..%2fetc%2fpasswd', '/%00%1b.pdf', '/x%E2%80%AE.pdf'];
  for (const path of paths) {
    expect(await check(server, unasked(server.url + path))).toMatchObject({ outcome: 'confirmed' });
  }
  expect(server.asked).toEqual(paths.map((path) => `HEAD ${path}`));
});

function sendForEver(response: ServerResponse): void {
  const piece = Buffer.alloc(65_536);
  const send = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', send);
  send();
}
