import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runMain } from '../../house/cli/run-main.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-no-source-'));
  writeFileSync(join(directory, 'rsbridge.yaml'), 'baseUrl: http://localhost:8080\n');
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('check says that a source is missing, and what to type', async () => {
  const { code, stdout } = await runMain(directory, ['check']);
  expect(code).toBe(2);
  expect(stdout).toMatch(
    /^FAIL {2}configuration: the configuration names no source, .+rsbridge init URL --dry-run/,
  );
});

test.each([['harvest'], ['publish'], ['serve'], ['export', 'public']])(
  '%s says the same',
  async (...args) => {
    const { code, stderr } = await runMain(directory, args);
    expect(code).toBe(2);
    expect(stderr).toContain('the configuration names no source');
    expect(stderr).toContain('rsbridge init URL --dry-run');
  },
);
