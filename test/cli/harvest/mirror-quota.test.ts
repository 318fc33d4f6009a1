import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { describeFileWork } from '../../../src/bridge/work/file-work.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { runMain } from '../../house/cli/run-main.ts';

test('harvest and status say that files wait for room, and harvest only what was really asked for', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rsbridge-quota-'));
  const repository = createSampleRepository({ clock: systemClock, records: 30 });
  onTestFinished(async () => {
    await repository.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const { url } = await repository.listen(0);
  const configure = (files: object) =>
    writeFileSync(
      join(directory, 'rsbridge.yaml'),
      stringify({ sources: { sample: { url, files: { mode: 'mirror', ...files } } } }),
    );
  configure({ quotaBytes: 1 });
  const { stdout, stderr } = await runMain(directory, ['harvest']);
  expect(stdout + stderr).toMatch(/\d files asked for, .*other files wait: quotaBytes is used up/);
  const status = await runMain(directory, ['status']);
  expect(status.stdout).toMatch(/^ {2}! quotaBytes is used up: [1-9]\d* files wait for room$/m);
  expect(status.stdout).not.toContain('not asked for yet');
});

test('files that were only put off are not said to have been asked for', () => {
  const work = { landingPages: 0, created: 0, updated: 0, deleted: 0 };
  const putOff = { ...work, files: 15, asked: 0, downloaded: 0, bytes: 0 };
  expect(describeFileWork('repo', { ...putOff, quotaReached: false })).toBeUndefined();
  expect(describeFileWork('repo', { ...putOff, quotaReached: true })).toBe(
    'repo: other files wait: quotaBytes is used up: 0 created, 0 updated, 0 deleted',
  );
});
