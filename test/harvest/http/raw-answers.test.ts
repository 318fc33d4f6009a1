import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { HttpResponse } from '../../../src/core/adapter.ts';
import { createHostGate } from '../../../src/harvest/http/host-gate.ts';
import { createHttp, type HttpClient } from '../../../src/harvest/http/http.ts';
import { onceMore } from '../../../src/harvest/http/once-more.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { now: () => new Date('2026-11-21T10:00:00Z'), sleep: async () => undefined };
const open: { server: Server; http: HttpClient; sockets: Set<Socket> }[] = [];

/** Answers each request, the first with 1, with raw bytes. */
async function serve(bulk: boolean, answer: (socket: Socket, request: number) => void) {
  const sockets = new Set<Socket>();
  let requests = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => {
      requests += 1;
      answer(socket, requests);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as { port: number }).port}/a`;
  const http = createHttp(
    {
      endpoint: url,
      userAgent: 'resourcesync-bridge/test',
      requestsPerHost: 1,
      timeoutSeconds: 0.3,
      maxResponseBytes: 1e7,
      allowPrivateAddresses: false,
    },
    { gate: createHostGate(), clock, log: silent },
  );
  open.push({ server, http, sockets });
  const { signal } = new AbortController();
  const get = () => onceMore(() => http.get(url, { signal, patient: false, bulk }), signal);
  return { get, sockets, asked: () => requests };
}

afterEach(async () => {
  for (const { server, http, sockets } of open.splice(0)) {
    await http.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function textOf({ body }: HttpResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

const simple = (body: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe.each([
  ['a document', false],
  ['many octets', true],
])('asked for %s', (_what, bulk) => {
  test('one connection serves request after request, whatever the sizes', async () => {
    const large = 'abcdefg'.repeat(500_000);
    const { get, sockets } = await serve(bulk, (socket, request) => {
      socket.write(simple(request === 2 ? large : `body ${request}`));
    });
    expect(await textOf(await get())).toBe('body 1');
    expect((await textOf(await get())) === large).toBe(true);
    expect(await textOf(await get())).toBe('body 3');
    expect(sockets.size).toBe(1);
  });

  test.each([
    ['chunked', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nabc'],
    ['after an interim answer', `HTTP/1.1 103 Early Hints\r\n\r\n${simple('abc')}`],
    ['without a length', 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc'],
  ])('an answer of another form (%s) is read without another request', async (_, raw) => {
    const { get, asked } = await serve(bulk, (socket) => socket.end(raw));
    expect(await textOf(await get())).toBe('abc');
    expect(asked()).toBe(1);
  });

  test('two lengths are no answer to believe', async () => {
    const { get } = await serve(bulk, (socket) => {
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd');
    });
    await expect(get()).rejects.toMatchObject({ code: 'upstream-unreachable' });
  });

  test('what comes behind a body never becomes the answer to the next request', async () => {
    const { get, sockets } = await serve(bulk, (socket, request) => {
      socket.write(simple(`body ${request}`) + (request === 1 ? simple('smuggled') : ''));
    });
    expect(await textOf(await get())).toBe('body 1');
    expect(await textOf(await get())).toBe('body 2');
    expect(sockets.size).toBe(2);
  });

  test('a body that is cut off gives what came, and then fails', async () => {
    const { get } = await serve(bulk, (socket) => {
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc');
    });
    const chunks: Uint8Array[] = [];
    const reading = async () => {
      for await (const chunk of (await get()).body) chunks.push(Buffer.from(chunk));
    };
    await expect(reading()).rejects.toMatchObject({ code: 'upstream-cut-off' });
    expect(Buffer.concat(chunks).toString()).toBe('abc');
  });

  test('a connection that is closed when it is used again is replaced', async () => {
    const { get, sockets } = await serve(bulk, (socket, request) => {
      if (request === 2) socket.destroy();
      else socket.write(simple('abc'));
    });
    await textOf(await get());
    expect(await textOf(await get())).toBe('abc');
    expect(sockets.size).toBe(2);
  });

  test('silence ends it, in the head and in the body', async () => {
    const { get } = await serve(bulk, (socket, request) => {
      if (request === 2) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc');
    });
    await expect(get()).rejects.toMatchObject({ code: 'upstream-unreachable' });
    const answer = await get();
    await expect(textOf(answer)).rejects.toMatchObject({ code: 'upstream-cut-off' });
  });

  test('a head that comes byte by byte does not hold us for ever', async () => {
    const { get } = await serve(bulk, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x'), 30);
      socket.on('close', () => clearInterval(timer));
    });
    await expect(get()).rejects.toThrow('did not answer within 0.3 seconds');
  });
});
