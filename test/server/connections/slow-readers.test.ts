import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createClientAddress } from '../../../src/server/connections/client-address.ts';
import { createReaderPace } from '../../../src/server/connections/reader-pace.ts';
import { type House, openHouse } from '../../house/server/fixture.ts';
import { openProxiedHouse, type ProxiedHouse } from '../../house/server/proxied-house.ts';

let house: House | undefined;
let proxied: ProxiedHouse | undefined;
afterEach(async () => {
  await house?.close();
  await proxied?.close();
  [house, proxied] = [undefined, undefined];
});

const length = 16 * 1024 * 1024;
const document = '/kyushu/resourcelist.xml';

async function open(floor: { bytesPerSecond: number; graceSeconds: number }): Promise<House> {
  house = await openHouse({ connections: { floor } });
  await house.publication.stage('kyushu/resourcelist.xml', Buffer.alloc(length, 'x'));
  return house;
}

async function ask(here: House, path = document, localAddress = '127.0.0.1'): Promise<Socket> {
  const port = Number(new URL(await here.origin()).port);
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  socket.pause();
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`);
  return socket;
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries > 12_000) throw new Error('it never came to be');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('a reader of an answer', () => {
  it('who takes nothing is given up, and what was open for it is closed', async () => {
    const here = await open({ bytesPerSecond: 1_000_000, graceSeconds: 0.5 });
    const socket = await ask(here);
    await until(() => here.publication.openFiles === 1);
    await until(() => here.publication.openFiles === 0);
    await until(() => here.log.some(({ msg }) => String(msg).includes('minBytesPerSecond')));
    socket.destroy();
  });

  it('who takes less than the floor is given up, and one who takes more gets everything', async () => {
    const here = await open({ bytesPerSecond: 2_000_000, graceSeconds: 0.5 });
    const [slow, steady] = [await ask(here), await ask(here)];
    let read = 0;
    const sip = setInterval(() => {
      slow.read(1000);
      for (let step = 0; step < 4; step += 1) read += (steady.read() as Buffer | null)?.byteLength ?? 0;
    }, 10);
    slow.on('readable', () => undefined);
    steady.on('readable', () => undefined);
    try {
      await until(() => read > length);
      await until(() => here.publication.openFiles === 0);
    } finally {
      clearInterval(sip);
    }
    expect(here.log.some(({ msg }) => String(msg).includes('minBytesPerSecond'))).toBe(true);
    slow.destroy();
    steady.destroy();
  });

  it('is as slow as it likes where no floor is set', () => {
    const pace = createReaderPace({ bytesPerSecond: 0, graceSeconds: 30 }, () => {
      throw new Error('nobody is too slow');
    });
    expect(pace.isFollowed({} as Socket)).toBe(false);
  });
});

describe('the places at a repository', () => {
  const body = Buffer.alloc(length, 'x');

  it('are not all for one client, however slowly it reads, and the others have their turn', async () => {
    proxied = await openProxiedHouse(
      {
        '/file': (_, response) =>
          void response.writeHead(200, { 'content-type': 'application/pdf' }).end(body),
      },
      { connections: 4, share: 0.5, patience: { placeMs: 60_000 }, clientOf: createClientAddress([]) },
    );
    const { seed, house: here, upstream } = proxied;
    const file = new URL(await seed()).pathname;
    const greedy = await Promise.all(Array.from({ length: 30 }, () => ask(here, file)));
    await until(() => upstream.requests.length === 2);
    const other = await ask(here, file, '127.0.0.2');
    let read = 0;
    other.on('data', (chunk: Buffer) => {
      read += chunk.byteLength;
    });
    other.resume();
    await until(() => read > length);
    expect(upstream.requests.length).toBe(3);
    for (const socket of [...greedy, other]) socket.destroy();
    await until(() => upstream.connections() === 0);
  });

  it('come free when a reader is too slow', async () => {
    proxied = await openProxiedHouse(
      {
        '/file': (_, response) =>
          void response.writeHead(200, { 'content-type': 'application/pdf' }).end(body),
      },
      {
        connections: 1,
        patience: { placeMs: 60_000 },
        connectionSettings: { floor: { bytesPerSecond: 1_000_000, graceSeconds: 0.5 } },
      },
    );
    const { seed, house: here, upstream } = proxied;
    const file = new URL(await seed()).pathname;
    const idle = await ask(here, file);
    await until(() => upstream.requests.length === 1);
    const other = await ask(here, file);
    await until(() => upstream.requests.length === 2);
    for (const socket of [idle, other]) socket.destroy();
  });
});
