import { PassThrough, type Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { say } from '../../../src/cli/terminal/io.ts';
import { createProgress, freshLine } from '../../../src/cli/terminal/progress.ts';
import { Screen } from '../../house/cli/screen.ts';

function open({
  stderr,
  stdout = stderr,
  env = {},
  json = false,
}: {
  stderr: Writable;
  stdout?: Writable;
  env?: Record<string, string>;
  json?: boolean;
}) {
  const time = { now: 0 };
  const never = new AbortController().signal;
  const io = { stdout, stderr, env, cwd: '/', stop: never, abort: never };
  return { time, progress: createProgress(io, { json, now: () => time.now }) };
}

const records = (done: number, label = 'demo', total = 100) => ({ label, done, total, noun: 'record' });
const stripped = (text: string) => text.replace(/[█░]+ +/g, '');

test('each source has a line, from the first moment on, and none when it is through', () => {
  const screen = new Screen();
  const { progress, time } = open({ stderr: screen });
  progress.show('a', records(0, 'a'));
  expect(stripped(screen.text)).toBe('a 0 % 0 of 100 records');
  time.now = 1000;
  progress.show('longer', records(30, 'longer'));
  expect(stripped(screen.text).split('\n')).toEqual([
    'a      0 % 0 of 100 records',
    'longer 30 % 30 of 100 records',
  ]);
  time.now = 2000;
  progress.remove('a');
  expect(stripped(screen.text)).toBe('longer 30 % 30 of 100 records, 30/s');
  progress.remove('longer');
  expect(screen.text).toBe('');
});

test('what is said meanwhile stands above the bars, whole', () => {
  const screen = new Screen();
  const { progress, time } = open({ stderr: screen });
  progress.show('a', records(1, 'a'));
  time.now = 100;
  progress.show('b', records(2, 'b'));
  say(progress.io, 'a warning');
  progress.io.stdout.write('a result\n');
  expect(screen.text).toBe('a warning\na result');
  time.now = 200;
  progress.show('b', records(3, 'b'));
  expect(stripped(screen.text).split('\n')).toEqual([
    'a warning',
    'a result',
    'a 1 % 1 of 100 records, 5.0/s',
    expect.stringMatching(/^b 3 % 3 of 100 records/),
  ]);
  progress.end();
  say(progress.io, 'the end');
  expect(screen.text).toBe('a warning\na result\nthe end');
});

test('whoever writes past it begins in place of the bars', () => {
  const screen = new Screen();
  const { progress } = open({ stderr: screen });
  progress.show('a', records(1, 'a'));
  screen.write(`${freshLine(screen, {})}stopping\n`);
  expect(screen.text).toBe('stopping');
  progress.end();
  expect(screen.text).toBe('stopping');
});

test('it is drawn ten times a second at most', () => {
  const screen = new Screen();
  const { progress, time } = open({ stderr: screen });
  for (; time.now < 1000; time.now += 1) progress.show('a', records(Math.floor(time.now / 10), 'a'));
  expect(screen.written.length).toBe(10);
  progress.end();
});

test('work of another kind is timed from its own beginning', () => {
  const screen = new Screen();
  const { progress, time } = open({ stderr: screen });
  progress.show('a', records(50, 'a'));
  time.now = 60_000;
  progress.show('a', { label: 'a', done: 0, noun: 'file', deed: 'asked for' });
  expect(screen.text).toBe('a 0 files asked for, 0 s');
  progress.end();
});

test.each([
  ['colours', {}, true],
  ['no colours with NO_COLOR', { NO_COLOR: '1' }, false],
])('%s', (_, env, coloured) => {
  const screen = new Screen();
  const { progress } = open({ stderr: screen, env });
  progress.show('a', records(50, 'a'));
  expect(screen.written.join('').includes('\u001b[32m')).toBe(coloured);
  expect(stripped(screen.text)).toBe('a 50 % 50 of 100 records');
  progress.end();
});

test.each([
  ['no terminal', { stderr: new PassThrough() }],
  ['TERM=dumb', { stderr: new Screen(), env: { TERM: 'dumb' } }],
  ['--json', { stderr: new Screen(), json: true }],
])('%s: plain lines, one in ten seconds', (_, given) => {
  const stderr: Writable = given.stderr;
  const written: string[] = [];
  stderr.write = ((chunk: string) => written.push(chunk) > 0) as typeof stderr.write;
  const { progress, time } = open({ ...given, stderr });
  for (; time.now <= 20_000; time.now += 1000)
    progress.show('a', records(1, 'a'), () => `after ${time.now / 1000} s`);
  progress.remove('a');
  progress.end();
  expect(written).toEqual(['after 10 s\n', 'after 20 s\n']);
});

test('a name cannot command the terminal', () => {
  const screen = new Screen();
  const { progress } = open({ stderr: screen });
  progress.show('a', records(1, 'a\u001b[2Jb'));
  expect(stripped(screen.text)).toContain('a\\u001b[2Jb');
  progress.end();
});
