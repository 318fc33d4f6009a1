import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadConfig } from '../../../src/bridge/config/load-config.ts';
import { readOverviews } from '../../../src/bridge/state/overview.ts';
import { openStored } from '../../../src/bridge/stored-bridge.ts';
import { runBeside } from '../../house/cli/run-beside.ts';

vi.setConfig({ testTimeout: 60_000 });

test('a paused source has no next run in the past, and a full harvest is told from one of what is new', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-paused-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const sources = {
    kyoto: { url: 'https://kyoto.example.org/oai' },
    nara: { url: 'https://nara.example.org/oai' },
  };
  writeFileSync(join(directory, 'rsbridge.yaml'), JSON.stringify({ sources }));
  const status = async () => (await runBeside(directory, ['status'])).stdout;
  await status();
  const bridge = await openStored(loadConfig({}, {}, directory), 'migrate');
  try {
    const now = Date.now();
    const rows = [
      { source: 'kyoto', kind: 'harvest', schedule: '', due_at: now + 7_200_000, attempts: 3 },
      { source: 'kyoto', kind: 'full', schedule: '', due_at: now + 3_600_000, attempts: 0 },
    ];
    await bridge.database.writer('due').insert(rows);
    const ofOne = async (...names: string[]) => runBeside(directory, ['status', ...names]);
    expect((await ofOne('nara')).stdout).toMatch(/^nara /);
    expect((await ofOne('nara')).stdout).not.toContain('kyoto');
    expect((await ofOne('nara', 'kyoto')).stdout).toMatch(/^kyoto .*^nara /ms);
    expect((await ofOne('nara', '--at', '2026-01-01')).stdout).toMatch(/^nara at /);
    expect(await ofOne('osaka')).toMatchObject({ code: 2, stderr: expect.stringContaining('kyoto, nara') });
    expect(await status()).toMatch(/failed 3 times in a row; what is new is asked for again at /);
    expect(await status()).toMatch(/next run, a full harvest, 20/);
    await bridge.database.writer('due').update({ due_at: now - 3_600_000 });
    await runBeside(directory, ['sources', 'pause', 'kyoto']);
    expect(await status()).toContain('  no run until it is resumed; ');
    await bridge.replaceSources(bridge.latest());
    expect((await readOverviews(bridge))[0]?.nextRunAt).toBeUndefined();
    await runBeside(directory, ['sources', 'pause', 'kyoto', '--until', '2999-01-01']);
    expect(await status()).toContain('no run until the pause ends; then the next one, 2999-01-01T00:00:00Z');
  } finally {
    await bridge.close();
  }
});
