import { afterEach, expect, test } from 'vitest';
import { createFileChecker } from '../../../../src/harvest/files/checks/file-checker.ts';
import type { FileCheck } from '../../../../src/harvest/harvest-source.ts';
import {
  closeFileServers,
  type FileServer,
  serveFiles,
  unasked,
} from '../../../house/harvest/file-server.ts';

afterEach(closeFileServers);

const { signal } = new AbortController();
let now = new Date('2026-11-21T10:00:00Z');
const clock = { now: () => now };
const generous = { budget: 1000, deadline: 120_000, signal };

function checkerAt({ http, gate }: FileServer, requestsPerHost = 1, patienceMs = 5000): FileCheck {
  return createFileChecker({ http, gate, clock }, { recheckDays: 30, requestsPerHost, patienceMs });
}

const numbered = (url: string, count: number) =>
  Array.from({ length: count }, (_, index) => unasked(`${url}/${index}.pdf`));

/** Hosts beside that of the source are private, too. */
const anywhere = { allow: ['127.0.0.0/8'] };

test('each URL is asked for once, however often it is named', async () => {
  const server = await serveFiles((_request, response) => response.end());
  const file = unasked(`${server.url}/a.pdf`);
  expect(await checkerAt(server).check([file, { ...file }, file], generous)).toHaveLength(1);
  expect(server.asked.filter((line) => line.startsWith('HEAD'))).toHaveLength(1);
});

test('a host gets as many requests at a time as are allowed, and hosts are asked side by side', async () => {
  const running = new Map<string, number>();
  const most = new Map<string, number>();
  let all = 0;
  let mostAll = 0;
  const server = await serveFiles(
    (request, response) => {
      const host = String(request.headers.host);
      const its = (running.get(host) ?? 0) + 1;
      running.set(host, its);
      most.set(host, Math.max(most.get(host) ?? 0, its));
      all += 1;
      mostAll = Math.max(mostAll, all);
      setTimeout(() => {
        running.set(host, (running.get(host) ?? 0) - 1);
        all -= 1;
        response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': '9' }).end();
      }, 30);
    },
    {
      ...anywhere,
      requestsPerHost: 2,
      resolve: (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    },
  );
  const { port } = new URL(server.url);
  const files = Array.from({ length: 20 }, (_, host) =>
    numbered(`http://host-${host}.example:${port}`, 4),
  ).flat();
  const checked = await checkerAt(server, 2, 2000).check(files, generous);
  expect(checked.filter(({ outcome }) => outcome === 'confirmed')).toHaveLength(80);
  expect(Math.max(...most.values())).toBe(2);
  expect(mostAll).toBeGreaterThan(8);
  expect(mostAll).toBeLessThanOrEqual(32);
});

test('the budget is kept', async () => {
  const server = await serveFiles((_request, response) => response.writeHead(404).end());
  const checked = await checkerAt(server).check(numbered(server.url, 10), { ...generous, budget: 4 });
  expect(checked).toHaveLength(4);
  expect(server.asked).toHaveLength(4);
});

test('it returns in time, whatever the servers do, with what it has', async () => {
  const server = await serveFiles((request, response) => {
    if (request.url === '/0.pdf') response.writeHead(404).end();
  });
  const checked = await checkerAt(server, 1, 60_000).check(numbered(server.url, 10), {
    ...generous,
    deadline: 1500,
  });
  // The one that is never answered was waited for, and no other was begun.
  expect(server.asked).toHaveLength(2);
  expect(checked).toMatchObject([{ outcome: 'gone' }]);
});

test('a host that is silent three times in a row is left alone for ten minutes', async () => {
  let isUp = false;
  const server = await serveFiles((_request, response) => {
    if (isUp) response.writeHead(404).end();
    else response.writeHead(500).end();
  });
  const checker = checkerAt(server);
  const files = numbered(server.url, 10);
  const first = await checker.check(files, generous);
  expect(first.map(({ outcome }) => outcome)).toEqual([
    ...Array(3).fill('unreachable'),
    ...Array(7).fill('unchecked'),
  ]);
  expect(first.every(({ dueAt }) => (dueAt ?? '') >= '2026-11-21T11:00:00Z')).toBe(true);
  expect(server.asked).toHaveLength(3);
  isUp = true;
  now = new Date('2026-11-21T10:09:00Z');
  await checker.check(files, generous);
  expect(server.asked).toHaveLength(3);
  now = new Date('2026-11-21T10:11:00Z');
  expect((await checker.check(files, generous)).every(({ outcome }) => outcome === 'gone')).toBe(true);
});

test('a host that asks for patience is left alone at once, and the others are not', async () => {
  const busy = await serveFiles((_request, response) => response.writeHead(429).end());
  const server = await serveFiles((_request, response) => response.writeHead(404).end(), anywhere);
  const files = [...numbered(busy.url, 5), ...numbered(server.url, 5)];
  const checked = await checkerAt(server).check(files, generous);
  expect(checked.filter(({ outcome }) => outcome === 'gone')).toHaveLength(5);
  expect(checked.filter(({ outcome }) => outcome === 'unchecked')).toHaveLength(4);
  expect(busy.asked).toHaveLength(1);
});

test('a single failure among good answers closes nothing', async () => {
  const server = await serveFiles((request, response) => {
    response.writeHead(/[13579]\.pdf$/.test(request.url ?? '') ? 500 : 404).end();
  });
  const checked = await checkerAt(server).check(numbered(server.url, 10), generous);
  expect(checked).toHaveLength(10);
  expect(server.asked).toHaveLength(10);
});

test('an abort ends it', async () => {
  const aborting = new AbortController();
  const server = await serveFiles(() => aborting.abort(new Error('enough')));
  const checked = checkerAt(server, 1, 5000).check(numbered(server.url, 3), {
    ...generous,
    signal: aborting.signal,
  });
  await expect(checked).rejects.toThrow('enough');
});
