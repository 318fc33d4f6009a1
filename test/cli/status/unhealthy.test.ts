import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { runBeside } from '../../house/cli/run-beside.ts';
import { freePort } from '../../house/process/free-port.ts';

vi.setConfig({ testTimeout: 60_000 });

test('of many sources those are shown that need attention, and how many they are', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-unhealthy-'));
  const repository = createSampleRepository({ clock: systemClock, seed: 3, records: 3 });
  onTestFinished(async () => {
    await repository.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const { url } = await repository.listen(0);
  const common = { allowPrivateAddresses: true, files: { mode: 'none' } };
  const silent = `http://127.0.0.1:${await freePort()}/oai`;
  const sources = { kyoto: { url: silent, ...common }, nara: { url, ...common } };
  writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify({ sources }));
  const unhealthy = async (...args: string[]) => runBeside(directory, ['status', '--unhealthy', ...args]);

  await runBeside(directory, ['harvest', 'nara']);
  expect(await unhealthy()).toMatchObject({ code: 0, stdout: '2 sources: none needs attention\n' });
  await runBeside(directory, ['harvest', 'kyoto']);
  const { code, stdout } = await unhealthy();
  expect([code, stdout]).toEqual([
    4,
    expect.stringMatching(/^kyoto [\s\S]*\n1 of 2 sources needs attention\n$/),
  ]);
  expect(stdout).not.toContain('nara');
  expect((await unhealthy('nara')).stdout).toBe('1 source: none needs attention\n');
  const lines = (await unhealthy('--json')).stdout.trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { name: string }).name)).toEqual(['kyoto']);
});
