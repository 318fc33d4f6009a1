import { connect } from 'node:net';
import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exchange, type House, openHouse } from '../../house/server/fixture.ts';

let house: House;
beforeEach(async () => {
  house = await openHouse();
});
afterEach(() => house.close());

describe('closing', () => {
  it('does not wait for connections that are kept alive or never asked anything', async () => {
    const origin = await house.origin();
    await (await request(`${origin}/livez`)).body.dump();
    const silent = connect(Number(new URL(origin).port), '127.0.0.1');
    await new Promise((resolve) => silent.once('connect', resolve));
    await house.app.close();
    await new Promise((resolve) => (silent.destroyed ? resolve(undefined) : silent.once('close', resolve)));
  });

  it('does not wait for the rest of a question', async () => {
    const socket = connect(Number(new URL(await house.origin()).port), '127.0.0.1');
    // Closed with our bytes unread, it may be reset.
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.write('GET /livez HTTP/1.1\r\nHo', resolve));
    await house.app.close();
    await new Promise((resolve) => (socket.destroyed ? resolve(undefined) : socket.once('close', resolve)));
  });

  it('refuses new connections', async () => {
    const origin = await house.origin();
    await house.app.close();
    await expect(request(`${origin}/livez`)).rejects.toThrow('ECONNREFUSED');
  });
});

describe('a client that takes its time', () => {
  it('is given up', async () => {
    await house.origin();
    const { headersTimeout, requestTimeout, timeout } = house.app.server;
    expect([headersTimeout, requestTimeout, timeout]).toEqual([15_000, 30_000, 120_000]);
  });

  it('and sends too much is told so', async () => {
    const header = `X: ${'x'.repeat(20_000)}`;
    const answer = await exchange(await house.origin(), `GET / HTTP/1.1\r\nHost: h\r\n${header}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).toContain('application/problem+json');
  });
});
