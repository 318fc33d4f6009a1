import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { main } from '../../../src/cli/main.ts';
import { ChangingSource } from '../../house/sync/changing-source.ts';

let directory: string;
let source: ChangingSource;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-sync-'));
  source = await ChangingSource.open();
  for (const name of ['/a', '/b', '/c', '/d']) source.put(name, name);
  source.list();
});
afterEach(async () => {
  rmSync(directory, { recursive: true, force: true });
  await source.close();
});

interface Line {
  readonly seq: number;
  readonly op: string;
  readonly loc?: string;
}

/** @param reader is told each line; what it returns is written to standard input, `end` ends that */
async function run(reader: (line: Line) => string | undefined, ...args: string[]) {
  const lines: Line[] = [];
  const stdin = new PassThrough();
  let stderr = '';
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      for (const text of String(chunk).split('\n').filter(Boolean)) {
        const line = JSON.parse(text) as Line;
        lines.push(line);
        const answer = reader(line);
        if (answer === 'end') stdin.end();
        else if (answer !== undefined) stdin.write(`${answer}\n`);
      }
      done();
    },
  });
  const talk = new Writable({
    write(chunk, _encoding, done) {
      stderr += String(chunk);
      done();
    },
  });
  const never = new AbortController().signal;
  const io = { stdin, stdout, stderr: talk, env: {}, cwd: directory, stop: never, abort: never };
  const code = await main(['sync', source.origin, 'copy', '--ndjson', '--ack', ...args], io);
  return { code, lines, stderr };
}

const locs = (lines: readonly Line[]) =>
  lines.flatMap(({ loc }) => (loc === undefined ? [] : loc.slice(-2))).sort();

test('what the reader acknowledges is done, line by line or all at once when there is nothing more', async () => {
  const each = await run(({ seq }) => String(seq));
  expect(each).toMatchObject({ code: 0 });
  expect(locs(each.lines)).toEqual(['/a', '/b', '/c', '/d']);
  for (const name of ['/a', '/e']) source.put(name, 'new');
  source.remove('/b');
  const atLast = await run(({ seq, op }) => (op === 'quiet' ? String(seq) : undefined));
  expect(atLast).toMatchObject({ code: 0 });
  expect(locs(atLast.lines)).toEqual(['/a', '/b', '/e']);
  expect(await run(() => undefined)).toMatchObject({ code: 0, lines: [] });
});

test('what it did not acknowledge comes again, and nothing else', async () => {
  const first = await run(({ seq, op }) => (op === 'quiet' ? 'end' : seq === 2 ? '2' : undefined));
  expect(first.code).toBe(4);
  expect(first.stderr).toContain('it was not acknowledged');
  const taken = locs(first.lines.filter(({ seq, op }) => seq <= 2 && op !== 'quiet'));
  const second = await run(({ seq }) => String(seq));
  expect(second.code).toBe(0);
  expect([...taken, ...locs(second.lines)].sort()).toEqual(['/a', '/b', '/c', '/d']);
  source.remove('/c');
  const untaken = await run(({ op }) => (op === 'quiet' ? 'end' : undefined));
  expect(untaken.code).toBe(4);
  const again = await run(({ seq }) => String(seq));
  expect(again).toMatchObject({ code: 0 });
  expect(again.lines[0]).toMatchObject({ op: 'deleted' });
});

test('--ack needs --ndjson', async () => {
  const never = new AbortController().signal;
  let stderr = '';
  const talk = new Writable({
    write(chunk, _encoding, done) {
      stderr += String(chunk);
      done();
    },
  });
  const io = { stdout: talk, stderr: talk, env: {}, cwd: directory, stop: never, abort: never };
  expect(await main(['sync', source.origin, 'copy', '--ack'], io)).toBe(2);
  expect(stderr).toContain('--ack belongs to --ndjson');
});
