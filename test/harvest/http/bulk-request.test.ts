import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import type { HttpResponse } from '../../../src/core/adapter.ts';
import { bodyChunks } from '../../../src/harvest/http/chunk-memory.ts';
import { createHostGate } from '../../../src/harvest/http/host-gate.ts';
import { createHttp, type HttpClient } from '../../../src/harvest/http/http.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const clock = { now: () => new Date('2026-11-21T10:00:00Z'), sleep: async () => undefined };
const open: { server: Server; http: HttpClient; sockets: Set<Socket> }[] = [];
const content = randomBytes(3_500_000);

/** Answers each request, the first with 1, with raw bytes. */
async function serve(answer: (socket: Socket, request: number) => void, requestsPerHost = 1) {
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
      requestsPerHost,
      timeoutSeconds: 20,
      maxResponseBytes: 1e8,
      allowPrivateAddresses: false,
    },
    { gate: createHostGate(), clock, log: silent },
  );
  open.push({ server, http, sockets });
  const get = (
    signal: AbortSignal = new AbortController().signal,
    bulk: true | { readonly whole: number } = true,
    decode: 'never' | 'declared' = 'never',
  ) => http.get(url, { signal, patient: false, bulk, decode });
  return { get, sockets, asked: () => requests };
}

afterEach(async () => {
  for (const { server, http, sockets } of open.splice(0)) {
    await http.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Reads as the mirror does: it works on a chunk for a while, and gives its memory back. */
async function read({ body }: HttpResponse): Promise<{ hash: string; chunks: number; error?: unknown }> {
  const hash = createHash('sha256');
  let chunks = 0;
  try {
    for await (const chunk of body) {
      for (let turn = 0; turn < 20; turn += 1) await setImmediate();
      hash.update(chunk);
      chunks += 1;
      bodyChunks.giveBack(chunk);
    }
    return { hash: hash.digest('hex'), chunks };
  } catch (error) {
    return { hash: hash.digest('hex'), chunks, error };
  }
}

const withLength = (bytes: Uint8Array, headers = '') =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\n${headers}Content-Length: ${bytes.byteLength}\r\n\r\n`),
    bytes,
  ]);

function chunked(bytes: Uint8Array): Buffer {
  const parts: Uint8Array[] = [Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')];
  for (let start = 0; start < bytes.byteLength; start += 50_001) {
    const piece = bytes.subarray(start, start + 50_001);
    parts.push(Buffer.from(`${piece.byteLength.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\nX-Trailer: 1\r\n\r\n')]);
}

const never = () => new AbortController().signal;

test.each([
  ['of known length', withLength],
  ['in chunks', chunked],
])('up to a length a body comes in one piece, a larger one as before (%s)', async (_, written) => {
  const small = content.subarray(0, 150_003);
  const { get } = await serve((socket, request) => socket.write(written(request === 2 ? content : small)));
  for (const bytes of [small, content, small]) {
    const answer = await get(never(), { whole: 200_000 });
    expect(answer.status).toBe(200);
    const { hash, chunks, error } = await read(answer);
    expect(error).toBeUndefined();
    expect(hash).toBe(hashOf(bytes));
    if (bytes === small) expect(chunks).toBe(1);
  }
});

test('what is to come in one piece and is cut off is no answer', async () => {
  const { get } = await serve((socket) => {
    socket.write(withLength(content.subarray(0, 1000)).subarray(0, 500));
    socket.end();
  });
  await expect(get(never(), { whole: 200_000 })).rejects.toMatchObject({ code: 'upstream-unreachable' });
});

test('what is to come in one piece is unpacked where its server says that it is packed', async () => {
  const packed = gzipSync(content.subarray(0, 1000));
  const { get } = await serve((socket) => socket.write(withLength(packed, 'Content-Encoding: gzip\r\n')));
  const { hash } = await read(await get(never(), { whole: 200_000 }, 'declared'));
  expect(hash).toBe(hashOf(content.subarray(0, 1000)));
  expect((await read(await get(never(), { whole: 200_000 }))).hash).toBe(hashOf(packed));
});

test.each([
  ['of known length', (bytes: Uint8Array) => withLength(bytes)],
  ['in pieces', chunked],
])(
  'bodies %s come as they were sent, in few chunks, side by side, over connections used again',
  async (_, sent) => {
    const sizes = [3_500_000, 1_048_576, 131_072, 65_537, 16_384, 1, 0];
    const expected = sizes.map((size) => hashOf(content.subarray(0, size)));
    const { get, sockets } = await serve((socket, request) => {
      socket.write(sent(content.subarray(0, sizes[request % sizes.length])));
    }, 4);
    const reading = Array.from({ length: 28 }, async () => read(await get()));
    const results = await Promise.all(reading);
    expect(results.map(({ hash }) => hash).sort()).toEqual(
      Array.from({ length: 4 }, () => expected)
        .flat()
        .sort(),
    );
    expect(Math.max(...results.map(({ chunks }) => chunks))).toBeLessThan(20);
    expect(sockets.size).toBeLessThanOrEqual(4);
  },
);

test('long headers in pieces are not read over, behind a large body either', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `X-${index}`);
  const values = names.map((_, index) => String.fromCharCode(97 + (index % 26)).repeat(1500));
  const headers = names.map((name, index) => `${name}: ${values[index]}\r\n`).join('');
  const { get } = await serve(async (socket) => {
    const answer = withLength(content, headers);
    for (let start = 0; start < 120_000; start += 7001) {
      socket.write(answer.subarray(start, Math.min(start + 7001, 120_000)));
      for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    }
    socket.write(answer.subarray(120_000));
  });
  for (let request = 0; request < 3; request += 1) {
    const answer = await get();
    expect(names.map((name) => answer.headers[name.toLowerCase()])).toEqual(values);
    expect((await read(answer)).hash).toBe(hashOf(content));
  }
});

test('of a large body that is cut off, all that came is given on before it fails', async () => {
  const { get } = await serve((socket) => socket.end(withLength(content).subarray(0, -1000)));
  const { hash, error } = await read(await get());
  expect(error).toMatchObject({ code: 'upstream-cut-off' });
  expect(hash).toBe(hashOf(content.subarray(0, -1000)));
});

test('a body that nobody reads is not read from the network either', async () => {
  const { get, sockets } = await serve((socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(content));
    };
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n');
    socket.on('drain', more);
    more();
  });
  const answer = await get();
  let written = -1;
  while (written !== sentOver(sockets)) {
    written = sentOver(sockets);
    for (let turn = 0; turn < 500; turn += 1) await setImmediate();
  }
  expect(written).toBeLessThan(50_000_000);
  await answer.discard();
});

