import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open as openFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { checkSource } from '../../../src/conformance/survey/source-check.ts';
import { type ResourceSet, resourceSets } from '../../../src/core/resource-set.ts';
import { lockPublication } from '../../../src/publish/disk/publication-lock.ts';
import { openPublication, type Publication } from '../../../src/publish/published/publication.ts';
import { createPublisher, type Publisher } from '../../../src/publish/publisher.ts';
import { type Database, openDatabase } from '../../../src/store/engine/database.ts';
import { scriptOf } from '../../house/process/script.ts';
import { entriesOf, pathsOf, textIn, textOf } from '../../house/publish/reading.ts';
import {
  baseUrl,
  endFirstPass,
  HandClock,
  seedChanges,
  seedSource,
  silent,
} from '../../house/publish/seed.ts';
import { placeMigrated } from '../../house/store/databases.ts';

let directory: string;
let place: string;
let database: Database;
let publication: Publication;
let publisher: Publisher;
let clock: HandClock;
const [set] = resourceSets('kyushu') as [ResourceSet, ResourceSet];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'rsbridge-publication-'));
  place = join(directory, 'publication', 'kyushu');
  database = openDatabase({ client: 'sqlite', file: placeMigrated(join(directory, 'test.db')) });
  await seedSource(database, 'kyushu');
  await seedChanges(database, 'kyushu', [{ name: 'a', at: '2026-11-20T10:00:00Z' }]);
  await endFirstPass(database, 'kyushu');
  clock = new HandClock('2026-11-20T12:00:00Z');
  publication = openPublication(directory);
  const limits = { entries: 4, bytes: 1_000_000 };
  publisher = createPublisher({ database, directory, baseUrl, clock, log: silent, limits });
  await publisher.publish(set, { resourceList: 'always' });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await database.close();
  await rm(directory, { recursive: true, force: true });
});

const another = (name: string) => seedChanges(database, 'kyushu', [{ name, at: '2026-11-20T11:00:00Z' }]);
const dated = 'kyushu/changelist/20261120T100000Z.xml';

it('a reader in the middle of a document finishes it undisturbed while the next ones are published', async () => {
  const held = await Promise.all(
    [dated, 'kyushu/resourcelist.xml', 'kyushu/changelist.xml'].map((path) => publication.find(path)),
  );
  for (const name of ['b', 'c']) {
    await another(name);
    await publisher.publish(set, { resourceList: 'always' });
  }
  for (const document of held) {
    expect(entriesOf(document ? await textIn(document) : '').map((entry) => entry.at(-1))).toEqual(['a']);
  }
  expect(entriesOf(await textOf(publication, dated))).toHaveLength(3);
});

it('ranges cut across slices, and variants have strong validators of their own', async () => {
  const document = await publication.find(dated);
  if (!document) throw new Error('it is published');
  const whole = await buffer(document.plain.open(0, document.plain.length));
  for (const [start, end] of [
    [0, 1],
    [10, 50],
    [whole.length - 20, whole.length - 3],
    [whole.length - 3, whole.length],
    [5, 5],
  ] as const) {
    const part = await buffer(document.plain.open(start, end));
    expect(part.equals(whole.subarray(start, end)), `${start}-${end}`).toBe(true);
  }
  expect(document.plain.etag).toMatch(/^"[\w-]+"$/);
  expect(document.gzip?.etag).not.toBe(document.plain.etag);
});

it.each([
  'kyushu/current.json',
  'kyushu/../kyushu/resourcelist.xml',
  'kyushu/../../test.db',
  '../test.db',
  'kyushu/__proto__',
  'kyushu/constructor',
  '__proto__',
  'kyushu/resourcelist.xml/',
  '/kyushu/resourcelist.xml',
  'kyushu/resourcelist.xml\0',
  '',
])('a path that was not published leads nowhere: %j', async (path) => {
  expect(await publication.find(path)).toBeUndefined();
});

