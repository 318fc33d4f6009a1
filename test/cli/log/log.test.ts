import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { main } from '../../../src/cli/main.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { type NewLogLine, writeLog } from '../../../src/store/presence/log-lines.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { placeMigrated } from '../../house/store/databases.ts';

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-log-'));
let database: Database;

const line = (index: number, given: Partial<NewLogLine> = {}): NewLogLine => ({
  ...{ at: `2026-11-23T10:${String(index % 60).padStart(2, '0')}:00.000Z`, level: 'info', source: 'kyushu' },
  ...{ run: index, process: 'work 7 host', message: `message ${index}`, fields: undefined },
  ...given,
});
const write = (lines: readonly NewLogLine[]) => database.transaction((trx) => writeLog(trx, lines));
const log = (...args: readonly string[]) => runMain(directory, ['log', ...args]);
const messages = async (...args: readonly string[]) =>
  (await log('--json', ...args)).stdout
    .trim()
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => (JSON.parse(text) as { message: string }).message);

beforeAll(async () => {
  const file = placeMigrated(join(directory, 'test.db'));
  database = openDatabase({ client: 'sqlite', file });
  writeFileSync(
    join(directory, 'rsbridge.yaml'),
    `database: { client: sqlite, file: test.db }\ndirectory: ${directory}\nsources: {}\n`,
  );
  await write([
    ...Array.from({ length: 150 }, (_, index) => line(index)),
    line(150, {
      level: 'error',
      source: 'nara',
      message: 'a \u001b[2J\u202e torn page',
      fields: { url: 'https://r.example/\u0007' },
    }),
  ]);
});
afterAll(async () => {
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});

test('the last lines are printed, the oldest first, and nothing in them commands a terminal', async () => {
  const { code, stdout } = await log();
  const lines = stdout.trim().split('\n');
  expect([code, lines.length]).toEqual([0, 100]);
  expect(lines[0]).toBe('2026-11-23T10:51:00.000Z  info   kyushu, run 51: message 51  [work 7 host]');
  expect(lines.at(-1)).toContain(
    'error  nara, run 150: a \\u001b[2J\\u202e torn page  [work 7 host]  {"url":',
  );
  expect(stdout).not.toContain('\u001b');
  expect(stdout).not.toContain('\u0007');
});

test('they are filtered, counted, and all since a moment', async () => {
  expect(await messages('--limit', '2', '--source', 'kyushu')).toEqual(['message 148', 'message 149']);
  expect(await messages('--level', 'error')).toHaveLength(1);
  expect(await messages('--find', 'TORN r.example')).toHaveLength(1);
  expect(await messages('--run', '7')).toEqual(['message 7']);
  expect(await messages('--since', '2026-11-23T10:59:00Z')).toEqual(['message 59', 'message 119']);
  expect(await messages('--since', '2026-11-23T00:00:00Z')).toHaveLength(151);
  expect((await log('--level', 'loud')).code).toBe(2);
  expect((await log('--since', 'yesterday')).stderr).toContain('give a date or time');
});

test('new lines are printed as they come, until it is stopped', async () => {
  const stop = new AbortController();
  let printed = '';
  const sink = (take: (text: string) => void) =>
    new Writable({
      write(chunk, _encoding, done) {
        take(String(chunk));
        done();
      },
    });
  const stdout = sink((text) => {
    printed += text;
    if (text.includes('message 149')) void write([line(151, { message: 'it came later' })]);
    if (text.includes('it came later')) stop.abort();
  });
  const io = { stdout, stderr: sink(() => undefined), env: {}, cwd: directory, stop: stop.signal };
  const args = ['log', '--follow', '--limit', '1', '--source', 'kyushu'];
  expect(await main(args, { ...io, abort: new AbortController().signal })).toBe(0);
  expect(
    printed
      .trim()
      .split('\n')
      .map((text) => /: (.*?) {2}\[/.exec(text)?.[1]),
  ).toEqual(['message 149', 'it came later']);
}, 60_000);
