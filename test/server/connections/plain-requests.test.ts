import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Connections, createConnections } from '../../../src/server/connections/connections.ts';
import type { PlainAsker } from '../../../src/server/connections/plain-requests.ts';

/** What is asked plainly is answered before Node reads it, and whatever is not goes on to Node, to the octet. */
let server: Server;
let connections: Connections;
let client: Socket;
/** The server's end of it. */
let peer: Socket;
let received: string;
/** Those of the first way that wait. */
let waiting: { readonly target: string; readonly asker: PlainAsker }[];
/** What Node has read: targets with their bodies. */
let read: string[];
let arrived: () => void;

beforeEach(async () => {
  [waiting, read, received] = [[], [], ''];
  connections = createConnections(
    {
      plainWay: ({ target }, asker) => {
        if (target === '/refused') return false;
        waiting.push({ target, asker });
        arrived();
        return true;
      },
    },
    () => undefined,
  );
  server = connections.createServer(
    async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      read.push(`${request.url}${body}`);
      response.end(`node ${request.url}`);
    },
    () => undefined,
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.setEncoding('latin1').on('data', (chunk) => {
    received += chunk;
  });
  [[peer]] = (await Promise.all([once(server, 'connection'), once(client, 'connect')])) as [
    [Socket],
    unknown,
  ];
});
afterEach(async () => {
  client.destroy();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const plain = (target: string) => `GET ${target} HTTP/1.1\r\nHost: bridge\r\n\r\n`;

/** Sends it, and waits until the first way was asked. */
async function ask(text: string): Promise<PlainAsker> {
  const came = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  client.write(text, 'latin1');
  await came;
  const asker = waiting.at(-1)?.asker;
  if (!asker) throw new Error('nobody asked');
  return asker;
}

function send(asker: PlainAsker, body: string): void {
  asker.send({ status: 200, headers: ['Content-Length', String(body.length)], body });
}

async function until(text: string): Promise<void> {
  while (!received.includes(text)) await once(client, 'data');
}

it('one after the other is answered on one connection', async () => {
  for (const target of ['/a', '/b', '/c']) {
    send(await ask(plain(target)), `plain ${target}`);
    await until(`plain ${target}`);
  }
  expect([waiting.map(({ target }) => target), read]).toEqual([['/a', '/b', '/c'], []]);
});

it('one that has no other way is read by Node, at once or later, and so are all behind it', async () => {
  send(await ask(plain('/a')), 'plain /a');
  await until('plain /a');
  client.write(plain('/refused'));
  await until('node /refused');
  client.write(plain('/b'));
  await until('node /b');
  expect([waiting.length, read]).toEqual([1, ['/refused', '/b']]);
});

it('one that is left after a while is read by Node with what came meanwhile', async () => {
  const asker = await ask(plain('/a'));
  client.write('POST /b HTTP/1.1\r\nHost: bridge\r\nContent-Length: 4\r\n\r\nbody');
  client.write(plain('/c'));
  await new Promise((resolve) => setImmediate(resolve));
  asker.leave();
  await until('node /c');
  expect(read).toEqual(['/a', '/bbody', '/c']);
});

it.each([
  ['two at once', [plain('/a') + plain('/b')], ['/a', '/b']],
  ['one in two pieces', [plain('/a').slice(0, 9), plain('/a').slice(9)], ['/a']],
  ['a body', ['POST /a HTTP/1.1\r\nHost: bridge\r\nContent-Length: 4\r\n\r\n', 'body'], ['/abody']],
  ['HEAD', ['HEAD /a HTTP/1.1\r\nHost: bridge\r\nConnection: close\r\n\r\n'], ['/a']],
])('Node reads %s', async (_, pieces, expected) => {
  let sent = 0;
  for (const piece of pieces) {
    client.write(piece, 'latin1');
    sent += piece.length;
    while (peer.bytesRead < sent) await new Promise((resolve) => setImmediate(resolve));
  }
  while (read.length < expected.length) await once(client, 'data');
  expect([waiting.length, read]).toEqual([0, expected]);
});

it('what is no request is refused as it always was', async () => {
  server.on('clientError', (_error, socket) => socket.end('refused'));
  client.write('no request\r\n\r\n');
  await until('refused');
  expect(waiting).toEqual([]);
});

it.each([
  ['who has asked and says nothing more', () => client.end()],
  ['who had asked when the server closes', () => connections.drain()],
])('%s has an answer, and is let go', async (_, end) => {
  const asker = await ask(plain('/a'));
  end();
  send(asker, 'plain /a');
  await once(client, 'close');
  expect(received).toContain('plain /a');
});

it('what came while it was answered is answered next', async () => {
  const first = await ask(plain('/a'));
  client.write(plain('/b'));
  await new Promise((resolve) => setImmediate(resolve));
  const second = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  send(first, 'plain /a');
  await second;
  expect(waiting.map(({ target }) => target)).toEqual(['/a', '/b']);
});

it('an answer that is not read at once keeps its connection busy until it is', async () => {
  const asker = await ask(plain('/a'));
  client.pause();
  const body = 'b'.repeat(20_000_000);
  send(asker, body);
  connections.drain();
  client.resume();
  await once(client, 'close');
  expect(received.endsWith(body)).toBe(true);
});

it('who says nothing at first is read by Node, which knows for how long', async () => {
  await once(peer, 'timeout');
  client.write(plain('/a'));
  await until('node /a');
  expect(waiting).toEqual([]);
});

it('one whose answer takes its time is not asked twice', async () => {
  const asker = await ask(plain('/a'));
  await once(peer, 'timeout');
  send(asker, 'plain /a');
  await until('plain /a');
  expect(read).toEqual([]);
});

it('octets are sent as they are, few or many', async () => {
  const few = Buffer.from(Array.from({ length: 256 }, (_, octet) => octet));
  for (const body of [few, few.toString('latin1'), Buffer.concat(Array.from({ length: 1000 }, () => few))]) {
    received = '';
    (await ask(plain('/a'))).send({ status: 200, headers: ['Content-Length', String(body.length)], body });
    const expected = `\r\n\r\n${body.toString('latin1')}`;
    while (received.length < expected.length || !received.endsWith(expected)) await once(client, 'data');
  }
});

it('somebody who is gone leaves nothing behind', async () => {
  const asker = await ask(plain('/a'));
  expect(connections.isBusy(peer)).toBe(true);
  const closed = new Promise((resolve) => peer.once('close', resolve));
  client.resetAndDestroy();
  send(asker, 'b'.repeat(20_000_000));
  await closed;
  expect([asker.isGone(), connections.isBusy(peer)]).toEqual([true, false]);
});
