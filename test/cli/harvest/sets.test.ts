import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../../src/bridge/system-clock.ts';
import { createSampleRepository } from '../../../src/demo/sample-repository.ts';
import { rsbridge } from '../../house/cli/processes.ts';
import { runBeside } from '../../house/cli/run-beside.ts';

let directory: string;
let repository: ReturnType<typeof createSampleRepository>;
let url: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-sets-'));
  repository = createSampleRepository({ clock: systemClock, records: 60 });
  ({ url } = await repository.listen(0));
});
afterEach(async () => {
  await repository.close();
  rmSync(directory, { recursive: true, force: true });
});

const run = (...args: string[]) => runBeside(directory, args);
const configure = (more: string) =>
  writeFileSync(
    join(directory, 'rsbridge.yaml'),
    `sources:\n  repo:\n    url: ${url}\n    files: { mode: none }\n${more}`,
  );
const publishedOf = (set: string) =>
  JSON.parse(readFileSync(join(directory, 'data', 'publication', ...set.split('/'), 'current.json'), 'utf8'));

test('a configured set is published beside the two that every source has, with its dumps', async () => {
  configure(
    '    sets: { theses: { title: Theses, collections: [theses] } }\n    dumps: [metadata, theses]\n',
  );
  expect(await run('harvest')).toMatchObject({ code: 0 });
  const published = await run('publish', '--close', '--json');
  expect(published.code).toBe(0);
  const reports = published.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(reports.map(({ set }) => set)).toEqual([
    'repo',
    'repo/metadata',
    'repo/metadata',
    'repo/sets/theses',
    'repo/sets/theses',
  ]);
  const { documents } = publishedOf('repo/sets/theses');
  for (const name of ['resourcelist', 'changelist', 'resourcedump', 'changedump']) {
    expect(Object.keys(documents)).toContain(`repo/sets/theses/${name}.xml`);
  }
  expect(documents['repo/sets/theses/resourcelist.xml'].entries).toBeLessThan(
    publishedOf('repo').documents['repo/resourcelist.xml'].entries,
  );
  const listsOnly = await run('publish', 'repo/sets/theses', '--lists-only', '--json');
  expect(listsOnly.stdout).not.toContain('resourcedump');
});

test('a set that names what the repository does not have: check says so, publish leaves the others alone', async () => {
  configure('    sets: { theses: { collections: [thesis] }, mods: { formats: [mod] } }\n');
  const checked = await run('check');
  expect(checked.code).toBe(2);
  expect(checked.stdout).toMatch(/FAIL {2}set repo\/sets\/theses: .*"thesis".*did you mean "theses"/);
  expect(checked.stdout).toMatch(/FAIL {2}set repo\/sets\/mods: "mod" is not published/);
  expect(await run('harvest')).toMatchObject({ code: 0 });
  const published = await run('publish', '--lists-only');
  expect(published).toMatchObject({ code: 2, stderr: expect.stringContaining('[unknown-collection]') });
  expect(published.stdout).toContain('/repo/metadata/capabilitylist.xml');
  expect(publishedOf('repo').documents).toHaveProperty(['repo/resourcelist.xml']);
});

test('serve closes Change Lists and builds dumps by itself', async () => {
  configure('    schedule: false\n');
  const config = readFileSync(join(directory, 'rsbridge.yaml'), 'utf8');
  writeFileSync(join(directory, 'rsbridge.yaml'), `listen: { port: 0 }\n${config}`);
  expect(await run('harvest')).toMatchObject({ code: 0 });
  const { child, finished } = rsbridge(['serve'], directory);
  const deadline = Date.now() + 120_000;
  const isThere = () => {
    try {
      const { documents } = publishedOf('repo/metadata');
      return ['resourcedump', 'changedump'].every((name) => documents[`repo/metadata/${name}.xml`]);
    } catch {
      return false;
    }
  };
  while (!isThere() && Date.now() < deadline) await systemClock.sleep(50);
  expect(isThere()).toBe(true);
  child.kill('SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
  expect((await finished).code).toBe(0);
});
