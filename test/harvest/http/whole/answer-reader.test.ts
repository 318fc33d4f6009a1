import { describe, expect, test } from 'vitest';
import { AnswerReader, type WholeAnswer } from '../../../../src/harvest/http/whole/answer-reader.ts';

const answer = (body: string, ...fields: string[]) =>
  ['HTTP/1.1 200 OK', ...fields, `Content-Length: ${body.length}`, '', body].join('\r\n');

/** Texts of the bodies that come of these bytes. */
function read(text: string, sizes: number): readonly string[] {
  const reader = new AnswerReader(100);
  const bytes = Buffer.from(text, 'latin1');
  const found: (WholeAnswer | 'odd')[] = [];
  for (let at = 0; at < bytes.length; at += sizes) found.push(...reader.take(bytes.subarray(at, at + sizes)));
  return found.map((one) => (one === 'odd' ? one : Buffer.from(one.bytes).toString()));
}

test.each([1, 2, 7, 1000])('answers are told apart, however they are cut: %i octets at a time', (sizes) => {
  const bodies = ['one', '', 'x'.repeat(100), '\r\n\r\nHTTP/1.1 200 OK\r\n'];
  expect(read(bodies.map((body) => answer(body)).join(''), sizes)).toEqual(bodies);
});

test('headers are those that came, by names in lower case, several values as one', () => {
  const [first] = new AnswerReader(10).take(
    Buffer.from(answer('a', 'ETag: "1"', 'Link:  <a> ', 'constructor: b', '__proto__: c', 'link: <d>')),
  );
  expect(first).toMatchObject({ status: 200, headers: { etag: '"1"', link: '<a>, <d>', constructor: 'b' } });
  expect(Object.entries((first as WholeAnswer).headers)).toContainEqual(['__proto__', 'c']);
});

describe('odd, and nothing behind it is read, is', () => {
  test.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9\r\n\r\n'],
    ['of another version', answer('a').replace('1.1', '1.0')],
    ['without a length', 'HTTP/1.1 200 OK\r\n\r\na'],
    ['in chunks', answer('a', 'Transfer-Encoding: chunked')],
    ['of two lengths', answer('a', 'Content-Length: 2')],
    ['of a length that is no number', answer('a').replace('Length: 1', 'Length: +1')],
    ['too long', answer('a'.repeat(101))],
    ['of a head that is too long', answer('a', `X: ${'y'.repeat(33_000)}`)],
    ['of a head without an end', `HTTP/1.1 200 OK\r\nX: ${'y'.repeat(33_000)}`],
    ['one that was not asked for', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['one that has no body', answer('a').replace('200', '304')],
    ['a header in several lines', answer('a', 'X: a', ' b')],
    ['a name with a space', answer('a', 'Content-Length : 3')],
    ['a line that is no header', answer('a', 'nothing')],
  ])('%s', (_what, odd) => {
    for (const sizes of [1, 100_000]) {
      const [first, second] = read(answer('before') + odd + answer('behind'), sizes);
      expect([first, second]).toEqual(['before', 'odd']);
    }
  });
});
