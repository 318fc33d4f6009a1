import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange, type House, openHouse } from '../../house/server/fixture.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** The last answer on a connection. */
async function last(bytes: string): Promise<{ head: string; body: string }> {
  const answer = await exchange(await house.origin(), bytes);
  const [head = '', ...rest] = answer.slice(answer.lastIndexOf('HTTP/1.1 ')).split('\r\n\r\n');
  return { head, body: rest.join('\r\n\r\n') };
}

const long = `X: ${'x'.repeat(20_000)}`;
const good = 'GET /livez HTTP/1.1\r\nHost: h\r\n\r\n';

describe('what the parser refuses', () => {
  it.each([
    [431, `GET / HTTP/1.1\r\nHost: h\r\n${long}\r\n\r\n`],
    [400, 'GET / HTTP/9.9.9\r\nHost: h\r\n\r\n'],
    [400, 'GET / HTTP/1.1\r\nHost h\r\n\r\n'],
    [400, 'GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
  ])('is a problem document: %i', async (status, bytes) => {
    const { head, body } = await last(bytes);
    expect(head).toContain(`HTTP/1.1 ${status} `);
    expect(head).toContain('Connection: close');
    expect(head).toContain('Content-Type: application/problem+json');
    expect(JSON.parse(body)).toMatchObject({ status, code: 'bad-request' });
    expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
  });

  it.each([
    [431, `HEAD / HTTP/1.1\r\nHost: h\r\n${long}\r\n\r\n`],
    [400, 'HEAD / HTTP/9.9.9\r\nHost: h\r\n\r\n'],
    [400, 'HEAD / HTTP/1.1\r\nHost h\r\n\r\n'],
  ])('has no body for a HEAD: %i', async (status, bytes) => {
    const { head, body } = await last(bytes);
    expect(head).toContain(`HTTP/1.1 ${status} `);
    expect(body).toBe('');
  });

  it('is told on a connection that has had an answer, too', async () => {
    const socket = connect(Number(new URL(await house.origin()).port), '127.0.0.1').setEncoding('latin1');
    socket.write(good);
    await once(socket, 'data');
    socket.write('HEAD / HTTP/1.1\r\nHost h\r\n\r\n');
    const [answer] = await once(socket, 'data');
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*\r\n\r\n$/);
    socket.destroy();
  });

  it('has no body where nobody knows what was asked', async () => {
    const { head, body } = await last('\u0000\u0001\r\n\r\n');
    expect(head).toContain('HTTP/1.1 400 ');
    expect([head.includes('Content-Length: 0'), body]).toEqual([true, '']);
  });
});