it('a full disk leaves the old publication, no leftovers, and says so', async () => {
  const before = await pathsOf(directory, 'kyushu');
  const files = (await readdir(place)).sort();
  await another('b');
  const handle = await openFile(join(directory, 'probe'), 'w');
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  for (let successes = 0; successes < 12; successes += 1) {
    let left = successes;
    const original = prototype.write;
    const spy = vi.spyOn(prototype, 'write').mockImplementation(function (
      this: typeof handle,
      ...args: unknown[]
    ) {
      left -= 1;
      if (left < 0)
        return Promise.reject(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }));
      return Reflect.apply(original, this, args);
    } as never);
    const failed = await publisher.publish(set, { resourceList: 'always' }).then(
      () => undefined,
      (error: unknown) => error,
    );
    spy.mockRestore();
    if (failed === undefined) break;
    expect(failed).toMatchObject({ code: 'disk-full' });
    expect((await readdir(place)).sort()).toEqual(files);
    expect(await pathsOf(directory, 'kyushu')).toEqual(before);
    expect(entriesOf(await textOf(publication, dated))).toEqual(['created a']);
  }
  await publisher.publish(set, { resourceList: 'always' });
  expect(entriesOf(await textOf(publication, dated))).toEqual(['created a', 'created b']);
});

it('an interrupted publish leaves the old publication', async () => {
  await another('b');
  const signal = AbortSignal.abort();
  await expect(publisher.publish(set, { resourceList: 'always', signal })).rejects.toMatchObject({
    code: 'interrupted',
  });
  expect(entriesOf(await textOf(publication, 'kyushu/resourcelist.xml'))).toEqual(['a']);
});

it('two publishers do not work on one set; what a dead one left is taken away', async () => {
  const lock = await lockPublication(place);
  await expect(publisher.publish(set, { resourceList: 'never' })).rejects.toMatchObject({
    code: 'publication-busy',
  });
  await lock.release();
  const holder = JSON.stringify({ id: 'x', pid: process.pid, place: 'elsewhere' });
  await writeFile(join(place, 'lock'), holder);
  await expect(publisher.publish(set, { resourceList: 'never' })).rejects.toMatchObject({
    code: 'publication-busy',
  });
  await rm(join(place, 'lock'));
  const own = await lockPublication(place);
  await writeFile(join(place, 'lock'), holder);
  await expect(own.confirm()).rejects.toMatchObject({ code: 'publication-busy' });
  await own.release();
});

it('while a long Resource List is written, the Change Lists follow the journal', async () => {
  await another('b');
  // Every look at the watch finds two seconds gone.
  let elapsed = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => {
    elapsed += 2000;
    return elapsed;
  });
  const seen: number[] = [];
  const { snapshot } = database;
  vi.spyOn(database, 'snapshot').mockImplementation(async (work) => {
    const result = await snapshot(work);
    seen.push(entriesOf(await textOf(publication, dated)).length);
    return result;
  });
  await publisher.publish(set, { resourceList: 'always' });
  // The changes' snapshot ends inside that of the list, which at its own end finds them published.
  expect(seen.slice(0, 2)).toEqual([1, 2]);
  expect(entriesOf(await textOf(publication, 'kyushu/resourcelist.xml'))).toEqual(['a', 'b']);
});

it('files that a crash left behind are gone after the next publish', async () => {
  await writeFile(join(place, 'resourcelist~1.abc.xml.tmp'), 'half');
  await writeFile(join(place, 'changelist.abc.xml'), 'never published');
  await another('b');
  await publisher.publish(set, { resourceList: 'never' });
  const names = await readdir(place);
  expect(names.filter((name) => name.includes('.abc.') || name.endsWith('.tmp'))).toEqual([]);
});

it('kill -9 at any moment leaves a publication that is consistent, and that the next publish continues', async () => {
  const script = scriptOf(join(import.meta.dirname, '../../house/publish/endless-publisher.ts'));
  for (const wait of [0, 37, 81]) {
    const child = spawn(process.execPath, [script, directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    await new Promise((resolve) => setTimeout(resolve, wait));
    child.kill('SIGKILL');
    await once(child, 'exit');

    const reader = openPublication(directory);
    for (const path of await pathsOf(directory, 'kyushu'))
      expect(await textOf(reader, path)).toMatch(/<\/\w+>\n$/);
    clock.set('2026-11-22T12:00:00Z');
    await publisher.publish(set, { resourceList: 'never' });
    await publisher.publishSite([set]);
    const checked = await checkSource(`${baseUrl}/kyushu/changelist-index.xml`, async (uri) => {
      const document = await reader.find(uri.slice(baseUrl.length + 1));
      return document?.plain.open(0, document.plain.length);
    });
    expect(checked.flatMap(({ findings }) => findings)).toEqual([]);
    const lists = (await pathsOf(directory, 'kyushu')).filter((path) => path.includes('/changelist/'));
    const told = (await Promise.all(lists.map((path) => textOf(reader, path)))).flatMap(entriesOf);
    const [count] = await database.reader('change').count('* as changes');
    expect(told).toHaveLength(Number(count?.changes));
  }
});
