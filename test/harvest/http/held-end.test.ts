import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAddressGuard } from '../../../src/harvest/http/address-guard.ts';
import { createGuardedAgent } from '../../../src/harvest/http/guarded-agent.ts';

type Ending = 'whole' | 'cut' | 'reset';
type Agent = ReturnType<typeof createGuardedAgent>;

let server: Server;
let url: string;
/** Of the next answers. */
let length: number;
let ending: Ending;
let connection: 'close' | 'keep-alive';
let ended: number;
let agent: Agent;
beforeEach(async () => {
  [length, ending, connection, ended] = [100_000, 'whole', 'close', 0];
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      const head = `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\nConnection: ${connection}\r\n\r\n`;
      socket.write(head + 'a'.repeat(ending === 'whole' ? length : length / 2), () => {
        ended += 1;
        if (ending === 'reset') socket.resetAndDestroy();
        else socket.end();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
  const guard = createAddressGuard({
    ...{ endpoint: new URL(url), scope: 'endpoint', allow: [], allowPrivate: false },
  });
  agent = createGuardedAgent(guard, { connections: 1, timeoutSeconds: 60 });
});
afterEach(async () => {
  await agent.destroy();
  await new Promise((resolve) => server.close(resolve));
});

/** Begins to read when the server is done, and what the system has of it has come. */
async function askSlowly(): Promise<Awaited<ReturnType<typeof request>>['body']> {
  const before = ended;
  const { body } = await request(url, { dispatcher: agent });
  body.on('error', () => undefined);
  await expect.poll(() => ended).toBeGreaterThan(before);
  await sleep(100);
  return body;
}

test.each([
  ['close', 65_536],
  ['close', 66_000],
  ['close', 100_000],
  ['close', 131_072],
  ['close', 3_000_000],
  ['keep-alive', 100_000],
] as const)('an answer with Connection: %s of %d octets waits for its reader', async (said, octets) => {
  [connection, length] = [said, octets];
  expect(await (await askSlowly()).text()).toHaveLength(octets);
  // The one connection is free again.
  expect(await (await askSlowly()).text()).toHaveLength(octets);
});

test.each(['cut', 'reset'] as const)(
  'one that is %s is an error of its reader, and of nobody else',
  async (how) => {
    ending = how;
    await expect(askSlowly().then((body) => body.text())).rejects.toThrow();
    ending = 'whole';
    expect(await (await askSlowly()).text()).toHaveLength(length);
  },
);

test('a reader who goes away gives the connection back', async () => {
  for (const how of ['whole', 'cut', 'whole'] as const) {
    ending = how;
    (await askSlowly()).destroy();
  }
  ending = 'whole';
  expect(await (await askSlowly()).text()).toHaveLength(length);
});
