import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createProgram } from '../../../src/cli/main.ts';
import { commandsOf } from '../../../src/cli/manual/command-tree.ts';
import { manPage } from '../../../src/cli/manual/man-page.ts';

const never = new AbortController().signal;
const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
const program = createProgram(
  { stdout: sink, stderr: sink, env: {}, cwd: '/', stop: never, abort: never },
  () => undefined,
);
const file = join(import.meta.dirname, '..', '..', '..', 'docs', 'rsbridge.1');

/** `UPDATE_DOCS=1 npm test` writes it anew. */
test('docs/rsbridge.1 says what the commands say', () => {
  const page = manPage(program);
  if (process.env.UPDATE_DOCS) writeFileSync(file, page);
  expect(readFileSync(file, 'utf8')).toBe(page);
});

const isInstalled = spawnSync('man', ['--version']).status === 0;

test.skipIf(!isInstalled)('man shows it, has nothing to complain of, and every command is in it', () => {
  const { stdout, stderr, status } = spawnSync('man', ['--warnings', '-E', 'UTF-8', '-l', file], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C.UTF-8', MANWIDTH: '200', MANPAGER: 'cat' },
  });
  expect([status, stderr]).toEqual([0, '']);
  for (const { words } of commandsOf(program)) expect(stdout).toContain(`rsbridge ${words.join(' ')}`);
  expect(stdout).toContain('--accept-deletions [run]');
  expect(stdout).toContain(`rsbridge sources pause kyoto --until monday --why "new server"`);
});
