import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { connectionsWithin, isOutOfFiles, openFilesLimit } from '../../src/bridge/open-files.ts';
import { BridgeError } from '../../src/core/errors.ts';
import { translate } from '../../src/store/engine/storage-error.ts';
import { binary } from '../house/process/script.ts';

const emfile = Object.assign(new Error('EMFILE: too many open files, open x'), { code: 'EMFILE' });

describe('file descriptors', () => {
  it('are told apart from everything else that fails', () => {
    expect(isOutOfFiles(new Error('outer', { cause: emfile }))).toBe(true);
    expect(isOutOfFiles(new Error('ENOENT'))).toBe(false);
    expect(translate(emfile)).toMatchObject({ code: 'too-many-files' });
    expect(translate(emfile)).toBeInstanceOf(BridgeError);
  });

  it('are known, and leave room for what is not a connection', () => {
    expect(openFilesLimit()).toBeGreaterThan(0);
    expect([64, 256, 1024, 1_048_576].map(connectionsWithin)).toEqual([6, 83, 390, undefined]);
  });

  it.each([40, 64, 256])(
    '%i of them: it works, or says what to raise',
    (limit) => {
      const script = `ulimit -n ${limit}; exec "$0" "$1" --version`;
      const { stdout, stderr, status } = spawnSync('bash', ['-c', script, process.execPath, binary()], {
        encoding: 'utf8',
      });
      if (status === 0) expect(stdout).toMatch(/^\d+\.\d+/);
      else expect([status, stderr]).toEqual([6, expect.stringContaining('[too-many-files]')]);
      expect(stderr).not.toContain('    at ');
    },
    60_000,
  );
});
