import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type House, openHouse } from '../../house/server/fixture.ts';

let house: House;
let port: number;

beforeAll(async () => {
  house = await openHouse();
  port = Number(new URL(await house.origin()).port);
});

afterAll(() => house.close());

/** The names of an answer's header fields as they go over the wire. */
async function namesOf(head: string): Promise<readonly string[]> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.end(`${head}\r\nHost: bridge.example.org\r\nConnection: close\r\n\r\n`);
  const [header = ''] = (await text(socket)).split('\r\n\r\n');
  return header
    .split('\r\n')
    .slice(1)
    .map((line) => line.slice(0, line.indexOf(':')));
}

test('header fields are spelt as their RFCs do: some clients compare them letter by letter', async () => {
  const page = await namesOf('GET / HTTP/1.1');
  expect(page).toEqual(expect.arrayContaining(['Vary', 'Content-Type', 'Content-Security-Policy', 'Date']));
  const problem = await namesOf('HEAD /timegate/https://elsewhere.example.org/ HTTP/1.1');
  expect(problem).toEqual(expect.arrayContaining(['Vary', 'Cache-Control', 'Access-Control-Allow-Origin']));
  for (const name of [...page, ...problem]) expect(name).toMatch(/^(?:[A-Z][a-z]*(?:-[A-Z][a-z]*)*|ETag)$/);
});