test('what is aborted ends at once: while it waits, before its answer, and in its body', async () => {
  const { get, asked } = await serve((socket, request) => {
    if (request === 1) socket.write(withLength(content).subarray(0, 2_000_000));
  });
  const stop = new AbortController();
  const answer = await get(stop.signal);
  const reading = read(answer);
  const waiting = get(stop.signal);
  const waited = waiting.catch((error: unknown) => error);
  stop.abort(new Error('stopped'));
  expect((await reading).error).toBeInstanceOf(Error);
  expect(await waited).toBeInstanceOf(Error);
  const other = new AbortController();
  const unanswered = get(other.signal).catch((error: unknown) => error);
  while (asked() < 2) await setImmediate();
  other.abort(new Error('stopped'));
  expect(await unanswered).toBeInstanceOf(Error);
  expect(asked()).toBe(2);
});

test('what came in small pieces while nobody read it is not read over', async () => {
  const { get, sockets } = await serve(async (socket) => {
    socket.setNoDelay(true);
    const answer = withLength(content);
    for (let start = 0; start < answer.byteLength; start += 20_000) {
      socket.write(answer.subarray(start, start + 20_000));
      await setImmediate();
    }
  });
  const answer = await get();
  for (let written = -1; written !== sentOver(sockets); ) {
    written = sentOver(sockets);
    for (let turn = 0; turn < 500; turn += 1) await setImmediate();
  }
  expect((await read(answer)).hash).toBe(hashOf(content));
});

/** Octets that left the server. */
function sentOver(sockets: Set<Socket>): number {
  return [...sockets].reduce((sum, socket) => sum + socket.bytesWritten - socket.writableLength, 0);
}

test('of many hosts whose connections wait, each has a small buffer alone', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // What other tests left goes by and by.
  const held = async (): Promise<number> => {
    for (let last = Number.POSITIVE_INFINITY; ; ) {
      collect();
      await setImmediate();
      const { arrayBuffers } = process.memoryUsage();
      if (arrayBuffers >= last) return arrayBuffers;
      last = arrayBuffers;
    }
  };
  const large = randomBytes(600_000);
  const hosts = await Promise.all(
    Array.from({ length: 60 }, () => serve((socket) => socket.write(withLength(large)))),
  );
  const before = await held();
  for (const { get } of hosts) expect((await read(await get())).hash).toBe(hashOf(large));
  await setImmediate();
  expect([...hosts.map(({ sockets }) => sockets.size)]).toEqual(hosts.map(() => 1));
  // 60 times 256 kB were 15 MB; sixteen connections may keep theirs.
  expect((await held()) - before).toBeLessThan(8_000_000);
});
