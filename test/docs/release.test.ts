import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const isClone = existsSync(join(root, '.git'));
if (!isClone) process.stderr.write('SKIPPED: a release is made of a clone of git\n');

describe.skipIf(!isClone)('npm run release', () => {
  const clone = mkdtempSync(join(tmpdir(), 'rsbridge-release-'));

  beforeAll(() => {
    run('git', ['clone', '--quiet', root, '.']);
    run('git', ['config', 'user.name', 'Release']);
    run('git', ['config', 'user.email', 'release@example.org']);
    // Ignored is the folder, and here it is a link.
    appendFileSync(join(clone, '.git', 'info', 'exclude'), 'node_modules\n');
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  });

  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  function run(command: string, args: readonly string[]) {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: clone, encoding: 'utf8' });
    return { code: status, stdout, stderr };
  }

  const release = (...args: string[]) => run(process.execPath, ['.ci/release.mjs', ...args]);

  test('what is no release is refused, and says why', () => {
    expect(release()).toMatchObject({ code: 1, stderr: expect.stringContaining('say `npm run release') });
    expect(release('next')).toMatchObject({ code: 1, stderr: expect.stringContaining('no version') });
    expect(release('0.0.9')).toMatchObject({ code: 1, stderr: expect.stringContaining('comes before') });
    expect(release('9.0.0', '--force')).toMatchObject({ code: 1 });
    expect(run('git', ['status', '--porcelain']).stdout).toBe('');
  });

  test('tried out, it changes nothing; made, it is committed, tagged and packed', () => {
    const tried = release('9.0.0-rc.1', '--dry-run', '--without-install');
    expect(tried, tried.stderr).toMatchObject({ code: 0 });
    expect(tried.stdout).toContain('## 9.0.0-rc.1 (');
    expect(run('git', ['status', '--porcelain']).stdout).toBe('');

    const made = release('9.0.0-rc.1', '--without-install');
    expect(made, made.stderr).toMatchObject({ code: 0 });
    expect(run('git', ['status', '--porcelain']).stdout).toBe('');
    expect(run('git', ['describe']).stdout.trim()).toBe('v9.0.0-rc.1');
    const read = (...path: string[]) => readFileSync(join(clone, ...path), 'utf8');
    expect(JSON.parse(read('package.json')).version).toBe('9.0.0-rc.1');
    expect(JSON.parse(read('package-lock.json')).version).toBe('9.0.0-rc.1');
    expect(read('package-lock.json')).not.toContain('"resolved"');
    expect(read('deploy', 'kubernetes', 'kustomization.yaml')).toContain('newTag: 9.0.0-rc.1\n');
    expect(read('CHANGELOG.md')).toMatch(
      /## Unreleased\n\n## 9\.0\.0-rc\.1 \(.*\)\n\nDatabase schema: \d{4}-/,
    );
    const parts = JSON.parse(read('release', 'resourcesync-bridge-9.0.0-rc.1.cdx.json')) as {
      components: { name: string }[];
    };
    expect(parts.components.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['fastify', 'undici', 'pg']),
    );
    const packed = run('tar', ['-tzf', join('release', 'resourcesync-bridge-9.0.0-rc.1.tgz')]).stdout;
    expect(packed).toContain('package/dist/program/bin.js');
    expect(packed).not.toMatch(/\/test\/|\.map$/m);

    // The same again, or nothing new to say, is no release.
    expect(release('9.0.0-rc.1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('tagged already'),
    });
    expect(release('9.0.0')).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing below') });
  });
});

test('the variables of .ci/run are none that rsbridge reads as settings', () => {
  const folder = join(root, '.ci');
  const found = readdirSync(folder).filter((name) =>
    /\bRSBRIDGE_/.test(readFileSync(join(folder, name), 'utf8')),
  );
  expect(found).toEqual([]);
});
