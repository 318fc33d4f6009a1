import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createPaint, printable, printableJson, shortened } from '../../../src/cli/terminal/terminal-text.ts';
import { parseMoment } from '../../../src/core/time/moment-text.ts';

test('what would command a terminal is spelled out', () => {
  expect(printable('a\u001b]0;x\u0007b\u009b1m\r\n\tc\u202ed\u2066e')).toBe(
    'a\\u001b]0;x\\u0007b\\u009b1m\\r\\n\\tc\\u202ed\\u2066e',
  );
  expect(printable('日本語 é עברית 👩‍🔬')).toBe('日本語 é עברית 👩‍🔬');
});

test('JSON for a terminal says the same', () => {
  const data = { text: 'a\u001b\u009b\u007f\u202e\u2028"\\u0041' };
  const json = printableJson(data);
  expect(json).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
  expect(JSON.parse(json)).toEqual(data);
});

test('a long text ends with …, between two characters', () => {
  expect(shortened('abc', 3)).toBe('abc');
  expect(shortened('abcd', 3)).toBe('abc…');
  expect(shortened('ab𠮷d', 3)).toBe('ab…');
});

test.each([
  [true, {}, '\u001b[31mx\u001b[0m'],
  [true, { NO_COLOR: '1' }, 'x'],
  [true, { TERM: 'dumb' }, 'x'],
  [false, {}, 'x'],
])('colours: terminal %s, environment %j', (isTTY, env, expected) => {
  const stdout = Object.assign(new Writable(), { isTTY });
  const never = new AbortController().signal;
  const paint = createPaint({ stdout, stderr: new Writable(), env, cwd: '/', stop: never, abort: never });
  expect(paint('red', 'x')).toBe(expected);
});

test.each([
  ['2026-04-01', '2026-04-01T00:00:00Z'],
  ['20260401', '2026-04-01T00:00:00Z'],
  ['2026-04-01T12:00:00+09:00', '2026-04-01T03:00:00Z'],
  ['20260401120000', '2026-04-01T12:00:00Z'],
  ['Wed, 01 Apr 2026 12:00:00 GMT', '2026-04-01T12:00:00Z'],
  ['20260231120000', undefined],
  ['2026-02-31', undefined],
  ['1 April', undefined],
  ['', undefined],
])('--at %j is %s', (text, expected) => {
  expect(parseMoment(text)).toBe(expected);
});
