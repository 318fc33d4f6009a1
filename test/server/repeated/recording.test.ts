import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { record } from '../../../src/server/repeated/recording.ts';

it('octets go out as they are, few or many, whatever they are', async () => {
  const few = Buffer.from(Array.from({ length: 256 }, (_, octet) => octet));
  const many = Buffer.concat(Array.from({ length: 400 }, () => few));
  const bodies = [few, many, Buffer.alloc(0)];
  const server = createServer((asked, response) => {
    record(response, () => undefined);
    const body = bodies[Number(asked.url?.slice(1))] ?? few;
    response.writeHead(200, { 'content-length': String(body.length) });
    response.end(asked.method === 'HEAD' ? undefined : body);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const [number, expected] of bodies.entries()) {
    const { headers, body } = await request(`${at}/${number}`);
    expect(headers['content-length']).toBe(String(expected.length));
    expect(Buffer.from(await body.arrayBuffer()).equals(expected)).toBe(true);
    const head = await request(`${at}/${number}`, { method: 'HEAD' });
    expect([head.headers['content-length'], await head.body.text()]).toEqual([String(expected.length), '']);
  }
});
