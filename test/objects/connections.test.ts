import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { createConnections } from '../../src/objects/connections.ts';
import { type Answer, openUpstream } from '../house/server/loopback-upstream.ts';

const opened: { close(): void | Promise<void> }[] = [];
const closeAll = async () => {
  for (const one of opened.splice(0)) await one.close();
};
afterEach(closeAll);

async function serve(answer: Answer): Promise<URL> {
  const upstream = await openUpstream({ '*': answer });
  opened.push(upstream);
  return new URL(upstream.origin);
}

function connect() {
  const guard = { checkHost: () => undefined, lookup: () => () => undefined };
  const connections = createConnections({ connections: 4, timeoutSeconds: 20, guard });
  opened.push(connections);
  return connections;
}

/** The same memory for each piece. */
async function* countedUp(pieces: number, length: number) {
  const memory = Buffer.alloc(length);
  for (let piece = 0; piece < pieces; piece += 1) yield memory.fill(piece % 251);
}

describe('a body', () => {
  it('arrives as it was, where each of its pieces lies in the same memory and a socket holds less than all', async () => {
    let received: Buffer | undefined;
    const url = await serve(async (request, response) => {
      received = await buffer(request);
      response.end();
    });
    const headers = { 'content-length': String(200 * 65_536) };
    const { status, body } = await connect().send({
      method: 'PUT',
      url,
      headers,
      body: countedUp(200, 65_536),
    });
    body.resume();
    expect(status).toBe(200);
    const wanted = Buffer.concat(
      Array.from({ length: 200 }, (_, piece) => Buffer.alloc(65_536, piece % 251)),
    );
    expect(received?.equals(wanted)).toBe(true);
  });

  it('is read no further once nobody takes it, and whoever sent it is told', async () => {
    let isLeft = false;
    async function* watched() {
      try {
        yield* countedUp(100_000, 65_536);
      } finally {
        isLeft = true;
      }
    }
    const url = await serve((request) => request.once('data', () => request.socket.destroy()));
    const sent = connect().send({
      method: 'PUT',
      url,
      headers: { 'transfer-encoding': 'chunked' },
      body: watched(),
    });
    await expect(sent).rejects.toThrow();
    await expect.poll(() => isLeft).toBe(true);
  });

  it('that fails ends its request', async () => {
    async function* failing() {
      yield* countedUp(2, 1000);
      throw new Error('the disk is gone');
    }
    const url = await serve((request) => request.resume().on('error', () => undefined));
    const sent = connect().send({
      method: 'PUT',
      url,
      headers: { 'content-length': '100000' },
      body: failing(),
    });
    await expect(sent).rejects.toThrow('the disk is gone');
  });

  it('is not begun where nobody listens', async () => {
    const url = await serve(() => undefined);
    await closeAll();
    const sent = connect().send({ method: 'PUT', url, headers: {}, body: countedUp(10, 65_536) });
    await expect(sent).rejects.toThrow(/ECONNREFUSED/);
  });
});
