import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type SampleService, startSampleService } from '../house/server/sample-service.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Each block of commands in docs/consume.md, typed as it stands there against the sample repository. */
const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'consume.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh ?(\w*)\n(.*?)^```$/gms)].map(([, needs = '', commands = '']) => ({
  needs,
  commands,
}));
const { RESYNC_SYNC = '', PATH = '' } = process.env;
const path = RESYNC_SYNC === '' ? PATH : `${dirname(RESYNC_SYNC)}${delimiter}${PATH}`;
const isInstalled = (name: string) => path.split(delimiter).some((place) => existsSync(join(place, name)));

let service: SampleService;
beforeAll(async () => {
  service = await startSampleService('', { files: { mode: 'none' } });
});
afterAll(() => service?.close());

describe('docs/consume.md', () => {
  test('has commands of three clients', () => {
    expect(blocks.map(({ needs }) => needs)).toEqual(['resync', 'resync', '', '', 'wget']);
  });

  test.each(blocks)('$commands', async ({ needs, commands }) => {
    const program = needs === '' ? 'curl' : needs === 'resync' ? 'resync-sync' : needs;
    if (!isInstalled(program)) {
      process.stderr.write(`SKIPPED: commands of docs/consume.md need ${program}\n`);
      return;
    }
    const { base, directory } = service;
    const typed = `set -eu\n${commands.replaceAll('http://localhost:8080', base)}`;
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', typed], {
      cwd: directory,
      env: { ...process.env, PATH: path },
      maxBuffer: 16e6,
    });
    if (needs === 'resync') expect(stderr).toMatch(/Status:\s+IN SYNC/);
    else if (needs === 'wget') expect(readdirSync(join(directory, 'records')).length).toBeGreaterThan(0);
    else if (commands.includes('etag')) expect(stdout).toContain('304');
    else expect(statSync(join(directory, 'then.xml')).size).toBeGreaterThan(200);
  });
});
