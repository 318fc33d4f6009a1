import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runMain } from '../../house/cli/run-main.ts';

const directory = mkdtempSync(join(tmpdir(), 'rsbridge-completion-'));
const scripts: Record<string, string> = {};

beforeAll(async () => {
  writeFileSync(join(directory, 'list.csv'), '');
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout } = await runMain(directory, ['completion', shell]);
    expect(code).toBe(0);
    scripts[shell] = join(directory, `rsbridge.${shell}`);
    writeFileSync(scripts[shell], stdout);
  }
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const isInstalled = (shell: string) => spawnSync(shell, ['--version']).status === 0;

/** What bash offers behind these words, the last of which is being typed. */
function offered(...words: readonly string[]): string[] {
  const typed = ['rsbridge', ...words].map((word) => `'${word}'`).join(' ');
  const script = `source '${scripts.bash}'; COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _rsbridge; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const told = execFileSync('bash', ['--norc', '-u', '-c', script], {
    cwd: directory,
    encoding: 'utf8',
  });
  return told
    .trim()
    .split('\n')
    .filter((word) => word !== '');
}

test.skipIf(!isInstalled('bash'))('bash completes commands, options and what an option may be', () => {
  expect(offered('')).toEqual(expect.arrayContaining(['harvest', 'status', 'doctor', 'admin']));
  expect(offered('heal')).toEqual(['healthcheck']);
  expect(offered('admin', 'tokens', '')).toEqual(['list', 'add', 'revoke']);
  expect(offered('admin', 'tokens', 'add', 'name', '--scope', '')).toEqual(['read', 'run', 'admin']);
  expect(offered('harvest', 'kyoto', '--i')).toEqual(expect.arrayContaining(['--identifiers', '--item']));
  expect(offered('serve', '--role', 'w')).toEqual(['web', 'work']);
  // What is not shown in the help is not offered, either.
  expect(offered('serve', '--work')).toEqual([]);
  expect(offered('completion', '')).toEqual(['bash', 'zsh', 'fish']);
});

test.skipIf(!isInstalled('bash'))('bash completes files where a file is meant, and only there', () => {
  expect(offered('sources', 'import', 'li')).toEqual(['list.csv']);
  expect(offered('check', '--config', 'li')).toEqual(['list.csv']);
  expect(offered('vanished', 'li')).toEqual([]);
});

test.skipIf(!isInstalled('zsh'))('zsh reads its script, and has a function for each command', () => {
  const script = `autoload -Uz compinit; compinit -u -D; source '${scripts.zsh}'; whence -w _rsbridge _rsbridge_admin_tokens_add; print $_comps[rsbridge]`;
  const told = execFileSync('zsh', ['-f', '-e', '-c', script], { encoding: 'utf8' });
  expect(told).toContain('_rsbridge: function\n_rsbridge_admin_tokens_add: function\n_rsbridge\n');
});

test.skipIf(!isInstalled('fish'))('fish completes commands, options and what an option may be', () => {
  const complete = (line: string) => {
    const told = execFileSync('fish', ['-c', `source ${scripts.fish}; complete -C '${line}'`], {
      encoding: 'utf8',
      env: { ...process.env, HOME: directory },
    });
    return told
      .trim()
      .split('\n')
      .map((offer) => offer.split('\t')[0]);
  };
  expect(complete('rsbridge heal')).toEqual(['healthcheck']);
  expect(complete('rsbridge admin tokens ')).toEqual(expect.arrayContaining(['list', 'add', 'revoke']));
  expect(complete('rsbridge serve --role w')).toEqual(expect.arrayContaining(['web', 'work']));
});

test('another shell is refused with those that there are', async () => {
  const { code, stderr } = await runMain(directory, ['completion', 'tcsh']);
  expect(code).toBe(2);
  expect(stderr).toContain('bash, zsh, fish');
});
