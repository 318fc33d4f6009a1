import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { Simulator } from '../../../src/simulate/simulator.ts';
import { Level } from '../../house/chain/level.ts';
import { runMain } from '../../house/cli/run-main.ts';

const repository = createSampleRepository({ clock: systemClock, seed: 3, records: 5 });
let level: Level;
let directory: string;
beforeAll(async () => {
  const { url } = await repository.listen();
  level = await Level.open('kyushu', { url, files: { mode: 'none' } });
  await level.turn('full');
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-init-'));
});
afterAll(async () => {
  await level.close();
  await repository.close();
  rmSync(directory, { recursive: true, force: true });
});

test.each([
  ['its Capability List', '/kyushu/capabilitylist.xml'],
  ['a Resource List', '/kyushu/resourcelist.xml'],
  ['a Source Description', '/kyushu/.well-known/resourcesync'],
  ['the page of the source', '/kyushu/about'],
  ['the Source Description of the host, where all sets are parts of one', '/.well-known/resourcesync'],
  ['the page of the host', '/'],
])('a Source is recognised by %s', async (_what, path) => {
  const { code, stderr } = await runMain(directory, ['init', `${level.url}${path}`, '--force']);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  const text = readFileSync(join(directory, 'rsbridge.yaml'), 'utf8');
  expect(text).toContain('adapter: resourcesync');
  expect(text).toContain(`url: "${level.url}/kyushu/capabilitylist.xml"`);
});

test('what init writes is checked and harvested', async () => {
  await runMain(directory, ['init', level.set, '--force', '--name', 'west']);
  const checked = await runMain(directory, ['check']);
  expect(checked.stdout + checked.stderr).toContain('ResourceSync 1.1');
  expect(checked.code).toBe(0);
  const harvested = await runMain(directory, ['harvest', '--json']);
  expect(harvested.code).toBe(0);
  expect(JSON.parse(harvested.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ state: 'succeeded' });
});

test.each([
  ['robots-only', 'capabilitylist.xml'],
  ['plain-sitemap', 'sitemap.xml'],
])('a host of which only robots.txt tells (%s) is recognised', async (fault, document) => {
  const source = await Simulator.open({ port: 0, rate: 0, resources: 3 }, [fault]);
  try {
    const { code, stderr } = await runMain(directory, ['init', source.origin, '--force']);
    expect([code, stderr]).toEqual([0, '']);
    const text = readFileSync(join(directory, 'rsbridge.yaml'), 'utf8');
    expect(text).toContain('adapter: resourcesync');
    expect(text).toContain(`url: "${source.origin}/${document}"`);
    const harvested = await runMain(directory, ['harvest', '--json']);
    expect(harvested.stdout).toContain('"state":"succeeded"');
  } finally {
    await source.close();
  }
});
