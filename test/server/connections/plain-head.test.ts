import { describe, expect, it } from 'vitest';
import { readPlain, writeHead } from '../../../src/server/connections/plain-head.ts';

const read = (text: string) => readPlain(Buffer.from(text, 'latin1'));

describe('a plain request', () => {
  it('is one GET with its fields, each once', () => {
    const text =
      'GET /a~b/%C3%A9 HTTP/1.1\r\nHost: bridge\r\nACCEPT:a, b;q=0.5\r\nConnection: Keep-Alive\r\n\r\n';
    expect(read(text)).toEqual({
      target: '/a~b/%C3%A9',
      headers: { host: 'bridge', accept: 'a, b;q=0.5', connection: 'Keep-Alive' },
    });
  });

  const head = 'GET /a HTTP/1.1\r\nHost: bridge\r\n';
  it.each([
    '',
    'GET',
    head,
    `${head}\r\n`.slice(0, -1),
    `${head}\r\n${head}\r\n`,
    `${head}\r\n\r\n`,
    `\r\n${head}\r\n`,
    `${head}\r\nbody`,
    `${head}\r\nbody\r\n\r\n`,
    'GET /a HTTP/1.1\r\n\r\n',
    'GET /a HTTP/1.0\r\nHost: bridge\r\n\r\n',
    'GET /a\r\nHost: bridge\r\n\r\n',
    'GET  /a HTTP/1.1\r\nHost: bridge\r\n\r\n',
    'GET /a HTTP/1.1 \r\nHost: bridge\r\n\r\n',
    'GET http://bridge/a HTTP/1.1\r\nHost: bridge\r\n\r\n',
    'GET /a?b HTTP/1.1\r\nHost: bridge\r\n\r\n',
    'GET /a#b HTTP/1.1\r\nHost: bridge\r\n\r\n',
    'GET /\xe9 HTTP/1.1\r\nHost: bridge\r\n\r\n',
    'HEAD /a HTTP/1.1\r\nHost: bridge\r\n\r\n',
    'POST /a HTTP/1.1\r\nHost: bridge\r\n\r\n',
    'get /a HTTP/1.1\r\nHost: bridge\r\n\r\n',
    'GET /a HTTP/1.1\nHost: bridge\n\n',
    'GET /a HTTP/1.1\r\nHost: bridge\n\r\n\r\n',
    `${head}Host: other\r\n\r\n`,
    `${head}Accept: a\r\naccept: b\r\n\r\n`,
    `${head}Accept: a\r\n b\r\n\r\n`,
    `${head}Accept : a\r\n\r\n`,
    `${head}Accept: a \r\n\r\n`,
    `${head}Accept:\r\n\r\n`,
    `${head}Accept\r\n\r\n`,
    `${head}: a\r\n\r\n`,
    `${head}Accept: a\rb\r\n\r\n`,
    `${head}Accept: a\0b\r\n\r\n`,
    `${head}Accept: \xe9\r\n\r\n`,
    `${head}constructor: a\r\n\r\n`,
    `${head}Connection: close\r\n\r\n`,
    `${head}Connection: keep-alive, Upgrade\r\n\r\n`,
    `${head}Accept: ${'a'.repeat(4096)}\r\n\r\n`,
  ])('is nothing else: %j', (text) => {
    expect(read(text)).toBeUndefined();
  });
});

it('a head is as Node writes it, of the second it is', () => {
  const headers = ['Content-Length', '2', 'ETag', '"a"'];
  const text = writeHead({ status: 200, headers, body: 'ok' }, 72);
  const [, date = ''] = /\r\nDate: ([^\r]*)/.exec(text) ?? [];
  expect(Math.abs(Date.parse(date) - Date.now())).toBeLessThan(5000);
  const end = 'Connection: keep-alive\r\nKeep-Alive: timeout=72\r\n\r\n';
  expect(text).toBe(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\nETag: "a"\r\nDate: ${date}\r\n${end}`);
  expect(writeHead({ status: 304, headers: [], body: undefined }, 72)).toMatch(
    /^HTTP\/1\.1 304 Not Modified\r\n/,
  );
});
