import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Bridge } from '../../../src/bridge/bridge.ts';
import { servesSource } from '../../../src/bridge/state/stored-sources.ts';
import { openPublication } from '../../../src/publish/published/publication.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { acquireLease } from '../../../src/store/runs/leases.ts';
import { list, provide, record, repository } from '../../house/adapters/scripted-provider.ts';
import { runMain } from '../../house/cli/run-main.ts';
import { type House, openHouse } from '../../house/server/fixture.ts';

const base = 'https://bridge.example.org/rs';
let directory: string;
let url: string;
let database: Database;
let house: House;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rsbridge-remove-'));
  const records = [record('oai:a:1'), record('oai:a:2', '<dc:title>oai:a:2 of two</dc:title>')];
  ({ url } = await provide(repository(() => list(records))));
  configure(['stays', 'goes']);
  expect((await run('harvest')).code).toBe(0);
  expect((await run('publish')).code).toBe(0);
  database = openDatabase({ client: 'sqlite', file: join(directory, 'data/rsbridge.db') });
  const bridge = { config: { sources: { stays: {} } }, database } as unknown as Bridge;
  house = await openHouse({
    ...{ database, baseUrl: base, publication: openPublication(join(directory, 'data')) },
    servesSource: (source) => servesSource(bridge, source),
    fileMode: (source) => (source === 'stays' ? 'none' : undefined),
    mementosOf: (source) => ({ links: 'metadata', keep: 'all', ofDeleted: source === 'stays' }),
  });
});
afterEach(async () => {
  await house.close();
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});

const run = (...args: string[]) => runMain(directory, args);

function configure(names: readonly string[]): void {
  const source = { url, files: { mode: 'none' } };
  const sources = Object.fromEntries(names.map((name) => [name, source]));
  writeFileSync(join(directory, 'rsbridge.yaml'), stringify({ baseUrl: base, directory: 'data', sources }));
}

async function get(path: string) {
  const response = await request(`${await house.origin()}/${path}`, {
    headers: { accept: 'application/json' },
  });
  return { status: response.statusCode, text: await response.body.text() };
}

const resourcesOf = (source: string) => [
  `${source}/items/oai:a:1/oai_dc.xml`,
  `${source}/items/oai:a:1`,
  `memento/20200101000000/${base}/${source}/items/oai:a:1/oai_dc.xml`,
];
const documentsOf = (source: string) =>
  ['capabilitylist.xml', 'resourcelist.xml', 'changelist.xml', '.well-known/resourcesync'].map(
    (path) => `${source}/${path}`,
  );
const others = (source: string) => [
  `timegate/${base}/${source}/items/oai:a:1/oai_dc.xml`,
  `timemap/link/${base}/${source}/items/oai:a:1/oai_dc.xml`,
  `timegate/${base}/${source}/resourcelist.xml`,
  `${source}/about`,
  `${source}/collections/x`,
];
const statusesOf = async (paths: readonly string[]) =>
  Object.fromEntries(await Promise.all(paths.map(async (path) => [path, (await get(path)).status] as const)));
const all = (paths: readonly string[], status: number) =>
  Object.fromEntries(paths.map((path) => [path, status]));

test('a source that is not configured any more is not served, and check says what to type', async () => {
  configure(['stays']);
  const everything = [...resourcesOf('goes'), ...documentsOf('goes'), ...others('goes')];
  expect(await statusesOf(everything)).toEqual(all(everything, 404));
  expect(await statusesOf(documentsOf('stays'))).toEqual(all(documentsOf('stays'), 200));
  const check = await run('check');
  expect(check.code).toBe(4);
  expect(check.stdout).toMatch(
    /^FAIL {2}source goes: goes is in the store and not in the configuration.*rsbridge remove goes$/m,
  );
});

test('what cannot be removed is said in a sentence', async () => {
  const configured = await run('remove', 'goes');
  expect(configured).toMatchObject({ code: 2 });
  expect(configured.stderr).toContain('[source-configured]');
  configure(['stays']);
  const unknown = await run('remove', 'gone');
  expect(unknown).toMatchObject({ code: 2 });
  expect(unknown.stderr).toContain('not in the configuration: goes');
  const lease = await acquireLease(database, 'goes', Date.now());
  await database
    .writer('source')
    .where({ name: 'goes' })
    .update({ harvest_holder: lease.holder.replace(/\/\d+\//, `/${process.ppid}/`) });
  const held = await run('remove', 'goes');
  expect(held).toMatchObject({ code: 5 });
  expect(held.stderr).toContain('[lease-held]');
});

test('a removed source tells those who follow it, and then goes for good', async () => {
  configure(['stays']);
  expect((await run('remove', 'goes', '--dry-run')).stdout).toContain('2 resources; would announce');
  const removed = await run('remove', 'goes');
  expect(removed).toMatchObject({ code: 0, stderr: '' });
  expect(await statusesOf(resourcesOf('goes'))).toEqual(all(resourcesOf('goes'), 410));
  expect(await statusesOf(documentsOf('goes'))).toEqual(all(documentsOf('goes'), 200));
  expect((await get('goes/changelist.xml')).text.match(/change="deleted"/g)).toHaveLength(2);
  expect((await get('goes/resourcelist.xml')).text).not.toContain('<url>');
  for (const place of ['.well-known/resourcesync', 'about'])
    expect((await get(place)).text).not.toContain('goes');
  // What is published later leaves its lists where they are.
  expect((await run('publish')).code).toBe(0);
  expect(await statusesOf(documentsOf('goes'))).toEqual(all(documentsOf('goes'), 200));
  expect((await run('check')).stdout).toMatch(
    /^ok {4}source goes: goes was removed at .*rsbridge remove goes --at-once$/m,
  );

  const gone = await run('remove', 'goes', '--at-once');
  expect(gone).toMatchObject({ code: 0 });
  const everything = [...resourcesOf('goes'), ...documentsOf('goes'), ...others('goes')];
  expect(await statusesOf(everything)).toEqual(all(everything, 404));
  expect(existsSync(join(directory, 'data/publication/goes'))).toBe(false);
  expect(await statusesOf(resourcesOf('stays').slice(0, 2))).toEqual(
    all(resourcesOf('stays').slice(0, 2), 200),
  );
  expect(await database.reader('source').select('name')).toEqual([{ name: 'stays' }]);
  const living = await database.reader('resource').select('id');
  expect(living).toHaveLength(2);
  for (const [table, rows] of [
    ['item', 2],
    ['version', 2],
    ['change', 2],
    ['released', 2],
  ] as const) {
    expect([table, (await database.reader(table)).length]).toEqual([table, rows]);
  }

  configure(['stays', 'goes']);
  expect((await run('harvest', 'goes')).code).toBe(0);
  expect((await run('publish')).code).toBe(0);
  expect((await database.reader('source').select('name')).length).toBe(2);
});

test('a removed source that is put back is read from the beginning', async () => {
  configure(['stays']);
  expect((await run('remove', 'goes')).code).toBe(0);
  configure(['stays', 'goes']);
  expect((await run('harvest', 'goes')).stdout).toContain('full harvest');
  const rows = await database.reader('resource').whereNull('deleted_at').select('id');
  expect(rows).toHaveLength(4);
});
