import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { exchange, type House, openHouse } from '../../house/server/fixture.ts';
import { openProxiedHouse, type ProxiedHouse } from '../../house/server/proxied-house.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

/** Larger than what the kernel takes off our hands. */
const large = Buffer.alloc(12 * 1024 * 1024, 'x');

async function openDocuments(): Promise<House> {
  const house = await openHouse();
  opened.push(house);
  await house.publication.stage('kyushu/resourcelist.xml', large);
  await house.publication.stage('kyushu/small.xml', '<urlset/>');
  return house;
}

async function openHanging(): Promise<ProxiedHouse> {
  const here = await openProxiedHouse(
    {
      '/hangs': () => undefined,
      '/drips': (_, response) =>
        void response.writeHead(200, { 'content-type': 'application/pdf' }).write('%'),
      '/file': (_, response) =>
        void response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF'),
    },
    { connections: 4, patience: { placeMs: 2000 } },
  );
  opened.push(here);
  return here;
}

async function open(origin: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(origin).port), host: '127.0.0.1' });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries > 12_000) throw new Error('it never came to be');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: h\r\n${headers}\r\n`;
}

/** How a client goes. */
const ends: readonly (readonly [string, (socket: Socket) => void])[] = [
  ['a reset', (socket) => socket.resetAndDestroy()],
  ['an end', (socket) => socket.destroy()],
  ['half an end', (socket) => socket.end()],
  ['half a request', (socket) => socket.write('GET /kyushu/sm', () => socket.resetAndDestroy())],
  ['bytes that are none', (socket) => socket.end('\u0000\u0001 nothing\r\n\r\n')],
];

describe('many requests at once on a connection that ends', () => {
  it.each(ends)('hold no place at the repository after %s', async (_, end) => {
    const { seed, upstream, house } = await openHanging();
    const hangs = new URL(await seed({ upstreamPath: '/hangs', name: '1-a.pdf' })).pathname;
    const drips = new URL(await seed({ upstreamPath: '/drips', name: '2-b.pdf' })).pathname;
    const file = await seed({ name: '3-c.pdf' });
    for (const first of [hangs, drips]) {
      const before = upstream.requests.length;
      const socket = await open(await house.origin());
      socket.write(get(first) + get(hangs).repeat(10) + get(drips).repeat(10));
      await until(() => upstream.requests.length > before);
      end(socket);
      await until(() => upstream.connections() === 0);
    }
    const answers = await Promise.all([1, 2, 3, 4].map(() => request(file)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    await Promise.all(answers.map(({ body }) => body.dump()));
  });

  it.each(ends)('leave no document open after %s', async (_, end) => {
    const house = await openDocuments();
    for (let round = 0; round < 3; round += 1) {
      const socket = await open(await house.origin());
      socket.pause();
      socket.write(get('/kyushu/resourcelist.xml').repeat(20));
      await until(() => house.publication.openFiles > 0);
      end(socket);
      await new Promise((resolve) => setImmediate(resolve));
      socket.destroy();
      await until(() => house.publication.openFiles === 0);
    }
    expect(house.publication.opened).toBe(3);
  });
});

describe('many requests at once on a connection that stays', () => {
  it('are answered in their order, one after the other', async () => {
    const house = await openDocuments();
    const mixed = [
      get('/kyushu/small.xml', 'Range: bytes=1-3\r\n'),
      get('/nothing'),
      get('/kyushu/small.xml').replace('GET', 'HEAD'),
      get('/kyushu/small.xml', 'If-None-Match: *\r\n'),
      get('/kyushu/small.xml', 'Expect: 100-continue\r\n'),
      get('/kyushu/small.xml', 'Connection: Upgrade, close\r\nUpgrade: h2c\r\n'),
    ].join('');
    const answer = await exchange(await house.origin(), mixed);
    expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(
      [206, 404, 200, 304, 100, 200, 200].map((status) => `HTTP/1.1 ${status}`),
    );
    await until(() => house.publication.openFiles === 0);
  });

  it('are so many and no more: then the connection ends, and what is left may be asked for again', async () => {
    const house = await openDocuments();
    const answer = await exchange(await house.origin(), get('/kyushu/small.xml').repeat(300));
    const answers = answer.match(/HTTP\/1\.1 200/g) ?? [];
    expect(answers.length).toBe(101);
    expect(answer.match(/Connection: close/gi)).toHaveLength(1);
  });
});
