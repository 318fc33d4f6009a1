import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { Simulator } from '../../../src/simulate/simulator.ts';
import { Level } from '../../house/chain/level.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { WrittenSource } from '../../house/resourcesync/written-source.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const repository = createSampleRepository({ clock: systemClock, seed: 3, records: 5 });
let level: Level;
let simulator: Simulator;
let sitemap: WrittenSource;
let directory: string;

beforeAll(async () => {
  const { url } = await repository.listen();
  level = await Level.open('kyushu', { url, files: { mode: 'none' } });
  await level.turn('full');
  simulator = await Simulator.open({ port: 0, rate: 0, resources: 7 }, []);
  sitemap = await WrittenSource.open();
  sitemap.put(
    '/sitemap.xml',
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${sitemap.origin}/a.pdf</loc><lastmod>2026-01-01</lastmod></url></urlset>`,
  );
  sitemap.put('/a.pdf', '%PDF', { type: 'application/pdf' });
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-of-resourcesync-'));
  writeFileSync(join(directory, 'rsbridge.yaml'), stringify({ directory: join(directory, 'data') }));
});
afterAll(async () => {
  await level.close();
  await simulator.close();
  await sitemap.close();
  await repository.close();
  rmSync(directory, { recursive: true, force: true });
});

const run = (...args: string[]) => runMain(directory, args);
const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('Sources are added by the address of a host, imported from a list, looked over, and harvested', async () => {
  const added = await run('sources', 'add', level.url, '--name', 'west');
  expect(added.code, added.stderr).toBe(0);
  expect(added.stdout).toContain('Source of ResourceSync');
  writeFileSync(
    join(directory, 'list.csv'),
    `url,name\n${simulator.origin},simulated\n${sitemap.origin}/sitemap.xml,pages\n${level.url}/kyushu/resourcelist.xml,again\n`,
  );
  const imported = await run('sources', 'import', 'list.csv');
  expect(imported.stdout + imported.stderr).toMatch(/simulated +added/);
  expect(imported.stdout).toMatch(/pages +added/);
  expect(imported.stdout).toMatch(/again +already there .+ as west/);
  const listed = lines((await run('sources', 'list', '--json')).stdout);
  expect(listed.map(({ name, adapter, url }) => [name, adapter, url])).toEqual([
    ['pages', 'resourcesync', `${sitemap.origin}/sitemap.xml`],
    ['simulated', 'resourcesync', expect.stringContaining(simulator.origin)],
    ['west', 'resourcesync', level.set],
  ]);
  const harvested = await run('harvest', '--json');
  expect(harvested.code, harvested.stderr).toBe(0);
  const reports = lines(harvested.stdout).filter(({ state }) => state === 'succeeded');
  expect(reports.map(({ source, items }) => [source, items]).sort()).toEqual([
    ['pages', 1],
    ['simulated', 7],
    ['west', 5],
  ]);
  const looked = lines((await run('doctor', '--json')).stdout);
  const ofSources = looked.filter(({ check }) => /west|simulated|pages/.test(check));
  expect(ofSources.length).toBeGreaterThanOrEqual(3);
  expect(ofSources.filter(({ severity }) => severity === 'warning' || severity === 'error')).toEqual([]);
});
