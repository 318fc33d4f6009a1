import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createAddressGuard } from '../../../src/harvest/http/address-guard.ts';
import {
  createPlainAgent,
  type PlainAgent,
  type PlainResponse,
} from '../../../src/harvest/http/plain-agent.ts';

const open: { server: Server; agent: PlainAgent; sockets: Set<Socket> }[] = [];
const { signal } = new AbortController();

/** Answers each request, the first with 1, with raw bytes. */
async function serve(answer: (socket: Socket, request: number) => void) {
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
  const url = new URL(`http://127.0.0.1:${(server.address() as { port: number }).port}/a`);
  const guard = createAddressGuard({ endpoint: url, scope: 'found', allow: [], allowPrivate: false });
  const agent = createPlainAgent(guard, { timeoutSeconds: 0.3 });
  open.push({ server, agent, sockets });
  return { agent, url, sockets };
}

afterEach(async () => {
  for (const { server, agent, sockets } of open.splice(0)) {
    agent.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function bytesOf({ body }: PlainResponse): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

const simple = (body: string, more = '') =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`;

test('one connection serves request after request, whatever the sizes', async () => {
  const large = Buffer.alloc(3_500_000, 'abcdefg');
  const { agent, url, sockets } = await serve((socket, request) => {
    if (request !== 2) return socket.write(simple(`body ${request}`));
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${large.length}\r\nETag: "x"\r\n\r\n`);
    socket.write(large);
  });
  expect((await bytesOf(await agent.get(url, {}, signal))).toString()).toBe('body 1');
  const second = await agent.get(url, {}, signal);
  expect(second).toMatchObject({ statusCode: 200, headers: { etag: '"x"' } });
  expect((await bytesOf(second)).equals(large)).toBe(true);
  expect((await bytesOf(await agent.get(url, {}, signal))).toString()).toBe('body 3');
  expect(sockets.size).toBe(1);
});

test.each([
  ['chunked', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n'],
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nabc'],
  ['after an interim answer', `HTTP/1.1 103 Early Hints\r\n\r\n${simple('abc')}`],
  ['without a length', 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc'],
])(
  'an answer that is not simple (%s) is read by the complete parser, without another request',
  async (_, raw) => {
    let requests = 0;
    const { agent, url } = await serve((socket, request) => {
      requests = request;
      socket.end(raw);
    });
    const response = await agent.get(url, {}, signal);
    expect(response.statusCode).toBe(200);
    expect((await bytesOf(response)).toString()).toBe('abc');
    expect(requests).toBe(1);
  },
);

test('two lengths, or a length beside chunks, are no answer to believe', async () => {
  const { agent, url } = await serve((socket) => {
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd');
  });
  await expect(agent.get(url, {}, signal)).rejects.toThrow();
});

test('what comes behind a body never becomes the answer to the next request', async () => {
  const { agent, url, sockets } = await serve((socket, request) => {
    socket.write(simple(`body ${request}`) + (request === 1 ? simple('smuggled') : ''));
  });
  expect((await bytesOf(await agent.get(url, {}, signal))).toString()).toBe('body 1');
  expect((await bytesOf(await agent.get(url, {}, signal))).toString()).toBe('body 2');
  expect(sockets.size).toBe(2);
});

test('a body that is cut off gives what came, and then fails', async () => {
  const { agent, url } = await serve((socket) => {
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc');
  });
  const chunks: Buffer[] = [];
  const reading = async () => {
    for await (const chunk of (await agent.get(url, {}, signal)).body) chunks.push(Buffer.from(chunk));
  };
  await expect(reading()).rejects.toThrow('other side closed');
  expect(Buffer.concat(chunks).toString()).toBe('abc');
});

test('a connection that was closed while it stood idle is replaced', async () => {
  const { agent, url, sockets } = await serve((socket, request) => {
    if (request === 2) socket.destroy();
    else socket.write(simple('abc'));
  });
  await bytesOf(await agent.get(url, {}, signal));
  expect((await bytesOf(await agent.get(url, {}, signal))).toString()).toBe('abc');
  expect(sockets.size).toBe(2);
});

test('silence ends it, in the head and in the body, and so does an abort', async () => {
  const { agent, url } = await serve((socket, request) => {
    if (request === 2) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc');
  });
  await expect(agent.get(url, {}, signal)).rejects.toThrow('nothing came for too long');
  await expect(bytesOf(await agent.get(url, {}, signal))).rejects.toThrow('nothing came for too long');
  const aborting = new AbortController();
  const asking = agent.get(url, {}, aborting.signal);
  aborting.abort(new Error('enough'));
  await expect(asking).rejects.toThrow('enough');
});

test('a head that comes byte by byte does not hold us for ever', async () => {
  const { agent, url } = await serve((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket.write('x'), 30);
    socket.on('close', () => clearInterval(timer));
  });
  await expect(agent.get(url, {}, signal)).rejects.toThrow('Headers Timeout');
});

test('addresses that the guard refuses are not connected to, and a header is one header', async () => {
  const { agent, url } = await serve((socket) => socket.end());
  await expect(agent.get(new URL('http://127.0.0.2:1/'), {}, signal)).rejects.toMatchObject({
    code: 'address-refused',
  });
  await expect(agent.get(url, { a: 'b\r\nc: d' }, signal)).rejects.toThrow('invalid a header');
});
