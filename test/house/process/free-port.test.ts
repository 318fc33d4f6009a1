import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from './free-port.ts';

test('a port that is free is given once, and lies apart from those that any server is given', async () => {
  const servers = Array.from({ length: 50 }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const any = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) server.close();
  const ours: number[] = [];
  for (let count = 0; count < 50; count += 1) ours.push(await freePort());
  expect(new Set(ours).size).toBe(50);
  expect(Math.max(...ours)).toBeLessThan(Math.min(...any));
});
